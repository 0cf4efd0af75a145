"""The memories of one namespace as an index of Klyro's: chosen, scored, and walked in order."""

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

import numpy as np

from winnow.columns.arrays import Mask, MomentValues, NumberValues, Rows, TextValues
from winnow.columns.greatest import pick_greatest
from winnow.columns.masks import find_true
from winnow.columns.nearness import measure
from winnow.columns.pieces import Pieces
from winnow.columns.postings import Postings
from winnow.columns.table import Part, Table, join_masks
from winnow.columns.vectors import Vector, Vectors
from winnow.filter.ast import Pred
from winnow.filter.raw import stand_back, stand_in
from winnow.filter.rewrite import rewrite
from winnow.plan.columnar import MEMORIES
from winnow.rank.bm25 import Floats as Weights64
from winnow.rank.klyro.scores import Floats, Fusion, Metric, Signals, Weights, fade, fuse


@dataclass(frozen=True)
class Holdings:
    """The living memories of a namespace among the rows of a table; pieces of notes are none."""

    table: Table
    pieces: Pieces
    vectors: Vectors
    namespace: str

    @cached_property
    def masks(self) -> list[Mask]:
        """Which rows of each part they are."""
        return [self._mark(number) for number in range(len(self.table.parts))]

    @cached_property
    def mask(self) -> Mask:
        """Which rows of all parts they are."""
        return join_masks(self.masks)

    @cached_property
    def rows(self) -> Rows:
        """Their rows, in ascending order."""
        return np.flatnonzero(self.mask)

    def __len__(self) -> int:
        return len(self.rows)

    def choose(self, pred: Pred) -> Rows:
        """Return the rows that meet a filter."""
        truth = MEMORIES.evaluate(rewrite(pred), self.table)
        return find_true(truth.match & self.mask)

    def keys_of(self, rows: Rows) -> list[int]:
        """Return the store's keys of some rows."""
        return [self.table.key_of(row) for row in rows.tolist()]

    def count_vectors(self, model: str, dimension: int, rows: Rows) -> int:
        """Count those of some rows that have a vector of this model."""
        spaces = self.vectors.spaces_of(model, dimension, rows)
        return sum(
            len(space.select(chosen)) + len(space.select_zeros(chosen))
            for _, space, chosen in spaces
        )

    def walk(self, after: str | None, skipped: int = 0) -> Iterator[tuple[str, int]]:
        """Yield ids and rows by id, those behind an id; some of them may be skipped.

        Ids that are not UTF-8 come last.
        """
        behind = None if after is None else stand_in(after)
        walks = [self._walk_part(number, behind) for number in range(len(self.table.parts))]
        for name, row in islice(heapq.merge(*walks), skipped, None):
            yield stand_back(name), row

    def _mark(self, number: int) -> Mask:
        part, alive = self.table.parts[number], self.table.alive[number]
        column = part.columns.get("namespace")
        if column is None or not isinstance(column.values, TextValues):
            return np.zeros(len(part), np.bool_)
        words = column.values.words
        code = bisect_left(words, self.namespace)
        if code == len(words) or words[code] != self.namespace:
            return np.zeros(len(part), np.bool_)
        return (column.values.codes == code) & alive & (self.pieces.parts[number].notes == 0)

    def _walk_part(self, number: int, after: str | None) -> Iterator[tuple[str, int]]:
        part, first = self.table.parts[number], self.table.starts[number]
        words, codes = part.id_values.words, part.id_values.codes
        start = 0 if after is None else bisect_right(words, after)
        if part.ascends:
            rows = np.flatnonzero(self.masks[number][start:]) + start
        else:
            inside = np.flatnonzero(self.masks[number] & (codes >= start))
            rows = inside[np.argsort(codes[inside], kind="stable")]
        for at in range(0, len(rows), _WALKED):
            some = rows[at : at + _WALKED]
            yield from zip(words[codes[some]].tolist(), (some + first).tolist(), strict=True)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is searched for: numbers of words (None: not by words), and a vector of a model."""

    words: Sequence[int | None] | None = None
    vector: Vector | None = None
    model: str = ""
    metric: Metric = Metric.COSINE


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that was found: its row, its score, and what that is made of."""

    row: int
    score: float
    keyword: float = 0.0
    vector: float = 0.0
    recency: float = 0.0


@dataclass(frozen=True, slots=True)
class Fused:
    """How parts of a score are brought together; `limit` bounds the candidates that each gives.

    `now` is in milliseconds, `half_life` in seconds.
    """

    weights: Weights
    half_life: float
    fusion: Fusion
    limit: int
    now: int


def search_words(
    holdings: Holdings, postings: tuple[Postings, int], asked: Asked, rows: Rows, limit: int
) -> list[Found]:
    """Return the best of some rows by their words; with `postings` comes the namespace's number."""
    some, scores = _score_words(*postings, asked, rows)
    best = _best(holdings, some, scores, limit)
    return [Found(int(some[at]), float(scores[at]), keyword=float(scores[at])) for at in best]


def search_vectors(holdings: Holdings, asked: Asked, rows: Rows, limit: int) -> list[Found]:
    """Return the best of some rows by their vectors."""
    near = _measure(holdings, asked, rows, limit)
    best = _best(holdings, near[0], near[1], limit)
    return [Found(int(near[0][at]), float(near[1][at]), vector=float(near[1][at])) for at in best]


