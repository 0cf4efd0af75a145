"""Ranking the records that are in the running: words, meaning, recency and importance."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import (
    IntegerValues,
    Mask,
    MomentValues,
    NumberValues,
    Rows,
    TextValues,
    Values,
)
from winnow.columns.postings import Postings
from winnow.columns.recency import last_changes
from winnow.columns.table import Part
from winnow.columns.vectors import Vector, Vectors
from winnow.embed.base import Matrix
from winnow.filter.check import ENTITY_ID
from winnow.plan.gather import Selection, gather
from winnow.plan.order import SortKey, order
from winnow.rank.fusion import (
    Components,
    Floats,
    Fusion,
    Places,
    Ranking,
    Scale,
    Signals,
    find_scale,
    judge,
    select_best,
)
from winnow.rank.mmr import SPREAD_OVER, diversify
from winnow.records import Confidence
from winnow.schema import Field
from winnow.stages import stage

_SURE = Confidence.EXTRACTED
_SECOND = 1e6  # in microseconds
UNSCORED = Components(None, None, 0.0, 0.0)
"""The parts of the score of what is ordered, not ranked."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """What the candidates are weighed by.

    `terms` are the numbers of the query's words, None if it has no words; `queries` the query's
    unit vector for each model in use; `spaces` the numbers of the namespaces searched. Where
    `worded` is given, the words of those rows count, and of no others.
    """

    terms: Sequence[int | None] | None
    queries: Sequence[tuple[str, Vector]]
    spaces: Collection[int]
    fusion: Fusion = Fusion.LINEAR
    minimum: float | None = None
    balance: float | None = None
    worded: Mask | None = None


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


class Ranker(Protocol):
    """Knows the order of the candidates."""

    def best(self, limit: int) -> list[Ranked]:
        """Return the first of all candidates."""
        ...

    def sort(self, rows: Rows, limit: int) -> list[Ranked]:
        """Return the first of some candidates, whose rows ascend."""
        ...


@dataclass(frozen=True, slots=True)
class Ordered:
    """All candidates in an order that stands in place of ranking."""

    selection: Selection
    keys: Sequence[SortKey]

    def best(self, limit: int) -> list[Ranked]:
        """Return the first rows, by the keys, then by id and namespace."""
        return self.sort(self.selection.rows, limit)

    def sort(self, rows: Rows, limit: int) -> list[Ranked]:
        """Return the first of some rows."""
        spots = order([replace(self.selection, rows=rows)], self.keys, _SURE, limit)
        return [Ranked(spot.row, 1.0, UNSCORED) for spot in spots]


@dataclass(frozen=True, slots=True)
class Scored:
    """All candidates with their scores. Equal scores are ordered by id, then namespace."""

    selection: Selection
    vectors: Vectors
    fields: Fields
    weighing: Weighing
    ranking: Ranking

    def best(self, limit: int) -> list[Ranked]:
        """Return the best rows, the highest score first, spread if that was asked for."""
        balance = self.weighing.balance
        wanted = limit if balance is None else limit * SPREAD_OVER
        best = self._select(self.selection.rows, self.ranking.scores, wanted)
        if balance is not None:
            best = _spread(best, self, limit)
        return self._show(best)

    def sort(self, rows: Rows, limit: int) -> list[Ranked]:
        """Return the best of some rows, the highest score first; too low ones are left out."""
        places = np.searchsorted(self.selection.rows, rows)
        scores = self.ranking.scores[places]
        return self._show(places[self._select(rows, scores, limit)])

    def _select(self, rows: Rows, scores: Floats, limit: int) -> Places:
        def name(places: Places) -> list[tuple[str, ...]]:
            return name_rows(self.selection, rows[places], self.fields.namespace)

        return select_best(scores, limit, name, self.weighing.minimum)

    def _show(self, places: Places) -> list[Ranked]:
        rows, ranking = self.selection.rows, self.ranking
        return [
            Ranked(int(rows[place]), float(ranking.scores[place]), ranking.components(int(place)))
            for place in places.tolist()
        ]


def score(
    selection: Selection, beside: tuple[Postings, Vectors], fields: Fields, weighing: Weighing
) -> Scored:
    """Score all candidates, each in view of the others."""
    signals = _signals(selection, beside, fields, weighing)
    ranking = judge(
        signals, weighing.fusion, scale=_find_scale(selection, beside[1], weighing, signals)
    )
    return Scored(selection, beside[1], fields, weighing, ranking)


def find_mean(selection: Selection, vectors: Vectors, weighing: Weighing) -> float | None:
    """Return the mean cosine of candidates that are nearly all there are, None of others."""
    if len(weighing.queries) != 1 or weighing.fusion is not Fusion.LINEAR:
        return None
    ((model, query),) = weighing.queries
    return vectors.mean(query, model, selection.rows) if query.any() else None


def name_rows(selection: Selection, rows: Rows, namespace: Field) -> list[tuple[str, ...]]:
    """Return the id and the namespace of some rows, by which they are told apart."""
    chosen = Selection("", selection.table, {}, rows)
    columns = [gather([chosen], (field,), _SURE).values for field in (ENTITY_ID, namespace)]
    texts = [[str(values.get(row)) for row in range(len(rows))] for values in columns if values]
    return list(zip(*texts, strict=True))


def mark(rows: Rows, length: int, *, inside: bool) -> Mask:
    """Return a mask of so many rows that is `inside` at these, and the contrary elsewhere."""
    mask = np.full(length, not inside)
    mask[rows] = inside
    return mask


def stack_vectors(vectors: Vectors, rows: Rows, queries: Sequence[tuple[str, Vector]]) -> Matrix:
    """Return the vectors of some rows by several models, side by side: one is like none of another.

    `queries` are the models, each with a vector of its dimension.
    """
    sides = [vectors.take(rows, model, len(query)) for model, query in queries]
    return np.concatenate([np.zeros((len(rows), 1), np.float32), *sides], axis=1)


def _signals(
    selection: Selection,
    beside: tuple[Postings, Vectors],
    fields: Fields,
    weighing: Weighing,
) -> Signals:
    rows = selection.rows
    keyword = None
    if weighing.terms is not None:
        worded = rows if weighing.worded is None else rows[weighing.worded[rows]]
        with stage("words"):
            keyword = beside[0].score(weighing.terms, worded, weighing.spaces).at(rows)
    return Signals(
        keyword,
        _cosines(beside[1], rows, weighing.queries) if weighing.queries else None,
        find_ages(selection, fields),
        read_numbers(selection, fields.importance),
    )


def _find_scale(
    selection: Selection, vectors: Vectors, weighing: Weighing, signals: Signals
) -> Scale | None:
    mean = find_mean(selection, vectors, weighing)
    if mean is None or signals.vector is None:
        return None
    return find_scale(signals.vector[~np.isnan(signals.vector)], mean)


def _cosines(vectors: Vectors, rows: Rows, queries: Sequence[tuple[str, Vector]]) -> Floats:
    cosines = np.full(len(rows), np.nan)
    with stage("vectors"):
        for model, query in queries:
            vectors.similarity(query, model, rows).spread(rows, cosines)
    return cosines


def find_ages(selection: Selection, fields: Fields) -> Floats:
    """Return the seconds between a row's last change and that of its namespace."""
    ages = np.zeros(len(selection.rows))
    for place, part, rows in _split(selection):
        spaces = part.columns.get(fields.namespace.name)
        times = part.columns.get(fields.updated.name)
        if spaces is None or times is None or not isinstance(spaces.values, TextValues):
            continue
        last = np.array(last_changes(selection.table, spaces.values.words.tolist()), np.float64)
        theirs = last if len(last) == 1 else last[spaces.values.codes[rows]]
        np.subtract(theirs, _as_numbers(times.values)[rows], out=ages[place])
    ages /= _SECOND
    return ages


