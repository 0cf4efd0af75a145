"""What is said of a text where a number is needed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.filter.mistakes import explain_number


@pytest.mark.parametrize(
    ("text", "unit", "told"),
    [
        ("10", None, " (write 10 without quotes)"),
        ("-1.5", "percent", " (write -1.5 without quotes)"),
        ("010", None, " (write 10)"),
        ("10%", "percent", " (write 10)"),
        ("45M", "USD", " (write 45000000)"),
        ("$45.5M", "USD", " (write 45500000)"),
        ("45 million", None, " (write 45000000)"),
        ("2k", None, " (write 2000)"),
        ("45_000_000", None, " (write 45000000)"),
        ("1,500.50", None, " (write 1500.5)"),
        ("18 months", "months", " (write 18: the unit of n is months)"),
        ("18mo", "months", " (write 18: the unit of n is months)"),
        ("18M", "months", " (write 18: the unit of n is months)"),
        ("10 pct", "percent", " (the unit of n is percent)"),
        ("1.5 years", "months", " (the unit of n is months)"),
        ("12 apples", None, ""),
        ("Active", "months", ""),
        ("4,5", None, ""),
        ("", None, ""),
    ],
)
def test_a_number_in_a_text_is_told_as_it_is_to_be_written(
    text: str, unit: str | None, told: str
) -> None:
    assert explain_number(text, "n", unit) == told


@given(st.text(max_size=60), st.sampled_from([None, "months", "USD"]))
def test_any_text_is_told_in_one_short_line(text: str, unit: str | None) -> None:
    told = explain_number(text, "n", unit)
    assert told.isprintable()
    assert len(told) < 150


@given(st.integers(-(10**15), 10**15))
def test_a_whole_number_is_told_as_it_is(number: int) -> None:
    assert explain_number(str(number), "n", None) == f" (write {number} without quotes)"
    assert explain_number(f"{number:,}", "n", None).startswith(f" (write {number}")
