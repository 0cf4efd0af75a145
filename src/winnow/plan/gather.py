"""The values of one field for some rows of some tables, references followed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from winnow.columns.arrays import BROKEN, NO_LINKS, Links, Mask, Rows, Values
from winnow.columns.links import link
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

    `steps` are the references to follow, and the field itself last.
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
        raise TypeError("the values under a key of metadata are of no one type")
    links = _links(table, tables, step)
    for number, part in enumerate(table.parts):
        first, end = table.starts[number], table.starts[number + 1]
        places = np.flatnonzero((rows >= first) & (rows < end))
        local = rows[places] - first
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


def _links(table: Table, tables: Tables, step: Field) -> list[Links]:
    if step.target is None:
        return [NO_LINKS] * len(table.parts)
    return link(table, step.name, tables.get(step.target))


def _assemble(pieces: Sequence[_Piece], length: int) -> Vector:
    known = np.zeros(length, np.bool_)
    pieces = [piece for piece in pieces if len(piece.places)]
    if not pieces:
        return Vector(known, None)
    places = np.concatenate([piece.places for piece in pieces])
    known[places] = True
    values = concat([piece.values for piece in pieces])
    order = np.argsort(places, kind="stable")
    return Vector(known, take(values, order))
