"""Instants: milliseconds in the store, ISO 8601 in UTC outside."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo

from winnow.errors import Fault
from winnow.values import Moment, UnreadableValue, describe, resolve_moment

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
FIRST = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MILLISECOND
LAST = (datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC) - _EPOCH) // _MILLISECOND
OUTSIDE = "this time is outside the years 1 to 9999"
_AGO = re.compile(
    r"(\d{1,6}) ?(mo|[mhdwy]|mins?|minutes?|hours?|days?|weeks?|months?|years?)(?: ago)?", re.ASCII
)
_DATED = re.compile(r"\d{4}|[+-]\d", re.ASCII)
_TIMES = "2026-03-05, 2026-03-05T14:30:00Z, today, or how long ago: 30m, 2h, 7d, 4w, 3mo, 1y"


def milliseconds(moment: datetime) -> int:
    """Return an instant as milliseconds since 1970-01-01 UTC."""
    return (moment - _EPOCH) // _MILLISECOND


def show_time(instant: int) -> str:
    """Spell milliseconds as ISO 8601."""
    moment = _EPOCH + timedelta(milliseconds=instant)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_time(
    text: str, zone: tzinfo, now: datetime, pointer: str, faults: list[Fault]
) -> int | None:
    """Read a date or instant as the milliseconds at which it begins."""
    return _read(resolve_moment, text, zone, now, pointer, faults)


def resolve_past(text: str, zone: tzinfo, now: datetime) -> Moment:
    """Read a date as `resolve_moment` does; `30m`, `2 hours` and `1 week ago` are so long ago."""
    word = text.strip().lower()
    if match := _AGO.fullmatch(word):
        unit = "mo" if match[2].startswith("mo") else match[2][0]
        return resolve_moment(f"-{match[1]}{unit}", zone, now)
    try:
        return resolve_moment(text, zone, now)
    except UnreadableValue:
        if _DATED.match(word):
            raise  # it says what is wrong with the date
    raise UnreadableValue(f"{describe(text)} is not a time (write {_TIMES})")


def read_past_time(
    text: str, zone: tzinfo, now: datetime, pointer: str, faults: list[Fault]
) -> int | None:
    """Do as `read_time`; `30m` is half an hour ago."""
    return _read(resolve_past, text, zone, now, pointer, faults)


def _read(
    resolve: Callable[[str, tzinfo, datetime], Moment],
    text: str,
    zone: tzinfo,
    now: datetime,
    pointer: str,
    faults: list[Fault],
) -> int | None:
    try:
        instant = resolve(text, zone, now).start // 1_000
    except UnreadableValue as error:
        faults.append(Fault(pointer, str(error)))
        return None
    return check_time(instant, pointer, faults)


def check_time(instant: int, pointer: str, faults: list[Fault]) -> int | None:
    """Return milliseconds that `show_time` can spell; a fault is added for others."""
    if FIRST <= instant <= LAST:
        return instant
    faults.append(Fault(pointer, OUTSIDE))
    return None
