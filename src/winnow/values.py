"""Scalar values: the types of fields, how a raw value is read as one, and dates as intervals.

A date is kept as text in one spelling and compared as a half-open interval of microseconds
since 1970-01-01 UTC: a year, month or day is as long as it is in the configured zone, a full
instant is one microsecond long. Digits below a microsecond are cut.
"""

import math
import re
import reprlib
import sys
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool
Value: TypeAlias = Scalar | tuple[Scalar, ...]
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
LARGEST_NUMBER = int(1e308)  # a little more than 10**308, as the float nearest to it is
_MICROSECONDS_A_DAY = 86_400_000_000
_EPOCH_DAY = date(1970, 1, 1).toordinal()


class Type(StrEnum):
    """The type of a field, or of the items of a list field."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "datetime"
    ENUM = "enum"
    REF = "ref"
    TAG = "tag"
    OPEN = "open"


# The types that a pack may give a field. Tags and open metadata, which is of any type and so is
# never read as one, are only in stored memories.
PACK_TYPES = tuple(kind for kind in Type if kind not in (Type.TAG, Type.OPEN))
NUMERIC = frozenset({Type.INTEGER, Type.NUMBER})
TEMPORAL = frozenset({Type.DATE, Type.DATETIME})
TEXTUAL = frozenset({Type.STRING, Type.ENUM, Type.REF, Type.TAG})
PYTHON_TYPES: Mapping[Type, frozenset[type]] = {
    Type.INTEGER: frozenset({int}),
    Type.NUMBER: frozenset({int, float}),
    Type.BOOLEAN: frozenset({bool}),
    **dict.fromkeys(TEMPORAL | TEXTUAL, frozenset({str})),
}


class UnreadableValue(ValueError):
    """A raw value that can't be read as the type that is wanted; the message says why."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A date or instant: its text, and its interval `start <= t < end` in microseconds UTC."""

    text: str
    start: int
    end: int


def read_value(wanted: Type, raw: Json) -> Scalar:
    """Read a raw scalar, as JSON or as the text that a person wrote, as a value of a type."""
    return _READERS[wanted](raw)


def is_value(kind: Type, value: Scalar) -> bool:
    """Tell whether something is a value of a type, as `read_value` returns them."""
    if type(value) not in PYTHON_TYPES[kind]:
        return False
    if isinstance(value, str):
        return kind not in TEMPORAL or is_moment(value)
    low, high = _RANGES.get(kind, (0, 1))
    return low <= value <= high


def describe(raw: object) -> str:
    """Name a raw value's type and show it, for a message."""
    if raw is None:
        return "null"
    shown = str(raw).lower() if isinstance(raw, bool) else _show(raw)
    return f"{_type_name(raw)} {shown if len(shown) <= 60 else shown[:57] + '...'}"


def same_value(wanted: Type, left: Value, right: Value, zone: tzinfo = UTC) -> bool:
    """Tell whether two values of one field say the same: lists as sets, dates as intervals."""
    if isinstance(left, tuple) or isinstance(right, tuple):
        return _item_set(wanted, left, zone) == _item_set(wanted, right, zone)
    return _identity(wanted, left, zone) == _identity(wanted, right, zone)


def as_json(value: Value | None) -> Json:
    """Return a value as JSON has it."""
    return list(value) if isinstance(value, tuple) else value


def fold(text: str) -> str:
    """Return the form in which two texts are compared without regard to case."""
    if text.isascii():
        return text.casefold()
    if _SIGNS.search(text):
        text = _cut_marks(text)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def clean_tag(text: str) -> str:
    """Return a tag as it is kept and looked for, whoever wrote it; empty if it is blank."""
    return text.lstrip(f"#{_SPACES}").rstrip(f"/{_SPACES}")


# All that `str.strip` takes; to strip in turns would leave `/` of `/ /`.
_SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_MOST_MARKS = 30  # on one letter, as in Unicode's stream-safe format
_SIGNS = re.compile(rf"[^\w\s\x00-\x7f]{{{_MOST_MARKS + 1}}}")


def _cut_marks(text: str) -> str:
    """Leave out marks that no letter has: to put a long run in order takes the square of it."""
    kept: list[str] = []
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run <= _MOST_MARKS:
            kept.append(character)
    return "".join(kept)


# --- dates -----------------------------------------------------------------------------------

_DATE = re.compile(
    r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?"
    r" ?(Z|z|[+-]\d{2}(?::?\d{2})?)?)?)?)?",
    re.ASCII,
)
_RELATIVE = re.compile(r"([+-])(\d{1,6})(m|h|d|w|mo|y)", re.ASCII)
_NAMED_DAYS: Mapping[str, int] = {"yesterday": -1, "today": 0, "tomorrow": 1}


