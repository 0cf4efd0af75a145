"""Keywords by another analyser than the store's: postings made of the texts when asked for.

Only memories have them, not the pieces of notes. They live as long as the process.
"""

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Final

import numpy as np

from winnow.columns.arrays import Mask, Rows, TextValues
from winnow.columns.inversion import PostingsPart, build_postings
from winnow.columns.pieces import Pieces
from winnow.columns.postings import Postings
from winnow.columns.table import Part, Table
from winnow.columns.terms import encode_terms


class Lexicon:
    """The words of all memories by one analyser. Safe to use from several threads.

    `analyse` returns the words of a text. `spaces` numbers the namespaces.
    """

    def __init__(self, analyse: Callable[[str], Sequence[bytes]]) -> None:
        self._analyse = analyse
        self._lock = Lock()
        self._numbers: dict[bytes, int] = {}
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
        texts = self._analyse_texts(part, rows)
        numbers = self._number_spaces(part, rows)
        for place, row in enumerate(rows.tolist()):
            blobs[row], spaces[row] = texts[place], numbers[place]
        return build_postings(blobs, spaces)

    def _analyse_texts(self, part: Part, rows: Rows) -> list[bytes]:
        column = part.columns.get("text")
        if column is None or not isinstance(column.values, TextValues):
            return [b""] * len(rows)
        codes: list[int] = column.values.codes[rows].tolist()
        known: dict[int, bytes] = {}
        numbers = self._numbers
        for row, code in zip(rows.tolist(), codes, strict=True):
            if code not in known:
                words = self._analyse(str(column.values.get(row)))
                known[code] = encode_terms(numbers.setdefault(word, len(numbers)) for word in words)
        return [known[code] for code in codes]

    def _number_spaces(self, part: Part, rows: Rows) -> list[int]:
        column = part.columns.get("namespace")
        if column is None or not isinstance(column.values, TextValues):
            return [_NOWHERE] * len(rows)
        names: list[str] = column.values.words.tolist()
        numbers = [self._spaces.setdefault(name, len(self._spaces)) for name in names]
        codes: list[int] = column.values.codes[rows].tolist()
        return [numbers[code] for code in codes]


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
