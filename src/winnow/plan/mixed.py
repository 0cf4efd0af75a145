"""Tests on metadata, a whole column at once.

They agree with `memories` on what matches; nothing in metadata is undetermined.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, reduce
from operator import attrgetter
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import FlagValues, Mask, TextValues, text_array
from winnow.columns.mixed import MixedLists, MixedValues, Numbers, OpenTexts, Some
from winnow.columns.table import Part
from winnow.filter.loose import read_float
from winnow.filter.ops import LOOSE, TRIPLES
from winnow.filter.rewrite import PRESENT, Conjunction, Leaf, Plan, Probe
from winnow.plan.probes import EVERY_INSTANT, pick, probe_exact
from winnow.schema import Field
from winnow.values import Moment


def probe_metadata(leaf: Leaf, part: Part) -> Mask:
    """Return where the tests of a leaf hold in a part, whether or not it is negated."""
    if leaf.path:
        values = part.metadata.get((*map(_NAME, leaf.path[1:]), leaf.field.name))
    else:
        values = part.loose.get(leaf.field.name)
    return np.zeros(len(part), np.bool_) if values is None else _probe_leaf(leaf, values)


def _probe_leaf(leaf: Leaf, values: MixedValues) -> Mask:
    masks = [
        _probe_set(values, one.args)
        if one.op == "eq" and isinstance(asked.field, Field) and asked.field.is_list
        else _probe_one(values, one)
        for one, asked in zip(leaf.probes, leaf.matches, strict=True)
    ]
    return reduce(np.logical_and, masks)


def _probe_one(values: MixedValues, one: Probe) -> Mask:
    if one.op == PRESENT:
        return values.present
    if one.op in _LOOSE:
        return _either(values, [*_probe_loosely(values, one.op, cast(Sequence[str], one.args))])
    if one.op not in _LIST_TESTS:
        return _probe_scalars(values, one.op, one.args)
    if values.lists is None:
        return _nowhere(values)
    return values.lists.widen(_LIST_TESTS[one.op](values.lists.values, one.args))


def _either(values: MixedValues, masks: Sequence[Mask]) -> Mask:
    return reduce(np.logical_or, masks) if masks else _nowhere(values)


def _nowhere(values: MixedValues) -> Mask:
    return np.zeros(len(values), np.bool_)


# --- single values: each kind by the operands of its own ------------------------------------------


def _probe_scalars(values: MixedValues, op: str, args: Sequence[object]) -> Mask:
    if len(args) == 1:
        return _either(values, _find_probe(type(args[0]))(values, op, args))
    by_kind: dict[_Probe, list[object]] = {}
    for arg in args:
        by_kind.setdefault(_find_probe(type(arg)), []).append(arg)
    found = [find(values, op, some) for find, some in by_kind.items()]
    return _either(values, [mask for masks in found for mask in masks])


@cache
def _find_probe(kind: type) -> "_Probe":
    return next(find for base, find in _PROBES.items() if issubclass(kind, base))


def _probe_texts(values: MixedValues, op: str, args: Sequence[object]) -> Sequence[Mask]:
    return _probe_some((values.texts,), op, args)


def _probe_dates(values: MixedValues, op: str, args: Sequence[object]) -> Sequence[Mask]:
    if values.texts is None:
        return ()
    dates = values.texts.values.dates
    held = EVERY_INSTANT[op](dates.starts, dates.ends, cast(Sequence[Moment], args))
    return [values.texts.widen(_pick_dates(values.texts.values, held))]


def _pick_dates(texts: OpenTexts, held: Mask) -> Mask:
    words = np.zeros(len(texts.words), np.bool_)
    words[texts.dates.places] = held
    return pick(words, texts.compact)


def _probe_flags(values: MixedValues, op: str, args: Sequence[object]) -> Sequence[Mask]:
    return _probe_some((values.flags,), op, args)


def _probe_numbers(values: MixedValues, op: str, args: Sequence[object]) -> Sequence[Mask]:
    return _probe_some((values.numbers, values.readings), op, args)


def _probe_some(
    kinds: "Sequence[Some[Numbers] | Some[FlagValues] | Some[OpenTexts] | None]",
    op: str,
    args: Sequence[object],
) -> Sequence[Mask]:
    return [one.widen(probe_exact(one.values, op, args)) for one in kinds if one is not None]


_Probe: TypeAlias = Callable[[MixedValues, str, Sequence[object]], Sequence[Mask]]
# The first that an operand is one of counts: true and false are whole numbers too.
_PROBES: Mapping[type, _Probe] = {
    Moment: _probe_dates,
    str: _probe_texts,
    bool: _probe_flags,
    int: _probe_numbers,
    float: _probe_numbers,
}


# --- lists ----------------------------------------------------------------------------------------


def _has(lists: MixedLists, args: Sequence[object]) -> Mask:
    return lists.mark(_probe_scalars(lists.items, "eq", args))


def _any_item(lists: MixedLists, args: Sequence[object]) -> Mask:
    return lists.mark(_probe_items(lists.items, cast(Plan, args[0])))


def _all_items(lists: MixedLists, args: Sequence[object]) -> Mask:
    filled = lists.offsets[1:] > lists.offsets[:-1]
    return filled & ~lists.mark(~_probe_items(lists.items, cast(Plan, args[0])))


_LOOSE = frozenset(LOOSE)
_NAME = attrgetter("name")
_LIST_TESTS: Mapping[str, Callable[[MixedLists, Sequence[object]], Mask]] = {
    "has": _has,
    "any": _any_item,
    "all": _all_items,
}


def _probe_items(items: MixedValues, plan: Plan) -> Mask:
    if isinstance(plan, Leaf):
        mask = _probe_leaf(plan, items)
        return ~mask if plan.negated else mask
    conjoin = isinstance(plan, Conjunction)
    combine = np.logical_and if conjoin else np.logical_or
    start = np.full(len(items), conjoin)
    return reduce(combine, (_probe_items(items, part) for part in plan.parts), start)


def _probe_set(values: MixedValues, args: Sequence[object]) -> Mask:
    """Return where a list has all operands and no other item."""
    if values.lists is None:
        return _nowhere(values)
    lists = values.lists.values
    mask = np.ones(len(lists), np.bool_)
    inside = np.zeros(len(lists.items), np.bool_)
    for arg in args:
        equal = _equals_exactly(lists.items, arg)
        inside |= equal
        mask &= lists.mark(equal)
    return values.lists.widen(mask & ~lists.mark(~inside))


def _equals_exactly(items: MixedValues, arg: object) -> Mask:
    """Return where an item is the operand itself: for dates the same interval, not one inside."""
    if not isinstance(arg, Moment):
        return _probe_scalars(items, "eq", (arg,))
    if items.texts is None:
        return _nowhere(items)
    dates = items.texts.values.dates
    same = (dates.starts == arg.start) & (dates.ends == arg.end)
    return items.texts.widen(_pick_dates(items.texts.values, same))


# --- triples: every kind as a text, or as a number if it and the operand are one ------------------


def _probe_loosely(values: MixedValues, op: str, args: Sequence[str]) -> Iterator[Mask]:
    for arg in args:
        if values.texts is not None:
            yield values.texts.widen(_loose_texts(values.texts.values, op, arg))
        if values.numbers is not None:
            numbers = values.numbers.values
            yield values.numbers.widen(_loose_numbers(numbers, values, op, arg))
        if values.flags is not None:
            words = _spell_flags(values.flags.values)
            yield values.flags.widen(_by_bytes(words, op, arg))
    if values.lists is not None:
        lists = values.lists.values
        yield values.lists.widen(
            lists.mark(_either(lists.items, [*_probe_loosely(lists.items, op, args)]))
        )


def _loose_texts(texts: OpenTexts, op: str, arg: str) -> Mask:
    number = read_float(arg)
    if number is None or op not in _BY_NUMBER:
        return _by_bytes(texts, op, arg)
    places = np.arange(len(texts.words), dtype=np.int32)
    held = _by_bytes(TextValues(texts.words, places), op, arg).copy()
    numeric = ~np.isnan(texts.floats)
    held[numeric] = _BY_NUMBER[op](texts.floats[numeric], number)
    return pick(held, texts.codes)


def _loose_numbers(numbers: Numbers, values: MixedValues, op: str, arg: str) -> Mask:
    number = read_float(arg)
    if number is None or op not in _BY_NUMBER:
        return _by_bytes(values.spelled, op, arg)
    return _BY_NUMBER[op](numbers.numbers.astype(np.float64), number)


def _by_bytes(texts: TextValues, op: str, arg: str) -> Mask:
    if op == "~CONTAINS":
        return pick(texts.plain.search("contains", arg), texts.codes)
    return probe_exact(texts, TRIPLES[op.removeprefix("~")], (arg,))


def _spell_flags(flags: FlagValues) -> TextValues:
    return TextValues(text_array(["false", "true"]), flags.flags.astype(np.int32))


_BY_NUMBER: Mapping[str, Callable[[NDArray[np.float64], float], Mask]] = {
    "~EQ": lambda numbers, number: numbers == number,
    "~IN": lambda numbers, number: numbers == number,
    "~GT": lambda numbers, number: numbers > number,
    "~GTE": lambda numbers, number: numbers >= number,
    "~LT": lambda numbers, number: numbers < number,
    "~LTE": lambda numbers, number: numbers <= number,
}
