"""Keywords: which rows have a query's terms, and how well that answers it.

Postings are derived from the blobs of terms that the store keeps. They come in parts that never
change, one for each part of a table, row for row.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Final, TypeAlias, cast

import numpy as np

from winnow.columns.arrays import Mask, Rows
from winnow.columns.inversion import PostingsPart, Texts
from winnow.rank.bm25 import Floats, Statistics, Weigh, weigh


@dataclass(frozen=True, slots=True)
class Scores:
    """Rows in ascending order and their scores, which are more than 0."""

    rows: Rows
    scores: Floats

    def at(self, rows: Rows) -> Floats:
        """Return the scores of some rows, which ascend; 0 where there is none."""
        scores = np.zeros(len(rows))
        few, many = (rows, self.rows) if len(rows) < len(self.rows) else (self.rows, rows)
        places = np.searchsorted(many, few)
        ahead = int(np.searchsorted(places, len(many)))  # behind it they are beyond the last one
        held = np.flatnonzero(many[places[:ahead]] == few[:ahead])
        if few is rows:
            scores[held] = self.scores[places[held]]
        else:
            scores[places[held]] = self.scores[held]
        return scores


@dataclass(frozen=True)
class Postings:
    """The postings of a table's rows, numbered through all parts; `alive` has one mask a part.

    All is counted over living rows only, so that no score tells how the rows came into their
    parts, and over the namespaces that are searched, given by number (None: all).
    """

    parts: tuple[PostingsPart, ...] = ()
    alive: tuple[Mask, ...] = ()

    @cached_property
    def starts(self) -> list[int]:
        """The number of the first row of each part, and of all rows."""
        return [0, *accumulate(len(part) for part in self.parts)]

    @property
    def nbytes(self) -> int:
        """The memory that the parts take."""
        return sum(part.nbytes for part in self.parts)

    def statistics(
        self, terms: Sequence[int | None], namespaces: Collection[int] | None = None
    ) -> Statistics:
        """Return what the texts of some namespaces are like; None is a term that nobody has."""
        return self._describe(len(terms), self._find_spans(terms), self._find_scopes(namespaces))

    def score(
        self,
        terms: Sequence[int | None],
        candidates: Mask | Rows | None = None,
        namespaces: Collection[int] | None = None,
        statistics: Statistics | None = None,
        weigh: Weigh = weigh,
    ) -> Scores:
        """Score the candidates by a query's terms; a row that has none of them is left out.

        Candidates are a mask of all rows, or rows in ascending order; those that are dead or in
        another namespace don't count. Without them every row is one. `statistics` are given
        when several tables are searched as one.
        """
        scopes, spans = self._find_scopes(namespaces), self._find_spans(terms)
        query = _Query(statistics or self._describe(len(terms), spans, scopes), weigh)
        rows: list[Rows] = [np.zeros(0, np.int64)]
        scores: list[Floats] = [np.zeros(0)]
        for number, part in enumerate(self.parts):
            chosen = self._choose(number, candidates, scopes[number])
            selector = _Selector(scopes[number], chosen)
            found, weights = _score_part(part, selector, spans[number], query)
            if part.rows is not None:
                order = np.argsort(part.rows[found])
                found, weights = part.rows[found][order], weights[order]
            rows.append(found + self.starts[number])
            scores.append(weights)
        return Scores(np.concatenate(rows), np.concatenate(scores))

    def _find_scopes(self, namespaces: Collection[int] | None) -> "list[_Scope]":
        return [_find_scope(part, namespaces) for part in self.parts]

    def _find_spans(self, terms: Sequence[int | None]) -> "list[_Spans]":
        return [tuple(part.span(term) for term in terms) for part in self.parts]

    def _describe(
        self, count: int, spans: "Sequence[_Spans]", scopes: "Sequence[_Scope]"
    ) -> Statistics:
        total = Statistics(0, 0, (0,) * count)
        for part, dead, own, scope in zip(self.parts, self._dead, spans, scopes, strict=True):
            total += _count(part, dead, own, scope)
        return total

    @cached_property
    def _living(self) -> list[Mask]:
        return [part.by_text(alive) for part, alive in zip(self.parts, self.alive, strict=True)]

    @cached_property
    def _dead(self) -> list[Texts]:
        return [np.flatnonzero(~living).astype(np.int32) for living in self._living]

    def _choose(
        self, number: int, candidates: Mask | Rows | None, scope: "_Scope"
    ) -> "_Chosen | None":
        """Return the texts of a part that are scored; None if the scope's edges say it all."""
        part, living, dead = self.parts[number], self._living[number], self._dead[number]
        first, end = self.starts[number], self.starts[number + 1]
        start, stop = first, end
        if candidates is not None and candidates.dtype == np.bool_:
            mask = part.by_text(cast(Mask, candidates)[first:end])
            return _Masked(scope.cut_mask(mask & living if len(dead) else mask))
        if candidates is not None:
            start, stop = np.searchsorted(candidates, [first, end]).tolist()
        if candidates is None or stop - start == len(part):
            if not len(dead) and len(scope.edges) <= 2:
                return None
            return _Masked(scope.cut_mask(living))
        rows = cast(Rows, candidates)[start:stop] - first
        if part.rows is not None and len(rows) * _SORTED > len(part):
            mask = part.mark(rows)  # to mark many is quicker than to sort them
            return _Masked(scope.cut_mask(mask & living if len(dead) else mask))
        texts = part.texts_of(rows)
        texts = texts[living[texts]] if len(dead) else texts
        return _Listed(scope.cut_texts(texts.astype(np.int32)), len(part))


