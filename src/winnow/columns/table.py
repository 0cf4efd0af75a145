"""All entities of one schema in one namespace, or all memories, as parts that never change.

A part of entities holds its rows in the order of their ids. A newer version of a row stands in a
later part and the older one is no longer alive; when there are many small parts they are merged.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import cached_property
from itertools import accumulate
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import (
    Column,
    Edges,
    Entry,
    Links,
    Mask,
    Rows,
    TextValues,
    sort_words,
    text_array,
)
from winnow.columns.entries import build_column
from winnow.columns.lazy import Lazy
from winnow.columns.masks import Within, find_true
from winnow.columns.mixed import MixedValues
from winnow.columns.words import RowWords, as_words
from winnow.filter.keys import Key
from winnow.schema import Schema


@dataclass(frozen=True, slots=True)
class Orders:
    """The orders of a part's rows: their ids as a text vector, and their keys with the row of each.

    `ascends` says that the rows are in the order of their ids, and no id comes twice.
    """

    ids: TextValues
    ascends: bool
    keys: Rows
    rows: Rows


@dataclass(frozen=True)
class Part:
    """Some rows of a table: their store keys, ids and columns (none where no row has a value).

    `metadata` has the columns of memories' keys, `loose` those of fields as triples see them.
    `named` keeps what the words of a reference field are in the parts of another table, `latest`
    the last time in a field by namespace, over the rows of a mask. `orders` are found when they
    are needed, unless they are given.
    """

    keys: Rows
    ids: RowWords
    columns: Mapping[str, Column]
    metadata: Lazy[Key, MixedValues] = field(
        default_factory=lambda: Lazy[Key, MixedValues]({}, {}), compare=False
    )
    loose: Lazy[str, MixedValues] = field(
        default_factory=lambda: Lazy[str, MixedValues]({}, {}), compare=False
    )
    named: "dict[tuple[str, str], list[Named]]" = field(
        default_factory=dict[tuple[str, str], "list[Named]"], compare=False
    )
    latest: "dict[str, tuple[Mask, dict[str, int]]]" = field(
        default_factory=dict[str, "tuple[Mask, dict[str, int]]"], compare=False
    )
    orders: Orders | None = field(default=None, compare=False)

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def id_values(self) -> TextValues:
        """The ids as a text vector, for tests on them."""
        if self.orders is not None:
            return self.orders.ids
        ids = as_words(self.ids)
        if self.ascends:
            return TextValues(ids, np.arange(len(ids), dtype=np.int32))
        words, codes = sort_words(ids)
        return TextValues(words, codes.astype(np.int32))

    @cached_property
    def ascends(self) -> bool:
        """Tell whether the rows are in the order of their ids, and no id comes twice."""
        if self.orders is not None:
            return self.orders.ascends
        ids = as_words(self.ids)
        return bool((ids[1:] > ids[:-1]).all())

    @cached_property
    def key_order(self) -> tuple[Rows, Rows]:
        """The keys in ascending order, and the row of each."""
        if self.orders is not None:
            return self.orders.keys, self.orders.rows
        order = np.argsort(self.keys, kind="stable")
        return self.keys[order], order

    def id_of(self, row: int) -> str:
        """Return the id of a row."""
        return cast(str, self.ids[row])

    def rows_of_id(self, entity: str) -> Rows:
        """Return the rows of an id."""
        words, codes = self.id_values.words, self.id_values.codes
        place = bisect_left(words, entity)
        if place == len(words) or words[place] != entity:
            return np.zeros(0, np.int64)
        return np.array([place]) if self.ascends else np.flatnonzero(codes == place)

    def rows_of_keys(self, keys: NDArray[np.int64]) -> Rows:
        """Return the rows that hold any of `keys`, which are sorted."""
        ordered, order = self.key_order
        places = np.searchsorted(ordered, keys)
        places[places == len(ordered)] = 0
        return order[places[ordered[places] == keys]] if len(ordered) else order


@dataclass(frozen=True, slots=True)
class Named:
    """Places of words, and beside them the rows of the part whose ids they are."""

    part: Part
    words: Rows
    rows: Rows


class Source(Protocol):
    """What a store gives of rows that are new, have changed, or are gone."""

    def touched(self) -> Sequence[int]:
        """Return the keys of all these rows."""
        ...

    def build(self, schema: Schema, zone: tzinfo) -> Part:
        """Make a part of those that are not gone."""
        ...


@dataclass(frozen=True, slots=True)
class Changes:
    """Entities as the store gives them, in parallel lists in the order of the ids."""

    keys: Sequence[int]
    ids: Sequence[str]
    live: Sequence[bool]
    fields: Sequence[Mapping[str, Entry]]

    def touched(self) -> Sequence[int]:
        """Return the keys of all rows."""
        return self.keys

    def build(self, schema: Schema, zone: tzinfo) -> Part:
        """Make a part of the live rows."""
        rows = [row for row, live in enumerate(self.live) if live]
        fields = [self.fields[row] for row in rows]
        named = set[str]().union(*fields)
        columns = {
            field.name: build_column(field, [entry.get(field.name) for entry in fields], zone)
            for field in schema.fields.values()
            if field.name in named
        }
        return Part(
            np.array([self.keys[row] for row in rows], np.int64),
            text_array([self.ids[row] for row in rows]),
            {name: column for name, column in columns.items() if column is not None},
        )


@dataclass(frozen=True)
class Table:
    """The rows of one schema. A change makes a new table; old ones stay whole.

    Rows are numbered through all parts. `alive` has one mask a part. `links` and
    `edges` keep where the reference fields lead, for one state of the table that they lead to;
    `known` how many rows have a value of a field that counts at a level, `extents` the living
    rows that questions were about.
    """

    schema: Schema
    zone: tzinfo
    parts: tuple[Part, ...] = ()
    alive: tuple[Mask, ...] = ()
    links: "dict[str, tuple[Table | None, list[Links]]]" = field(
        default_factory=dict[str, "tuple[Table | None, list[Links]]"], compare=False
    )
    edges: "dict[str, tuple[Table, Edges]]" = field(
        default_factory=dict[str, "tuple[Table, Edges]"], compare=False
    )
    known: dict[tuple[str, int], int] = field(
        default_factory=dict[tuple[str, int], int], compare=False
    )
    extents: dict[Hashable, Within] = field(
        default_factory=dict[Hashable, Within], compare=False, init=False
    )

    def __len__(self) -> int:
        return self.starts[-1]

    @cached_property
    def starts(self) -> list[int]:
        """The number of the first row of each part, and of all rows."""
        return [0, *accumulate(len(part) for part in self.parts)]

    @cached_property
    def alive_rows(self) -> Mask:
        """Where a row is the newest of its entity and not deleted."""
        return join_masks(self.alive)

    @cached_property
    def count(self) -> int:
        """How many entities there are."""
        return int(np.count_nonzero(self.alive_rows))

    @cached_property
    def is_whole(self) -> bool:
        """Tell whether all rows are alive."""
        return self.count == len(self)

    def living(self, mask: Mask) -> Rows:
        """Return the living rows of a mask, in ascending order."""
        return find_true(mask if self.is_whole else mask & self.alive_rows)

    def locate(self, row: int) -> tuple[Part, int]:
        """Return the part of a row, and its number there."""
        index = bisect_right(self.starts, row) - 1
        return self.parts[index], row - self.starts[index]

    def key_of(self, row: int) -> int:
        """Return the store's key of a row."""
        part, local = self.locate(row)
        return int(part.keys[local])

    def keys_of(self, rows: Rows) -> list[int]:
        """Return the store's keys of some rows, in their order."""
        keys = np.concatenate([np.zeros(0, np.int64), *(part.keys for part in self.parts)])
        return keys[rows].tolist()

    def id_of(self, row: int) -> str:
        """Return the id of a row."""
        part, local = self.locate(row)
        return part.id_of(local)

    def row_of(self, entity: str) -> int | None:
        """Return the living row of an id."""
        for start, part, alive in zip(self.starts, self.parts, self.alive, strict=False):
            for local in part.rows_of_id(entity).tolist():
                if alive[local]:
                    return start + local
        return None

    def ids_near(self, entity: str) -> list[str]:
        """Return some ids that stand beside a given one in the order of the ids."""
        found: list[str] = []
        for part in self.parts:
            words = part.id_values.words
            place = bisect_left(words, entity)
            found += words[max(place - _NEIGHBORS, 0) : place + _NEIGHBORS].tolist()
        return found

    def changed(self, changes: Source) -> "Table":
        """Return the table with these rows new, replaced or deleted."""
        keys = np.sort(np.array(changes.touched(), np.int64))
        alive = tuple(
            _without(mask, part.rows_of_keys(keys))
            for part, mask in zip(self.parts, self.alive, strict=True)
        )
        part = changes.build(self.schema, self.zone)
        parts, masks = (*self.parts, part), (*alive, np.ones(len(part), np.bool_))
        kept = [index for index, mask in enumerate(masks) if mask.any()]
        return Table(
            self.schema,
            self.zone,
            tuple(parts[index] for index in kept),
            tuple(masks[index] for index in kept),
        )

    def keys_of_last(self, count: int) -> list[int]:
        """Return the keys of the living rows of the last `count` parts."""
        pairs = zip(self.parts[-count:], self.alive[-count:], strict=True)
        return np.concatenate([part.keys[mask] for part, mask in pairs]).tolist()

    def merged(self, count: int, changes: Source) -> "Table":
        """Return the table with its last `count` parts made new from their rows."""
        kept = Table(self.schema, self.zone, self.parts[:-count], self.alive[:-count])
        return kept.changed(changes)


def parts_to_merge(table: Table, among: int | None = None) -> int:
    """Tell how many of the last parts, or of some of those, should become one; 0 if none."""
    masks = table.alive if among is None else table.alive[len(table.alive) - among :]
    return count_small([int(np.count_nonzero(mask)) for mask in masks])


def count_small(sizes: Sequence[int]) -> int:
    """Tell how many of the last parts, of these sizes, should become one; 0 if none.

    Each part is then more than twice as large as all after it, so a row moves seldom.
    """
    count, after = 0, 0
    for place, size in enumerate(reversed(sizes)):
        if place and size <= 2 * after:
            count = place + 1
        after += size
    return count


_NEIGHBORS = 20


def join_masks(masks: Sequence[Mask]) -> Mask:
    """Put the masks of parts one after the other."""
    if len(masks) == 1:
        return masks[0]
    return np.concatenate(masks) if masks else np.zeros(0, np.bool_)


def _without(mask: Mask, rows: Rows) -> Mask:
    if not len(rows):
        return mask
    copy = mask.copy()
    copy[rows] = False
    return copy
