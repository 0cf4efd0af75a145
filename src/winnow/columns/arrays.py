"""Typed vectors of values, and columns that know how far each value is to be trusted.

A row without a value holds a filler; `levels` tells it apart. Texts are codes into a sorted
dictionary, so that their order is the order of the codes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from winnow.columns.haystack import Haystack
from winnow.columns.words import WordList, Words, find_word
from winnow.filter.raw import stand_back, stand_in
from winnow.records import Candidate, Confidence
from winnow.values import (
    Scalar,
    Value,
    fold,
)

Mask: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = NDArray[np.int64]

Integers: TypeAlias = NDArray[np.integer[Any]]

ABSENT: Final = 0
FLOAT_EXACT: Final = 2**53
LEVEL_OF_PLAIN: Final = int(Confidence.EXTRACTED)


@dataclass(frozen=True)
class IntegerValues:
    """Whole numbers of 64 bits."""

    numbers: NDArray[np.int64]

    @cached_property
    def compact(self) -> "Integers":
        """The numbers in as few bits as hold them all: they are compared several times quicker."""
        return _make_compact(self.numbers, _SIGNED)

    def __len__(self) -> int:
        return len(self.numbers)

    def get(self, row: int) -> Scalar:
        """Return the value of a row."""
        return int(self.numbers[row])


@dataclass(frozen=True)
class NumberValues:
    """Numbers as floats; whole ones that a float can't hold stand in `exact` by row."""

    numbers: NDArray[np.float64]
    exact: Mapping[int, int]

    @cached_property
    def compact(self) -> "Integers | None":
        """The numbers as whole ones of few bits, if all are; else None."""
        if self.exact or not len(self.numbers):
            return None
        low, high = float(self.numbers.min()), float(self.numbers.max())
        if not -_COMPACT <= low <= high < _COMPACT:
            return None
        whole = _make_compact(self.numbers, _SIGNED[:3])
        return whole if np.array_equal(whole, self.numbers) else None

    def __len__(self) -> int:
        return len(self.numbers)

    def get(self, row: int) -> Scalar:
        """Return the value of a row."""
        if row in self.exact:
            return self.exact[row]
        number = float(self.numbers[row])
        return int(number) if number.is_integer() and abs(number) <= FLOAT_EXACT else number


@dataclass(frozen=True, slots=True)
class FlagValues:
    """True and false."""

    flags: Mask

    def __len__(self) -> int:
        return len(self.flags)

    def get(self, row: int) -> Scalar:
        """Return the value of a row."""
        return bool(self.flags[row])


@dataclass(frozen=True)
class TextValues:
    """Texts: `words` is sorted by code point, `codes` are places in it."""

    words: WordList
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def compact(self) -> "Integers":
        """The codes in as few bits as hold them all: they are compared several times quicker."""
        fitting = (one for one in _UNSIGNED if len(self.words) <= np.iinfo(one).max + 1)
        kind = next(fitting, None)
        return self.codes if kind is None else self.codes.astype(kind)

    def get(self, row: int) -> Scalar:
        """Return the value of a row."""
        return stand_back(str(self.words[int(self.codes[row])]))

    def find(self, text: str) -> int | None:
        """Return the code of a text, None if it is not among the words."""
        return find_word(self.words, text) if self._known is None else self._known.get(text)

    @cached_property
    def _known(self) -> Mapping[str, int] | None:
        """The codes of the words, where those are few: no search is as quick."""
        if len(self.words) > _FEW:
            return None
        return {word: code for code, word in enumerate(self.words.tolist())}

    @cached_property
    def folded(self) -> Haystack:
        """The words without regard to case."""
        return Haystack([fold(word) for word in self.words.tolist()])

    @cached_property
    def plain(self) -> Haystack:
        """The words as they are."""
        return Haystack(self.words.tolist())


@dataclass(frozen=True)
class TagValues(TextValues):
    """Tags, of which `law` has `law/ip`."""

    @cached_property
    def by_fold(self) -> tuple[Words, Rows]:
        """The words without regard to case, sorted, and the place of each in `words`."""
        folded = text_array([fold(word) for word in self.words.tolist()])
        order = np.argsort(folded, kind="stable")
        return folded[order], order


@dataclass(frozen=True, slots=True)
class MomentValues:
    """Dates as intervals `starts <= t < ends` in microseconds, with the texts as written.

    Without texts they are instants, each of one microsecond.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    texts: TextValues | None

    def __len__(self) -> int:
        return len(self.starts)

    def get(self, row: int) -> Scalar:
        """Return the value of a row."""
        if self.texts is not None:
            return self.texts.get(row)
        instant = _EPOCH + timedelta(microseconds=int(self.starts[row]))
        return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class ListValues:
    """Lists: row i has the items `offsets[i]` up to `offsets[i + 1]`."""

    offsets: Rows
    items: "ItemValues"

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def owners(self) -> NDArray[np.int32]:
        """The row of each item."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets))

    def get(self, row: int) -> Value:
        """Return the items of a row."""
        return tuple(self.items.get(i) for i in range(self.offsets[row], self.offsets[row + 1]))


ItemValues: TypeAlias = IntegerValues | NumberValues | FlagValues | TextValues | MomentValues
Values: TypeAlias = ItemValues | ListValues


