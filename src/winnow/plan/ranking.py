"""Ranking the records that are in the running: words, meaning, recency and importance."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from winnow.columns.arrays import IntegerValues, MomentValues, NumberValues, Rows, TextValues
from winnow.columns.postings import Postings
from winnow.columns.vectors import Vector, Vectors
from winnow.filter.check import ENTITY_ID
from winnow.plan.gather import Selection, gather
from winnow.rank.fusion import (
    Components,
    Floats,
    Fusion,
    Places,
    Ranking,
    Signals,
    judge,
    select_best,
)
from winnow.rank.mmr import diversify
from winnow.records import Confidence
from winnow.schema import Field

_SURE = Confidence.EXTRACTED
_SECOND = 1e6  # in microseconds
_SPREAD_OVER = 5  # times as many hits as are wanted are spread


@dataclass(frozen=True, slots=True)
class Weighing:
    """What the candidates are weighed by.

    `terms` are the numbers of the query's words, None if it has no words; `queries` the query's
    unit vector for each model in use; `spaces` the numbers of the namespaces searched.
    """

    terms: Sequence[int | None] | None
    queries: Sequence[tuple[str, Vector]]
    spaces: Collection[int]
    fusion: Fusion = Fusion.LINEAR
    minimum: float | None = None
    balance: float | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row, its score, and what the score is made of."""

    row: int
    score: float
    components: Components


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a record that ranking reads."""

    namespace: Field
    updated: Field
    importance: Field


def rank(
    selection: Selection,
    beside: tuple[Postings, Vectors],
    fields: Fields,
    weighing: Weighing,
    limit: int,
) -> list[Ranked]:
    """Return the best rows, the highest score first; equal scores by id, then namespace."""
    rows = selection.rows
    if not len(rows):
        return []
    ranking = judge(_signals(selection, beside, fields, weighing), weighing.fusion)

    def name(places: Places) -> list[tuple[str, ...]]:
        return _names(selection, rows[places], fields)

    wanted = limit if weighing.balance is None else limit * _SPREAD_OVER
    best = select_best(ranking.scores, wanted, name, weighing.minimum)
    if weighing.balance is not None:
        best = _spread(best, rows, ranking, beside[1], weighing, limit)
    return [
        Ranked(int(rows[place]), float(ranking.scores[place]), ranking.components(int(place)))
        for place in best.tolist()
    ]


def _signals(
    selection: Selection,
    beside: tuple[Postings, Vectors],
    fields: Fields,
    weighing: Weighing,
) -> Signals:
    rows = selection.rows
    keyword = None
    if weighing.terms is not None:
        keyword = beside[0].score(weighing.terms, rows, weighing.spaces).at(rows)
    return Signals(
        keyword,
        _cosines(beside[1], rows, weighing.queries) if weighing.queries else None,
        _ages(selection, fields),
        _numbers(selection, fields.importance),
    )


def _cosines(vectors: Vectors, rows: Rows, queries: Sequence[tuple[str, Vector]]) -> Floats:
    cosines = np.full(len(rows), np.nan)
    for model, query in queries:
        found = vectors.similarity(query, model, rows)
        cosines[np.searchsorted(rows, found.rows)] = found.cosines
    return cosines


def _ages(selection: Selection, fields: Fields) -> Floats:
    """Return the seconds between a row's last change and that of its namespace."""
    table = selection.table
    everything = Selection("", table, {}, np.flatnonzero(table.alive_rows))
    times = _numbers(everything, fields.updated)
    spaces = gather([everything], (fields.namespace,), _SURE).values
    if not isinstance(spaces, TextValues):
        return np.zeros(len(selection.rows))
    last = np.full(len(spaces.words), -np.inf)
    np.maximum.at(last, spaces.codes, times)
    places = np.searchsorted(everything.rows, selection.rows)
    return (last[spaces.codes[places]] - times[places]) / _SECOND


def _numbers(selection: Selection, field: Field) -> Floats:
    values = gather([selection], (field,), _SURE).values
    match values:
        case MomentValues():
            return values.starts.astype(np.float64)
        case NumberValues() | IntegerValues():
            return values.numbers.astype(np.float64)
        case _:
            return np.zeros(len(selection.rows))


def _names(selection: Selection, rows: Rows, fields: Fields) -> list[tuple[str, ...]]:
    chosen = Selection("", selection.table, {}, rows)
    columns = [gather([chosen], (field,), _SURE).values for field in (ENTITY_ID, fields.namespace)]
    texts = [[str(values.get(row)) for row in range(len(rows))] for values in columns if values]
    return list(zip(*texts, strict=True))


def _spread(
    best: Places,
    rows: Rows,
    ranking: Ranking,
    vectors: Vectors,
    weighing: Weighing,
    limit: int,
) -> Places:
    """Choose hits that are good and unlike each other (maximal marginal relevance)."""
    model, query = weighing.queries[0] if weighing.queries else ("", np.zeros(1, np.float32))
    matrix = vectors.take(rows[best], model, len(query))
    order = diversify(ranking.scores[best], matrix, weighing.balance or 0.0, limit)
    return best[np.array(order, np.int64)]