def read_moment(text: str, zone: tzinfo) -> Moment:
    """Read an ISO 8601 date, partial date or instant; one without an offset is in `zone`."""
    return _read_moment(text.strip(), zone)


@lru_cache(maxsize=8192)
def _read_moment(text: str, zone: tzinfo) -> Moment:
    match = _DATE.fullmatch(text)
    if match is None:
        raise UnreadableValue(
            f"{_show(text)} is not a date (write 2026, 2026-03, 2026-03-05 or 2026-03-05T14:30:00Z)"
        )
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    try:
        first = date(int(year), int(month or 1), int(day or 1))
        if hour is None:
            return _whole_days(match.group(), first, _first_day_after(first, month, day), zone)
        clock = (int(hour), int(minute), int(second or 0))
        return _instant(first, clock, (fraction or "0")[:6], offset, zone)
    except ValueError as error:
        raise UnreadableValue(f"{_show(text)} is not a date: {error}") from None


def resolve_moment(text: str, zone: tzinfo, now: datetime) -> Moment:
    """Read a date as `read_moment` does, or one relative to `now`.

    `today`, `yesterday`, `tomorrow`, `-30d`, `+2w`, `-3mo` and `-1y` are days in `zone`;
    `now`, `-12h` and `-30m` are instants.
    """
    word = text.strip().lower()
    local = now.astimezone(zone)
    if word == "now":
        return read_moment(local.astimezone(UTC).isoformat(timespec="seconds"), zone)
    if word in _NAMED_DAYS:
        return read_moment(_shift(local, _NAMED_DAYS[word], "d"), zone)
    if match := _RELATIVE.fullmatch(word):
        return read_moment(_shift(local, int(match[1] + match[2]), match[3]), zone)
    return read_moment(text, zone)


def is_moment(text: str) -> bool:
    """Tell whether a text is wholly an ISO 8601 date, partial date or instant."""
    try:
        read_moment(text, UTC)
    except UnreadableValue:
        return False
    return True


def find_moment(text: str, zone: tzinfo) -> Moment | None:
    """Read a text that is a date and nothing else as `read_moment` does; None if it is not."""
    if _DATE.fullmatch(text) is None:
        return None
    try:
        return _read_moment(text, zone)
    except UnreadableValue:
        return None


def _first_day_after(first: date, month: str | None, day: str | None) -> int:
    if day is not None:
        return first.toordinal() + 1
    if month is None or first.month == 12:
        return date(first.year, 12, 31).toordinal() + 1
    return date(first.year, first.month + 1, 1).toordinal()


def _whole_days(text: str, first: date, end_day: int, zone: tzinfo) -> Moment:
    return Moment(text, _midnight(first.toordinal(), zone), _midnight(end_day, zone))


def _midnight(ordinal: int, zone: tzinfo) -> int:
    clamped = datetime.fromordinal(min(max(ordinal, 2), date.max.toordinal() - 1))
    naive = (ordinal - _EPOCH_DAY) * _MICROSECONDS_A_DAY
    return naive - _microseconds(zone.utcoffset(clamped))


def _instant(
    day: date, clock: tuple[int, int, int], fraction: str, offset: str | None, zone: tzinfo
) -> Moment:
    micro = int(fraction.ljust(6, "0"))
    moment = datetime(day.year, day.month, day.day, *clock, micro)
    shift = _microseconds(zone.utcoffset(moment)) if offset is None else _offset(offset)
    days = moment.toordinal() - _EPOCH_DAY
    seconds = clock[0] * 3600 + clock[1] * 60 + clock[2]
    start = days * _MICROSECONDS_A_DAY + seconds * 1_000_000 + micro - shift
    spelled = "" if offset is None else "Z" if _offset(offset) == 0 else _spell_offset(offset)
    return Moment(moment.isoformat() + spelled, start, start + 1)


def _offset(text: str) -> int:
    if text in "Zz":
        return 0
    hours, minutes = int(text[1:3]), int(text[3:].lstrip(":") or 0)
    if hours > 23 or minutes > 59:
        raise ValueError(f"{text} is not an offset")
    return (-1 if text[0] == "-" else 1) * (hours * 60 + minutes) * 60_000_000


def _spell_offset(text: str) -> str:
    return f"{text[:3]}:{text[3:].lstrip(':') or '00'}"


def _microseconds(delta: timedelta | None) -> int:
    return 0 if delta is None else delta // timedelta(microseconds=1)


def _shift(local: datetime, count: int, unit: str) -> str:
    try:
        if unit in "mh":
            moved = local.astimezone(UTC) + timedelta(minutes=count * (60 if unit == "h" else 1))
            return moved.isoformat(timespec="seconds")
        if unit in "dw":
            return (local.date() + timedelta(days=count * (7 if unit == "w" else 1))).isoformat()
        return _shift_months(local.date(), count * (12 if unit == "y" else 1)).isoformat()
    except (OverflowError, ValueError):
        raise UnreadableValue(f"{count:+}{unit} is outside the calendar") from None


