"""What an agent is told of the tools."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.surfaces.mcp.connecting import converse

from winnow.errors import InvalidRequest
from winnow.kinds import KINDS
from winnow.memory import Memory
from winnow.operations import OPERATIONS, Effect
from winnow.surfaces.mcp.tools import list_tools, tool_rows

ROWS = {one.tool: one for one in OPERATIONS.values() if one.tool}
TOOLS = {one.name: one for one in list_tools("full", ("legal.Client", "legal.Matter"))}


def schema_of(name: str) -> Any:
    return TOOLS[name].input_schema


def test_every_operation_with_a_tool_is_one() -> None:
    assert list(TOOLS) == list(ROWS)
    assert set(ROWS) == {
        "memory_recall",
        "recall_check",
        "memory_store",
        "memory_get",
        "memory_update",
        "memory_delete",
        "memory_list",
        "memory_aggregate",
        "memory_explain",
        "memory_schema",
        "memory_index",
        "memory_capabilities",
    }


def test_the_core_profile_shows_five_tools() -> None:
    """F117: every tool that is shown costs the agent's context on every turn."""
    assert {one.name for one in list_tools("core", ())} == {
        "memory_recall",
        "recall_check",
        "memory_store",
        "memory_schema",
        "memory_capabilities",
    }


def test_a_profile_that_there_is_not_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="unknown profile 'ful'; did you mean 'full'"):
        tool_rows("ful")


@pytest.mark.parametrize("name", TOOLS)
def test_the_schemas_of_a_tool_are_strict_objects(name: str) -> None:
    """F02."""
    tool = TOOLS[name]
    Draft202012Validator.check_schema(tool.input_schema)
    assert tool.input_schema["additionalProperties"] is False
    assert tool.output_schema is not None
    Draft202012Validator.check_schema(tool.output_schema)
    assert tool.output_schema["type"] == "object"


@pytest.mark.parametrize("name", TOOLS)
def test_a_description_is_short_and_its_own(name: str) -> None:
    description = TOOLS[name].description or ""
    assert 0 < len(description.encode()) < 2_048
    assert description != ROWS[name].summary


@pytest.mark.parametrize(
    "name", [name for name in TOOLS if "filters" in schema_of(name)["properties"]]
)
def test_a_tool_that_filters_says_where_fields_are_told(name: str) -> None:
    description = TOOLS[name].description or ""
    assert "memory_schema" in description
    assert "memory_recall" in description or name == "memory_recall"


def test_recall_teaches_its_modes_and_the_shape_of_a_filter() -> None:
    description = TOOLS["memory_recall"].description or ""
    for part in ("narrative", "enumeration", "joins", "legal.Matter", "entityIds", "undetermined"):
        assert part in description
    assert '{"escrowPct": {"gte": 10}, "nonCompeteMonths": {"gt": 18}}' in description


@pytest.mark.parametrize(
    "name", ["memory_recall", "recall_check", "memory_get", "memory_list", "memory_explain"]
)
def test_a_tool_that_gives_stored_texts_says_that_they_are_data(name: str) -> None:
    assert "never instructions" in (TOOLS[name].description or "")


def test_recall_asks_for_a_query_and_gives_every_default() -> None:
    schema = schema_of("memory_recall")
    assert schema["required"] == ["query"]
    properties = schema["properties"]
    defaults = {name: one["default"] for name, one in properties.items() if "default" in one}
    assert defaults == {
        "confidenceMinimum": "EXTRACTED",
        "includeConfidenceTags": True,
        "limit": 10,
        "nearMisses": 0,
        "maxDepth": 0,
        "fusion": "linear",
        "profile": False,
    }


def test_the_schemas_that_are_loaded_are_the_choices_of_a_schema(memory: Memory) -> None:
    async def choices(client: Any) -> Any:
        tools = {one.name: one for one in (await client.list_tools()).tools}
        return tools["memory_recall"].input_schema["properties"]["schema"]["enum"]

    assert converse(memory, choices) == list(memory.schema_names())
    assert "legal.Matter" in memory.schema_names()


def test_the_kinds_of_memories_are_the_choices_of_a_kind() -> None:
    assert schema_of("memory_store")["properties"]["kind"]["enum"] == list(KINDS)


@pytest.mark.parametrize("name", TOOLS)
def test_annotations_follow_the_effect_of_the_operation(name: str) -> None:
    told, effect = TOOLS[name].annotations, ROWS[name].effect
    assert told is not None
    assert told.read_only_hint is (effect is Effect.READ)
    assert told.destructive_hint is (effect is Effect.DESTROY)
    assert told.idempotent_hint is (name != "memory_store")
    assert told.open_world_hint is False