# Where the postings of each term of a query begin and end in a part.
_Spans: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Query:
    statistics: Statistics
    weigh: Weigh


@dataclass(frozen=True, slots=True)
class _Scope:
    """The namespaces of a part that are searched, and where their texts begin and end.

    `edges` ascend: the texts from the first up to the second are in, those from the third up to
    the fourth, and so on.
    """

    wanted: Mask
    edges: Texts
    is_whole: bool

    def cut_texts(self, texts: Texts) -> Texts:
        if self.is_whole:
            return texts
        return texts[np.searchsorted(self.edges, texts, side="right") % 2 == 1]

    def cut_mask(self, mask: Mask) -> Mask:
        if self.is_whole:
            return mask
        cut = np.zeros(len(mask), np.bool_)
        for start, end in self.edges.reshape(-1, 2).tolist():
            cut[start:end] = mask[start:end]
        return cut


def _find_scope(part: PostingsPart, namespaces: Collection[int] | None) -> _Scope:
    wanted = np.ones(len(part.namespaces), np.bool_)
    if namespaces is not None and len(part.namespaces) == 1:
        wanted[0] = int(part.namespaces[0]) in namespaces  # `isin` takes its time for one
    elif namespaces is not None:
        numbers = np.fromiter(namespaces, np.int64, len(namespaces))
        wanted = np.isin(part.namespaces, numbers)
    if wanted.all():
        return _Scope(wanted, np.array([0, len(part)], np.int32), is_whole=True)
    # An edge is where a wanted namespace stands beside one that is not.
    edges = np.flatnonzero(np.diff(wanted, prepend=False, append=False))
    return _Scope(wanted, part.bounds[edges].astype(np.int32), is_whole=False)


@dataclass(frozen=True)
class _Masked:
    mask: Mask

    @cached_property
    def count(self) -> int:
        return int(np.count_nonzero(self.mask))

    @cached_property
    def texts(self) -> Texts:
        return np.flatnonzero(self.mask).astype(np.int32)


@dataclass(frozen=True)
class _Listed:
    texts: Texts
    size: int

    @property
    def count(self) -> int:
        return len(self.texts)

    @cached_property
    def mask(self) -> Mask:
        mask = np.zeros(self.size, np.bool_)
        mask[self.texts] = True
        return mask


