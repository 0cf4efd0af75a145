"""What is asked: filters of typed fields, spelled for whoever is asked, and their shares."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Value: TypeAlias = int | float | bool | str
Mask: TypeAlias = NDArray[np.bool_]
Columns: TypeAlias = Mapping[str, NDArray[np.generic]]

BUCKETS: Final = 10_000
REGIONS: Final = ("africa", "america", "asia", "europe")
FIELDS: Final[Mapping[str, type]] = {
    "bucket": int,
    "region": str,
    "year": int,
    "price": float,
    "active": bool,
}
"""The metadata of each record; a text is kept as its number in REGIONS."""


@dataclass(frozen=True, slots=True)
class Test:
    """One comparison of a field with a value."""

    field: str
    sign: str
    value: Value


Condition: TypeAlias = tuple[Test, ...]
"""Tests that must all hold; without any, everything matches."""

SIGNS: Final[Mapping[str, Callable[[NDArray[np.generic], Value], Mask]]] = {
    "=": operator.eq,
    "<": operator.lt,
    ">=": operator.ge,
}


def below(bucket: int) -> Condition:
    """Return the condition that so many of the 10,000 buckets meet."""
    return (Test("bucket", "<", bucket),)


COMPOUND: Final[Condition] = (
    Test("region", "=", "europe"),
    Test("year", ">=", 2020),
    Test("price", "<", 500.0),
    Test("active", "=", True),
)
"""Four fields of four types; one in 32 records meets it."""

SELECTIVITIES: Final[Mapping[str, Condition]] = {
    "0.01%": below(1),
    "0.1%": below(10),
    "1%": below(100),
    "compound": COMPOUND,
    "10%": below(1_000),
    "100%": (),
}


def match(condition: Condition, columns: Columns) -> Mask:
    """Return which records meet a condition."""
    mask: Mask | None = None
    for test in condition:
        found = SIGNS[test.sign](columns[test.field], as_stored(test.value))
        mask = found if mask is None else np.logical_and(mask, found, out=mask)
    return np.ones(len(columns["bucket"]), np.bool_) if mask is None else mask


def as_stored(value: Value) -> Value:
    """Return a value as the columns have it."""
    return REGIONS.index(value) if isinstance(value, str) else value


def spell_winnow(condition: Condition) -> str | None:
    """Return a condition in Winnow's filter language, None for everything."""
    tests = (f"{one.field} {one.sign} {_literal(one.value)}" for one in condition)
    return " and ".join(tests).replace("'", '"') or None


def spell_sql(condition: Condition) -> str:
    """Return a condition as SQL with its values in it, "true" for everything."""
    return " AND ".join(f"{t.field} {t.sign} {_literal(t.value)}" for t in condition) or "true"


def bind_sql(condition: Condition, sign: str = "?") -> tuple[str, list[Value]]:
    """Return a condition as SQL that goes on after WHERE …, and the values for its parameters."""
    text = "".join(f" AND {test.field} {test.sign} {sign}" for test in condition)
    return text, [test.value for test in condition]


def rows_of(columns: Columns, start: int, stop: int) -> Sequence[dict[str, Value]]:
    """Return the metadata of some records, as Python's own values."""
    lists = [columns[name][start:stop].tolist() for name in FIELDS]
    lists[1] = [REGIONS[code] for code in lists[1]]
    return [dict(zip(FIELDS, row, strict=True)) for row in zip(*lists, strict=True)]


def _literal(value: Value) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return str(value).lower()
