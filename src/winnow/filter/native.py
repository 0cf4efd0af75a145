"""What only Python has, as the other surfaces write it: dates, sets, paths, values of numpy."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import UTC, date, datetime, timedelta
from numbers import Integral, Real
from typing import Any, Final, cast
from uuid import UUID

PLAIN: Final = frozenset({str, int, float, bool, type(None), dict, list, tuple})
"""The types of values that JSON has as they are."""


def spell(raw: object) -> object:
    """Return a value as JSON has it: what is in it may still be Python's own.

    A time without a zone stays one, and is read in the configured zone as its text is; a set
    becomes a list in order. What nothing is known of is returned as it is.
    """
    if type(raw) in PLAIN:
        return raw
    write = next((write for kind, write in _WRITERS if isinstance(raw, kind)), _unpack)
    return write(raw)


def spell_seconds(span: timedelta) -> int:
    """Return a span in whole seconds, the last of them begun."""
    return -(-span // timedelta(seconds=1))


def _spell_time(moment: datetime) -> str:
    offset = moment.utcoffset()
    if offset is not None and offset % timedelta(minutes=1):  # as before there were time zones
        moment = moment.astimezone(UTC)
    return moment.isoformat()


def _sort(items: Iterable[object]) -> Sequence[object]:
    """List a set in the same order in every process."""
    try:
        return sorted(cast("Iterable[str]", items))
    except TypeError:  # a text is neither more nor less than a number
        return sorted(items, key=repr)


def _unpack(raw: object) -> object:
    """Return what an array holds, or what a scalar of numpy is, as values of Python."""
    kind = type(raw)  # its name tells, so that nobody has to import numpy
    if kind.__module__ not in ("numpy", "array"):
        return raw
    return str(raw) if kind.__name__ == "datetime64" else cast(Any, raw).tolist()


_WRITERS: Final[Sequence[tuple[type, Callable[[Any], object]]]] = (
    (datetime, _spell_time),
    (date, date.isoformat),
    (os.PathLike, os.fspath),
    (UUID, str),
    (Set, _sort),
    (Mapping, dict),
    (Integral, int),
    (Real, float),
)
