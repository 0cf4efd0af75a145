"""Scalar values: numbers and texts as people write them, dates as half-open intervals."""

import unicodedata
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.values import (
    INT64_MAX,
    INT64_MIN,
    PACK_TYPES,
    Json,
    Moment,
    Scalar,
    Type,
    UnreadableValue,
    Value,
    describe,
    find_moment,
    fold,
    is_moment,
    is_value,
    read_moment,
    read_value,
    resolve_moment,
    same_value,
)

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
BEIRUT = ZoneInfo("Asia/Beirut")  # its clocks change at midnight
HOUR = 3_600_000_000
DAY = 24 * HOUR
NOW = datetime(2026, 3, 31, 22, 30, tzinfo=UTC)  # 00:30 of April in Berlin


def micros(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


# --- numbers, booleans, texts ---


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        (Type.INTEGER, 12, 12),
        (Type.INTEGER, 12.0, 12),
        (Type.INTEGER, " 1,234,567 ", 1_234_567),
        (Type.INTEGER, "-7", -7),
        (Type.INTEGER, "1e3", 1000),
        (Type.INTEGER, INT64_MAX, INT64_MAX),
        (Type.INTEGER, str(INT64_MIN), INT64_MIN),
        (Type.NUMBER, "9007199254740993", 9007199254740993),
        (Type.NUMBER, "12.50", 12.5),
        (Type.NUMBER, "+1.5e-3", 0.0015),
        (Type.NUMBER, 2**200, 2**200),
        (Type.BOOLEAN, True, True),
        (Type.BOOLEAN, "True", True),
        (Type.BOOLEAN, " FALSE ", False),
        (Type.STRING, "  a b ", "a b"),
        (Type.STRING, 123, "123"),
        (Type.STRING, 1.5, "1.5"),
        (Type.STRING, True, "true"),
        (Type.DATE, " 2026-03-05 ", "2026-03-05"),
        (Type.DATE, 2026, "2026"),
        (Type.DATE, "[[2026-03-05]]", "2026-03-05"),
        (Type.DATETIME, "2026-03-05 14:30", "2026-03-05T14:30:00"),
        (Type.DATETIME, "2026-03-05T14:30:00,5+0130", "2026-03-05T14:30:00.500000+01:30"),
        (Type.DATETIME, "2026-03-05T14:30:00.1234567+00:00", "2026-03-05T14:30:00.123456Z"),
    ],
)
def test_a_value_is_read_as_its_type(kind: Type, raw: Json, value: Scalar) -> None:
    found = read_value(kind, raw)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("kind", "raw", "reason"),
    [
        (Type.INTEGER, "18.9", "expected a whole number, got text '18.9'"),
        (Type.INTEGER, True, "expected a number, got boolean true"),
        (Type.INTEGER, 2**63, "does not fit 64 bits"),
        (Type.INTEGER, "eighteen", "expected a number, got text 'eighteen'"),
        (Type.INTEGER, "1,23", "expected a number"),
        (Type.INTEGER, "1_000", "expected a number"),
        (Type.INTEGER, "١٢", "expected a number"),
        (Type.INTEGER, "", "expected a number"),
        (Type.INTEGER, [1], "expected a number, got list [1]"),
        (Type.NUMBER, float("nan"), "not a finite number"),
        (Type.NUMBER, float("inf"), "not a finite number"),
        (Type.NUMBER, "1e999", "not a finite number"),
        (Type.NUMBER, 10**400, "too large"),
        (Type.NUMBER, "9" * 401, "expected a number"),
        (Type.NUMBER, "--1", "expected a number"),
        (Type.BOOLEAN, "yes", "expected true or false, got text 'yes'"),
        (Type.BOOLEAN, 1, "expected true or false, got number 1"),
        (Type.BOOLEAN, None, "expected true or false, got null"),
        (Type.STRING, {"a": 1}, "expected text, got object {'a': 1}"),
        (Type.STRING, "\ud83d", "half a surrogate pair"),
        (Type.DATE, "2026-02-30", "'2026-02-30' is not a date: day is out of range for month"),
        (Type.DATE, 20260305, "expected a date, got number 20260305"),
        (Type.DATE, True, "expected a date, got boolean true"),
        (Type.DATE, "", "is not a date"),
    ],
)
def test_what_is_not_of_the_type_is_refused_with_the_reason(
    kind: Type, raw: Json, reason: str
) -> None:
    with pytest.raises(UnreadableValue) as caught:
        read_value(kind, raw)
    assert reason in str(caught.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)


