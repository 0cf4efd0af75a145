"""From answers to JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.filter.raw import Raw, Untyped
from winnow.records import Confidence
from winnow.wire import camel_case, encode, encode_text


class Color(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


@dataclass(frozen=True, slots=True)
class Alone:
    only_one: Any


@dataclass(frozen=True, slots=True)
class Pair:
    first_part: Any
    second_part: Any


@dataclass(frozen=True, slots=True)
class Choosy:
    """Says itself which of its parts are there."""

    plain_part: Any
    other_part: Any

    def wire_parts(self) -> Iterator[tuple[str, object]]:
        yield "renamed_part", self.other_part
        yield "plain_part", self.plain_part


NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
LEAVES = st.none() | st.booleans() | NUMBERS | st.text()
TREES = st.recursive(
    LEAVES | st.sampled_from([Color.RED, Level.HIGH, Confidence.INFERRED]),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text() | st.integers(), inner)
        | st.dictionaries(st.text(), inner).map(MappingProxyType)
        | st.builds(Alone, inner)
        | st.builds(Pair, inner, inner)
        | st.builds(Choosy, inner, inner)
    ),
    max_leaves=20,
)


def spell_out(answer: Any) -> Any:
    """Encode in the most obvious way."""
    match answer:
        case Alone(one):
            parts = {"onlyOne": one}
        case Pair(one, two):
            parts = {"firstPart": one, "secondPart": two}
        case Choosy(one, two):
            parts = {"renamedPart": two, "plainPart": one}
        case IntEnum():
            return answer.name
        case Enum():
            return answer.value
        case Mapping():
            items = cast(Mapping[object, object], answer).items()
            return {str(key): spell_out(value) for key, value in items}
        case list() | tuple():
            return list(map(spell_out, cast(Sequence[object], answer)))
        case _:
            return answer
    return {name: spell_out(value) for name, value in parts.items() if value is not None}


@given(TREES)
def test_an_answer_is_what_its_parts_are_in_camel_case_without_those_that_are_not_there(
    answer: object,
) -> None:
    assert encode(answer) == spell_out(answer)
    assert json.loads(encode_text(answer)) == spell_out(answer)


@pytest.mark.parametrize(
    ("name", "shown"),
    [("limit", "limit"), ("order_by", "orderBy"), ("memory_kind_vocab", "memory_kind_vocab")],
)
def test_names_are_in_camel_case_but_those_that_were_settled_elsewhere(
    name: str, shown: str
) -> None:
    assert camel_case(name) == shown


def test_texts_that_are_bytes_are_shown_in_base64_as_values_and_as_keys() -> None:
    broken = b"\xff".decode("utf-8", "surrogateescape")
    answer = {Raw(broken): [Raw(broken), Untyped("12"), Untyped(broken)]}
    shown = {"base64": "/w=="}
    assert encode(answer) == {"base64:/w==": [shown, "12", shown]}
    assert type(encode(Untyped("12"))) is str


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_json_does_not_have_are_not_written(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode_text([number])


@pytest.mark.parametrize("answer", [{1, 2}, b"x", object(), Alone(b"x"), [1j], Pair])
def test_what_json_has_no_form_for_is_refused(answer: object) -> None:
    with pytest.raises(TypeError, match="is not part of an answer"):
        encode(answer)