def read_numbers(selection: Selection, field: Field) -> Floats:
    """Return the number that each row has in a field, 0 where there is none."""
    numbers = np.zeros(len(selection.rows))
    for place, part, rows in _split(selection):
        column = part.columns.get(field.name)
        if column is not None:
            numbers[place] = _as_numbers(column.values)[rows]
    return numbers


def _split(selection: Selection) -> Iterator[tuple[slice, Part, Rows | slice]]:
    """Yield the parts of the selected rows, which ascend: their places, and their numbers there."""
    table, rows = selection.table, selection.rows
    ends = np.searchsorted(rows, table.starts)
    for number, part in enumerate(table.parts):
        place = slice(int(ends[number]), int(ends[number + 1]))
        local = rows[place] - table.starts[number]
        whole = len(local) == len(part)  # as they stand they are read much quicker
        yield place, part, slice(None) if whole else local


def _as_numbers(values: Values) -> NDArray[np.float64] | NDArray[np.int64]:
    """Return the number of each row, 0 where there is none."""
    match values:
        case MomentValues():
            return values.starts
        case NumberValues() | IntegerValues():
            return values.numbers
        case _:
            raise TypeError(f"no numbers: {type(values).__name__}")


def _spread(best: Places, scored: Scored, limit: int) -> Places:
    """Choose hits that are good and unlike each other (maximal marginal relevance)."""
    weighing = scored.weighing
    matrix = stack_vectors(scored.vectors, scored.selection.rows[best], weighing.queries)
    chosen = diversify(scored.ranking.scores[best], matrix, weighing.balance or 0.0, limit)
    return best[np.array(chosen, np.int64)]
