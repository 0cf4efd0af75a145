"""Operands on metadata, which is of any type: what is written says what it is compared with."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, tzinfo

from winnow.filter.ast import Test
from winnow.schema import Field, Reverse
from winnow.values import (
    LARGEST_NUMBER,
    Json,
    Moment,
    Scalar,
    Type,
    UnreadableValue,
    describe,
    find_moment,
    resolve_moment,
)


def as_asked(field: Field | Reverse, test: Test) -> Field | Reverse:
    """Return what a test is about; metadata is a list where the test asks for one."""
    if not isinstance(field, Field) or field.type is not Type.OPEN:
        return field
    is_set = test.op in ("eq", "ne") and isinstance(test.operand, list)
    return replace(field, is_list=is_set or test.op in _OF_LISTS)


def read_open(raw: Json, op: str, zone: tzinfo) -> Scalar | Moment:
    """Read a single operand: a text that is wholly an ISO date is a date."""
    if isinstance(raw, str):
        return find_moment(raw, zone) or raw
    if isinstance(raw, bool) and op in _ORDERED:
        raise UnreadableValue("true and false have no order (write = for one of them)")
    if not isinstance(raw, int | float):
        raise UnreadableValue(f"expected a text, number, true or false, got {describe(raw)}")
    if not abs(raw) <= LARGEST_NUMBER:  # nor is NaN
        raise UnreadableValue("the number is too large")
    return raw


def read_bounds(raw: Sequence[Json], zone: tzinfo) -> tuple[Scalar | Moment, Scalar | Moment]:
    """Read two bounds, which are of one type: dates only if both are."""
    low, high = (read_open(one, "between", zone) for one in raw)
    if isinstance(raw[0], str) and isinstance(raw[1], str):
        dates = isinstance(low, Moment) and isinstance(high, Moment)
        return (low, high) if dates else (raw[0], raw[1])
    if isinstance(raw[0], str) or isinstance(raw[1], str):
        raise UnreadableValue("expected two numbers or two texts, not one of each")
    return low, high


def find_relative(op: str, raw: Json, zone: tzinfo, now: datetime) -> str | None:
    """Return the date that an operand would be in a field of dates, such as `today`.

    In metadata it is a text like any other.
    """
    if op not in _ORDERED or not isinstance(raw, str) or find_moment(raw, zone):
        return None
    try:
        return resolve_moment(raw, zone, now).text
    except UnreadableValue:
        return None


_OF_LISTS = frozenset({"has", "any", "all", "none"})
_ORDERED = frozenset({"gt", "gte", "lt", "lte", "between"})
