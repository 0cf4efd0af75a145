"""Instants: milliseconds in the store, ISO 8601 in UTC outside."""

from datetime import UTC, datetime, timedelta, tzinfo

from winnow.errors import Fault
from winnow.values import UnreadableValue, resolve_moment

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
FIRST = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MILLISECOND
LAST = (datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC) - _EPOCH) // _MILLISECOND
OUTSIDE = "this time is outside the years 1 to 9999"


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
    try:
        instant = resolve_moment(text, zone, now).start // 1_000
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