def _shift_months(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


# --- readers, one for each type ----------------------------------------------------------------

_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE = re.compile(r"[+-]?[\d,]+", re.ASCII)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_RANGES: Mapping[Type, tuple[int | float, int | float]] = {
    Type.INTEGER: (INT64_MIN, INT64_MAX),
    Type.NUMBER: (-sys.float_info.max, sys.float_info.max),
}
_BOOLEANS: Mapping[str, bool] = {"true": True, "false": False}


def _read_text(raw: Json) -> str:
    if isinstance(raw, str):
        return _refuse_surrogates(raw.strip())
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, int | float):
        return repr(raw)
    raise UnreadableValue(f"expected text, got {describe(raw)}")


def _refuse_surrogates(text: str) -> str:
    if _SURROGATE.search(text):
        raise UnreadableValue(f"{describe(text)} has half a surrogate pair, which is not text")
    return text


def _read_number(raw: Json) -> int | float:
    number = _parse_number(raw) if isinstance(raw, str) else raw
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise UnreadableValue(f"expected a number, got {describe(raw)}")
    if isinstance(number, float) and not math.isfinite(number):
        raise UnreadableValue(f"{describe(raw)} is not a finite number")
    if isinstance(number, int) and abs(number) > LARGEST_NUMBER:
        raise UnreadableValue(f"{describe(raw)} is too large")
    return number


def _parse_number(text: str) -> int | float:
    stripped = text.strip()
    if len(stripped) > 400 or not _NUMBER.fullmatch(stripped):
        raise UnreadableValue(f"expected a number, got {describe(text)}")
    plain = stripped.replace(",", "")
    return int(plain) if _WHOLE.fullmatch(stripped) else float(plain)


def _read_integer(raw: Json) -> int:
    number = _read_number(raw)
    if number != int(number):
        raise UnreadableValue(f"expected a whole number, got {describe(raw)}")
    if not INT64_MIN <= number <= INT64_MAX:
        raise UnreadableValue(f"{describe(raw)} does not fit 64 bits")
    return int(number)


def _read_boolean(raw: Json) -> bool:
    if isinstance(raw, bool):
        return raw
    word = raw.strip().lower() if isinstance(raw, str) else ""
    if word not in _BOOLEANS:
        raise UnreadableValue(f"expected true or false, got {describe(raw)}")
    return _BOOLEANS[word]


def _read_date(raw: Json) -> str:
    if isinstance(raw, int) and not isinstance(raw, bool) and 1000 <= raw <= 9999:
        raw = str(raw)
    if not isinstance(raw, str):
        raise UnreadableValue(f"expected a date, got {describe(raw)}")
    return read_moment(raw.strip().removeprefix("[[").removesuffix("]]"), UTC).text


_READERS: Mapping[Type, Callable[[Json], Scalar]] = {
    Type.STRING: _read_text,
    Type.INTEGER: _read_integer,
    Type.NUMBER: _read_number,
    Type.BOOLEAN: _read_boolean,
    Type.DATE: _read_date,
    Type.DATETIME: _read_date,
    Type.ENUM: _read_text,
    Type.REF: _read_text,
    Type.TAG: lambda raw: clean_tag(_read_text(raw)),
}


def _identity(wanted: Type, value: Scalar, zone: tzinfo) -> object:
    if wanted not in TEMPORAL or not isinstance(value, str):
        return value
    try:
        moment = read_moment(value, zone)
    except UnreadableValue:
        return value
    return (moment.start, moment.end)


def _item_set(wanted: Type, value: Value, zone: tzinfo) -> frozenset[object]:
    items = value if isinstance(value, tuple) else (value,)
    return frozenset(_identity(wanted, item, zone) for item in items)


def _show(raw: object) -> str:
    """Write a value as `repr` does, but never one that is too deep or too long for it."""
    if isinstance(raw, int) and raw.bit_length() > 400:
        return f"of about {int(math.log10(abs(raw))) + 1} digits"
    return _SHOWN.repr(raw)


def _type_name(raw: object) -> str:
    for kind, name in _TYPE_NAMES:
        if isinstance(raw, kind):
            return name
    return type(raw).__name__


_SHOWN = reprlib.Repr()
_SHOWN.maxstring = _SHOWN.maxlong = _SHOWN.maxother = 200
_TYPE_NAMES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "boolean"),
    (str, "text"),
    ((int, float), "number"),
    ((list, tuple), "list"),
    (dict, "object"),
)
