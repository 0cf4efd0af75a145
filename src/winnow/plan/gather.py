"""The values of one field for some rows of some tables, references followed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TypeAlias, cast

import numpy as np

from winnow.columns.arrays import (
    BROKEN,
    FLOAT_EXACT,
    NO_LINKS,
    FlagValues,
    IntegerValues,
    ItemValues,
    Links,
    Mask,
    NumberValues,
    Rows,
    TextValues,
    Values,
)
from winnow.columns.links import link
from winnow.columns.mixed import MixedLists, MixedValues, Numbers, OpenTexts, Some
from winnow.columns.select import concat, take
from winnow.columns.table import Table
from winnow.records import Confidence
from winnow.schema import Field
from winnow.values import Type, Value

Tables: TypeAlias = Mapping[str, Table]
NO_ROWS: Rows = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Selection:
    """Some rows of one namespace's table of a schema, with the tables that it refers to."""

    namespace: str
    table: Table
    tables: Tables
    rows: Rows


@dataclass(frozen=True, slots=True)
class Vector:
    """Where a value counts, and the values for just those rows in their order.

    `values` is None if there is none. Of values in conflict the first counts, at AMBIGUOUS.
    """

    known: Mask
    values: Values | None


def gather(selections: Sequence[Selection], steps: Sequence[Field], minimum: Confidence) -> Vector:
    """Return a field's values for the rows of all selections, one selection after the other.

    `steps` are the references to follow, and the field itself last. Those to a key of metadata
    begin with METADATA; of its values, those of the last one's type come.
    """
    pieces: list[_Piece] = []
    start = 0
    for one in selections:
        pieces.extend(_gather_rows(one.table, one.tables, one.rows, steps, minimum, start))
        start += len(one.rows)
    return _assemble(pieces, start)


def gather_one(
    selection: Selection, steps: Sequence[Field], minimum: Confidence, row: int
) -> Value | None:
    """Return a field's value for one row, None if none counts."""
    single = replace(selection, rows=np.array([row], np.int64))
    values = gather([single], steps, minimum).values
    return None if values is None else values.get(0)


def gather_items(
    selections: Sequence[Selection], steps: Sequence[Field]
) -> Iterator[tuple[Rows, ItemValues]]:
    """Yield the values under a key of metadata kind by kind, each with the place of its row.

    A list gives each of its items; what is deeper, and an object, gives none.
    """
    for find in OPEN_KINDS.values():
        pieces: list[_Piece] = []
        start = 0
        for one in selections:
            for mixed, places, local in _open_parts(one.table, one.rows, steps):
                pieces.extend(_gather_items(find, mixed, places + start, local))
            start += len(one.rows)
        if pieces:
            values = cast(ItemValues, concat([piece.values for piece in pieces]))
            yield np.concatenate([piece.places for piece in pieces]), values


def count_others(selection: Selection, steps: Sequence[Field]) -> int:
    """Count the rows that have a value of another type than is asked for under a key."""
    parts = _open_parts(selection.table, selection.rows, steps)
    every = sum(int(np.count_nonzero(mixed.present[local])) for mixed, _, local in parts)
    known = gather([selection], steps, Confidence.EXTRACTED).known
    return every - int(np.count_nonzero(known))


def divide(selection: Selection, field: Field) -> tuple[Selection, Selection]:
    """Return the rows that have a value of a field, and those that have none."""
    known = gather([selection], (field,), Confidence.EXTRACTED).known
    rows = selection.rows
    return replace(selection, rows=rows[known]), replace(selection, rows=rows[~known])


@dataclass(frozen=True, slots=True)
class _Piece:
    """Values, and their places in the result."""

    places: Rows
    values: Values


def _gather_rows(
    table: Table,
    tables: Tables,
    rows: Rows,
    steps: Sequence[Field],
    minimum: Confidence,
    start: int,
) -> Iterator[_Piece]:
    step = steps[0]
    if step.type is Type.OPEN:
        yield from _gather_open(table, rows, steps, start)
        return
    links = _links(table, tables, step)
    for number, part in enumerate(table.parts):
        places, local = _divide_rows(table, number, rows)
        if step.name == "id":
            yield _Piece(places + start, take(part.id_values, local))
            continue
        column = part.columns.get(step.name)
        if column is None:
            continue
        counts = column.levels[local] >= int(minimum)
        places, local = places[counts] + start, local[counts]
        if len(steps) == 1:
            yield _Piece(places, take(column.values, local))
        elif (target := tables.get(step.target or "")) is not None:
            to = links[number].targets[local]
            places, to = places[to != BROKEN], to[to != BROKEN]
            found = _assemble(
                list(_gather_rows(target, tables, to, steps[1:], minimum, 0)), len(to)
            )
            if found.values is not None:
                yield _Piece(places[found.known], found.values)