@given(st.sampled_from([*PACK_TYPES, Type.TAG]), json_values)
def test_f41_f72_whatever_is_read_is_a_value_or_unreadable(kind: Type, raw: Json) -> None:
    try:
        value = read_value(kind, raw)
    except UnreadableValue:
        return
    assert read_value(kind, value) == value
    assert is_value(kind, value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Type.INTEGER, 5.0),
        (Type.INTEGER, True),
        (Type.INTEGER, 2**63),
        (Type.NUMBER, False),
        (Type.NUMBER, float("nan")),
        (Type.NUMBER, float("-inf")),
        (Type.NUMBER, 10**400),
        (Type.BOOLEAN, 1),
        (Type.STRING, 1),
        (Type.DATE, "soon"),
        (Type.DATE, 2026),
    ],
)
def test_what_is_stored_may_be_no_value_of_the_type(kind: Type, value: Scalar) -> None:
    assert not is_value(kind, value)


@given(st.integers(INT64_MIN, INT64_MAX))
def test_a_whole_number_survives_its_text(number: int) -> None:
    assert read_value(Type.INTEGER, str(number)) == number
    assert read_value(Type.NUMBER, f"{number:,}") == number


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (None, "null"),
        (False, "boolean false"),
        ("x" * 100, "text '" + "x" * 55),
        (datetime, "type"),
    ],
)
def test_a_message_can_name_any_value(raw: object, words: str) -> None:
    assert describe(raw).startswith(words)
    assert len(describe(raw)) < 80


def test_a_message_can_name_a_number_too_long_to_write() -> None:
    assert describe(-(10**5000)) == "number of about 5001 digits"


def test_a_message_can_name_what_is_nested_too_deep_to_show() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert describe(deep).startswith("list [[[")


# --- the same value ---


@pytest.mark.parametrize(
    ("kind", "left", "right", "same"),
    [
        (Type.NUMBER, 2, 2.0, True),
        (Type.NUMBER, 2**53 + 1, float(2**53), False),
        (Type.STRING, "a", "A", False),
        (Type.STRING, "a", "a\0", False),
        (Type.STRING, ("a", "b", "a"), ("b", "a"), True),
        (Type.STRING, ("a",), ("a", "b"), False),
        (Type.STRING, (), (), True),
        (Type.DATE, "2026-03-05", "2026-03-05T00:00", False),
        (Type.DATE, "2026-03", "2026-03-01", False),
        (Type.DATETIME, "2015-07-23T22:44:08-07:00", "2015-07-24T05:44:08Z", True),
        (Type.DATE, ("2026", "2025"), ("2025", "2026"), True),
        (Type.DATE, "soon", "soon", True),
        (Type.DATE, "soon", "2026", False),
    ],
)
def test_values_say_the_same_by_meaning_not_by_spelling(
    kind: Type, left: Value, right: Value, same: bool
) -> None:
    assert same_value(kind, left, right) is same
    assert same_value(kind, right, left) is same


def test_an_instant_without_an_offset_is_in_the_zone() -> None:
    here, there = "2026-03-05T10:00:00", "2026-03-05T09:00:00Z"
    assert same_value(Type.DATETIME, here, there, BERLIN)
    assert not same_value(Type.DATETIME, here, there, UTC)


# --- case ---


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("STRASSE", "straße"),
        ("ΣΊΣΥΦΟΣ", "Σίσυφος"),
        ("É", "e\u0301"),
        ("\u212a", "k"),
        ("ﬁ", "FI"),
        ("İ", "i\u0307"),
    ],
)
def test_texts_fold_to_one_form_whatever_their_case_and_composition(left: str, right: str) -> None:
    assert fold(left) == fold(right)


@given(st.text())
def test_folding_does_not_see_how_a_text_is_composed(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))
    assert unicodedata.is_normalized("NFC", fold(text))


