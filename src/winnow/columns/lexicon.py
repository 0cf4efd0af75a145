"""Keywords by another analyser than the store's: postings made of the texts when asked for.

Only memories have them, not the pieces of notes. They live as long as the process.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import Final

import numpy as np

from winnow.columns.arrays import Mask, Rows, TextValues
from winnow.columns.inversion import PostingsPart, build_postings
from winnow.columns.pieces import Pieces
from winnow.columns.postings import Postings
from winnow.columns.table import Part, Table
from winnow.columns.terms import encode_all_terms
from winnow.filter.raw import stand_back


@dataclass(frozen=True, slots=True)
class Analysis:
    """How texts are read: what splits one, which of its parts are words, how many words count."""

    split: Callable[[str], Sequence[bytes]]
    is_word: Callable[[bytes], bool]
    most: Callable[[], int]


class Lexicon:
    """The words of all memories by one analysis. Safe to use from several threads.

    `spaces` numbers the namespaces.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._lock = Lock()
        self._numbers = _Numbers(analysis.is_word)
        self._spaces: dict[str, int] = {}
        self._parts: dict[int, tuple[Part, PostingsPart]] = {}

    def postings(self, table: Table, pieces: Pieces) -> Postings:
        """Return the postings of a table's rows, made now for those that are new."""
        with self._lock:
            made = {
                id(part): self._parts.get(id(part)) or (part, self._build(part, own.notes == 0))
                for part, own in zip(table.parts, pieces.parts, strict=True)
            }
            self._parts = made
            return Postings(tuple(made[id(part)][1] for part in table.parts), table.alive)

    def find(self, words: Iterable[bytes]) -> list[int | None]:
        """Return the number of each word, None for one that no text has."""
        with self._lock:
            return [self._numbers.get(word) for word in words]

    def space(self, name: str) -> int:
        """Return the number of a namespace."""
        with self._lock:
            return self._spaces.setdefault(name, len(self._spaces))

    def _build(self, part: Part, memories: Mask) -> PostingsPart:
        rows = np.flatnonzero(memories)
        blobs, spaces = [b""] * len(part), [_NOWHERE] * len(part)
        texts = self._encode_texts(part, rows)
        numbers = self._number_spaces(part, rows)
        for place, row in enumerate(rows.tolist()):
            blobs[row], spaces[row] = texts[place], numbers[place]
        return build_postings(blobs, spaces)

    def _encode_texts(self, part: Part, rows: Rows) -> list[bytes]:
        """Return the terms of the texts of rows; equal texts are read once."""
        column = part.columns.get("text")
        if column is None or not isinstance(column.values, TextValues):
            return [b""] * len(rows)
        codes, words = column.values.codes[rows], column.values.words
        used = np.zeros(len(words), np.bool_)
        used[codes] = True
        blobs: list[bytes] = []
        for start in range(0, len(words), _BATCH):
            some = words[start : start + _BATCH][used[start : start + _BATCH]]
            blobs += self._encode([*map(stand_back, some.tolist())])
        places: list[int] = (np.cumsum(used) - 1)[codes].tolist()
        return [blobs[place] for place in places]

    def _encode(self, texts: Sequence[str]) -> list[bytes]:
        """Return the terms of texts, of each as many as count."""
        split = [self._analysis.split(text) for text in texts]
        parts = [*map(len, split)]
        numbers = np.fromiter(
            map(self._numbers.__getitem__, chain.from_iterable(split)), np.int64, sum(parts)
        )
        words = numbers >= 0
        owners = np.repeat(np.arange(len(texts)), parts)[words]
        sizes = np.bincount(owners, minlength=len(texts))
        places = np.arange(len(owners)) - (np.cumsum(sizes) - sizes)[owners]
        most = self._analysis.most()
        return encode_all_terms(numbers[words][places < most], np.minimum(sizes, most))

    def _number_spaces(self, part: Part, rows: Rows) -> list[int]:
        column = part.columns.get("namespace")
        if column is None or not isinstance(column.values, TextValues):
            return [_NOWHERE] * len(rows)
        names: list[str] = column.values.words.tolist()
        numbers = [self._spaces.setdefault(name, len(self._spaces)) for name in names]
        codes: list[int] = column.values.codes[rows].tolist()
        return [numbers[code] for code in codes]


class _Numbers(dict[bytes, int]):
    """The number of each word, made when it first comes; below 0 for what is no word."""

    def __init__(self, is_word: Callable[[bytes], bool]) -> None:
        super().__init__()
        self._is_word = is_word
        self._next = 0

    def __missing__(self, part: bytes) -> int:
        if not self._is_word(part):
            return _NO_WORD
        number = self[part] = self._next
        self._next += 1
        return number


def describe_words(postings: Postings, space: int) -> tuple[int, int]:
    """Return how many different words the living texts of a namespace have, and how many in all."""
    words: set[int] = set()
    length = 0
    for part, alive in zip(postings.parts, postings.alive, strict=True):
        place = int(np.searchsorted(part.namespaces, space))
        if place == len(part.namespaces) or part.namespaces[place] != space:
            continue
        mask = np.zeros(len(part), np.bool_)
        first, end = part.bounds[place : place + 2].tolist()
        mask[first:end] = part.by_text(alive)[first:end]
        length += int(part.lengths[mask].sum(dtype=np.int64))
        held = np.repeat(part.terms, np.diff(part.offsets))[mask[part.texts]]
        words.update(np.unique(held).tolist())
    return len(words), length


_NOWHERE: Final = -1
_NO_WORD: Final = -1
_BATCH: Final = 32_768  # texts
