"""Single values against operands: the meaning of each operator, a row each."""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Protocol, cast

from winnow.filter.ast import Match
from winnow.plan.verdicts import Reason, Verdict, known, unknown
from winnow.schema import Field
from winnow.values import TEMPORAL, Moment, Scalar, fold, read_moment


def judge_scalar(test: Match, field: Field, value: Scalar, zone: tzinfo) -> Verdict:
    """Judge a test on a single value of its field's type."""
    if field.type not in TEMPORAL or not isinstance(value, str):
        compare = _COMPARISONS[test.op]
        return known(compare(cast(_Ordered, value), cast(Sequence[_Ordered], test.args)))
    moment = read_moment(value, zone)
    bounds = cast(Sequence[Moment], test.args)
    held = _MOMENT_COMPARISONS[test.op](moment, bounds)
    if not held and _MOMENT_OVERLAPS[test.op](moment, bounds):
        return unknown(Reason.PARTIAL_DATE)
    return known(held)


def same_set(test: Match, field: Field, items: tuple[Scalar, ...], zone: tzinfo) -> bool:
    """Tell whether a list has the same items as a test asks for, in any order."""
    return {_identity(field, item, zone) for item in items} == {
        (arg.start, arg.end) if isinstance(arg, Moment) else arg for arg in test.args
    }


def _identity(field: Field, item: Scalar, zone: tzinfo) -> object:
    if field.type in TEMPORAL and isinstance(item, str):
        moment = read_moment(item, zone)
        return (moment.start, moment.end)
    return item


class _Ordered(Protocol):
    def __lt__(self, other: object, /) -> bool: ...
    def __le__(self, other: object, /) -> bool: ...
    def __gt__(self, other: object, /) -> bool: ...
    def __ge__(self, other: object, /) -> bool: ...


def _text(test: Callable[[str, str], bool]) -> Callable[[_Ordered, Sequence[_Ordered]], bool]:
    return lambda value, args: test(fold(str(value)), fold(str(args[0])))


# Values and operands have the type of the field, so they compare with each other.
_COMPARISONS: Mapping[str, Callable[[_Ordered, Sequence[_Ordered]], bool]] = {
    "eq": lambda value, args: value == args[0],
    "in": lambda value, args: value in args,
    "gt": lambda value, args: value > args[0],
    "gte": lambda value, args: value >= args[0],
    "lt": lambda value, args: value < args[0],
    "lte": lambda value, args: value <= args[0],
    "between": lambda value, args: args[0] <= value <= args[1],
    "contains": _text(lambda value, part: part in value),
    "startsWith": _text(str.startswith),
    "endsWith": _text(str.endswith),
}

# Every instant of the stored moment meets the test.
_MOMENT_COMPARISONS: Mapping[str, Callable[[Moment, Sequence[Moment]], bool]] = {
    "eq": lambda v, fs: fs[0].start <= v.start and v.end <= fs[0].end,
    "in": lambda v, fs: any(f.start <= v.start and v.end <= f.end for f in fs),
    "gt": lambda v, fs: v.start >= fs[0].end,
    "gte": lambda v, fs: v.start >= fs[0].start,
    "lt": lambda v, fs: v.end <= fs[0].start,
    "lte": lambda v, fs: v.end <= fs[0].end,
    "between": lambda v, fs: fs[0].start <= v.start and v.end <= fs[1].end,
}

# Some instant of the stored moment meets the test.
_MOMENT_OVERLAPS: Mapping[str, Callable[[Moment, Sequence[Moment]], bool]] = {
    "eq": lambda v, fs: v.end > fs[0].start and v.start < fs[0].end,
    "in": lambda v, fs: any(v.end > f.start and v.start < f.end for f in fs),
    "gt": lambda v, fs: v.end > fs[0].end,
    "gte": lambda v, fs: v.end > fs[0].start,
    "lt": lambda v, fs: v.start < fs[0].start,
    "lte": lambda v, fs: v.start < fs[0].end,
    "between": lambda v, fs: v.end > fs[0].start and v.start < fs[1].end,
}
