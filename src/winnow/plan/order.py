"""The order of an exact answer: sort keys, then id, then namespace; and where a page begins."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

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
from winnow.filter.names import name_in_text
from winnow.plan.gather import OPEN_KINDS, Selection, Vector, gather, gather_one
from winnow.plan.probes import probe
from winnow.records import Confidence
from winnow.schema import Field
from winnow.values import Moment, Scalar, Type


@dataclass(frozen=True, slots=True)
class SortKey:
    """A field to order by, behind the references that lead to it.

    `given` stands in place of what the rows of all selections have there.
    """

    steps: tuple[Field, ...]
    descending: bool
    given: Vector | None = field(default=None, compare=False)

    def find(self, selections: Sequence[Selection], minimum: Confidence) -> Vector:
        """Return the values for the rows of all selections, one selection after the other."""
        return self.given or gather(selections, self.steps, minimum)

    @property
    def name(self) -> str:
        """The dotted name."""
        return spell_steps(self.steps)


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


def spell_steps(steps: Sequence[Field]) -> str:
    """Spell the dotted name of a field, or of a key of metadata as a filter does."""
    names = [step.name for step in steps]
    return name_in_text(names) if steps and steps[0].type is Type.OPEN else ".".join(names)


def refine(keys: Sequence[SortKey]) -> list[SortKey]:
    """Make one sort key for each type of value: under a key of metadata there may be several.

    Numbers then come first, texts next, true and false last.
    """
    return [
        replace(key, steps=(*key.steps[:-1], replace(key.steps[-1], type=one)))
        for key in keys
        for one in (OPEN_KINDS if key.steps[-1].type is Type.OPEN else [key.steps[-1].type])
    ]


def order(
    selections: Sequence[Selection],
    keys: Sequence[SortKey],
    minimum: Confidence,
    limit: int,
    after: Bound | None = None,
) -> list[Spot]:
    """Return the first `limit` rows in order, those behind `after` if it is given.

    Missing values, and those below the minimum, stand last in both directions. The rows of a
    selection ascend. `after` has a value for each of the refined keys.
    """
    keys = refine(keys)
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
    chosen = _cut(chosen, levels, limit) if levels else chosen
    # Names are looked at last, where they decide: there are as many of them as there are rows.
    names = lineup.names(chosen)
    ranks = [*(level[chosen] for level in levels), *(one.codes for one in names)]
    best = chosen[np.lexsort(ranks[::-1])[:limit]]
    pairs = zip(lineup.owners[best].tolist(), lineup.rows[best].tolist(), strict=True)
    return [Spot(owner, row) for owner, row in pairs]


def sort_value(
    selections: Sequence[Selection], key: SortKey, minimum: Confidence, spot: Spot
) -> Scalar | None:
    """Return what a row is ordered by, None if it has no such value."""
    selection = selections[spot.selection]
    if key.given is None:
        value = gather_one(selection, key.steps, minimum, spot.row)
    else:
        before = sum(len(one.rows) for one in selections[: spot.selection])
        place = before + int(np.searchsorted(selection.rows, spot.row))
        known, values = key.given.known, key.given.values
        found = values is not None and bool(known[place])
        value = values.get(int(np.count_nonzero(known[:place]))) if values and found else None
    return None if isinstance(value, tuple) else value


def _is_ordered(selections: Sequence[Selection]) -> bool:
    """Tell whether the rows are in the order of their ids as they are."""
    tables = [one.table for one in selections]
    return len(tables) == 1 and len(tables[0].parts) == 1 and tables[0].parts[0].ascends


@dataclass(frozen=True, slots=True)
class _Lineup:
    """All rows side by side: their selection, their row in it, their sort values."""

    selections: Sequence[Selection]
    owners: Rows
    rows: Rows
    vectors: list[Vector]

    def names(self, chosen: Rows) -> tuple[TextValues, TextValues]:
        """Return the ids and the namespaces of some of them, in ascending order."""
        some = [
            replace(one, rows=self.rows[chosen[self.owners[chosen] == number]])
            for number, one in enumerate(self.selections)
        ]
        return _gather_texts(some, ENTITY_ID), _find_spaces(some, self.owners[chosen])


def _line_up(
    selections: Sequence[Selection], keys: Sequence[SortKey], minimum: Confidence
) -> _Lineup:
    return _Lineup(
        selections,
        np.repeat(np.arange(len(selections)), [len(one.rows) for one in selections]),
        np.concatenate([np.zeros(0, np.int64), *(one.rows for one in selections)]),
        [key.find(selections, minimum) for key in keys],
    )


def _find_spaces(selections: Sequence[Selection], owners: Rows) -> TextValues:
    """Return the namespace of each row: memories have it as a field."""
    schema = selections[0].table.schema if selections else None
    if schema is not None and schema.open:
        return _gather_texts(selections, schema.fields["namespace"])
    spaces = build_texts([one.namespace for one in selections])
    return TextValues(spaces.words, spaces.codes[owners])


def _gather_texts(selections: Sequence[Selection], field: Field) -> TextValues:
    values = gather(selections, (field,), Confidence.EXTRACTED).values
    return values if isinstance(values, TextValues) else build_texts([])


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
    first = chosen[~levels[0][chosen].astype(bool)]  # those that have the first key
    if len(first) <= limit or len(levels) == 1:
        return first if len(first) == limit else chosen
    ranks = levels[1][first]
    return first[ranks <= np.partition(ranks, limit - 1)[limit - 1]]


def _behind(lineup: _Lineup, keys: Sequence[SortKey], after: Bound) -> Mask:
    behind = np.zeros(len(lineup.rows), np.bool_)
    tied = ~behind
    for vector, key, value in zip(lineup.vectors, keys, after.values, strict=True):
        later, equal = _compare(vector, key, value)
        behind |= tied & later
        tied &= equal
    left = np.flatnonzero(tied)
    ids, spaces = lineup.names(left)
    further, equal = (probe(ids, op, (after.id,)).match for op in ("gt", "eq"))
    behind[left] = further | (equal & probe(spaces, "gt", (after.namespace,)).match)
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
