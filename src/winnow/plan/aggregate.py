"""Figures over an exact set: groups, and metrics with exact sums."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
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
from winnow.deadlines import watch
from winnow.plan.gather import Selection, Vector, gather, gather_items
from winnow.plan.order import exact_ranks, sort_levels
from winnow.records import Confidence
from winnow.schema import Field
from winnow.values import Json, Scalar, Type, fold


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

    What has a list in its key field counts in the group of each of its items; tags that differ by
    case alone are one. Missing values are left out of every metric but `count`.
    """
    total = sum(len(one.rows) for one in selections)
    keyed = [_Keys.of(_strands(selections, steps, minimum), total) for steps in group_by]
    about = [metric for metric in metrics if metric.steps]
    figures = {
        metric.label: _Figures.of(gather(selections, metric.steps, minimum)) for metric in about
    }
    groups = [
        Group(key, len(places), {one.label: _measure(one, figures, places) for one in metrics})
        for key, places in watch(_groups(keyed, total), "computing the figures of groups", _STRIDE)
    ]
    return sorted(groups, key=_largest_first)


@dataclass(frozen=True, slots=True)
class _Keys:
    """The values of a key by place, ascending; a place whose value is a list stands there often.

    `codes` are numbers of `names`, the values themselves; what is missing has the name None.
    """

    places: Rows
    codes: Rows
    names: Sequence[Scalar | None]

    @classmethod
    def of(cls, strands: Iterable[tuple[Rows, ItemValues]], total: int) -> "_Keys":
        """Number the values of some strands: vectors, with the place of each value."""
        places, codes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        names: list[Scalar | None] = []
        missing = np.ones(total, np.bool_)
        for where, values in strands:
            found, numbers = _number_values(values)
            missing[where] = False
            places.append(where)
            codes.append(numbers + len(names))
            names += found
        places.append(np.flatnonzero(missing))
        codes.append(np.full(len(places[-1]), len(names)))
        names.append(None)
        return cls(*_arrange(np.concatenate(places), np.concatenate(codes), total), names)

    def of_places(self, places: Rows) -> tuple[Rows, Rows]:
        """Return for some places, ascending, the number of each one's codes, and all codes."""
        starts = np.searchsorted(self.places, places)
        counts = np.searchsorted(self.places, places, side="right") - starts
        ahead = np.cumsum(counts) - counts
        return counts, self.codes[np.repeat(starts - ahead, counts) + np.arange(counts.sum())]


def _strands(
    selections: Sequence[Selection], steps: Sequence[Field], minimum: Confidence
) -> Iterator[tuple[Rows, ItemValues]]:
    """Yield the values of a key and their places; a list gives each of its items."""
    if steps[-1].type is Type.OPEN:
        yield from gather_items(selections, steps)
        return
    vector = gather(selections, steps, minimum)
    values, places = vector.values, np.flatnonzero(vector.known)
    if isinstance(values, ListValues):
        places, values = np.repeat(places, np.diff(values.offsets)), values.items
    if values is not None:
        yield places, _fold_tags(values) if steps[-1].type is Type.TAG else values


def _fold_tags(values: ItemValues) -> ItemValues:
    """Give tags that differ by case alone the same spelling, the first of them."""
    if not isinstance(values, TextValues):
        return values
    used, places = _compress(values.codes, len(values.words))
    words, spelled = values.words[used], dict[str, int]()
    folded = enumerate(map(fold, words.tolist()))
    first = np.array([spelled.setdefault(word, place) for place, word in folded], np.int32)
    return TextValues(words, first[places])


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


def _arrange(places: Rows, codes: Rows, total: int) -> tuple[Rows, Rows]:
    """Sort codes by place, then code; an item that a list has twice counts once."""
    if len(places) == total:  # each place has one, since none has nothing
        ordered = np.empty(total, np.int64)
        ordered[places] = codes
        return np.arange(total), ordered
    order = np.lexsort((codes, places))
    places, codes = places[order], codes[order]
    new = np.ones(len(places), np.bool_)
    new[1:] = (places[1:] != places[:-1]) | (codes[1:] != codes[:-1])
    return places[new], codes[new]


def _number_values(values: ItemValues) -> tuple[list[Scalar | None], Rows]:
    """Return the distinct values in order, and the place of each value among them."""
    if isinstance(values, TextValues):
        used, numbers = _compress(values.codes, len(values.words))
        return list(values.words[used].tolist()), numbers
    _, first, numbers = np.unique(_codes(values), return_index=True, return_inverse=True)
    return [values.get(row) for row in first.tolist()], numbers


def _compress(codes: NDArray[np.integer], size: int) -> tuple[Rows, Rows]:
    """Return the codes below `size` that are in use, and the place of each code among them."""
    if size > _SPARSE * len(codes):
        used, numbers = np.unique(codes, return_inverse=True)
        return used.astype(np.int64), numbers
    seen = np.zeros(size, np.bool_)
    seen[codes] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[codes]


_STRIDE = 50  # groups between two looks at the clock; one of them may be large
# With more codes that may be than there are, a table of all is slower than sorting these.
_SPARSE = 4


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
            return values.starts if values.texts is None else _number_moments(values, values.texts)


def _number_moments(values: MomentValues, texts: TextValues) -> NDArray[np.generic]:
    """Number dates by the time that they mean, however they are written."""
    _, first, places = np.unique(texts.codes, return_index=True, return_inverse=True)
    spans = np.stack([values.starts[first], values.ends[first]], axis=1)
    _, numbers = np.unique(spans, axis=0, return_inverse=True)
    return numbers.reshape(-1)[places]


def _groups(keyed: Sequence[_Keys], total: int) -> Iterator[tuple[tuple[Scalar | None, ...], Rows]]:
    """Yield each combination of keys that has entities, with their places."""
    places, groups = np.arange(total), np.zeros(total, np.int64)
    names: list[tuple[Scalar | None, ...]] = [()]
    for keys in keyed:
        counts, codes = keys.of_places(places)
        places = np.repeat(places, counts)
        pairs, groups = _compress(
            np.repeat(groups, counts) * len(keys.names) + codes, len(names) * len(keys.names)
        )
        split = (divmod(pair, len(keys.names)) for pair in pairs.tolist())
        names = [(*names[group], keys.names[code]) for group, code in split]
    order = np.argsort(groups, kind="stable")
    starts, ends = (
        np.searchsorted(groups[order], np.arange(len(names)), side=side).tolist()
        for side in ("left", "right")
    )
    for name, start, end in zip(names, starts, ends, strict=True):
        yield name, places[order[start:end]]


def _largest_first(group: Group) -> tuple[object, ...]:
    return (-group.count, *((_RANKS[type(value)], value) for value in group.key))


# Values of one key of metadata may be of several types, which have no order between them.
_RANKS: Mapping[type, int] = {int: 0, float: 0, str: 1, bool: 2, type(None): 3}


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
