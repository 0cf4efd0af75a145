"""Texts of a column that stand in arrays as bytes, so that a file of them can be mapped."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias, cast, overload

import numpy as np
from numpy.typing import NDArray

Words: TypeAlias = np.ndarray[tuple[int], np.dtypes.StringDType]
"""Texts of any length; they sort by code point and may hold NUL."""

_Chosen: TypeAlias = "slice | NDArray[np.integer[Any]] | NDArray[np.bool_]"


@dataclass(frozen=True, eq=False)
class PackedWords:
    """Texts one after the other in UTF-8: number i has the bytes `ends[i]` up to `ends[i + 1]`.

    Each is decoded when it is asked for. Some of them come as `Words`.
    """

    letters: NDArray[np.uint8]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends) - 1

    @overload
    def __getitem__(self, key: int) -> str: ...
    @overload
    def __getitem__(self, key: _Chosen) -> Words: ...
    def __getitem__(self, key: "int | _Chosen") -> str | Words:
        if isinstance(key, int | np.integer):
            return self._read(int(key))
        if isinstance(key, slice):
            return self._cut(key).unpack()
        numbers = np.flatnonzero(key) if key.dtype == np.bool_ else key
        if len(numbers) * _MANY > len(self):
            return self.unpack()[numbers]
        return _array([self._read(place) for place in numbers.tolist()])

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Words:
        return self.unpack()

    def tolist(self) -> list[str]:
        """Return all texts."""
        data = self.letters.tobytes()
        pairs = pairwise(self.ends.tolist())
        if data.isascii():
            text = data.decode("ascii")
            return [text[start:end] for start, end in pairs]
        return [data[start:end].decode() for start, end in pairs]

    def unpack(self) -> Words:
        """Return all texts as an array."""
        return _array(self.tolist())

    def _cut(self, key: slice) -> "PackedWords":
        places = range(len(self))[key]
        if places.step != 1:
            return pack_words(_array([self._read(place) for place in places]))
        ends = self.ends[places.start : max(places.stop, places.start) + 1]
        return PackedWords(self.letters[ends[0] : ends[-1]], ends - ends[0])

    def _read(self, place: int) -> str:
        return self.letters[self.ends[place] : self.ends[place + 1]].tobytes().decode()


@dataclass(frozen=True, eq=False)
class CodedWords:
    """The words of rows that are not in the order of their texts."""

    words: "Words | PackedWords"
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, key: int) -> str: ...
    @overload
    def __getitem__(self, key: _Chosen) -> Words: ...
    def __getitem__(self, key: "int | _Chosen") -> str | Words:
        if isinstance(key, int | np.integer):
            return str(self.words[int(self.codes[key])])
        return self.words[self.codes[key]]

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Words:
        return as_words(self.words)[self.codes]

    def tolist(self) -> list[str]:
        """Return all texts."""
        words = self.words.tolist()
        return [words[code] for code in self.codes.tolist()]


WordList: TypeAlias = Words | PackedWords
"""Sorted texts, in memory or in a file."""
RowWords: TypeAlias = WordList | CodedWords
"""A text for each row."""


def pack_words(words: WordList) -> PackedWords:
    """Return texts in the shape that a file has."""
    if isinstance(words, PackedWords):
        return words
    encoded = [word.encode() for word in words.tolist()]
    ends = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=ends[1:])
    return PackedWords(np.frombuffer(b"".join(encoded), np.uint8), ends)


def as_words(words: RowWords) -> Words:
    """Return texts as an array in memory."""
    return cast(Words, np.asarray(words))


def find_word(words: WordList, word: str) -> int | None:
    """Return the place of a text in sorted texts, None if it is not there."""
    place = bisect_left(words, word)
    return place if place < len(words) and words[place] == word else None


def _array(texts: list[str]) -> Words:
    return cast(Words, np.array(texts, np.dtypes.StringDType()))


# Where one in so many is wanted, reading all at once is quicker than each by itself.
_MANY = 8
