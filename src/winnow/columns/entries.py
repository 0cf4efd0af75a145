"""From what is stored to columns: which values count, and are of the type that they should be."""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from itertools import chain
from typing import TypeGuard, cast

import numpy as np

from winnow.columns.arrays import (
    ABSENT,
    FLOAT_EXACT,
    LEVEL_OF_PLAIN,
    Column,
    Entry,
    FlagValues,
    IntegerValues,
    ItemValues,
    ListValues,
    MomentValues,
    NumberValues,
    TextValues,
    Values,
    build_texts,
)
from winnow.records import Candidate
from winnow.schema import Field
from winnow.values import (
    PYTHON_TYPES,
    Moment,
    Type,
    UnreadableValue,
    Value,
    read_moment,
)


def build_column(field: Field, entries: Sequence[Entry], zone: tzinfo) -> Column | None:
    """Make the column of a field; None if no row has a value.

    An entry is a plain value (EXTRACTED), the candidates, or None. A value that is not of the
    field's type counts as absent: the pack has changed since it was stored.
    """
    plain, weighed, others = _weigh(field, entries, zone)
    plain, values = _build_known(field, plain, zone)
    levels = np.array([ABSENT if value is None else LEVEL_OF_PLAIN for value in plain], np.uint8)
    for row, level in weighed.items():
        levels[row] = level
    if not levels.any():
        return None
    other_rows = np.array([row for row, _ in others], np.int64)
    other_values = _build_values(field, [value for _, value in others], zone)
    return Column(values, levels, other_rows, other_values)


def _weigh(
    field: Field, entries: Sequence[Entry], zone: tzinfo
) -> tuple[list[Value | None], dict[int, int], list[tuple[int, Value]]]:
    plain = list(entries)
    weighed: dict[int, int] = {}
    others: list[tuple[int, Value]] = []
    for row, entry in enumerate(entries):
        if type(entry) is not tuple or not _are_candidates(entry):
            continue
        resolved = field.weigh(entry, zone)
        plain[row] = resolved.best[0].value if resolved else None
        weighed[row] = resolved.level if resolved else ABSENT
        others.extend((row, other.value) for other in (resolved.best[1:] if resolved else ()))
    return cast(list[Value | None], plain), weighed, others


def _are_candidates(entry: tuple[object, ...]) -> TypeGuard[tuple[Candidate, ...]]:
    return bool(entry) and isinstance(entry[0], Candidate)


def _build_known(
    field: Field, plain: list[Value | None], zone: tzinfo
) -> tuple[list[Value | None], Values]:
    """Make the vector of what is of the field's type; return that, too."""
    if _look_typed(field, plain):
        try:
            return plain, _build_values(field, plain, zone)
        except (UnreadableValue, OverflowError):
            pass  # one of them is no date, or no number that fits
    kept = [value if value is not None and field.holds(value) else None for value in plain]
    return kept, _build_values(field, kept, zone)


def _look_typed(field: Field, values: Sequence[Value | None]) -> bool:
    wanted = PYTHON_TYPES[field.type]
    if not field.is_list:
        return set(map(type, values)) <= wanted | {type(None)}
    lists = [value for value in values if isinstance(value, tuple)]
    whole = len(lists) + values.count(None) == len(values)
    return whole and set(map(type, chain.from_iterable(lists))) <= wanted


def _build_values(field: Field, values: Sequence[Value | None], zone: tzinfo) -> Values:
    if not field.is_list:
        return _BUILDERS[field.type](values, zone)
    rows = [value if isinstance(value, tuple) else () for value in values]
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    items = [item for row in rows for item in row]
    return ListValues(offsets, _BUILDERS[field.type](items, zone))


def _build_integers(values: Sequence[Value | None], zone: tzinfo) -> IntegerValues:
    return IntegerValues(np.array([value or 0 for value in values], np.int64))


def _build_numbers(values: Sequence[Value | None], zone: tzinfo) -> NumberValues:
    exact = {
        row: value
        for row, value in enumerate(values)
        if type(value) is int and not -FLOAT_EXACT <= value <= FLOAT_EXACT
    }
    numbers = np.array([value or 0 for value in values], np.float64)
    if not np.isfinite(numbers).all():
        raise UnreadableValue("not a finite number")
    return NumberValues(numbers, exact)


def _build_flags(values: Sequence[Value | None], zone: tzinfo) -> FlagValues:
    return FlagValues(np.array([value is True for value in values], np.bool_))


def _build_texts(values: Sequence[Value | None], zone: tzinfo) -> TextValues:
    return build_texts(values)


def _build_moments(values: Sequence[Value | None], zone: tzinfo) -> MomentValues:
    texts = build_texts(values)
    known = any(value is not None for value in values)
    moments = [read_moment(word, zone) if known else _NO_MOMENT for word in texts.words.tolist()]
    starts = np.array([moment.start for moment in moments], np.int64)
    ends = np.array([moment.end for moment in moments], np.int64)
    return MomentValues(starts[texts.codes], ends[texts.codes], texts)


_NO_MOMENT = Moment("", 0, 0)
_BUILDERS: Mapping[Type, Callable[[Sequence[Value | None], tzinfo], ItemValues]] = {
    Type.STRING: _build_texts,
    Type.INTEGER: _build_integers,
    Type.NUMBER: _build_numbers,
    Type.BOOLEAN: _build_flags,
    Type.DATE: _build_moments,
    Type.DATETIME: _build_moments,
    Type.ENUM: _build_texts,
    Type.REF: _build_texts,
}