# --- dates as intervals ---


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("2026", date(2026, 1, 1), date(2027, 1, 1)),
        ("2026-12", date(2026, 12, 1), date(2027, 1, 1)),
        ("2024-02", date(2024, 2, 1), date(2024, 3, 1)),
        ("2024-02-29", date(2024, 2, 29), date(2024, 3, 1)),
        ("0001-01-01", date(1, 1, 1), date(1, 1, 2)),
    ],
)
def test_a_partial_date_lasts_as_long_as_it_names(text: str, first: date, after: date) -> None:
    def midnight(day: date) -> int:
        return micros(datetime(day.year, day.month, day.day, tzinfo=UTC))

    assert read_moment(text, UTC) == Moment(text, midnight(first), midnight(after))


@given(st.dates(min_value=date(2, 1, 1), max_value=date(9998, 12, 30)))
def test_days_follow_each_other_without_a_gap(day: date) -> None:
    for zone in (UTC, BERLIN, BEIRUT):
        today = read_moment(day.isoformat(), zone)
        tomorrow = read_moment((day + timedelta(1)).isoformat(), zone)
        assert today.end == tomorrow.start
        month = read_moment(day.isoformat()[:7], zone)
        year = read_moment(day.isoformat()[:4], zone)
        assert year.start <= month.start <= today.start < today.end <= month.end <= year.end


@pytest.mark.parametrize("zone", [UTC, BERLIN, NEW_YORK, timezone(timedelta(hours=-14))])
@pytest.mark.parametrize("text", ["0001", "0001-01-01", "9999", "9999-12", "9999-12-31"])
def test_the_ends_of_the_calendar_are_dates_in_any_zone(text: str, zone: tzinfo) -> None:
    moment = read_moment(text, zone)
    assert moment.start < moment.end


