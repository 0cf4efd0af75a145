"""What a memory says that it can do."""

from collections.abc import Iterable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest
from tests.memory.answering import answering, with_model

from winnow.embed.registry import FAMILIES
from winnow.errors import InvalidRequest
from winnow.kinds import KINDS, Policy, vocabulary
from winnow.memory import Memory
from winnow.memory.upkeep.capabilities import SURFACES
from winnow.operations import OPERATIONS
from winnow.providers.sources import Sources
from winnow.wire import encode

TOOLS = [one.tool for one in OPERATIONS.values() if one.tool]
MARKED = [f"{mark}{number}" for mark in ("", "v", "V") for number in (1, 2, 3)]


def payload(memory: Memory, *accept: str | int) -> dict[str, Any]:
    shown = encode(memory.capabilities(*accept))
    assert isinstance(shown, dict)
    return shown


@pytest.mark.parametrize("accept", [*MARKED, 1, 2, 3])
def test_a_version_is_read_with_or_without_a_v(memory: Memory, accept: str | int) -> None:
    number = str(accept)[-1]
    shown = payload(memory, accept)
    assert (shown["accept"], shown["tools"]) == (number, TOOLS)
    assert set(shown) == {"accept", "tools"} or number == "3"


def test_the_third_is_the_default(memory: Memory) -> None:
    assert payload(memory) == payload(memory, "3")


@pytest.mark.parametrize("accept", ["4", "", "vv3", "3.0", "latest", 0, -1])
def test_another_version_is_refused_with_those_that_there_are(
    memory: Memory, accept: str | int
) -> None:
    with pytest.raises(InvalidRequest, match=r"/accept: .*allowed: 1, 2, 3"):
        memory.capabilities(accept)


def test_seed_003_the_vocabulary_of_kinds_keeps_its_name_and_its_keys(memory: Memory) -> None:
    assert payload(memory)["memory_kind_vocab"] == vocabulary()
    assert vocabulary() == {
        "vocabulary": list(KINDS),
        "recall_filter": "implemented",
        "cli_filter": "implemented",
        "auto_classify": "implemented",
        "auto_classify_modes": [mode.value for mode in Policy],
    }


def test_a_model_and_typed_recall_are_told(memory: Memory) -> None:
    assert payload(memory)["features"] == {"llm.classify_kind": False, "ontology": True}
    with answering(lambda _: "goal") as (model, endpoint):
        assert payload(with_model(memory, model))["features"]["llm.classify_kind"]
    assert endpoint.asked == []
    without = Memory(replace(memory.engine, enabled=False))
    assert not payload(without)["features"]["ontology"]


def test_each_embedder_is_told_with_whether_it_is_installed(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = payload(memory)["embedders"]
    assert list(told) == [family.form for family in FAMILIES.values()]

    def find_nothing(name: str) -> None:
        """No package is installed."""

    monkeypatch.setattr("winnow.embed.base.find_spec", find_nothing)
    assert [name for name, there in payload(memory)["embedders"].items() if there] == [
        "static",
        "openai:MODEL@URL",
        "external:DIMENSION",
        "none",
    ]


def test_a_source_is_told_with_whether_it_has_a_provider(memory: Memory) -> None:
    assert payload(memory)["sources"] == {"codegraph": False, "pageindex": False, "onyx": False}
    provider = {"WINNOW_PROVIDER_CODEGRAPH": "tests.providers.offered:Codegraph"}
    connected = Memory(replace(memory.engine, sources=Sources(provider)))
    assert payload(connected)["sources"]["codegraph"]


def test_the_surfaces_are_those_that_there_are(memory: Memory) -> None:
    shown: Iterable[str] = payload(memory)["surfaces"]
    assert tuple(shown) == SURFACES
    modules = {name: f"winnow.surfaces.{name}" for name in SURFACES if name != "python"}
    assert [name for name, module in modules.items() if find_spec(module) is None] == []
