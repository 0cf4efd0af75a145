"""Texts that stand for bytes, and texts without a type."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.arrays import build_texts, text_array
from winnow.filter.raw import (
    Raw,
    Untyped,
    from_bytes,
    is_broken,
    make_legible,
    read_number,
    show_key,
    show_raw,
    stand_back,
    stand_in,
    to_bytes,
)

RAW = st.binary(max_size=12) | st.text(max_size=6).map(str.encode)


@given(RAW)
def test_bytes_are_a_text_and_come_back(data: bytes) -> None:
    text = from_bytes(data)
    assert to_bytes(text) == data
    assert isinstance(text, Raw) == is_broken(text)
    assert is_broken(text) != (data.decode("utf-8", "ignore").encode() == data)


@given(RAW)
def test_a_column_holds_what_stands_in_for_it(data: bytes) -> None:
    text = from_bytes(data)
    there = stand_in(text)
    there.encode()  # is UTF-8
    assert stand_back(there) == text
    assert isinstance(stand_back(there), Raw) == is_broken(text)


@given(st.lists(RAW, min_size=1, max_size=8))
def test_a_vector_of_texts_gives_them_back_whatever_bytes_they_have(items: list[bytes]) -> None:
    texts = [from_bytes(one) for one in items]
    for values in (build_texts(texts), build_texts(texts * 4)):
        assert [values.get(row) for row in range(len(texts))] == texts
        words = values.words.tolist()
        assert words == sorted(words)
    assert len(text_array(texts)) == len(texts)


@given(RAW)
def test_json_has_a_text_or_the_bytes_as_base64(data: bytes) -> None:
    text = from_bytes(data)
    shown = show_raw(text)
    json.dumps(shown, ensure_ascii=False).encode()
    assert isinstance(shown, dict) == is_broken(text)
    assert show_key(text).startswith("base64:") >= is_broken(text)
    make_legible(text).encode()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("10", 10),
        ("+10", 10),
        ("010", 10),
        ("-0", 0),
        ("9007199254740993", 9007199254740993),
        ("1e1", 10.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("inf", None),
        ("1e400", None),
        ("nan", None),
        (" 10", None),
        ("1_0", None),
        ("0x10", None),
        ("", None),
        ("9" * 400, None),
    ],
)
def test_an_untyped_text_is_a_number_if_json_could_have_it(text: str, number: object) -> None:
    assert read_number(text) == number
    assert type(read_number(text)) is type(number)


def test_an_untyped_text_equals_a_text_and_tells_that_it_is_none_with_a_type() -> None:
    assert Untyped("a") == "a"
    assert repr(Untyped("a")) != repr("a")
    assert np.array([Untyped("a")], np.dtypes.StringDType())[0] == "a"
