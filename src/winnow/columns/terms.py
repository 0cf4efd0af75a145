"""The terms of records as the store keeps them: a number for each term, a blob for each record."""

import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import Rows
from winnow.errors import StoreError

# As many bytes as the highest count needs.
Counts: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]

TERM_LIMIT: Final = 2**31  # the numbers of terms are below it
_COUNTED: Final = 2**31


class Terms:
    """The numbers of terms, as far as the store has told them.

    It only grows. Threads may read it while one of them adds to it.
    """

    def __init__(self, entries: Iterable[tuple[int, str]] = ()) -> None:
        self._numbers: dict[str, int] = {}
        self.last = 0
        self.learn(entries)

    def __len__(self) -> int:
        return len(self._numbers)

    def learn(self, entries: Iterable[tuple[int, str]]) -> None:
        """Take the numbers of committed terms; `last` is the highest so far."""
        for number, text in entries:
            self._numbers[text] = number
            self.last = max(self.last, number)

    def find(self, texts: Iterable[str]) -> list[int | None]:
        """Return the number of each term, None for one that no record ever had."""
        return [self._numbers.get(text) for text in texts]

    def unknown(self, texts: Iterable[str]) -> list[str]:
        """Return the terms without a number, each once."""
        return [text for text in dict.fromkeys(texts) if text not in self._numbers]


@dataclass(frozen=True, slots=True)
class Bags:
    """The terms of many records, one record after the other, ascending within each.

    `sizes` tells how many different terms each record has.
    """

    terms: NDArray[np.uint32]
    counts: Counts
    sizes: Rows


def encode_terms(numbers: Iterable[int]) -> bytes:
    """Pack the numbers of a record's terms, each given as often as it comes.

    They ascend, as little-endian words of 32 bits. A term that comes more than once has the
    highest bit set, and the next word is its count.
    """
    words = sorted(numbers)
    for number in (*words[:1], *words[-1:]):
        if not 0 <= number < TERM_LIMIT:
            raise ValueError(f"{number} is no number of a term")
    if len(set(words)) < len(words):
        words = list(_with_counts(words))
    return struct.pack(f"<{len(words)}I", *words)


def decode_terms(blobs: Sequence[bytes]) -> Bags:
    """Unpack the terms of many records; StoreError if a blob is damaged."""
    lengths = np.fromiter(map(len, blobs), np.int64, len(blobs))
    ends = np.cumsum(lengths) // 4
    if (lengths % 4).any():
        raise StoreError(_DAMAGED)
    words = np.frombuffer(b"".join(blobs), "<u4").astype(np.uint32, copy=False)
    counted = np.flatnonzero(words >= _COUNTED)
    _check_counts(words, counted, ends[lengths > 0])
    kept = np.ones(len(words), np.bool_)
    kept[counted + 1] = False
    terms = words[kept]
    # Each count stands behind its term: before the term number i of them there are i counts.
    places = counted - np.arange(len(counted))
    terms[places] -= np.uint32(_COUNTED)
    repeated = words[counted + 1]
    counts = np.ones(len(terms), np.min_scalar_type(int(repeated.max(initial=1))))
    counts[places] = repeated
    sizes = np.diff(ends - np.searchsorted(counted, ends), prepend=0)
    return Bags(terms, counts, sizes)


def _with_counts(words: Iterable[int]) -> Iterator[int]:
    for number, count in Counter(words).items():
        yield number if count == 1 else number | _COUNTED
        if count > 1:
            yield min(count, _COUNTED - 1)


def _check_counts(words: NDArray[np.uint32], counted: Rows, ends: Rows) -> None:
    """Check that each term that needs a count has one behind it, in its own blob."""
    if (words[ends - 1] >= _COUNTED).any() or (words[counted + 1] >= _COUNTED).any():
        raise StoreError(_DAMAGED)


_DAMAGED: Final = "the stored terms of a record are damaged"
