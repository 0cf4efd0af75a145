import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.wire.parsing import Undecided, parse_json

KEYS = st.sampled_from(["a", "b", 'q"', "x:", '":', "{", " ", "é", "\\"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | KEYS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=12
)
SPACING = st.sampled_from([(",", ":"), (", ", ": "), (" ,", "\t: "), (",", " :")])


def read(text: str) -> str:
    """Return what the codec reads, or else what is left to Python; its text tells -0.0 from 0."""
    try:
        return repr(parse_json(text))
    except Undecided:
        return repr(json.loads(text))


@given(VALUES, SPACING, st.booleans())
def test_what_it_reads_is_what_python_reads(
    value: Any, separators: tuple[str, str], ascii_only: bool
) -> None:
    text = json.dumps(value, separators=separators, ensure_ascii=ascii_only)
    assert read(text) == repr(json.loads(text))


@given(st.lists(st.floats(allow_nan=False), min_size=1), st.dictionaries(st.text("ab"), SCALARS))
def test_numbers_are_read_to_the_last_bit(numbers: list[float], beside: dict[str, Any]) -> None:
    text = json.dumps({"vector": numbers, **beside})
    assert read(text) == repr(json.loads(text))


def write_pairs(pairs: list[tuple[str, Any]], colon: str) -> str:
    return "{" + ",".join(json.dumps(key) + colon + value for key, value in pairs) + "}"


@given(
    KEYS,
    st.lists(st.tuples(KEYS, VALUES.map(json.dumps)), max_size=3),
    st.sampled_from([":", " : ", "\n:"]),
    st.sampled_from(["{}", '{{"in":{}}}', "[1,{}]", '{{"a":[[{}]],"t":"12:30"}}']),
)
def test_a_text_in_which_a_key_stands_twice_is_left_to_python(
    key: str, others: list[tuple[str, Any]], colon: str, around: str
) -> None:
    twice = write_pairs([(key, "1"), *others, (key, "2")], colon)
    with pytest.raises(Undecided):
        parse_json(around.format(twice))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a":1}x',
        "[1,]",
        "01",
        "1.",
        "+1",
        "'a'",
        '"\x01"',
        "\ufeff1",
        '"\\ud800"',
        '"\udc80"',
    ],
)
def test_what_is_no_json_or_out_of_the_way_is_left_to_python(text: str) -> None:
    with pytest.raises(Undecided):
        parse_json(text)


def test_depth_is_no_trouble() -> None:
    with pytest.raises(Undecided):
        parse_json("[" * 100_000 + "]" * 100_000)