def search_both(
    holdings: Holdings,
    postings: tuple[Postings, int] | None,
    asked: Asked,
    rows: Rows,
    fused: Fused,
    limit: int,
) -> list[Found]:
    """Return the best of some rows by words, vectors, recency and importance together.

    `postings` come with the number of the namespace in them; there are none without words.
    """
    words = vectors = None
    if postings is not None and asked.words is not None:
        words = _cut(holdings, *_score_words(*postings, asked, rows), fused.limit)
    if asked.vector is not None:
        vectors = _cut(holdings, *_measure(holdings, asked, rows, fused.limit), fused.limit)
    some = _join(*(part[0] for part in (words, vectors) if part is not None))
    signals = Signals(
        None if words is None else _spread(words, some),
        None if vectors is None else _spread(vectors, some),
        _ages(holdings, some, fused.now),
        _importance(holdings, some),
    )
    scores = fuse(signals, fused.weights, fused.half_life, fused.fusion)
    best = _best(holdings, some, scores, limit)
    columns = (
        some[best],
        scores[best],
        _fill(signals.keyword, best),
        _fill(signals.vector, best),
        fade(signals.ages[best], fused.half_life),
    )
    return [Found(*one) for one in zip(*(column.tolist() for column in columns), strict=True)]


def _score_words(postings: Postings, space: int, asked: Asked, rows: Rows) -> tuple[Rows, Floats]:
    scored = postings.score(asked.words or (), rows, (space,))
    return scored.rows, _narrow(scored.scores)


def _narrow(scores: Weights64) -> Floats:
    return scores.astype(np.float32)


def _measure(holdings: Holdings, asked: Asked, rows: Rows, count: int) -> tuple[Rows, Floats]:
    if asked.vector is None:
        return _NO_ROWS, np.zeros(0, np.float32)
    near = measure(holdings.vectors, asked.vector, asked.model, asked.metric, rows, count)
    return near.rows, near.scores


def _best(holdings: Holdings, rows: Rows, scores: Floats, limit: int) -> list[int]:
    """Return the places of the best scores; of equal ones the lesser id comes first."""
    places = _find_best(holdings, rows, scores, limit)
    names = map(holdings.table.id_of, rows[places].tolist())
    ranked = sorted(zip((-scores[places]).tolist(), names, places.tolist(), strict=True))
    return [place for _, _, place in ranked]


def _cut(holdings: Holdings, rows: Rows, scores: Floats, limit: int) -> tuple[Rows, Floats]:
    """Keep the best, in the order of their rows; of equal ones those with the lesser id."""
    if len(rows) <= limit:
        return rows, scores
    places = _find_best(holdings, rows, scores, limit)
    return rows[places], scores[places]


def _find_best(holdings: Holdings, rows: Rows, scores: Floats, limit: int) -> Rows:
    """Return the places of the best, in their order; of equal ones those with the lesser id."""
    if len(rows) <= limit:
        return np.arange(len(rows))
    places = (scores >= pick_greatest(scores, limit)).nonzero()[0]
    if len(places) == limit:
        return places
    lowest = scores[places].min()
    tied = (scores[places] == lowest).nonzero()[0]
    kept = np.ones(len(places), np.bool_)
    kept[tied] = False
    kept[tied[_find_first(holdings, rows[places[tied]], limit + len(tied) - len(places))]] = True
    return places[kept]


def _find_first(holdings: Holdings, rows: Rows, count: int) -> Rows:
    """Return the places of the rows with the least ids, so many."""
    first: list[Rows] = []
    for part, start, some in _split(holdings, rows):
        codes = part.id_values.codes[rows[some] - start]  # in the order of the ids
        first.append(codes.argpartition(min(count, len(codes)) - 1)[:count] + some.start)
    if len(first) == 1:
        return first[0]
    places = np.concatenate(first)
    names = map(holdings.table.id_of, rows[places].tolist())
    least = heapq.nsmallest(count, zip(names, places.tolist(), strict=True))
    return np.array([place for _, place in least], np.int64)


def _split(holdings: Holdings, rows: Rows) -> Iterator[tuple[Part, int, slice]]:
    """Yield parts with some of the rows, which ascend, their first row, and which those are."""
    table = holdings.table
    bounds = np.searchsorted(rows, table.starts).tolist()
    for part, start, some in zip(table.parts, table.starts, pairwise(bounds), strict=False):
        if some[0] < some[1]:
            yield part, start, slice(*some)


def _spread(part: tuple[Rows, Floats], rows: Rows) -> Floats:
    """Return a part's scores for some rows, NaN for one that it does not have."""
    spread = np.full(len(rows), np.nan, np.float32)
    spread[np.searchsorted(rows, part[0])] = part[1]
    return spread


def _fill(values: Floats | None, places: list[int]) -> Floats:
    """Return some of the values, 0 for one that is not known."""
    if values is None:
        return np.zeros(len(places), np.float32)
    chosen = values[places]
    chosen[np.isnan(chosen)] = 0
    return chosen


def _join(*some: Rows) -> Rows:
    """Return the rows that are in any of some, all of which ascend."""
    every = np.sort(np.concatenate([_NO_ROWS, *some]), kind="stable")
    fresh = np.ones(len(every), np.bool_)
    np.not_equal(every[1:], every[:-1], out=fresh[1:])
    return every[fresh]


def _ages(holdings: Holdings, rows: Rows, now: int) -> Weights64:
    moments = np.zeros(len(rows), np.int64)
    for part, start, some in _split(holdings, rows):
        values = part.columns["updatedAt"].values
        if isinstance(values, MomentValues):
            moments[some] = values.starts[rows[some] - start]
    return (now * 1_000 - moments) / 1e6


def _importance(holdings: Holdings, rows: Rows) -> Floats:
    found = np.zeros(len(rows), np.float32)
    for part, start, some in _split(holdings, rows):
        values = part.columns["importance"].values
        if isinstance(values, NumberValues):
            found[some] = values.numbers[rows[some] - start]
    return found


_NO_ROWS: Rows = np.zeros(0, np.int64)
_WALKED = 64
