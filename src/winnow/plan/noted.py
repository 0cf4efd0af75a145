"""The notes behind the entities of a table."""

from dataclasses import dataclass

import numpy as np

from winnow.columns.arrays import Mask, Rows
from winnow.columns.pieces import NO_KEYS, Declared, Keys, is_in
from winnow.columns.table import Table
from winnow.plan.gather import NO_ROWS


@dataclass(frozen=True, slots=True)
class Noted:
    """Which notes say something of which entities: rows and keys in parallel, by row."""

    rows: Rows
    notes: Keys

    def among(self, notes: Keys) -> "Noted":
        """Leave out all notes but some."""
        kept = is_in(self.notes, notes)
        return Noted(self.rows[kept], self.notes[kept])

    def within(self, rows: Rows) -> "Noted":
        """Leave out the notes of all entities but some, which are given by row."""
        kept = is_in(self.rows, rows)
        return Noted(self.rows[kept], self.notes[kept])

    def mask(self, length: int) -> Mask:
        """Return which of so many rows have a note."""
        marked = np.zeros(length, np.bool_)
        marked[self.rows] = True
        return marked

    def count(self) -> int:
        """Count the entities that have a note."""
        return len(np.unique(self.rows))

    def of(self, row: int) -> Keys:
        """Return the notes of one entity."""
        first, end = np.searchsorted(self.rows, [row, row + 1]).tolist()
        return self.notes[first:end]


def find_noted(table: Table, declared: Declared) -> Noted:
    """Find the notes of the living entities of a table."""
    if not len(declared.entities):
        return Noted(NO_ROWS, NO_KEYS)
    rows, notes = [NO_ROWS], [NO_KEYS]
    for start, part, alive in zip(table.starts, table.parts, table.alive, strict=False):
        keys, order = part.key_order
        places = np.minimum(np.searchsorted(keys, declared.entities), len(keys) - 1)
        local = order[places]
        found = (keys[places] == declared.entities) & alive[local]
        rows.append(local[found] + start)
        notes.append(declared.notes[found])
    every = np.concatenate(rows)
    order = np.argsort(every, kind="stable")
    return Noted(every[order], np.concatenate(notes)[order])
