import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.filter.loose import read_float, read_word, read_words, spell, to_float
from winnow.values import Json, UnreadableValue

NUMBERS = ["0", "-0", "+1", "1.", ".5", "1e5", "1E-5", "+.5e+1", "inf", "-INF", "Infinity", "1e999"]
TEXTS = ["", " 1", "1 ", "1_0", "0x1", "nan", "NaN", ".", "e1", "1e", "1e+", "+", "++1", "١", "1,0"]


@pytest.mark.parametrize("text", NUMBERS)
def test_a_text_that_is_a_number_is_read_as_one(text: str) -> None:
    assert read_float(text) == float(text)


@pytest.mark.parametrize("text", TEXTS)
def test_any_other_text_is_none(text: str) -> None:
    assert read_float(text) is None


@given(st.floats(allow_nan=False) | st.integers(-(2**70), 2**70))
def test_a_number_is_read_back_from_its_spelling(number: float) -> None:
    assert read_float(spell(number)) == float(number)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (1, "1"),
        (-0.0, "0"),
        (0.85, "0.85"),
        (2**53 + 1, "9007199254740993"),
        (1e300, "1e+300"),
        (True, "true"),
        (False, "false"),
        (" x", " x"),
    ],
)
def test_a_value_is_spelled_without_a_needless_fraction(value: float | str, text: str) -> None:
    assert spell(value) == text


def test_what_is_too_large_for_a_float_is_infinite() -> None:
    assert (to_float(10**400), to_float(-(10**400)), to_float(5)) == (math.inf, -math.inf, 5.0)


def test_an_operand_may_be_any_single_value() -> None:
    assert [read_word(raw) for raw in ("a,b", 1.0, True)] == ["a,b", "1", "true"]
    assert read_words("a,, b") == ("a", "", " b")
    assert read_words(["a,b", 5]) == ("a,b", "5")
    assert read_words(5) == ("5",)


@pytest.mark.parametrize("raw", [None, [], {}, ["a"]])
def test_null_an_object_or_a_list_is_no_operand(raw: Json) -> None:
    with pytest.raises(UnreadableValue, match="expected a text, got"):
        read_word(raw)
    with pytest.raises(UnreadableValue, match="expected a text, got"):
        read_words([raw])