@dataclass(frozen=True)
class Column:
    """One field of many entities.

    `levels` holds a Confidence for each row, 0 where there is no value. Where values conflict,
    `values` has the first; the others stand in `other_values`, for the rows `other_rows`.
    """

    values: Values
    levels: NDArray[np.uint8]
    other_rows: Rows
    other_values: Values

    @cached_property
    def lowest(self) -> int:
        """The lowest level of any row."""
        return int(self.levels.min()) if len(self.levels) else LEVEL_OF_PLAIN

    @cached_property
    def _lowest_held(self) -> int:
        """The lowest level of the rows that have a value."""
        return int(self.levels.min(where=self.levels != ABSENT, initial=LEVEL_OF_PLAIN))

    def has_below(self, minimum: int) -> bool:
        """Tell whether some row has a value that doesn't count at a minimum."""
        return self._lowest_held < minimum

    @cached_property
    def _lacking(self) -> dict[int, Mask | None]:
        return {}

    def lacking(self, minimum: int) -> Mask | None:
        """Return where no value counts at a minimum; None if one does everywhere."""
        if minimum not in self._lacking:
            known = self.known(minimum)
            self._lacking[minimum] = None if known is None else ~known
        return self._lacking[minimum]

    def known(self, minimum: int) -> Mask | None:
        """Return where a value counts at a minimum; None if it does everywhere."""
        # A plain int: numpy would widen all levels to compare them with a member of an enum.
        return None if self.lowest >= minimum else self.levels >= int(minimum)

    def get(self, row: int) -> Value | None:
        """Return the value of a row, the first of a conflict."""
        return None if self.levels[row] == ABSENT else self.values.get(row)


BROKEN: Final = -1


@dataclass(frozen=True, slots=True)
class Links:
    """The targets of one part's reference column.

    `targets` has an entry for each value, or each item of a list field, of the column;
    `other_targets` for those of its `other_values`. BROKEN stands where no such entity lives.
    """

    targets: Rows
    other_targets: Rows


NO_LINKS = Links(np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True)
class Edges:
    """Pairs of a living row that refers and the living row that it refers to.

    `levels` says for each how far the reference is to be trusted.
    """

    sources: Rows
    targets: Rows
    levels: NDArray[np.uint8]

    @cached_property
    def lowest(self) -> int:
        """The lowest level of any pair."""
        return int(self.levels.min(initial=LEVEL_OF_PLAIN))

    def at_least(self, minimum: int) -> "Edges":
        """Return the pairs that count at a minimum."""
        return self if self.lowest >= minimum else self._where(self.levels >= int(minimum))

    def below(self, minimum: int) -> "Edges":
        """Return the pairs that do not count at a minimum."""
        return self._where(slice(0) if self.lowest >= minimum else self.levels < int(minimum))

    def _where(self, chosen: Mask | slice) -> "Edges":
        return Edges(self.sources[chosen], self.targets[chosen], self.levels[chosen])


NO_EDGES = Edges(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint8))


def _make_compact(numbers: NDArray[Any], kinds: Sequence[type[np.integer[Any]]]) -> "Integers":
    """Return numbers in the first kind that holds the lowest and the highest of them."""
    if not len(numbers):
        return numbers.astype(kinds[-1], copy=False)
    low, high = int(numbers.min()), int(numbers.max())
    fitting = (one for one in kinds if np.iinfo(one).min <= low <= high <= np.iinfo(one).max)
    return numbers.astype(next(fitting), copy=False)


_COMPACT: Final = 2**31
_SIGNED: Final = (np.int8, np.int16, np.int32, np.int64)
_UNSIGNED: Final = (np.uint8, np.uint16)
Entry: TypeAlias = Value | tuple[Candidate, ...] | None


def text_array(texts: Sequence[str]) -> Words:
    """Make an array of texts of any length; they sort by code point and may hold NUL.

    One that is not UTF-8 has characters that stand in for its bytes.
    """
    try:
        return cast(Words, np.array(texts, np.dtypes.StringDType()))
    except UnicodeEncodeError:
        return cast(Words, np.array([stand_in(text) for text in texts], np.dtypes.StringDType()))


def sort_words(texts: Words) -> tuple[Words, Rows]:
    """Return the distinct texts of an array, in order, and the place of each text among them.

    The sort has to be a stable one, which it is where first places are asked for: in numpy 2.4
    the other one for texts ends the process when it meets an order that makes quicksort slow.
    """
    words, _, places = np.unique(texts, return_index=True, return_inverse=True)
    return cast(Words, words), places


def build_texts(values: Sequence[Value | None]) -> TextValues:
    """Make a text vector; a row without a value gets some word as its filler."""
    try:
        return _build_texts(values)
    except UnicodeEncodeError:  # some are not UTF-8, and would not sort as they do in the array
        return _build_texts([stand_in(one) if isinstance(one, str) else one for one in values])


def _build_texts(values: Sequence[Value | None]) -> TextValues:
    known = cast(set[str], set(values) - {None})
    if len(known) * _REPEATED > len(values):
        return _build_distinct(values, next(iter(known), ""))
    words = sorted(known) or [""]
    codes: dict[Value | None, int] = {word: code for code, word in enumerate(words)}
    codes[None] = 0
    places = np.fromiter(map(codes.__getitem__, values), np.int32, len(values))
    return TextValues(cast(Words, np.array(words, np.dtypes.StringDType())), places)


def _build_distinct(values: Sequence[Value | None], filler: str) -> TextValues:
    texts = [filler if value is None else str(value) for value in values]
    words, codes = sort_words(text_array(texts))
    return TextValues(words, codes.astype(np.int32))


_FEW: Final = 1_000
# A dictionary is quicker than sorting the texts themselves where each comes this often.
_REPEATED: Final = 3
