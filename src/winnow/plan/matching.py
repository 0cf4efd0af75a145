"""Running a filter on a table: the rows that match, and the rows that are not certain."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from winnow.columns.arrays import ABSENT, BROKEN, ListValues, Mask, Rows, TextValues
from winnow.columns.links import link, owners
from winnow.columns.masks import find_first
from winnow.columns.table import Table
from winnow.filter.rewrite import Plan
from winnow.plan.columnar import Evaluation
from winnow.plan.gather import NO_ROWS, Selection, gather
from winnow.records import Confidence
from winnow.schema import Field


@dataclass(frozen=True)
class Matched:
    """What a filter comes to on one table; rows ascend, dead ones are left out.

    `undecided` has those whose membership could change if unknown values were known; those of
    them that match are in `selection` too. It is None where there are none.
    """

    selection: Selection
    undecided: Mask | None

    @cached_property
    def open_count(self) -> int:
        """How many rows are not decided."""
        return 0 if self.undecided is None else int(np.count_nonzero(self.undecided))

    def find_open(self, count: int) -> Rows:
        """Return rows that are not decided, the first ones of each part, up to so many."""
        mask, table = self.undecided, self.selection.table
        if mask is None:
            return NO_ROWS
        parts = pairwise(table.starts)
        found = [find_first(mask[start:end], count) + start for start, end in parts]
        return np.concatenate([NO_ROWS, *found])

    def within(self, mask: Mask) -> "Matched":
        """Leave out the rows that are not in a mask: they are decided."""
        rows = self.selection.rows
        selection = replace(self.selection, rows=rows[mask[rows]])
        return Matched(selection, None if self.undecided is None else self.undecided & mask)


def run(namespace: str, table: Table, evaluation: Evaluation, plan: Plan) -> Matched:
    """Evaluate a plan on a table."""
    truth = evaluation.evaluate(plan, table)
    selection = Selection(namespace, table, evaluation.tables, table.living(truth.match))
    if truth.settled:
        return Matched(selection, None)
    undecided = truth.possible > truth.sure
    return Matched(selection, undecided if table.is_whole else undecided & table.alive_rows)


def count_known(table: Table, field: str, minimum: Confidence) -> int:
    """Count the entities that have a value of a field which counts at a minimum."""
    if (field, minimum) not in table.known:
        count = 0
        for part, alive in zip(table.parts, table.alive, strict=True):
            column = part.columns.get(field)
            if column is not None:
                known = column.known(minimum)
                count += int(np.count_nonzero(alive if known is None else known & alive))
        table.known[field, minimum] = count
    return table.known[field, minimum]


def count_texts(selection: Selection, field: Field) -> dict[str, int]:
    """Count the rows that have each text as the value of a field."""
    values = gather([selection], (field,), Confidence.EXTRACTED).values
    if not isinstance(values, TextValues):
        return {}
    counts = np.bincount(values.codes, minlength=len(values.words))
    return dict(zip(values.words.tolist(), counts.tolist(), strict=True))


def find_broken(
    table: Table, tables: Mapping[str, Table], field: Field
) -> Iterator[tuple[str, str]]:
    """Yield (id, reference) for each value of a reference field that leads nowhere."""
    links = link(table, field.name, tables.get(field.target or ""))
    for part, alive, found in zip(table.parts, table.alive, links, strict=True):
        column = part.columns.get(field.name)
        if column is None:
            continue
        texts = column.values.items if isinstance(column.values, ListValues) else column.values
        rows = owners(column.values)
        lost = (found.targets == BROKEN) & alive[rows] & (column.levels[rows] != ABSENT)
        for place in np.flatnonzero(lost).tolist():
            yield part.id_of(int(rows[place])), str(texts.get(place))
