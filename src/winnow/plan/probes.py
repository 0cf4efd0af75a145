"""One test on a whole vector of values: a table of kinds of values, each with its operators.

A handler returns where the test holds. For dates a second table tells where it could hold, were
a partial date known in full. Operands have the type of the field.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import ceil, floor
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import (
    FlagValues,
    Integers,
    IntegerValues,
    ItemValues,
    Mask,
    MomentValues,
    NumberValues,
    TagValues,
    TextValues,
)
from winnow.columns.masks import everywhere
from winnow.filter.loose import to_float
from winnow.filter.rewrite import PRESENT
from winnow.plan.truths import Truth, certain, constant
from winnow.values import Moment, fold

Number: TypeAlias = int | float
_MANY = 8


def probe(values: ItemValues, op: str, args: Sequence[object]) -> Truth:
    """Apply one positive operator to a vector of single values."""
    if op == PRESENT:
        return constant(True, len(values))
    if isinstance(values, MomentValues):
        return _probe_moments(values, op, cast(Sequence[Moment], args))
    return certain(probe_exact(values, op, args))


def probe_exact(values: ItemValues, op: str, args: Sequence[object]) -> Mask:
    """Apply an operator to values none of which is partial: to anything but dates."""
    match values:
        case TagValues() if op in ("eq", "in"):
            return _probe_tags(values, cast(Sequence[str], args), exactly=False)
        case TextValues():
            return _probe_texts(values, op, cast(Sequence[str], args))
        case IntegerValues():
            return _INTEGER_TESTS[op](values.compact, cast(Sequence[Number], args))
        case NumberValues():
            if values.compact is not None:
                return _INTEGER_TESTS[op](values.compact, cast(Sequence[Number], args))
            return _probe_numbers(values, op, cast(Sequence[Number], args))
        case FlagValues():
            return _FLAG_TESTS[op](values.flags, args)
        case MomentValues():
            raise TypeError("dates are tested as intervals")


def equals_exactly(values: ItemValues, arg: object) -> Mask:
    """Return where a value is the operand itself: for dates the same interval, not one inside."""
    if isinstance(values, TagValues):
        return _probe_tags(values, (str(arg),), exactly=True)
    if isinstance(values, MomentValues):
        moment = cast(Moment, arg)
        return (values.starts == moment.start) & (values.ends == moment.end)
    return probe_exact(values, "eq", (arg,))


def pick(held: Mask, codes: Integers) -> Mask:
    """Return `held[codes]`, several times quicker where few places hold, or a run of them."""
    places = np.flatnonzero(held)
    if len(places) <= _MANY:
        return _any_code(codes, places.tolist())
    if places[-1] - places[0] + 1 == len(places):
        return (codes >= places[0]) & (codes <= places[-1])
    return held.take(codes)


def _any_flag(flags: Mask, args: Sequence[object]) -> Mask:
    wanted = {bool(arg) for arg in args}
    if len(wanted) == 1:
        return flags if True in wanted else ~flags
    return np.full(len(flags), bool(wanted))


# Filters know no order of true and false, but an ordered answer does: false comes first.
_FLAG_TESTS: Mapping[str, Callable[[Mask, Sequence[object]], Mask]] = {
    "eq": _any_flag,
    "in": _any_flag,
    "gt": lambda flags, args: flags > bool(args[0]),
    "lt": lambda flags, args: flags < bool(args[0]),
}


# --- texts: tests on the dictionary, then on the codes ----------------------------------------


def _probe_texts(values: TextValues, op: str, args: Sequence[str]) -> Mask:
    if op in ("eq", "in"):
        found = {code for arg in args if (code := values.find(arg)) is not None}
        every = len(found) == len(values.words)
        return everywhere(len(values)) if every else _any_code(values.compact, sorted(found))
    if op in _TEXT_SEARCHES:
        return pick(values.folded.search(op, fold(args[0])), values.compact)
    low, high = _CODE_RANGES[op](values, args)
    if low >= high:
        return np.zeros(len(values), np.bool_)
    return (values.compact >= low) & (values.compact <= high - 1)


def _any_code(codes: Integers, wanted: Sequence[int]) -> Mask:
    if len(wanted) > _MANY:
        return np.isin(codes, np.array(wanted, codes.dtype), kind="table")
    return _equal_any(codes, wanted)


def _equal_any(numbers: NDArray[Any], wanted: Sequence[object]) -> Mask:
    if not len(wanted):
        return np.zeros(len(numbers), np.bool_)
    mask = numbers == wanted[0]
    for one in wanted[1:]:
        mask |= numbers == one
    return mask


def _probe_tags(values: TagValues, args: Sequence[str], *, exactly: bool) -> Mask:
    """Return where a tag is one of the operands in any case, or stands below one."""
    folded, places = values.by_fold
    held = np.zeros(len(folded), np.bool_)
    for arg in map(fold, args):
        held[places[bisect_left(folded, arg) : bisect_right(folded, arg)]] = True
        if not exactly:
            below = slice(bisect_left(folded, f"{arg}/"), bisect_left(folded, f"{arg}0"))
            held[places[below]] = True  # "0" comes after "/"
    return pick(held, values.compact)


_TEXT_SEARCHES = frozenset({"contains", "startsWith", "endsWith"})
_CODE_RANGES: Mapping[str, Callable[[TextValues, Sequence[str]], tuple[int, int]]] = {
    "gt": lambda v, args: (bisect_right(v.words, args[0]), len(v.words)),
    "gte": lambda v, args: (bisect_left(v.words, args[0]), len(v.words)),
    "lt": lambda v, args: (0, bisect_left(v.words, args[0])),
    "lte": lambda v, args: (0, bisect_right(v.words, args[0])),
    "between": lambda v, args: (bisect_left(v.words, args[0]), bisect_right(v.words, args[1])),
}


# --- numbers: bounds are rounded so that no comparison is rounded ------------------------------


def _at_least(numbers: Integers, bound: Number) -> Mask:
    low, (least, most) = ceil(bound), _limits(numbers.dtype)
    return numbers >= max(low, least) if low <= most else np.zeros(len(numbers), np.bool_)


def _at_most(numbers: Integers, bound: Number) -> Mask:
    high, (least, most) = floor(bound), _limits(numbers.dtype)
    return numbers <= min(high, most) if high >= least else np.zeros(len(numbers), np.bool_)


def _any_integer(numbers: Integers, args: Sequence[Number]) -> Mask:
    low, high = _limits(numbers.dtype)
    whole = sorted({int(arg) for arg in args if arg == int(arg) and low <= arg <= high})
    if len(whole) <= _MANY:
        return _equal_any(numbers, whole)
    return _any_number(numbers, np.array(whole, numbers.dtype))


@cache
def _limits(kind: "np.dtype[np.integer[Any]]") -> tuple[int, int]:
    limits = np.iinfo(kind)
    return int(limits.min), int(limits.max)


def _any_number(numbers: NDArray[np.generic], wanted: NDArray[np.generic]) -> Mask:
    if len(wanted) > _MANY:
        places = np.searchsorted(wanted, numbers)
        places[places == len(wanted)] = 0
        return wanted[places] == numbers
    return _equal_any(numbers, list(wanted))


_INTEGER_TESTS: Mapping[str, Callable[[Integers, Sequence[Number]], Mask]] = {
    "eq": _any_integer,
    "in": _any_integer,
    "gt": lambda numbers, args: _at_least(numbers, floor(args[0]) + 1),
    "gte": lambda numbers, args: _at_least(numbers, args[0]),
    "lt": lambda numbers, args: _at_most(numbers, ceil(args[0]) - 1),
    "lte": lambda numbers, args: _at_most(numbers, args[0]),
    "between": lambda numbers, args: _at_least(numbers, args[0]) & _at_most(numbers, args[1]),
}


def _probe_numbers(values: NumberValues, op: str, args: Sequence[Number]) -> Mask:
    mask = _FLOAT_TESTS[op](values.numbers, args)
    for row, number in values.exact.items():
        mask[row] = _NUMBER_TESTS[op](number, args)
    return mask


def _float_at_least(numbers: NDArray[np.float64], bound: Number) -> Mask:
    rounded = to_float(bound)
    return numbers >= rounded if rounded >= bound else numbers > rounded


def _float_above(numbers: NDArray[np.float64], bound: Number) -> Mask:
    rounded = to_float(bound)
    return numbers > rounded if rounded <= bound else numbers >= rounded


def _float_at_most(numbers: NDArray[np.float64], bound: Number) -> Mask:
    rounded = to_float(bound)
    return numbers <= rounded if rounded <= bound else numbers < rounded


def _float_below(numbers: NDArray[np.float64], bound: Number) -> Mask:
    rounded = to_float(bound)
    return numbers < rounded if rounded >= bound else numbers <= rounded


def _any_float(numbers: NDArray[np.float64], args: Sequence[Number]) -> Mask:
    exact = [number for arg in args if (number := to_float(arg)) == arg]
    return _any_number(numbers, np.array(sorted(set(exact)), np.float64))


_FLOAT_TESTS: Mapping[str, Callable[[NDArray[np.float64], Sequence[Number]], Mask]] = {
    "eq": _any_float,
    "in": _any_float,
    "gt": lambda numbers, args: _float_above(numbers, args[0]),
    "gte": lambda numbers, args: _float_at_least(numbers, args[0]),
    "lt": lambda numbers, args: _float_below(numbers, args[0]),
    "lte": lambda numbers, args: _float_at_most(numbers, args[0]),
    "between": lambda numbers, args: (
        _float_at_least(numbers, args[0]) & _float_at_most(numbers, args[1])
    ),
}
_NUMBER_TESTS: Mapping[str, Callable[[int, Sequence[Number]], bool]] = {
    "eq": lambda number, args: number == args[0],
    "in": lambda number, args: number in args,
    "gt": lambda number, args: number > args[0],
    "gte": lambda number, args: number >= args[0],
    "lt": lambda number, args: number < args[0],
    "lte": lambda number, args: number <= args[0],
    "between": lambda number, args: args[0] <= number <= args[1],
}


# --- dates: every instant of the value meets the test, or some instant does ---------------------


def _probe_moments(values: MomentValues, op: str, args: Sequence[Moment]) -> Truth:
    match = EVERY_INSTANT[op](values.starts, values.ends, args)
    if values.texts is None:
        return certain(match)
    possible = _SOME_INSTANT[op](values.starts, values.ends, args)
    return Truth(match, match, match if np.array_equal(match, possible) else possible)


_Ends: TypeAlias = NDArray[np.int64]
_MomentTest: TypeAlias = Callable[[_Ends, _Ends, Sequence[Moment]], Mask]


def _inside(starts: _Ends, ends: _Ends, low: Moment, high: Moment) -> Mask:
    return (starts >= low.start) & (ends <= high.end)


def _overlapping(starts: _Ends, ends: _Ends, low: Moment, high: Moment) -> Mask:
    return (ends > low.start) & (starts < high.end)


def _any_of(test: Callable[[_Ends, _Ends, Moment, Moment], Mask]) -> _MomentTest:
    def held(starts: _Ends, ends: _Ends, args: Sequence[Moment]) -> Mask:
        mask = np.zeros(len(starts), np.bool_)
        for arg in args:
            mask |= test(starts, ends, arg, arg)
        return mask

    return held


EVERY_INSTANT: Mapping[str, _MomentTest] = {
    "eq": _any_of(_inside),
    "in": _any_of(_inside),
    "gt": lambda starts, ends, args: starts >= args[0].end,
    "gte": lambda starts, ends, args: starts >= args[0].start,
    "lt": lambda starts, ends, args: ends <= args[0].start,
    "lte": lambda starts, ends, args: ends <= args[0].end,
    "between": lambda starts, ends, args: _inside(starts, ends, args[0], args[1]),
}
_SOME_INSTANT: Mapping[str, _MomentTest] = {
    "eq": _any_of(_overlapping),
    "in": _any_of(_overlapping),
    "gt": lambda starts, ends, args: ends > args[0].end,
    "gte": lambda starts, ends, args: ends > args[0].start,
    "lt": lambda starts, ends, args: starts < args[0].start,
    "lte": lambda starts, ends, args: starts < args[0].end,
    "between": lambda starts, ends, args: _overlapping(starts, ends, args[0], args[1]),
}
