"""Keys that stand twice in one object of a message."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.surfaces.mcp.doubles import complain_of_double

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(anything)
def test_what_has_each_key_once_is_sound(value: object) -> None:
    assert complain_of_double(json.dumps(value).encode()) is None


@given(anything, st.text(), anything, anything)
def test_f04_a_key_that_stands_twice_is_named_however_deep_it_stands(
    outer: object, key: str, first: object, second: object
) -> None:
    name = json.dumps(key)
    double = f"{{{name}: {json.dumps(first)}, {name}: {json.dumps(second)}}}"
    message = f'[{json.dumps(outer)}, {{"a": [{double}]}}]'
    assert complain_of_double(message.encode()) == f"the key {key!r} stands twice in one object"


@pytest.mark.parametrize("message", [b"", b"{", b"\xff", b"[" * 100_000, b"9" * 10_000])
def test_what_cannot_be_read_is_left_to_others(message: bytes) -> None:
    assert complain_of_double(message) is None