@pytest.mark.parametrize("text", ["0001-01-01T00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_an_instant_may_lie_outside_the_calendar_by_its_offset(text: str) -> None:
    moment = read_moment(text, UTC)
    assert moment.end == moment.start + 1


def test_days_are_as_long_as_the_zone_makes_them() -> None:
    def hours(day: str, zone: tzinfo) -> float:
        moment = read_moment(day, zone)
        return (moment.end - moment.start) / HOUR

    assert hours("2026-03-28", BERLIN) == 24
    assert hours("2026-03-29", BERLIN) == 23
    assert hours("2026-10-25", BERLIN) == 25
    assert hours("2026-03-29", UTC) == 24
    assert hours("2024-03-31", BEIRUT) == 23  # its midnight never was


def test_a_day_begins_at_midnight_in_the_zone() -> None:
    start = read_moment("2026-03-05", BERLIN).start
    assert start == read_moment("2026-03-04T23:00Z", UTC).start
    assert start == read_moment("2026-03-05T00:00", BERLIN).start


@given(
    st.datetimes(
        min_value=datetime(2, 1, 1),
        max_value=datetime(9998, 1, 1),
        timezones=st.timezones() | st.builds(timezone, st.just(timedelta(hours=-9, minutes=-30))),
    )
)
def test_f71_instants_compare_across_offsets(moment: datetime) -> None:
    offset = moment.utcoffset()
    if offset is None or offset % timedelta(minutes=1):
        return  # ISO 8601 has no seconds in an offset
    found = read_moment(moment.isoformat(), BERLIN)
    assert (found.start, found.end) == (micros(moment), micros(moment) + 1)
    again = read_moment(found.text, NEW_YORK)
    assert again == found


def test_f72_an_instant_without_an_offset_is_in_the_configured_zone() -> None:
    def start(text: str, zone: tzinfo) -> int:
        return read_moment(text, zone).start

    assert start("2026-07-01T12:00", BERLIN) == start("2026-07-01T10:00Z", UTC)
    assert start("2026-07-01T12:00", UTC) == start("2026-07-01T12:00Z", UTC)


@pytest.mark.parametrize(
    "text",
    [
        *("", "26", "2026-3-5", "2026-13", "2026-02-30", "2023-02-29", "0000", "0000-01-01"),
        *("2026-03-05T24:00", "2026-03-05T12:60", "2026-03-05T12", "2026-03-05T12:00+25:00"),
        *("2026-03-05T12:00+01:60", "5 March 2026", "2026-W10", "2026-03-05Z", "٢٠٢٦", "today"),
        *("2026-03-05T12:00:00.1234567890", "2026-03-05 x", "x2026"),
    ],
)
def test_f73_what_is_no_iso_date_is_refused_with_the_forms_that_are(text: str) -> None:
    with pytest.raises(UnreadableValue, match="is not a date"):
        read_moment(text, UTC)
    assert not is_moment(text)


@given(st.text(alphabet="0123456789-:TZ+., ", max_size=30))
def test_f72_no_text_makes_the_reader_of_dates_fail(text: str) -> None:
    for zone in (UTC, BERLIN):
        try:
            moment = resolve_moment(text, zone, NOW)
        except UnreadableValue:
            continue
        assert moment.start < moment.end


# --- dates relative to now ---


@pytest.mark.parametrize(
    ("text", "here", "in_berlin"),
    [
        ("today", "2026-03-31", "2026-04-01"),
        ("Yesterday", "2026-03-30", "2026-03-31"),
        (" tomorrow ", "2026-04-01", "2026-04-02"),
        ("-30d", "2026-03-01", "2026-03-02"),
        ("+2w", "2026-04-14", "2026-04-15"),
        ("-1mo", "2026-02-28", "2026-03-01"),
        ("-25mo", "2024-02-29", "2024-03-01"),
        ("+9mo", "2026-12-31", "2027-01-01"),
        ("-1y", "2025-03-31", "2025-04-01"),
        ("-12h", "2026-03-31T10:30:00Z", "2026-03-31T10:30:00Z"),
        ("-30m", "2026-03-31T22:00:00Z", "2026-03-31T22:00:00Z"),
        ("now", "2026-03-31T22:30:00Z", "2026-03-31T22:30:00Z"),
        ("2026-03", "2026-03", "2026-03"),
    ],
)
def test_a_relative_date_is_resolved_in_the_zone(text: str, here: str, in_berlin: str) -> None:
    assert resolve_moment(text, UTC, NOW) == read_moment(here, UTC)
    assert resolve_moment(text, BERLIN, NOW) == read_moment(in_berlin, BERLIN)


def test_a_year_from_a_leap_day_ends_on_the_last_of_february() -> None:
    leap_day = datetime(2024, 2, 29, 12, tzinfo=UTC)
    assert resolve_moment("+1y", UTC, leap_day).text == "2025-02-28"
    assert resolve_moment("+4y", UTC, leap_day).text == "2028-02-29"


@pytest.mark.parametrize("text", ["-999999y", "-999999d", "-999999mo", "+8000y", "-999999w"])
def test_a_relative_date_outside_the_calendar_is_refused(text: str) -> None:
    with pytest.raises(UnreadableValue, match="outside the calendar"):
        resolve_moment(text, UTC, NOW)


def test_the_last_day_of_the_calendar_has_no_tomorrow() -> None:
    last = datetime(9999, 12, 31, 12, tzinfo=UTC)
    assert resolve_moment("today", UTC, last).text == "9999-12-31"
    assert resolve_moment("+0mo", UTC, last).text == "9999-12-31"
    with pytest.raises(UnreadableValue, match="outside the calendar"):
        resolve_moment("tomorrow", UTC, last)


def test_folding_takes_no_longer_for_a_letter_with_a_hundred_thousand_marks() -> None:
    marks = "\u0301\u0316" * 50_000
    folded = fold("A" + marks + "B")
    assert folded.startswith("\u00e1")
    assert folded.endswith("b")
    assert len(folded) < 40
    assert fold("Ö" + marks[:20]) == fold("O\u0308" + marks[:20])


@pytest.mark.parametrize(
    "text", ["2026", "2026-03", "2026-03-05", "2026-03-05T12:00", "2026-03-05 12:00:00.5+01:00"]
)
def test_a_text_that_is_wholly_a_date_is_found_to_be_one(text: str) -> None:
    assert find_moment(text, BERLIN) == read_moment(text, BERLIN)


@pytest.mark.parametrize(
    "text", ["", "x", " 2026", "2026 ", "2026-13", "2026-02-30", "26", "today"]
)
def test_any_other_text_is_found_to_be_none(text: str) -> None:
    assert find_moment(text, BERLIN) is None


@pytest.mark.parametrize(
    ("raw", "tag"), [(" law/ip ", "law/ip"), ("#law", "law"), ("##a b", "a b")]
)
def test_a_tag_is_read_without_its_sign(raw: str, tag: str) -> None:
    assert read_value(Type.TAG, raw) == tag
