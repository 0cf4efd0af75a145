"""From the metadata of many memories to a column for each of its keys."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from itertools import chain
from typing import Final, TypeAlias, TypeVar, cast

import numpy as np

from winnow.columns.arrays import (
    FLOAT_EXACT,
    FlagValues,
    IntegerValues,
    NumberValues,
    Rows,
    build_texts,
)
from winnow.columns.lazy import Lazy
from winnow.columns.mixed import MixedLists, MixedValues, Numbers, OpenTexts, Some
from winnow.columns.select import spread
from winnow.filter.ast import MAX_DEPTH
from winnow.filter.keys import Key
from winnow.filter.loose import to_float
from winnow.filter.raw import Untyped, read_number
from winnow.values import Json, Value

Metadata: TypeAlias = Lazy[Key, MixedValues]
_Object: TypeAlias = Mapping[str, Json]
_V = TypeVar("_V", Numbers, FlagValues, OpenTexts)


def build_metadata(metadata: Sequence[_Object], zone: tzinfo) -> Metadata:
    """Make the columns, one for each path of keys through objects; those in a list have none.

    What few rows have is made when it is first asked for.
    """
    length = len(metadata)
    made: dict[Key, MixedValues] = {}
    makers: dict[Key, Callable[[], MixedValues]] = {}
    for path, rows, values in _flatten(metadata):
        if len(rows) < _FEW:
            makers[path] = partial(build_mixed, values, rows, length, zone)
        else:
            made[path] = build_mixed(values, rows, length, zone)
    return Lazy(made, makers)


def build_mixed(
    values: Sequence[Json], rows: Sequence[int], length: int, zone: tzinfo, depth: int = 0
) -> MixedValues:
    """Make the column of some values, none of them null; `rows`, which ascend, are theirs."""
    kinds = _part(values, np.array(rows, np.int64), depth)
    build = _Builder(length, zone, depth)
    return MixedValues(
        length,
        build.numbers(*kinds.get("numbers", _NOTHING)),
        build.flags(*kinds.get("flags", _NOTHING)),
        build.texts(*kinds.get("texts", _NOTHING)),
        build.lists(*kinds.get("lists", _NOTHING)),
        kinds.get("others", _NOTHING)[1],
        build.numbers(*_read_numbers(*kinds.get("texts", _NOTHING))),
    )


def _read_numbers(values: Sequence[Json], rows: Rows) -> "_Chosen":
    """Return the numbers that texts without a type are, and their rows."""
    if Untyped not in set(map(type, values)):
        return _NOTHING
    known: dict[str, float | None] = {}
    found: list[float] = []
    places: list[int] = []
    for place, value in enumerate(values):
        if isinstance(value, Untyped):
            if value not in known:
                known[value] = read_number(value)
            if (number := known[value]) is not None:
                found.append(number)
                places.append(place)
    return found, rows[places]


_FEW: Final = 64
# What one row in so many has at least gets a filler in all others.
_DENSE: Final = 10
_Chosen: TypeAlias = tuple[Sequence[Json], Rows]
_NOTHING: Final[_Chosen] = ((), np.zeros(0, np.int64))
_KINDS: Mapping[type, str] = {
    bool: "flags",
    **dict.fromkeys((int, float), "numbers"),
    str: "texts",
    **dict.fromkeys((list, tuple), "lists"),
}


def _flatten(metadata: Sequence[_Object]) -> Iterator[tuple[Key, list[int], list[Json]]]:
    """Yield each path with the rows that have a value there, and the values.

    Level by level, without recursion: objects may be nested a thousand deep.
    """
    waiting: list[tuple[Key, Sequence[int], Sequence[_Object]]] = [
        ((), range(len(metadata)), metadata)
    ]
    for path, owners, objects in waiting:
        for key, (rows, values) in _collect(owners, objects).items():
            yield (*path, key), rows, values
            places = [place for place, value in enumerate(values) if isinstance(value, dict)]
            if places:
                nested = [cast(_Object, values[place]) for place in places]
                waiting.append(((*path, key), [rows[place] for place in places], nested))


def _collect(
    owners: Sequence[int], objects: Sequence[_Object]
) -> dict[str, tuple[list[int], list[Json]]]:
    found: dict[str, tuple[list[int], list[Json]]] = {}
    for row, item in zip(owners, objects, strict=True):
        for key, value in item.items():
            if value is None:
                continue
            if key not in found:
                found[key] = [], []
            rows, values = found[key]
            rows.append(row)
            values.append(value)
    return found


def _part(values: Sequence[Json], rows: Rows, depth: int) -> dict[str, _Chosen]:
    """Sort values by kind; lists deeper than any filter reaches are like objects."""
    kinds = _KINDS if depth < MAX_DEPTH else {**_KINDS, list: "others", tuple: "others"}
    by_type = {
        one: next((kinds[base] for base in one.__mro__ if base in kinds), "others")
        for one in set(map(type, values))
    }
    if len(set(by_type.values())) == 1:
        return dict.fromkeys(by_type.values(), (values, rows))
    places: dict[str, list[int]] = {}
    for place, value in enumerate(values):
        places.setdefault(by_type[type(value)], []).append(place)
    return {
        kind: ([values[place] for place in chosen], rows[chosen]) for kind, chosen in places.items()
    }


@dataclass(frozen=True, slots=True)
class _Builder:
    """Makes the parts of a column; none where there are no values."""

    length: int
    zone: tzinfo
    depth: int

    def numbers(self, values: Sequence[Json], rows: Rows) -> Some[Numbers] | None:
        """Place numbers."""
        return self._place(_build_numbers(cast(Sequence[float], values)), rows)

    def flags(self, values: Sequence[Json], rows: Rows) -> Some[FlagValues] | None:
        """Place true and false."""
        return self._place(FlagValues(np.array(values, np.bool_)), rows)

    def texts(self, values: Sequence[Json], rows: Rows) -> Some[OpenTexts] | None:
        """Place texts."""
        built = build_texts(cast(Sequence[Value], values))
        return self._place(OpenTexts(built.words, built.codes, self.zone), rows)

    def lists(self, values: Sequence[Json], rows: Rows) -> Some[MixedLists] | None:
        """Place lists, whose items are a column of their own."""
        if not values:
            return None
        lists = [
            [item for item in value if item is not None]
            for value in cast(Sequence[Sequence[Json]], values)
        ]
        offsets = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(one) for one in lists], out=offsets[1:])
        flat = list(chain.from_iterable(lists))
        items = build_mixed(flat, range(len(flat)), len(flat), self.zone, self.depth + 1)
        return Some(self.length, MixedLists(offsets, items), rows)

    def _place(self, values: _V, rows: Rows) -> Some[_V] | None:
        if not len(rows):
            return None
        if len(rows) * _DENSE < self.length:
            return Some(self.length, values, rows)
        if len(rows) == self.length:
            return Some(self.length, values)
        held = np.zeros(self.length, np.bool_)
        held[rows] = True
        return Some(self.length, cast(_V, spread(values, rows, self.length)), None, held)


def _build_numbers(values: Sequence[float]) -> Numbers:
    if set(map(type, values)) == {int}:
        try:
            return IntegerValues(np.array(values, np.int64))
        except OverflowError:
            pass  # one of them has more than 64 bits
    exact = {
        row: value
        for row, value in enumerate(values)
        if isinstance(value, int) and not -FLOAT_EXACT <= value <= FLOAT_EXACT
    }
    return NumberValues(np.array([to_float(value) for value in values], np.float64), exact)
