"""The values of a field that have been seen: how many entities have one, and their range."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from winnow.columns.arrays import IntegerValues, MomentValues, NumberValues
from winnow.columns.table import Table
from winnow.plan.gather import Selection, gather
from winnow.plan.order import sort_levels
from winnow.records import Confidence
from winnow.schema import Field
from winnow.values import Scalar


@dataclass(frozen=True, slots=True)
class Seen:
    """How many entities have a value of any confidence; the lowest and the highest of them.

    The range is None for what has no order that helps: texts, lists, true and false.
    """

    entities: int
    lowest: Scalar | None = None
    highest: Scalar | None = None


def see(tables: Sequence[Table], field: Field) -> Seen:
    """Look at a field's values in all living rows of some tables."""
    selections = [
        Selection("", table, {}, np.flatnonzero(table.alive_rows)) for table in tables if len(table)
    ]
    vector = gather(selections, (field,), Confidence.AMBIGUOUS)
    entities = int(np.count_nonzero(vector.known))
    values = vector.values
    if not isinstance(values, IntegerValues | NumberValues | MomentValues):
        return Seen(entities)
    order = np.lexsort(sort_levels(values)[::-1])
    return Seen(entities, values.get(int(order[0])), values.get(int(order[-1])))
