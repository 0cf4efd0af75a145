"""Running a filter on a table: the rows that match, and the rows that are not certain."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from winnow.columns.arrays import ABSENT, BROKEN, ListValues, Mask, Rows, TextValues
from winnow.columns.links import link, owners
from winnow.columns.table import Table
from winnow.filter.rewrite import Plan
from winnow.plan.columnar import Evaluation
from winnow.plan.gather import Selection, gather
from winnow.records import Confidence
from winnow.schema import Field


@dataclass(frozen=True, slots=True)
class Matched:
    """What a filter comes to on one table; rows ascend, dead ones are left out.

    `open_rows` are those whose membership could change if unknown values were known; those of
    them that match are in `selection` too.
    """

    selection: Selection
    open_rows: Rows

    def within(self, mask: Mask) -> "Matched":
        """Leave out the rows that are not in a mask: they are decided."""
        rows = self.selection.rows
        selection = replace(self.selection, rows=rows[mask[rows]])
        return Matched(selection, self.open_rows[mask[self.open_rows]])


def run(namespace: str, table: Table, evaluation: Evaluation, plan: Plan) -> Matched:
    """Evaluate a plan on a table."""
    truth = evaluation.evaluate(plan, table)
    selection = Selection(namespace, table, evaluation.tables, table.living(truth.match))
    if truth.settled:
        return Matched(selection, np.zeros(0, np.int64))
    return Matched(selection, table.living(truth.possible & ~truth.sure))


def count_known(table: Table, field: str, minimum: Confidence) -> int:
    """Count the entities that have a value of a field which counts at a minimum."""
    if (field, minimum) not in table.known:
        count = 0
        for column, alive in zip(table.gather(field), table.alive, strict=True):
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