# Texts of a part, as a mask and in ascending order; one is made of the other when it is needed.
_Chosen: TypeAlias = _Masked | _Listed


@dataclass(frozen=True, slots=True)
class _Selector:
    """Picks what is searched out of the texts that have a term."""

    scope: _Scope
    chosen: _Chosen | None

    def pick(self, texts: Texts) -> Rows | slice:
        """Return the places of what is searched among texts that ascend."""
        start, end = 0, len(texts)
        if not self.scope.is_whole:
            start, *_, end = np.searchsorted(texts, self.scope.edges).tolist() or (0, 0)
        if self.chosen is None:
            return slice(start, end)
        inside = texts[start:end]
        if self.chosen.count * _STEP_COST < len(inside):
            return start + _find(self.chosen.texts, inside)
        # Numpy looks up by int64; a conversion before is quicker than its own.
        return start + np.flatnonzero(np.take(self.chosen.mask, inside.astype(np.int64)))


def _find(few: Texts, many: Texts) -> Rows:
    """Return the places in `many` of those of `few` that it has; both ascend."""
    places = np.searchsorted(many, few)
    places = places[: np.searchsorted(places, len(many))]
    return places[many[places] == few[: len(places)]]


def _count(part: PostingsPart, dead: Texts, spans: _Spans, scope: _Scope) -> Statistics:
    texts, length = len(part), part.length
    frequencies = [end - start for start, end in spans]
    if not scope.is_whole:
        texts = int(np.diff(part.bounds)[scope.wanted].sum())
        length = int(part.sizes[scope.wanted].sum())
        cuts = [part.texts[start:end].searchsorted(scope.edges) for start, end in spans]
        frequencies = [int(one[1::2].sum()) - int(one[::2].sum()) for one in cuts]
    dead = scope.cut_texts(dead)
    if len(dead):
        gone = _Selector(scope, _Listed(dead, len(part)))
        texts -= len(dead)
        length -= int(part.lengths[dead].sum(dtype=np.int64))
        for number, (start, end) in enumerate(spans):
            postings = part.texts[start:end]
            frequencies[number] -= len(postings[gone.pick(postings)])
    return Statistics(texts, length, tuple(frequencies))


def _score_part(
    part: PostingsPart, selector: _Selector, spans: _Spans, query: _Query
) -> tuple[Rows, Floats]:
    """Return the texts that have a term, in ascending order, and their scores."""
    found: list[Rows] = []
    weights: list[Floats] = []
    for number, (start, end) in enumerate(spans):
        places = selector.pick(part.texts[start:end])
        texts = part.texts[start:end][places]
        if len(texts):
            found.append(texts.astype(np.int64))
            counts = part.counts[start:end][places].astype(np.float64)
            lengths = np.take(part.lengths, found[-1]).astype(np.float64)
            weights.append(query.weigh(counts, lengths, query.statistics, number))
    return _add_up(found, weights, len(part))


def _add_up(found: list[Rows], weights: list[Floats], size: int) -> tuple[Rows, Floats]:
    """Add the weights of each text, in the order of the terms: sums depend on it."""
    if not found:
        return np.zeros(0, np.int64), np.zeros(0)
    if len(found) == 1:
        return found[0], weights[0]
    if sum(map(len, found)) * _SORT_COST < size:
        texts, places = np.unique(np.concatenate(found), return_inverse=True)
        sums = np.zeros(len(texts))
        np.add.at(sums, places, np.concatenate(weights))
        return texts, sums
    sums = np.zeros(size)
    for texts, weight in zip(found, weights, strict=True):
        np.add.at(sums, texts, weight)  # quicker than `sums[texts] += weight`
    texts = np.flatnonzero(sums > 0)
    return texts, np.take(sums, texts)


# What a step of a binary search costs beside a look into a mask, and an item to sort beside one
# to look at.
_STEP_COST: Final = 16
_SORTED: Final = 64  # one in so many rows is few enough to sort them
_SORT_COST: Final = 64
