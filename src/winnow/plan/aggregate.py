"""Figures over an exact set: groups, and metrics with exact sums."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import (
    FlagValues,
    IntegerValues,
    ItemValues,
    ListValues,
    MomentValues,
    NumberValues,
    Rows,
    TextValues,
)
from winnow.columns.select import take
from winnow.plan.gather import Selection, Vector, gather
from winnow.plan.order import exact_ranks, sort_levels
from winnow.records import Confidence
from winnow.schema import Field
from winnow.values import Json, Scalar


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure: its name (`max`), what it is called in the answer, and the field it is about."""

    name: str
    label: str
    steps: tuple[Field, ...] = ()
    bins: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """The rows that share a key; a missing value is the key None."""

    key: tuple[Scalar | None, ...]
    count: int
    metrics: Mapping[str, Json]


def aggregate(
    selections: Sequence[Selection],
    group_by: Sequence[tuple[Field, ...]],
    metrics: Sequence[Metric],
    minimum: Confidence,
) -> list[Group]:
    """Group all rows and compute the metrics of each group, the largest group first.

    An entity whose key field is a list counts in the group of each of its items. Missing values
    are left out of every metric but `count`.
    """
    total = sum(len(one.rows) for one in selections)
    keyed = [_Keys.of(gather(selections, steps, minimum), total) for steps in group_by]
    about = [metric for metric in metrics if metric.steps]
    figures = {
        metric.label: _Figures.of(gather(selections, metric.steps, minimum)) for metric in about
    }
    groups = [
        Group(key, len(places), {one.label: _measure(one, figures, places) for one in metrics})
        for key, places in _groups(keyed, total)
    ]
    return sorted(groups, key=_largest_first)


@dataclass(frozen=True, slots=True)
class _Keys:
    """The values of a key, each with the places that have it."""

    places: Mapping[Scalar | None, Rows]

    @classmethod
    def of(cls, vector: Vector, total: int) -> "_Keys":
        missing = np.flatnonzero(~vector.known)
        known = np.flatnonzero(vector.known)
        places: dict[Scalar | None, Rows] = {}
        values = vector.values
        if isinstance(values, ListValues):
            lengths = np.diff(values.offsets)
            missing = np.sort(np.concatenate([missing, known[lengths == 0]]))
            known, values = np.repeat(known, lengths), values.items
        if values is not None and len(values):
            codes = _codes(values)
            order = np.argsort(codes, kind="stable")
            edges = np.flatnonzero(np.diff(codes[order])) + 1
            for chunk in np.split(order, edges):
                places[values.get(int(chunk[0]))] = np.unique(known[chunk])
        if len(missing):
            places[None] = missing
        return cls(places)


@dataclass(frozen=True, slots=True)
class _Figures:
    """The values that a metric is about; `places` has where each row's value stands."""

    vector: Vector
    places: Rows

    @classmethod
    def of(cls, vector: Vector) -> "_Figures":
        return cls(vector, np.cumsum(vector.known) - 1)

    def at(self, rows: Rows) -> ItemValues | None:
        """Return the values that some rows have."""
        if self.vector.values is None:
            return None
        values = take(self.vector.values, self.places[rows[self.vector.known[rows]]])
        return None if isinstance(values, ListValues) else values


def _codes(values: ItemValues) -> NDArray[np.generic]:
    """Return numbers that are equal where the values are."""
    match values:
        case IntegerValues():
            return values.numbers
        case NumberValues():
            return exact_ranks(values) if values.exact else values.numbers
        case FlagValues():
            return values.flags
        case TextValues():
            return values.codes
        case MomentValues():
            return values.texts.codes


def _groups(keyed: Sequence[_Keys], total: int) -> Iterator[tuple[tuple[Scalar | None, ...], Rows]]:
    """Yield each combination of keys that has entities, with their places."""
    if not keyed:
        yield (), np.arange(total)
        return
    for combination in product(*(keys.places.items() for keys in keyed)):
        places = reduce(np.intersect1d, (rows for _, rows in combination))
        if len(places):
            yield tuple(key for key, _ in combination), places


def _largest_first(group: Group) -> tuple[object, ...]:
    key = tuple((value is None, type(value).__name__, value) for value in group.key)
    return (-group.count, *(part for one in key for part in one[:2]), *map(str, group.key))


def _measure(metric: Metric, figures: Mapping[str, _Figures], places: Rows) -> Json:
    about = figures.get(metric.label)
    if about is None:
        return len(places)
    values = about.at(places)
    return None if values is None or not len(values) else MEASURES[metric.name](values, metric)


def _lowest(values: ItemValues, metric: Metric) -> Json:
    return values.get(int(np.lexsort(sort_levels(values)[::-1])[0]))


def _highest(values: ItemValues, metric: Metric) -> Json:
    return values.get(int(np.lexsort(sort_levels(values)[::-1])[-1]))


def _numbers(values: ItemValues) -> list[int | float]:
    """Return the numbers one by one, exact, since a sum of 64-bit numbers may not fit 64 bits."""
    numbers = (values.get(row) for row in range(len(values)))
    return [number for number in numbers if not isinstance(number, str)]


def _sum(values: ItemValues, metric: Metric) -> int | float:
    total = _add(_numbers(values))
    if isinstance(total, int):
        return total
    try:
        return float(total)
    except OverflowError:
        return int(total)


def _average(values: ItemValues, metric: Metric) -> float:
    return float(Fraction(_add(_numbers(values))) / len(values))


def _add(numbers: Sequence[int | float]) -> int | float | Fraction:
    """Add whole numbers apart, so that none of them is rounded to a float."""
    whole = sum(number for number in numbers if isinstance(number, int))
    others = [number for number in numbers if isinstance(number, float)]
    if not others:
        return whole
    try:
        return whole + Fraction(math.fsum(others))
    except OverflowError:
        return whole + sum(map(Fraction, others))


def _histogram(values: ItemValues, metric: Metric) -> Json:
    """Count values in bins of equal width from the lowest to the highest, which is in the last."""
    halves = np.array(_numbers(values), np.float64) / 2  # their range fits a float
    counts, edges = np.histogram(halves, bins=metric.bins)
    edges *= 2
    bins = zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
    return [{"from": low, "to": high, "count": count} for low, high, count in bins]


_Measure: TypeAlias = Callable[[ItemValues, Metric], Json]
MEASURES: Mapping[str, _Measure] = {
    "min": _lowest,
    "max": _highest,
    "sum": _sum,
    "avg": _average,
    "histogram": _histogram,
}