def _gather_open(table: Table, rows: Rows, steps: Sequence[Field], start: int) -> Iterator[_Piece]:
    """Gather the values of one kind under a key of metadata; the type of the key says which.

    A text without a type is a number, too, if it reads as one.
    """
    find = OPEN_KINDS.get(steps[-1].type)
    if find is None:
        raise TypeError("the values under a key of metadata are of no one type")
    numeric = steps[-1].type is Type.NUMBER
    for mixed, places, local in _open_parts(table, rows, steps):
        for some in (find(mixed), mixed.readings if numeric else None):
            if some is not None:
                held, inside = some.find(local)
                yield _Piece(places[held] + start, _take_plain(some.values, inside))


def _open_parts(
    table: Table, rows: Rows, steps: Sequence[Field]
) -> Iterator[tuple[MixedValues, Rows, Rows]]:
    """Yield the column of a key in each part, the places of those rows, and their numbers there."""
    key = tuple(step.name for step in steps[1:])
    for number, part in enumerate(table.parts):
        mixed = part.metadata.get(key)
        if mixed is not None:
            yield mixed, *_divide_rows(table, number, rows)


def _divide_rows(table: Table, number: int, rows: Rows) -> tuple[Rows, Rows]:
    """Return the places of those of some rows that are in a part, and their numbers there."""
    if len(table.parts) == 1:
        return np.arange(len(rows)), rows
    first, end = table.starts[number], table.starts[number + 1]
    places = np.flatnonzero((rows >= first) & (rows < end))
    return places, rows[places] - first


def _gather_items(
    find: "_FindKind", mixed: MixedValues, places: Rows, rows: Rows
) -> Iterator[_Piece]:
    some = find(mixed)
    if some is not None:
        held, inside = some.find(rows)
        yield _Piece(places[held], _take_plain(some.values, inside))
    if mixed.lists is None:
        return
    items, owners = _expand(mixed.lists, places, rows)
    some = find(mixed.lists.values.items)
    if some is not None:
        held, inside = some.find(items)
        yield _Piece(owners[held], _take_plain(some.values, inside))


def _expand(lists: Some[MixedLists], places: Rows, rows: Rows) -> tuple[Rows, Rows]:
    """Return the items of the lists that some rows have, and beside each the place of its row."""
    held, inside = lists.find(rows)
    starts = lists.values.offsets[inside]
    counts = lists.values.offsets[inside + 1] - starts
    ahead = np.cumsum(counts) - counts
    items = np.repeat(starts - ahead, counts) + np.arange(int(counts.sum()))
    return items, np.repeat(places[held], counts)


def _take_plain(values: Numbers | FlagValues | OpenTexts, rows: Rows) -> ItemValues:
    """Return some values in the form that is the same in every part."""
    if isinstance(values, OpenTexts):
        return cast(TextValues, take(TextValues(values.words, values.codes), rows))
    if isinstance(values, IntegerValues):
        numbers = values.numbers[rows]
        large = np.flatnonzero((numbers > FLOAT_EXACT) | (numbers < -FLOAT_EXACT)).tolist()
        exact = {row: int(numbers[row]) for row in large}
        return NumberValues(numbers.astype(np.float64), exact)
    return cast(ItemValues, take(values, rows))


def _links(table: Table, tables: Tables, step: Field) -> list[Links]:
    if step.target is None:
        return [NO_LINKS] * len(table.parts)
    return link(table, step.name, tables.get(step.target))


def _assemble(pieces: Sequence[_Piece], length: int) -> Vector:
    known = np.zeros(length, np.bool_)
    pieces = [piece for piece in pieces if len(piece.places)]
    if not pieces:
        return Vector(known, None)
    if len(pieces) == 1:  # whose places ascend
        known[pieces[0].places] = True
        return Vector(known, pieces[0].values)
    places = np.concatenate([piece.places for piece in pieces])
    known[places] = True
    values = concat([piece.values for piece in pieces])
    order = np.argsort(places, kind="stable")
    return Vector(known, take(values, order))


_FindKind: TypeAlias = Callable[
    [MixedValues], "Some[Numbers] | Some[FlagValues] | Some[OpenTexts] | None"
]
# The kinds of values under a key of metadata, in their order, by the type that asks for them.
OPEN_KINDS: Mapping[Type, _FindKind] = {
    Type.NUMBER: attrgetter("numbers"),
    Type.STRING: attrgetter("texts"),
    Type.BOOLEAN: attrgetter("flags"),
}
