"""From the terms of each text to the texts of each term."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import Mask, Rows
from winnow.columns.terms import Bags, Counts, decode_terms

Texts: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True)
class PostingsPart:
    """The postings of some rows, which are numbered as texts in the order of their namespaces.

    Term i of `terms`, which ascend, is in the texts `texts[offsets[i]:offsets[i + 1]]`, which
    ascend too; `counts` tells how often. Namespace i of `namespaces`, which ascend, has the
    texts from `bounds[i]` up to `bounds[i + 1]`. `rows` has the row of each text, None where
    the numbers are the same.
    """

    terms: NDArray[np.uint32]
    offsets: Rows
    texts: Texts
    counts: Counts
    lengths: NDArray[np.int32]
    namespaces: Rows
    bounds: Rows
    rows: Rows | None

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def nbytes(self) -> int:
        """The memory that the arrays take."""
        arrays = (self.terms, self.offsets, self.texts, self.counts, self.lengths, self.bounds)
        moved = 0 if self.rows is None else self.rows.nbytes
        return sum(array.nbytes for array in arrays) + moved

    @cached_property
    def sizes(self) -> Rows:
        """The length of all texts of each namespace together."""
        return np.diff(
            np.concatenate([_ZERO, np.cumsum(self.lengths, dtype=np.int64)])[self.bounds]
        )

    @cached_property
    def length(self) -> int:
        """The length of all texts together."""
        return int(self.sizes.sum())

    def by_text(self, mask: Mask) -> Mask:
        """Return a mask of rows as one of texts."""
        return mask if self.rows is None else mask[self.rows]

    def texts_of(self, rows: Rows) -> Rows:
        """Return the texts of some rows, both in ascending order."""
        return rows if self.rows is None else np.sort(self._text_of_row[rows])

    def mark(self, rows: Rows) -> Mask:
        """Return a mask of texts that is true at those of some rows."""
        mask = np.zeros(len(self), np.bool_)
        mask[self._text_of_row[rows]] = True
        return mask

    @cached_property
    def _text_of_row(self) -> Rows:
        return np.arange(len(self)) if self.rows is None else np.argsort(self.rows)

    def span(self, term: int | None) -> tuple[int, int]:
        """Return where the postings of a term begin and end."""
        if term is None:
            return 0, 0
        key = np.uint32(term)  # a plain int would make numpy convert all terms
        place = int(self.terms.searchsorted(key))
        if place == len(self.terms) or self.terms[place] != key:
            return 0, 0
        return int(self.offsets[place]), int(self.offsets[place + 1])


def build_postings(blobs: Sequence[bytes], namespaces: Sequence[int]) -> PostingsPart:
    """Make the postings of some rows from their blobs and the numbers of their namespaces."""
    numbers = np.array(namespaces, np.int64)
    rows = None
    if (numbers[1:] < numbers[:-1]).any():
        rows = np.argsort(numbers, kind="stable")
        places: list[int] = rows.tolist()
        blobs, numbers = [blobs[row] for row in places], numbers[rows]
    starts = np.flatnonzero(np.diff(numbers, prepend=numbers[:1] - 1))
    batches = [
        decode_terms(blobs[first : first + _BATCH]) for first in range(0, len(blobs), _BATCH)
    ]
    terms, offsets, texts, counts = _invert(batches)
    return PostingsPart(
        terms,
        offsets,
        texts,
        counts,
        np.concatenate([np.zeros(0, np.int32), *map(_lengths, batches)]),
        numbers[starts],
        np.append(starts, len(numbers)),
        rows,
    )


def _lengths(bags: Bags) -> NDArray[np.int32]:
    totals = np.concatenate([_ZERO, np.cumsum(bags.counts, dtype=np.int64)])
    return np.diff(totals[np.concatenate([_ZERO, np.cumsum(bags.sizes)])]).astype(np.int32)


def _invert(batches: Sequence[Bags]) -> tuple[NDArray[np.uint32], Rows, Texts, Counts]:
    """Turn the terms of each text into the texts of each term, a batch at a time."""
    known, batches = _number_anew(batches)
    size = max((int(bags.terms.max(initial=0)) for bags in batches), default=0) + 1
    totals = np.zeros(size, np.int64)
    for bags in batches:
        totals += np.bincount(bags.terms, minlength=size)
    ends = np.cumsum(totals)
    free = ends - totals  # for each term the place of its next posting
    texts = np.empty(ends[-1], np.int32)
    counts = np.empty(ends[-1], np.result_type(np.uint8, *(bags.counts for bags in batches)))
    first = 0
    for bags in batches:
        places, order = _place(bags.terms, free)
        owners = np.repeat(np.arange(first, first + len(bags.sizes), dtype=np.int32), bags.sizes)
        texts[places] = owners[order]
        counts[places] = bags.counts[order]
        first += len(bags.sizes)
    present = np.flatnonzero(totals)
    terms = present.astype(np.uint32) if known is None else known
    return terms, np.append(_ZERO, ends[present]), texts, counts


def _number_anew(
    batches: Sequence[Bags],
) -> tuple[NDArray[np.uint32] | None, Sequence[Bags]]:
    """Number the terms from 0 where a few records have few of all terms: arrays stay short."""
    if len(batches) != 1 or len(batches[0].terms) * _RARE > int(batches[0].terms.max(initial=0)):
        return None, batches
    bags = batches[0]
    known, numbers = np.unique(bags.terms, return_inverse=True)
    return known, [Bags(numbers.astype(np.uint32), bags.counts, bags.sizes)]


def _place(terms: NDArray[np.uint32], free: Rows) -> tuple[Rows, Rows]:
    """Return where postings belong and the order in which to put them there; move `free` on."""
    order = _sort(terms)
    ordered = terms[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] + 1))
    lengths = np.diff(np.append(starts, len(ordered)))
    present = ordered[starts]
    places = np.arange(len(ordered)) + np.repeat(free[present] - starts, lengths)
    free[present] += lengths
    return places, order


def _sort(terms: NDArray[np.uint32]) -> Rows:
    """Order by term; numpy sorts 16 bits by their digits, several times quicker than 32."""
    order = np.argsort(terms.astype(np.uint16), kind="stable")
    high = (terms >> 16).astype(np.uint16)
    return order[np.argsort(high[order], kind="stable")] if high.any() else order


_BATCH: Final = 32_768  # records; few enough for the caches of a processor
_RARE: Final = 4
_ZERO: Final[Rows] = np.zeros(1, np.int64)
