"""Single values against operands: the meaning of each operator, a row each."""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Protocol, TypeAlias, cast

from winnow.filter.ast import Arg, Match
from winnow.filter.loose import read_float, spell
from winnow.filter.raw import Untyped, read_number
from winnow.plan.verdicts import Reason, Verdict, known, unknown
from winnow.schema import Field
from winnow.values import (
    TEMPORAL,
    Json,
    Moment,
    Scalar,
    Type,
    find_moment,
    fold,
    read_moment,
)


def judge_scalar(test: Match, field: Field, value: Scalar, zone: tzinfo) -> Verdict:
    """Judge a test on a single value of its field's type."""
    if field.type is Type.TAG and test.op in _TAG_COMPARISONS:
        return known(_TAG_COMPARISONS[test.op](str(value), cast(Sequence[str], test.args)))
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
        (arg.start, arg.end) if isinstance(arg, Moment) else _identity(field, arg, zone)
        for arg in cast(Sequence[Moment | Scalar], test.args)
    }


def judge_open(test: Match, value: Json, zone: tzinfo) -> bool:
    """Judge a test on what stands in metadata, of which null is nothing.

    A test asks for a list, or for a single value of the operand's type; any other fails.
    """
    if test.op in _LOOSE:
        return _judge_loosely(test.op, cast(Sequence[str], test.args), value)
    if test.op == "has":
        return isinstance(value, list) and any(_equals(item, test.args[0], zone) for item in value)
    if isinstance(test.field, Field) and test.field.is_list:
        return isinstance(value, list) and _same_open_set(value, test.args, zone)
    if test.op in ("eq", "in"):
        return any(_equals(value, arg, zone) for arg in test.args)
    return _compare_open(test.op, value, test.args, zone)


def _equals(value: Json, arg: Arg, zone: tzinfo) -> bool:
    return _compare_open("eq", value, (arg,), zone)


def _compare_open(op: str, value: Json, args: Sequence[Arg], zone: tzinfo) -> bool:
    """Compare a value with operands of one type, dates with texts that are wholly a date."""
    if isinstance(args[0], Moment):
        moment = find_moment(value, zone) if isinstance(value, str) else None
        bounds = cast(Sequence[Moment], args)
        return moment is not None and _MOMENT_COMPARISONS[op](moment, bounds)
    wanted = _kind(args[0])
    if wanted == "number" and isinstance(value, Untyped):
        value = read_number(value)
    if _kind(value) != wanted:
        return False
    return _COMPARISONS[op](cast(_Ordered, value), cast(Sequence[_Ordered], args))


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, int | float):
        return "number"
    return "text" if isinstance(value, str) else "other"


def _same_open_set(items: Sequence[Json], args: Sequence[Arg], zone: tzinfo) -> bool:
    found = [item for item in items if item is not None]
    return all(any(_is(item, arg, zone) for arg in args) for item in found) and all(
        any(_is(item, arg, zone) for item in found) for arg in args
    )


def _is(item: Json, arg: Arg, zone: tzinfo) -> bool:
    """Tell whether an item is an operand itself: the same date, not one that lies in it."""
    if not isinstance(arg, Moment):
        return _equals(item, arg, zone)
    moment = find_moment(item, zone) if isinstance(item, str) else None
    return moment is not None and (moment.start, moment.end) == (arg.start, arg.end)


def _judge_loosely(op: str, args: Sequence[str], value: Json) -> bool:
    """Judge an operator of triples: a list by its items, of which one is enough."""
    if isinstance(value, list):
        return any(_judge_loosely(op, args, item) for item in value)
    return isinstance(value, str | int | float) and _LOOSE[op](spell(value), args)


def _identity(field: Field, item: Scalar, zone: tzinfo) -> object:
    if field.type is Type.TAG:
        return fold(str(item))
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


def _is_tagged(tag: str, wanted: str) -> bool:
    return fold(tag) == fold(wanted) or fold(tag).startswith(f"{fold(wanted)}/")


# `law` has `law/ip`, in any case.
_TAG_COMPARISONS: Mapping[str, Callable[[str, Sequence[str]], bool]] = {
    "eq": lambda tag, args: _is_tagged(tag, args[0]),
    "in": lambda tag, args: any(_is_tagged(tag, arg) for arg in args),
}

_Sides: TypeAlias = tuple[float, float] | tuple[str, str]


def _sides(text: str, arg: str) -> _Sides:
    """Return what a triple compares: numbers if both texts are some, else the texts."""
    left, right = read_float(text), read_float(arg)
    return (text, arg) if left is None or right is None else (left, right)


def _loosely(test: Callable[[_Ordered, _Ordered], bool]) -> Callable[[str, Sequence[str]], bool]:
    def held(text: str, args: Sequence[str]) -> bool:
        return any(test(*cast(tuple[_Ordered, _Ordered], _sides(text, arg))) for arg in args)

    return held


_LOOSE: Mapping[str, Callable[[str, Sequence[str]], bool]] = {
    "~EQ": _loosely(lambda left, right: left == right),
    "~IN": _loosely(lambda left, right: left == right),
    "~GT": _loosely(lambda left, right: left > right),
    "~GTE": _loosely(lambda left, right: left >= right),
    "~LT": _loosely(lambda left, right: left < right),
    "~LTE": _loosely(lambda left, right: left <= right),
    "~CONTAINS": lambda text, args: args[0] in text,
}
