"""Who refers to one entity."""

from collections.abc import Iterator

import numpy as np

from winnow.columns.arrays import ListValues, Mask, TextValues, Values
from winnow.columns.links import owners
from winnow.columns.table import Table
from winnow.plan.probes import probe


def find_referrers(table: Table, via: str, entity: str) -> list[str]:
    """Return the ids of the living rows of a table whose field `via` names an entity."""
    return sorted(_find(table, via, entity))


def _find(table: Table, via: str, entity: str) -> Iterator[str]:
    for part, alive in zip(table.parts, table.alive, strict=True):
        column = part.columns.get(via)
        if column is None:
            continue
        rows = owners(column.values)[_naming(column.values, entity)]
        others = column.other_rows[
            owners(column.other_values)[_naming(column.other_values, entity)]
        ]
        for row in np.unique(np.concatenate([rows, others])).tolist():
            if alive[row] and column.levels[row]:
                yield part.id_of(row)


def _naming(values: Values, entity: str) -> Mask:
    texts = values.items if isinstance(values, ListValues) else values
    if not isinstance(texts, TextValues):
        raise TypeError("a reference column holds texts")
    return probe(texts, "eq", (entity,)).match
