"""Near misses: the rows that would match if one test came out otherwise, and by how much."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import (
    IntegerValues,
    Mask,
    MomentValues,
    NumberValues,
    Rows,
    TextValues,
    Values,
)
from winnow.columns.table import Table
from winnow.filter.check import ENTITY_ID
from winnow.filter.rewrite import Conjunction, Leaf, Plan
from winnow.plan.columnar import Evaluation
from winnow.plan.gather import Selection, gather
from winnow.plan.truths import Truth, combine
from winnow.schema import Field
from winnow.values import Moment

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Near:
    """A row that one test keeps out; `distance` is the gap as a part of the field's range."""

    row: int
    leaf: Leaf
    distance: float


def find_near(
    plan: Plan, evaluation: Evaluation, table: Table, count: int, within: Mask | None = None
) -> list[Near]:
    """Return the `count` nearest rows of a table, by distance, then id; all are in `within`.

    `plan` has one test a leaf. A test that an unknown value leaves open is never near.
    """
    root = _evaluate(plan, evaluation, table)
    wanted = ~root.truth.match & table.alive_rows
    if within is not None:
        wanted &= within
    found: dict[int, Near] = {}
    for leaf, truth, decisive in _decisive_leaves(root, wanted):
        rows = np.flatnonzero(decisive & (truth.sure == truth.possible))
        for near in _nearest(leaf, rows, evaluation, table, count):
            known = found.get(near.row)
            if known is None or near.distance < known.distance:
                found[near.row] = near
    ranked = sorted(found.values(), key=lambda near: (near.distance, table.id_of(near.row)))
    return ranked[:count]


@dataclass(frozen=True, slots=True)
class _Node:
    plan: Plan
    truth: Truth
    parts: "list[_Node]"


def _evaluate(plan: Plan, evaluation: Evaluation, table: Table) -> _Node:
    if isinstance(plan, Leaf):
        return _Node(plan, evaluation.evaluate_leaf(plan, table), [])
    parts = [_evaluate(part, evaluation, table) for part in plan.parts]
    return _Node(plan, combine(plan, [part.truth for part in parts], len(table)), parts)


def _decisive_leaves(node: _Node, decisive: Mask) -> Iterator[tuple[Leaf, Truth, Mask]]:
    """Yield each leaf with the rows where it alone decides the whole filter."""
    if isinstance(node.plan, Leaf):
        yield node.plan, node.truth, decisive
        return
    conjoin = isinstance(node.plan, Conjunction)
    # A part decides where all others hold (of an `and`), or none does (of an `or`).
    neutral = [part.truth.match if conjoin else ~part.truth.match for part in node.parts]
    after = _running(neutral[::-1], decisive)[::-1]
    before = _running(neutral, np.ones(len(decisive), np.bool_))
    for part, left, right in zip(node.parts, before, after, strict=True):
        alone = left & right
        if alone.any():
            yield from _decisive_leaves(part, alone)


def _running(masks: Sequence[Mask], start: Mask) -> list[Mask]:
    """Return for each mask the conjunction of `start` and all masks before it."""
    running = [start]
    for mask in masks[:-1]:
        running.append(running[-1] & mask)
    return running[: len(masks)]


def _nearest(
    leaf: Leaf, rows: Rows, evaluation: Evaluation, table: Table, count: int
) -> list[Near]:
    distances = _distances(leaf, rows, evaluation, table)
    if len(rows) > count:
        within = distances <= np.partition(distances, count - 1)[count - 1]
        rows, distances = rows[within], distances[within]
    ids = gather([Selection("", table, evaluation.tables, rows)], (ENTITY_ID,), evaluation.minimum)
    places = ids.values.codes if isinstance(ids.values, TextValues) else rows
    order = np.lexsort([places, distances])[:count]
    return [Near(int(rows[one]), leaf, float(distances[one])) for one in order]


def _distances(leaf: Leaf, rows: Rows, evaluation: Evaluation, table: Table) -> Floats:
    """Return how far each row is from the bound, 1 for a test that knows no distance."""
    distances = np.ones(len(rows), np.float64)
    measure = _GAPS.get(leaf.probes[0].op)
    if measure is None or not isinstance(leaf.field, Field) or leaf.field.is_list:
        return distances
    steps = (*leaf.path, leaf.field)
    selection = Selection("", table, evaluation.tables, rows)
    vector = gather([selection], steps, evaluation.minimum)
    numbers = _as_floats(vector.values)
    if numbers is None:
        return distances
    bounds = [_as_float(arg) for arg in leaf.probes[0].args]
    span = _span(leaf.field, steps, evaluation, table)
    distances[vector.known] = measure(numbers, bounds) / span
    return distances


def _span(field: Field, steps: tuple[Field, ...], evaluation: Evaluation, table: Table) -> float:
    """Return the width of a field's range: as declared, else as seen."""
    if field.minimum is not None and field.maximum is not None:
        return field.maximum * _HALF - field.minimum * _HALF or _HALF
    everything = Selection("", table, evaluation.tables, np.flatnonzero(table.alive_rows))
    numbers = _as_floats(gather([everything], steps, evaluation.minimum).values)
    return float(np.ptp(numbers)) or _HALF if numbers is not None and len(numbers) else _HALF


def _as_floats(values: Values | None) -> Floats | None:
    match values:
        case IntegerValues() | NumberValues():
            return values.numbers.astype(np.float64) * _HALF
        case MomentValues():
            return values.starts.astype(np.float64) * _HALF
        case _:
            return None


def _as_float(arg: object) -> float:
    if isinstance(arg, Moment):
        return arg.start * _HALF
    return arg * _HALF if isinstance(arg, int | float) else 0.0


def _gap_to_bound(numbers: Floats, bounds: Sequence[float]) -> Floats:
    return np.abs(numbers - bounds[0])


def _gap_to_nearest(numbers: Floats, bounds: Sequence[float]) -> Floats:
    return np.min([np.abs(numbers - bound) for bound in bounds], axis=0)


# All numbers, bounds and ranges are halved, so that no difference of two is too large for a float.
_HALF = 0.5
_GAPS: Mapping[str, Callable[[Floats, Sequence[float]], Floats]] = {
    **dict.fromkeys(("eq", "gt", "gte", "lt", "lte"), _gap_to_bound),
    **dict.fromkeys(("in", "between"), _gap_to_nearest),
}
