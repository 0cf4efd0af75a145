"""Columns of metadata: the values under one key, of any type, for the rows that have one.

What many rows have is as quick to test as a typed column; what few have takes little memory.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from enum import StrEnum
from functools import cached_property
from typing import Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import (
    FlagValues,
    IntegerValues,
    Mask,
    NumberValues,
    Rows,
    TextValues,
    Values,
    build_texts,
)
from winnow.columns.select import take
from winnow.filter.loose import read_float, spell
from winnow.values import find_moment

Numbers: TypeAlias = IntegerValues | NumberValues
V = TypeVar("V", bound="Numbers | FlagValues | TextValues | MixedLists")


class Kind(StrEnum):
    """What a value under a key may be; the value says it to a person."""

    NUMBER = "a number"
    TEXT = "a text"
    FLAG = "true or false"
    LIST = "a list"
    OBJECT = "an object"
    READING = "a text that is a number"
    """A text without a type, which is among the texts, too."""


@dataclass(frozen=True, slots=True)
class Dates:
    """Places of words, and the interval that each is, as in MomentValues."""

    places: Rows
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


@dataclass(frozen=True)
class OpenTexts(TextValues):
    """Texts; some are dates, and some are numbers to those who compare loosely."""

    zone: tzinfo

    @cached_property
    def dates(self) -> Dates:
        """The words that are wholly a date."""
        found = [find_moment(word, self.zone) for word in self.words.tolist()]
        known = [(place, one) for place, one in enumerate(found) if one is not None]
        return Dates(
            np.array([place for place, _ in known], np.int64),
            np.array([one.start for _, one in known], np.int64),
            np.array([one.end for _, one in known], np.int64),
        )

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The number that each word is, NaN where it is none."""
        found = map(read_float, self.words.tolist())
        return np.array([np.nan if one is None else one for one in found], np.float64)


@take.register
def _(values: OpenTexts, rows: Rows) -> OpenTexts:
    return OpenTexts(values.words, values.codes[rows], values.zone)


@dataclass(frozen=True, slots=True)
class Some(Generic[V]):
    """The values of one kind; of `length` rows, only some have one.

    `values` are those of `rows`. Where `rows` is None there is one for every row, a filler where
    `held` is false; where `held` is None, too, there are no fillers.
    """

    length: int
    values: V
    rows: Rows | None = None
    held: Mask | None = None

    def widen(self, mask: Mask) -> Mask:
        """Return a mask of the values as one of all rows."""
        if self.rows is None:
            return mask if self.held is None else mask & self.held
        wide = np.zeros(self.length, np.bool_)
        wide[self.rows] = mask
        return wide

    def count(self, among: Mask) -> int:
        """Count the rows of a mask that have a value."""
        if self.rows is not None:
            return int(np.count_nonzero(among[self.rows]))
        return int(np.count_nonzero(among if self.held is None else among & self.held))

    def find(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return the places of those of some rows that have a value, and where it stands."""
        if self.rows is None:
            places = np.arange(len(rows)) if self.held is None else np.flatnonzero(self.held[rows])
            return places, rows[places]
        inside = np.searchsorted(self.rows, rows)
        inside[inside == len(self.rows)] = 0
        places = np.flatnonzero(self.rows[inside] == rows)
        return places, inside[places]


def mix(values: Values, held: Mask | None, zone: tzinfo) -> "MixedValues | None":
    """Return a typed vector as a column of metadata, None if it has dates or lists."""
    match values:
        case TextValues():
            texts = OpenTexts(values.words, values.codes, zone)
            return MixedValues(len(values), texts=Some(len(values), texts, None, held))
        case IntegerValues() | NumberValues():
            numbers: Some[Numbers] = Some(len(values), values, None, held)
            return MixedValues(len(values), numbers=numbers)
        case FlagValues():
            return MixedValues(len(values), flags=Some(len(values), values, None, held))
        case _:
            return None


@dataclass(frozen=True)
class MixedLists:
    """Lists: number i has the items `offsets[i]` up to `offsets[i + 1]`; null is no item."""

    offsets: Rows
    items: "MixedValues"

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def owners(self) -> NDArray[np.int32]:
        """The list of each item."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets))

    def mark(self, items: Mask) -> Mask:
        """Return which lists have an item in a mask of all items."""
        marked = np.zeros(len(self), np.bool_)
        marked[self.owners[items]] = True
        return marked


@dataclass(frozen=True)
class MixedValues:
    """The values of `length` rows, kind by kind; `others` are rows with an object.

    `readings` are the numbers that texts without a type are; their rows are among those of texts.
    """

    length: int
    numbers: Some[Numbers] | None = None
    flags: Some[FlagValues] | None = None
    texts: Some[OpenTexts] | None = None
    lists: Some[MixedLists] | None = None
    others: Rows | None = None
    readings: Some[Numbers] | None = None

    def __len__(self) -> int:
        return self.length

    def count(self, among: Mask) -> Mapping[Kind, int]:
        """Count the rows of a mask by the kind of their value; a kind without any is left out."""
        kinds = {
            Kind.NUMBER: self.numbers,
            Kind.TEXT: self.texts,
            Kind.FLAG: self.flags,
            Kind.LIST: self.lists,
            Kind.READING: self.readings,
        }
        found = {kind: one.count(among) for kind, one in kinds.items() if one is not None}
        if self.others is not None:
            found[Kind.OBJECT] = int(np.count_nonzero(among[self.others]))
        return {kind: count for kind, count in found.items() if count}

    @cached_property
    def present(self) -> Mask:
        """Where there is a value."""
        mask = np.zeros(self.length, np.bool_)
        for one in (self.numbers, self.flags, self.texts, self.lists):
            if one is not None:
                mask |= one.widen(np.ones(len(one.values), np.bool_))
        if self.others is not None:
            mask[self.others] = True
        return mask

    @cached_property
    def spelled(self) -> TextValues:
        """The numbers as texts."""
        numbers = self.numbers.values if self.numbers else IntegerValues(np.zeros(0, np.int64))
        return build_texts([spell(numbers.get(row)) for row in range(len(numbers))])
