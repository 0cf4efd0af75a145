"""The terms of records as the store keeps them: a number for each term, a blob for each record."""

import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import Rows
from winnow.errors import StoreError

# As many bytes as the highest count needs.
Counts: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]

TERM_LIMIT: Final = 2**31  # the numbers of terms are below it
_COUNTED: Final = 2**31
_OWNER_BITS: Final = 31


@dataclass(frozen=True, slots=True)
class Terms:
    """The numbers of terms; `look_up` returns those of some, as far as they have any."""

    look_up: Callable[[Sequence[str]], Mapping[str, int]]

    def find(self, texts: Iterable[str]) -> list[int | None]:
        """Return the number of each term, None for one that no record ever had."""
        wanted = list(texts)
        numbers = self.look_up(list(dict.fromkeys(wanted)))
        return [numbers.get(text) for text in wanted]


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


def encode_all_terms(numbers: NDArray[np.int64], sizes: Rows) -> list[bytes]:
    """Pack the terms of many records, one after the other, as `encode_terms` does of each.

    `sizes` tells how many of the numbers each record has.
    """
    return encode_owned_terms(numbers, np.repeat(np.arange(len(sizes)), sizes), len(sizes))


def encode_owned_terms(numbers: NDArray[np.int64], owners: Rows, count: int) -> list[bytes]:
    """Pack the terms of so many records, as `encode_terms` does of each.

    `owners` tells of each number which record has it; they are in no order.
    """
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < TERM_LIMIT:
        raise ValueError(f"{numbers.min()} or {numbers.max()} is no number of a term")
    found, counts = np.unique(owners << _OWNER_BITS | numbers, return_counts=True)
    repeated = counts > 1
    places = np.arange(len(found)) + np.cumsum(repeated) - repeated
    words = np.empty(len(found) + int(repeated.sum()), "<u4")
    words[places] = found % _COUNTED + repeated * _COUNTED
    words[places[repeated] + 1] = np.minimum(counts[repeated], _COUNTED - 1)
    lengths = np.bincount(found >> _OWNER_BITS, 1 + repeated, count).astype(np.int64)
    ends = (np.cumsum(lengths) * words.itemsize).tolist()
    data = words.tobytes()
    return [data[start:end] for start, end in pairwise([0, *ends])]


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
