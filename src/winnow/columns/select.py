"""Vectors made of other vectors: some rows of one, or several put together."""

from collections.abc import Callable, Mapping, Sequence
from functools import singledispatch
from typing import TypeAlias, cast

import numpy as np

from winnow.columns.arrays import (
    FlagValues,
    IntegerValues,
    ListValues,
    MomentValues,
    NumberValues,
    Rows,
    TagValues,
    TextValues,
    Values,
    sort_words,
)
from winnow.columns.words import Words


@singledispatch
def take(values: Values, rows: Rows) -> Values:
    """Return the values of some rows, in their order."""
    raise TypeError(type(values).__name__)


@take.register
def _(values: IntegerValues, rows: Rows) -> Values:
    return IntegerValues(values.numbers[rows])


@take.register
def _(values: NumberValues, rows: Rows) -> Values:
    exact: dict[int, int] = {}
    if values.exact:
        places = enumerate(rows.tolist())
        exact = {place: values.exact[row] for place, row in places if row in values.exact}
    return NumberValues(values.numbers[rows], exact)


@take.register
def _(values: FlagValues, rows: Rows) -> Values:
    return FlagValues(values.flags[rows])


@take.register
def _(values: TextValues, rows: Rows) -> Values:
    return _take_texts(values, rows)


@take.register
def _(values: MomentValues, rows: Rows) -> Values:
    texts = None if values.texts is None else _take_texts(values.texts, rows)
    return MomentValues(values.starts[rows], values.ends[rows], texts)


@take.register
def _(values: ListValues, rows: Rows) -> Values:
    lengths = np.diff(values.offsets)[rows]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    places: Rows = np.arange(int(lengths.sum())) - np.repeat(
        offsets[:-1] - values.offsets[rows], lengths
    )
    return ListValues(offsets, cast(TextValues, take(values.items, places)))


def spread(values: Values, rows: Rows, length: int) -> Values:
    """Return values in the rows that are theirs, fillers in all other ones; none are lists."""
    places = np.zeros(length, np.int64)
    places[rows] = np.arange(len(rows))
    if not isinstance(values, NumberValues):
        return take(values, places)
    exact = {int(rows[place]): number for place, number in values.exact.items()}
    return NumberValues(values.numbers[places], exact)


def concat(vectors: Sequence[Values]) -> Values:
    """Return vectors of one kind put one after the other; there is at least one."""
    if len(vectors) == 1:
        return vectors[0]
    return _CONCATS[type(vectors[0])](vectors)


def _take_texts(values: TextValues, rows: Rows) -> TextValues:
    codes = values.codes[rows]
    if len(codes) * _SPARSE > len(values.words):
        return TextValues(values.words, codes)
    used, places = np.unique(codes, return_inverse=True)
    return TextValues(values.words[used], places.astype(np.int32))


def _concat_integers(vectors: Sequence[Values]) -> Values:
    parts = cast(Sequence[IntegerValues], vectors)
    return IntegerValues(np.concatenate([part.numbers for part in parts]))


def _concat_numbers(vectors: Sequence[Values]) -> Values:
    exact: dict[int, int] = {}
    start = 0
    parts = cast(Sequence[NumberValues], vectors)
    for part in parts:
        exact.update({start + row: number for row, number in part.exact.items()})
        start += len(part)
    return NumberValues(np.concatenate([part.numbers for part in parts]), exact)


def _concat_flags(vectors: Sequence[Values]) -> Values:
    return FlagValues(np.concatenate([part.flags for part in cast(Sequence[FlagValues], vectors)]))


def _concat_texts(vectors: Sequence[Values]) -> TextValues:
    parts = cast(Sequence[TextValues], vectors)
    words, places = sort_words(cast(Words, np.concatenate([part.words for part in parts])))
    codes: list[Rows] = []
    start = 0
    for part in parts:
        moved = places[start : start + len(part.words)]
        codes.append(moved[part.codes] if len(moved) else np.zeros(len(part), np.int64))
        start += len(part.words)
    return TextValues(words, np.concatenate(codes).astype(np.int32))


def _concat_moments(vectors: Sequence[Values]) -> Values:
    parts = cast(Sequence[MomentValues], vectors)
    texts = [part.texts for part in parts if part.texts is not None]
    return MomentValues(
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.ends for part in parts]),
        _concat_texts(texts) if texts else None,
    )


def _concat_lists(vectors: Sequence[Values]) -> Values:
    parts = cast(Sequence[ListValues], vectors)
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return ListValues(offsets, cast(TextValues, concat([part.items for part in parts])))


# A dictionary with many more words than there are rows is cut to those in use.
_SPARSE = 4
_Concat: TypeAlias = Callable[[Sequence[Values]], Values]
_CONCATS: Mapping[type, _Concat] = {
    IntegerValues: _concat_integers,
    NumberValues: _concat_numbers,
    FlagValues: _concat_flags,
    **dict.fromkeys((TextValues, TagValues), _concat_texts),
    MomentValues: _concat_moments,
    ListValues: _concat_lists,
}
