"""The order of an exact answer: sort keys, then id, then namespace; and where a page begins."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import (
    FlagValues,
    IntegerValues,
    ListValues,
    Mask,
    MomentValues,
    NumberValues,
    Rows,
    TextValues,
    Values,
    build_texts,
)
from winnow.filter.check import ENTITY_ID
from winnow.plan.gather import Selection, Vector, gather
from winnow.plan.probes import probe
from winnow.records import Confidence
from winnow.schema import Field
from winnow.values import Moment, Scalar


@dataclass(frozen=True, slots=True)
class SortKey:
    """A field to order by, behind the references that lead to it."""

    steps: tuple[Field, ...]
    descending: bool

    @property
    def name(self) -> str:
        """The dotted name."""
        return ".".join(step.name for step in self.steps)


@dataclass(frozen=True, slots=True)
class Bound:
    """The place behind an entity: its sort values (None where missing), id and namespace."""

    values: tuple[Scalar | Moment | None, ...]
    id: str
    namespace: str


@dataclass(frozen=True, slots=True)
class Spot:
    """One row of an ordered answer: which selection it is from, and its row there."""

    selection: int
    row: int


def order(
    selections: Sequence[Selection],
    keys: Sequence[SortKey],
    minimum: Confidence,
    limit: int,
    after: Bound | None = None,
) -> list[Spot]:
    """Return the first `limit` rows in order, those behind `after` if it is given.

    Missing values, and those below the minimum, stand last in both directions. The rows of a
    selection ascend.
    """
    if not keys and after is None and _is_ordered(selections):
        return [Spot(0, row) for row in selections[0].rows[:limit].tolist()]
    lineup = _line_up(selections, keys, minimum)
    chosen = np.arange(len(lineup.rows))
    if after is not None:
        chosen = np.flatnonzero(_behind(lineup, keys, after))
    levels = [
        level
        for vector, key in zip(lineup.vectors, keys, strict=True)
        for level in _rank(vector, key)
    ]
    levels += [lineup.ids.codes, lineup.spaces.codes]
    chosen = _cut(chosen, levels, limit)
    best = chosen[np.lexsort([level[chosen] for level in reversed(levels)])[:limit]]
    pairs = zip(lineup.owners[best].tolist(), lineup.rows[best].tolist(), strict=True)
    return [Spot(owner, row) for owner, row in pairs]


def _is_ordered(selections: Sequence[Selection]) -> bool:
    """Tell whether the rows are in the order of their ids as they are."""
    tables = [one.table for one in selections]
    return len(tables) == 1 and len(tables[0].parts) == 1 and tables[0].parts[0].ascends


@dataclass(frozen=True, slots=True)
class _Lineup:
    """All rows side by side: their selection, their row in it, their sort values, their names."""

    owners: Rows
    rows: Rows
    vectors: list[Vector]
    ids: TextValues
    spaces: TextValues


def _line_up(
    selections: Sequence[Selection], keys: Sequence[SortKey], minimum: Confidence
) -> _Lineup:
    lengths = [len(one.rows) for one in selections]
    owners = np.repeat(np.arange(len(selections)), lengths)
    ids = gather(selections, (ENTITY_ID,), minimum).values
    spaces = build_texts([one.namespace for one in selections])
    return _Lineup(
        owners,
        np.concatenate([np.zeros(0, np.int64), *(one.rows for one in selections)]),
        [gather(selections, key.steps, minimum) for key in keys],
        ids if isinstance(ids, TextValues) else build_texts([]),
        TextValues(spaces.words, spaces.codes[owners]),
    )


def _rank(vector: Vector, key: SortKey) -> Iterator[NDArray[np.generic]]:
    """Yield arrays that sort ascending as the key wants, the more important first."""
    yield ~vector.known
    for numbers in sort_levels(vector.values):
        full = np.zeros(len(vector.known), numbers.dtype)
        full[vector.known] = _turn(numbers) if key.descending else numbers
        yield full


def sort_levels(values: Values | None) -> list[NDArray[np.int64] | NDArray[np.float64]]:
    """Return arrays that sort as the values do, the more important first."""
    match values:
        case None:
            return []
        case IntegerValues():
            return [values.numbers]
        case NumberValues():
            return [exact_ranks(values) if values.exact else values.numbers]
        case FlagValues():
            return [values.flags.astype(np.int64)]
        case TextValues():
            return [values.codes.astype(np.int64)]
        case MomentValues():
            return [values.starts, values.ends]
        case ListValues():
            raise TypeError("a list has no order")


def _turn(numbers: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.generic]:
    # Bits turned over turn the order of whole numbers; a sign could overflow.
    return np.negative(numbers) if numbers.dtype == np.float64 else np.invert(numbers)


def exact_ranks(values: NumberValues) -> NDArray[np.int64]:
    """Return the place of each number in their order, where a float would round some."""
    numbers = [values.get(row) for row in range(len(values))]
    places = {number: place for place, number in enumerate(sorted(set(map(_number, numbers))))}
    return np.array([places[_number(number)] for number in numbers], np.int64)


def _number(value: Scalar) -> int | float:
    if isinstance(value, str):
        raise TypeError("a number column holds a text")
    return value


def _cut(chosen: Rows, levels: Sequence[NDArray[np.generic]], limit: int) -> Rows:
    """Leave out rows that can't be among the first, by the first rank alone."""
    if len(chosen) <= _FEW or limit >= len(chosen):
        return chosen
    ranked = levels[1] if levels[0].dtype == bool and len(levels) > 3 else None
    first = chosen if ranked is None else chosen[~levels[0][chosen].astype(bool)]
    ranks = (levels[-2] if ranked is None else ranked)[first]
    if len(first) <= limit:
        return chosen
    return first[ranks <= np.partition(ranks, limit - 1)[limit - 1]]


def _behind(lineup: _Lineup, keys: Sequence[SortKey], after: Bound) -> Mask:
    behind = np.zeros(len(lineup.rows), np.bool_)
    tied = ~behind
    for vector, key, value in zip(lineup.vectors, keys, after.values, strict=True):
        later, equal = _compare(vector, key, value)
        behind |= tied & later
        tied &= equal
    for names, name in ((lineup.ids, after.id), (lineup.spaces, after.namespace)):
        behind |= tied & probe(names, "gt", (name,)).match
        tied &= probe(names, "eq", (name,)).match
    return behind


def _compare(vector: Vector, key: SortKey, value: Scalar | Moment | None) -> tuple[Mask, Mask]:
    later, equal = ~vector.known, vector.known.copy()
    if value is None:
        return np.zeros(len(later), np.bool_), later
    if vector.values is None:
        return later, equal
    further = "lt" if key.descending else "gt"
    if isinstance(vector.values, MomentValues) and isinstance(value, Moment):
        later[vector.known], equal[vector.known] = _compare_moments(vector.values, further, value)
    elif not isinstance(vector.values, ListValues):
        later[vector.known] = probe(vector.values, further, (value,)).match
        equal[vector.known] = probe(vector.values, "eq", (value,)).match
    return later, equal


def _compare_moments(values: MomentValues, further: str, bound: Moment) -> tuple[Mask, Mask]:
    sign = -1 if further == "lt" else 1
    starts, ends = sign * values.starts, sign * values.ends
    start, end = sign * bound.start, sign * bound.end
    later = (starts > start) | ((starts == start) & (ends > end))
    return later, (starts == start) & (ends == end)


_FEW = 4_096
