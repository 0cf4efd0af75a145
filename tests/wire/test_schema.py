"""What the schemas of arguments and answers say is what the codec takes and gives."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import IntEnum, StrEnum
from typing import Annotated, Any, Literal

import pytest
from annotated_types import Ge, Le
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from typing_extensions import TypedDict

from winnow.operations import OPERATIONS
from winnow.operations.changes import StoreRequest
from winnow.operations.requests import RecallRequest
from winnow.values import Json, Value
from winnow.wire import Arg, arguments, decode, encode
from winnow.wire.schema import argument_schema, definitions, input_schema, output_schema

ROWS = tuple(OPERATIONS.values())
TAKEN = [(row, one) for row in ROWS for one in arguments(row.request) if not one.raw]
KINDS_OF_ARGUMENT = {one.annotation: (row, one) for row, one in TAKEN}


def accepts(schema: Any, value: object) -> bool:
    validator: Any = Draft202012Validator(schema)
    return validator.is_valid(value)


def properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return schema["properties"]


# --- arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_schema_of_arguments_is_strict_and_names_all_of_them(row: Any) -> None:
    schema = input_schema(row.request)
    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    taken = [one for one in arguments(row.request) if not one.raw]
    assert list(properties(schema)) == [one.wire_name for one in taken]
    assert schema.get("required", []) == [one.wire_name for one in taken if one.required]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_schema_has_no_titles_and_no_alternatives(row: Any) -> None:
    text = json.dumps(input_schema(row.request))
    assert '"title":' not in text.replace('"title": {', "")  # memories have a title
    assert "anyOf" not in text
    assert "$ref" not in text


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_argument_has_a_line_of_help_and_its_default(row: Any) -> None:
    for one in arguments(row.request):
        schema = argument_schema(one)
        assert schema["description"] == one.help
        assert schema.get("default") == one.default


def test_choices_of_the_moment_stand_in_the_schema() -> None:
    schema = input_schema(RecallRequest, choices={"schema": ["legal.Matter", "Thing"]})
    assert properties(schema)["schema"]["enum"] == ["legal.Matter", "Thing"]
    assert "enum" not in properties(input_schema(RecallRequest))["schema"]
    assert "enum" not in properties(input_schema(RecallRequest, choices={"schema": []}))["schema"]


def test_an_argument_can_be_asked_for_that_has_a_default() -> None:
    schema = input_schema(RecallRequest, required=["query"])
    assert schema["required"] == ["query"]
    assert "default" not in properties(schema)["query"]
    assert properties(input_schema(RecallRequest))["query"]["default"] == ""


def test_null_is_in_the_schema_of_what_is_optional_if_it_is_wanted() -> None:
    plain, with_null = input_schema(StoreRequest), input_schema(StoreRequest, nulls=True)
    assert properties(plain)["ifExists"]["enum"] == ["update", "error"]
    assert properties(with_null)["ifExists"]["enum"] == ["update", "error", None]
    assert properties(with_null)["ifExists"]["type"] == ["string", "null"]
    assert properties(with_null)["tags"]["type"] == ["array", "string", "null"]
    assert properties(with_null)["text"]["type"] == "string"


_texts = st.text(max_size=5) | st.sampled_from(("EXTRACTED", "episodic", "rrf", "a:desc", "error"))
_numbers = st.integers(-3, 2_000) | st.floats(-2, 2).filter(lambda one: not one.is_integer())
_items = _texts | _numbers | st.fixed_dictionaries({"field": _texts})
_values: st.SearchStrategy[Json] = st.one_of(
    st.booleans(),
    _numbers,
    _texts,
    st.lists(_items, max_size=3),
    st.dictionaries(_texts, _items, max_size=2),
    st.fixed_dictionaries({"field": _texts, "direction": st.sampled_from(("asc", "up"))}).map(
        lambda one: [one]
    ),
)


@pytest.mark.parametrize(("row", "one"), KINDS_OF_ARGUMENT.values(), ids=lambda part: part.name)
@given(value=_values)
def test_the_codec_takes_a_value_exactly_if_its_schema_does(
    row: Any, one: Any, value: Json
) -> None:
    wrong = not accepts(argument_schema(one), value)
    _, faults = decode(row.request, {one.wire_name: value})
    mine = [fault for fault in faults if fault.pointer.startswith(f"/{one.wire_name}")]
    assert bool(mine) is wrong


# --- types ---------------------------------------------------------------------------------------


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Rank(IntEnum):
    LOW = 1
    HIGH = 2


class Key(TypedDict):
    field: str


@dataclass(frozen=True)
class Leaf:
    value: Value
    parts: "Sequence[Leaf] | None" = None


@dataclass(frozen=True)
class Sample:
    texts: Sequence[str]
    json: Json
    colour: Colour
    rank: Rank | None
    leaves: Mapping[str, Sequence[Leaf]]
    others: Sequence[int] | None

    wire_names = (("others", "texts"),)
    wire_sometimes = frozenset({"colour"})


@dataclass(frozen=True)
class Request:
    number: Annotated[float | int | None, Ge(0), Le(1), Arg("a share")] = None
    keys: Annotated[str | Sequence[Key | str] | None, Arg("keys")] = None
    _: KW_ONLY
    word: Annotated[Literal["a", "b"], Arg("a word")] = "a"
    either: Annotated[Literal["a"] | Sequence[str], Arg("a or more")] = "a"


def test_types_become_the_shortest_schema_that_means_them() -> None:
    assert properties(input_schema(Request)) == {
        "number": {"type": "number", "minimum": 0, "maximum": 1, "description": "a share"},
        "keys": {
            "type": ["array", "string"],
            "items": {
                "type": ["object", "string"],
                "properties": {"field": {"type": "string"}},
                "required": ["field"],
                "additionalProperties": False,
            },
            "description": "keys",
        },
        "word": {"type": "string", "enum": ["a", "b"], "description": "a word", "default": "a"},
        "either": {
            "anyOf": [
                {"type": "array", "items": {"type": "string"}},
                {"type": "string", "enum": ["a"]},
            ],
            "description": "a or more",
            "default": "a",
        },
    }


def test_null_can_be_added_to_any_argument() -> None:
    schema = properties(input_schema(Request, nulls=True))
    assert all(accepts(one, None) for one in schema.values())
    assert not any(accepts(one, True) for one in schema.values())


def test_parts_of_an_answer_stand_beside_it_once() -> None:
    value: Json = {
        "type": ["array", "string", "number", "boolean"],
        "items": {"type": ["string", "number", "boolean"]},
    }
    assert output_schema(Sample) == {
        "type": "object",
        "properties": {
            "texts": {
                "anyOf": [
                    {"type": "array", "items": {"type": "string"}},
                    {"type": "array", "items": {"type": "integer"}},
                ]
            },
            "json": {},
            "colour": {"type": "string", "enum": ["red", "blue"]},
            "rank": {"type": "string", "enum": ["LOW", "HIGH"]},
            "leaves": {
                "type": "object",
                "additionalProperties": {"type": "array", "items": {"$ref": "#/$defs/Leaf"}},
            },
        },
        "required": ["texts", "leaves"],
        "$defs": {
            "Leaf": {
                "type": "object",
                "properties": {
                    "value": value,
                    "parts": {"type": "array", "items": {"$ref": "#/$defs/Leaf"}},
                },
                "required": ["value"],
            }
        },
    }


def test_an_encoded_part_is_what_its_schema_says() -> None:
    leaf = Leaf((1, "a"), [Leaf(True)])
    schema = {"$ref": "#/$defs/Leaf", "$defs": definitions([Leaf])}
    wrong: Json = {"value": 1, "parts": [{}]}
    assert accepts(schema, encode(leaf))
    assert not accepts(schema, wrong)


def test_definitions_refer_to_each_other_where_they_are_put() -> None:
    made = definitions([Sample, Leaf], refs="#/components/schemas/")
    assert list(made) == ["Sample", "Leaf"]
    assert "#/components/schemas/Leaf" in json.dumps(made)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_schema_of_every_answer_is_one(row: Any) -> None:
    schema = output_schema(row.answer)
    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"


def test_what_is_no_part_of_an_answer_has_no_schema() -> None:
    with pytest.raises(TypeError, match="not part of an answer"):
        output_schema(Exception)
