"""Vectors for the tests of columns: of each type, from plain values."""

from collections.abc import Sequence
from datetime import UTC

from tests.plan.worlds import CHOICES, DATES, INTEGERS, NUMBERS, TEXTS

from winnow.columns.arrays import Column, Entry, Values
from winnow.columns.entries import build_column
from winnow.schema import Field
from winnow.values import Scalar, Type, Value

VALUES: dict[Type, tuple[Scalar, ...]] = {
    Type.STRING: TEXTS,
    Type.INTEGER: INTEGERS,
    Type.NUMBER: NUMBERS,
    Type.BOOLEAN: (True, False),
    Type.DATE: DATES,
    Type.DATETIME: DATES,
    Type.ENUM: CHOICES,
    Type.REF: ("A-1", "a-1", "A-10", ""),
}


def build(field: Field, entries: Sequence[Entry]) -> Column:
    """Make a column that has some value."""
    column = build_column(field, entries, UTC)
    assert column is not None
    return column


def vector(field: Field, values: Sequence[Value]) -> Values:
    """Make a vector of values."""
    return build(field, values).values


def contents(values: Values) -> list[Value]:
    """Read a vector back."""
    return [values.get(row) for row in range(len(values))]
