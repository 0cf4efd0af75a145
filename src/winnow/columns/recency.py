"""When each namespace was last changed."""

from collections.abc import Sequence

import numpy as np

from winnow.columns.arrays import Mask, MomentValues, TextValues
from winnow.columns.table import Part, Table


def last_changes(table: Table, namespaces: Sequence[str]) -> list[int]:
    """Return the last `updatedAt` of the living memories of each namespace, in microseconds.

    What a part says of it is kept until rows of that part die.
    """
    parts = zip(table.parts, table.alive, strict=True)
    known = [_latest(part, alive) for part, alive in parts]
    return [max((one[name] for one in known if name in one), default=0) for name in namespaces]


def living_namespaces(table: Table) -> set[str]:
    """Return the namespaces that have a living memory, or piece of a note."""
    return set[str]().union(*map(_latest, table.parts, table.alive))


def _latest(part: Part, alive: Mask) -> dict[str, int]:
    kept = part.latest.get(_UPDATED)
    if kept is not None and kept[0] is alive:
        return kept[1]
    found = _find_latest(part, alive)
    part.latest[_UPDATED] = (alive, found)
    return found


def _find_latest(part: Part, alive: Mask) -> dict[str, int]:
    spaces, times = part.columns.get("namespace"), part.columns.get(_UPDATED)
    if spaces is None or times is None:
        return {}
    names, starts = spaces.values, times.values
    if not isinstance(names, TextValues) or not isinstance(starts, MomentValues):
        raise TypeError("not a part of memories")
    rows = np.flatnonzero(alive)
    last = np.full(len(names.words), _NEVER)
    np.maximum.at(last, names.codes[rows], starts.starts[rows])
    pairs = zip(names.words.tolist(), last.tolist(), strict=True)
    return {name: time for name, time in pairs if time != _NEVER}


_UPDATED = "updatedAt"
_NEVER = np.iinfo(np.int64).min
