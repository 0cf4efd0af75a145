"""From memories as the store gives them to their columns."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from itertools import chain, islice
from typing import Any, Final, TypeAlias, cast

import numpy as np

from winnow.columns.arrays import (
    ABSENT,
    LEVEL_OF_PLAIN,
    Column,
    IntegerValues,
    ListValues,
    Mask,
    MomentValues,
    NumberValues,
    Rows,
    TagValues,
    TextValues,
    Values,
    build_texts,
    text_array,
)
from winnow.columns.lazy import Lazy
from winnow.columns.metadata import Metadata, build_metadata
from winnow.columns.mixed import Kind, MixedValues, mix
from winnow.columns.select import take
from winnow.columns.table import Orders, Part, Table
from winnow.columns.words import RowWords
from winnow.filter.keys import Key
from winnow.kinds import read_kind
from winnow.memories import AT_FIELDS, FILLED, SOURCES
from winnow.schema import Schema
from winnow.values import Json

Entry: TypeAlias = str | float | Sequence[str] | None
Columns: TypeAlias = Lazy[str, Column]


@dataclass(frozen=True, slots=True)
class MemoryChanges:
    """Memories as the store gives them, in parallel lists; rows are in the order of these.

    `gone` has the keys of those that were deleted. `fields` has a list for each field of
    `winnow.memories.RECORDS` but `id`, by its name; one that is left out is empty everywhere.
    Times are in milliseconds since 1970-01-01 UTC.
    """

    gone: Sequence[int]
    keys: Sequence[int]
    ids: Sequence[str]
    fields: Mapping[str, Sequence[Entry]]
    metadata: Sequence[Mapping[str, Json]]

    def touched(self) -> Sequence[int]:
        """Return the keys of all these memories."""
        return [*self.gone, *self.keys]

    def build(self, schema: Schema, zone: tzinfo) -> Part:
        """Make a part of those that are there."""
        metadata = build_metadata(self.metadata, zone)
        return arrange(
            np.array(self.keys, np.int64),
            text_array(self.ids),
            self._build_columns(),
            metadata,
            zone,
        )

    def _build_columns(self) -> Columns:
        made: dict[str, Column] = {}
        makers: dict[str, Callable[[], Column | None]] = {"id": partial(_build_texts, self.ids)}
        for name, entries in self.fields.items():
            make = partial(_BUILDERS.get(name, _build_names), entries)
            if name in _LATE:
                makers[name] = make
            elif (column := make()) is not None:
                made[name] = column
        return Lazy(made, makers)


def arrange(
    keys: Rows,
    ids: RowWords,
    own: Columns,
    metadata: Metadata,
    zone: tzinfo,
    orders: Orders | None = None,
) -> Part:
    """Make a part of memories of their own columns, with those that are read off them."""
    at = {name: partial(_read_at, own, name) for name in AT_FIELDS}
    columns = Lazy({}, {**{name: partial(own.get, name) for name in own.named()}, **at})
    loose = {name: partial(_loosen, columns, name, zone) for name in AT_FIELDS}
    return Part(keys, ids, columns, metadata, Lazy({}, loose), orders=orders)


class VisibleKeys:
    """The keys that the metadata of some memories of a table has; `visible` says of which.

    Only memories of `namespaces` count, unless it is None.
    """

    def __init__(
        self, table: Table, visible: Mask, namespaces: Collection[str] | None = None
    ) -> None:
        self._table = table
        self._visible = visible
        self._namespaces = namespaces
        self._known: dict[Key, bool] = {}
        self._differing: dict[tuple[Key, str], bool] = {}
        self._counted: dict[Key, Mapping[Kind, int]] = {}
        self._narrower: dict[frozenset[str], VisibleKeys] = {}

    def within(self, namespaces: Collection[str]) -> "VisibleKeys":
        """Return the keys of those of the memories that are in some namespaces."""
        chosen = frozenset(namespaces)
        found = self._narrower.get(chosen)
        if found is None:
            _make_room(self._narrower)
            found = self._narrower[chosen] = VisibleKeys(self._table, self._visible, chosen)
        return found

    def __contains__(self, key: object) -> bool:
        """Tell whether a visible memory has a key."""
        asked = cast(Key, key)
        found = self._known.get(asked)
        if found is None:
            _make_room(self._known)
            found = self._known[asked] = self._look_for(asked)
        return found

    def differ(self, key: Key, own: str) -> bool:
        """Tell whether a key may say something else than a memory's own field.

        In a piece of a note it does not where it is what has filled the field.
        """
        asked = (key, own)
        found = self._differing.get(asked)
        if found is None:
            _make_room(self._differing)
            found = self._differing[asked] = self._look_for(key, own)
        return found

    def kinds_of(self, key: Key) -> Mapping[Kind, int]:
        """Count the visible memories by the kind of their value under a key."""
        found = self._counted.get(key)
        if found is None:
            _make_room(self._counted)
            found = self._counted[key] = self._count(key)
        return found

    def _count(self, key: Key) -> Mapping[Kind, int]:
        found = Counter[Kind]()
        for part, start in zip(self._table.parts, self._table.starts, strict=False):
            values = part.metadata.get(key)
            if values is not None:
                visible = self._visible[start:][: len(part)]
                if self._namespaces is not None:
                    visible = visible & self._in_scope(part)
                found.update(values.count(visible))
        return found

    def _look_for(self, key: Key, own: str | None = None) -> bool:
        """Tell whether a visible memory has a key, other than as what has filled an own field."""
        for part, start in zip(self._table.parts, self._table.starts, strict=False):
            values = part.metadata.get(key)
            if values is None:
                continue
            visible = self._visible[start:][: len(part)] & values.present
            if own in FILLED:
                visible &= ~(_has(part, "path") & _has(part, own))
            if (visible if self._namespaces is None else visible & self._in_scope(part)).any():
                return True
        return False

    def __iter__(self) -> Iterator[Key]:
        """Yield keys, at most a thousand."""
        named = dict.fromkeys(key for part in self._table.parts for key in part.metadata.named())
        return islice((key for key in named if key in self), _MOST_KEYS)

    def _in_scope(self, part: Part) -> Mask:
        """Return which rows of a part are in the namespaces."""
        column = part.columns.get("namespace")
        if column is None or not isinstance(column.values, TextValues):
            return np.zeros(len(part), np.bool_)
        names, codes = self._namespaces or (), column.values.compact
        wanted = [code for code, name in enumerate(column.values.words.tolist()) if name in names]
        return codes == wanted[0] if len(wanted) == 1 else np.isin(codes, wanted)


def _has(part: Part, name: str) -> Mask:
    column = part.columns.get(name)
    return np.zeros(len(part), np.bool_) if column is None else column.levels != ABSENT


def _make_room(kept: "dict[Any, Any]") -> None:
    if len(kept) >= _MOST_KEYS:
        kept.clear()


# Texts that are seldom the same, whose dictionary is not made before a filter names them.
_LATE = frozenset({"text", "title", "heading"})


def _build_texts(entries: Sequence[Entry]) -> Column | None:
    return _place(build_texts(cast(Sequence[str | None], entries)), entries)


def _build_names(entries: Sequence[Entry]) -> Column | None:
    """Make a column of texts, of which an empty one says nothing."""
    return _build_texts([entry or None for entry in entries])


def _build_kinds(entries: Sequence[Entry]) -> Column | None:
    return _build_texts([read_kind(str(entry)) for entry in entries])


def _build_tags(entries: Sequence[Entry]) -> Column | None:
    lists = cast(Sequence[Sequence[str] | None], entries)
    offsets = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(tags or ()) for tags in lists], out=offsets[1:])
    items = build_texts(list(chain.from_iterable(tags or () for tags in lists)))
    return _place(ListValues(offsets, TagValues(items.words, items.codes)), [()] * len(lists))


def _build_numbers(entries: Sequence[Entry]) -> Column | None:
    numbers = [entry or 0 for entry in cast(Sequence[float | None], entries)]
    return _place(NumberValues(np.array(numbers, np.float64), {}), entries)


def _build_instants(entries: Sequence[Entry]) -> Column | None:
    times = [entry or 0 for entry in cast(Sequence[int | None], entries)]
    starts = np.array(times, np.int64) * _MICROSECONDS
    return _place(MomentValues(starts, starts + 1, None), entries)


def _place(values: Values, entries: Sequence[Entry]) -> Column | None:
    """Make the column of values that all count, unless it is empty; None is no entry."""
    if entries.count(None) == len(entries):
        return None
    levels = [ABSENT if entry is None else LEVEL_OF_PLAIN for entry in entries]
    return Column(values, np.array(levels, np.uint8), _NO_ROWS, take(values, _NO_ROWS))


def _read_at(own: Columns, name: str) -> Column | None:
    """Return the column that a name with `@` reads, instants in milliseconds."""
    column = own.get(SOURCES[name])
    if column is None or not isinstance(column.values, MomentValues):
        return column
    times = IntegerValues(column.values.starts // _MICROSECONDS)
    return Column(times, column.levels, _NO_ROWS, take(times, _NO_ROWS))


def _loosen(columns: Columns, name: str, zone: tzinfo) -> MixedValues | None:
    column = columns.get(name)
    return None if column is None else mix(column.values, column.known(LEVEL_OF_PLAIN), zone)


_MOST_KEYS: Final = 1_000
_MICROSECONDS: Final = 1_000  # in a millisecond
_NO_ROWS: Final[Rows] = np.zeros(0, np.int64)
_BUILDERS: Mapping[str, Callable[[Sequence[Entry]], Column | None]] = {
    "text": _build_texts,
    "kind": _build_kinds,
    "tags": _build_tags,
    "importance": _build_numbers,
    **dict.fromkeys(("createdAt", "updatedAt", "expiresAt"), _build_instants),
}
