"""Which candidates are pieces of notes that are some links away from others."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from winnow.columns.arrays import Rows
from winnow.columns.pieces import Keys, Pieces, is_in
from winnow.columns.table import Table
from winnow.plan.ranking import Ranked, Ranker

_PIECES: Final = 4  # of a note; if they have more, all of them are sorted


@dataclass(frozen=True, slots=True)
class Ring:
    """The candidates that are pieces of notes at one distance, in parallel: by row."""

    distance: int
    rows: Rows
    notes: Keys

    def __len__(self) -> int:
        """Return how many notes there are."""
        return len(np.unique(self.notes))

    def best_of_notes(self, ranker: Ranker, limit: int) -> list[Ranked]:
        """Return the first `limit` notes, each by its first piece."""
        notes: dict[int, int] = dict(zip(self.rows.tolist(), self.notes.tolist(), strict=True))
        found: dict[int, Ranked] = {}
        for most in (limit * _PIECES, len(self.rows)):
            for one in ranker.sort(self.rows, most):
                found.setdefault(notes[one.row], one)
            if len(found) >= limit:
                break
        return list(found.values())[:limit]


def find_rings(
    pieces: Pieces, candidates: Rows, distances: Mapping[int, int], shown: Collection[int]
) -> Iterator[Ring]:
    """Yield the candidates among the pieces of some notes, the nearest notes first.

    `distances` are those of notes, by key; the notes of the rows that were `shown` are left out.
    """
    known = pieces.notes_of(np.fromiter(shown, np.int64, len(shown)))
    keys = np.array(sorted(distances), np.int64)
    held = pieces.of(keys[~is_in(keys, known)])
    kept = is_in(held.rows, candidates)
    rows, notes = held.rows[kept], held.notes[kept]
    far = np.array([distances[note] for note in notes.tolist()], np.int64)
    for distance in np.unique(far).tolist():
        chosen = np.flatnonzero(far == distance)
        chosen = chosen[np.argsort(rows[chosen])]
        yield Ring(distance, rows[chosen], notes[chosen])


def notes_of(pieces: Pieces, rows: Collection[int]) -> list[int]:
    """Return the notes of some rows, each once."""
    return pieces.notes_of(np.fromiter(rows, np.int64, len(rows))).tolist()


def rows_of(table: Table, keys: Sequence[int]) -> list[int]:
    """Return the rows that the records of some keys are in."""
    wanted = np.sort(np.array(keys, np.int64))
    parts = zip(table.parts, table.starts, strict=False)
    found = [part.rows_of_keys(wanted) + start for part, start in parts]
    return np.concatenate([np.zeros(0, np.int64), *found]).tolist()
