"""Quantities in prose: what each placeholder matches, and that it is read exactly or not at all."""

import re
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from winnow.quantities import QUANTITIES, read_number_words, read_quantity
from winnow.values import UnreadableValue

ONES_IN_ORDER = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
TENS_IN_ORDER = "- - twenty thirty forty fifty sixty seventy eighty ninety"
ONES, TENS = ONES_IN_ORDER.split(), TENS_IN_ORDER.split()


def spell(number: int, joint: str = " and ") -> str:
    """Say a number below a million as an English speaker does."""
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")
    size, name = (1000, "thousand") if number >= 1000 else (100, "hundred")
    head, rest = divmod(number, size)
    return f"{spell(head, joint)} {name}" + (joint + spell(rest, joint) if rest else "")


def find(kind: str, text: str) -> str | int | float | None:
    """Find the first quantity of a kind in a text and read it."""
    match = re.search(QUANTITIES[kind].expression, text, re.IGNORECASE)
    return read_quantity(kind, match[0]) if match else None


@pytest.mark.parametrize("joint", [" and ", " "])
def test_every_number_up_to_999_is_read_from_its_words(joint: str) -> None:
    assert [read_number_words(spell(number, joint)) for number in range(1000)] == [*range(1000)]


@given(st.integers(1, 999_999), st.sampled_from(["{} percent", "a {}% share", "{} per cent."]))
@example(100_000, "{} percent")
def test_a_number_in_words_means_what_it_means_in_digits(number: int, frame: str) -> None:
    assert find("percent", frame.format(spell(number))) == number
    assert find("percent", frame.format(number)) == number
    assert find("percent", frame.format(f"{number:,}")) == number


@given(st.lists(st.sampled_from([*ONES, *TENS[2:], "hundred", "thousand", "and"]), max_size=6))
def test_words_are_read_wholly_or_not_at_all(words: list[str]) -> None:
    text = " ".join(words)
    number = read_number_words(text)
    if number is not None:
        spoken = {spell(number), spell(number, " ")}
        assert text.replace(" and ", " ") in {
            one.replace("-", " ").replace(" and ", " ") for one in spoken
        } or (
            "hundred" in words and number >= 1000  # twelve hundred
        )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12%", 12),
        ("12 %", 12),
        ("12.5 percent", 12.5),
        ("twelve and a half percent", 12.5),
        ("twelve point five percent", 12.5),
        ("twelve percent (12%)", 12),
        ("twelve (12) percent", 12),
        ("one hundred percent", 100),
        ("a hundred percent", 100),
        ("zero percent", 0),
        ("0.1 pct", 0.1),
    ],
)
def test_percentages(text: str, value: float) -> None:
    assert find("percent", f"a share of {text} of it") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("24 months", 24),
        ("24-month", 24),
        ("eighteen months", 18),
        ("eighteen (18) months", 18),
        ("twenty-four-month", 24),
        ("two years", 24),
        ("1.5 years", 18),
        ("two and a half years", 30),
        ("a year", 12),
        ("a year and a half", 18),
        ("two years and six months", 30),
        ("24 months (two years)", 24),
        ("18 mos", 18),
        ("18.9 months", 18.9),
    ],
)
def test_durations_are_in_months(text: str, value: float) -> None:
    assert find("months", f"for {text} from now") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$45M", 45_000_000),
        ("$45MM", 45_000_000),
        ("$45 million", 45_000_000),
        ("US$45 million", 45_000_000),
        ("45 million dollars", 45_000_000),
        ("forty-five million US dollars", 45_000_000),
        ("$56.5M", 56_500_000),
        ("$1,250,000.50", 1_250_000.5),
        ("$1,250,000", 1_250_000),
        ("USD 3.2bn", 3_200_000_000),
        ("$450k", 450_000),
        ("$45.1234567M", 45_123_456.7),
        ("$1.2 trillion", 1_200_000_000_000),
    ],
)
def test_money_is_in_dollars(text: str, value: float) -> None:
    assert find("money", f"a price of {text} in cash") == value


@given(st.decimals(min_value=1, max_value=9999, places=6, allow_nan=False))
def test_money_with_a_scale_is_exact(amount: Decimal) -> None:
    value = find("money", f"${amount:f} million")
    assert value == (amount * 10**6)
    assert isinstance(value, int)


@pytest.mark.parametrize(
    "text",
    [
        "C$45M",
        "$45M CAD",
        "€45M",
        "$45-50M",
        "$45 to 50 million",
        "$45 mil",
        "$45M per year",
        "$45 per share",
        "$45/unit",
        "$45M+",
        "45 million euros",
    ],
)
def test_what_is_no_plain_sum_of_dollars_is_not_taken_for_one(text: str) -> None:
    assert find("money", f"a price of {text}, in cash") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2026-03-05", "2026-03-05"),
        ("March 5, 2026", "2026-03-05"),
        ("5 March 2026", "2026-03-05"),
        ("5th of March 2026", "2026-03-05"),
        ("Sept. 5, 2026", "2026-09-05"),
        ("March 2026", "2026-03"),
        ("2026-03", "2026-03"),
    ],
)
def test_dates_become_iso_texts(text: str, value: str) -> None:
    """F75: a day is never widened to its month."""
    assert find("date", f"signed on {text}.") == value


@pytest.mark.parametrize("text", ["03/05/2026", "March 5", "2026", "12-2026", "5 Smarch 2026"])
def test_a_date_that_could_mean_two_days_is_none(text: str) -> None:
    assert find("date", f"signed on {text}.") is None


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("percent", "ten and twelve percent"),
        ("percent", "twelve percent (15%)"),
        ("percent", "1,5 %"),
        ("percent", "twenty hundred five million thousand percent"),
        ("months", "24 months (three years)"),
        ("months", "eighteen (19) months"),
        ("money", "$45,00"),
        ("date", "February 30, 2026"),
        ("number", "12,5"),
    ],
)
def test_what_says_two_things_or_nonsense_is_unreadable(kind: str, text: str) -> None:
    """A run of words is never cut to the part that could be read."""
    with pytest.raises(UnreadableValue):
        find(kind, text)


@pytest.mark.parametrize("text", ["x12%", "v1.12%", "10-12%", "$12%", "12.5.1%", "~12%", "12%+"])
def test_a_piece_of_something_else_is_no_percentage(text: str) -> None:
    assert find("percent", text) is None


@given(st.text(max_size=60) | st.text("0123456789.,%$()- onetwhundrdmiy", max_size=60))
def test_whatever_an_expression_matches_is_read_or_refused(text: str) -> None:
    for kind, quantity in QUANTITIES.items():
        for match in re.finditer(quantity.expression, text, re.IGNORECASE):
            try:
                read_quantity(kind, match[0])
            except UnreadableValue:
                continue


@given(st.text("$%0123456789 .,-()adeghilmnoprstuvyUSD", max_size=60))
def test_what_an_expression_matches_holds_one_of_its_marks(text: str) -> None:
    for quantity in QUANTITIES.values():
        found = re.search(quantity.expression, text, re.IGNORECASE)
        if found and quantity.marks:
            assert any(mark in found[0].lower() for mark in quantity.marks)


def test_expressions_have_no_groups_of_their_own() -> None:
    groups = {kind: re.compile(one.expression).groups for kind, one in QUANTITIES.items()}
    assert set(groups.values()) == {0}
