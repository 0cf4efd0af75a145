"""The best of very many candidates, found without reading what can't be among them.

Vectors are read in 8 bits first. With what that leaves open, each candidate's score has a lower
and an upper bound; those whose upper bound reaches the best lower bounds are scored as they are.
What comes out is what scoring all of them gives, to the last digit.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import Rows
from winnow.columns.greatest import pick_greatest
from winnow.columns.postings import Postings, Scores
from winnow.columns.quantized import Estimates
from winnow.columns.vectors import Vector, Vectors
from winnow.plan.gather import Selection
from winnow.plan.ranking import (
    Fields,
    Ranked,
    Ranker,
    Scored,
    Weighing,
    find_ages,
    find_mean,
    mark,
    read_numbers,
    score,
)
from winnow.rank.fusion import (
    FUSION_WEIGHT,
    IMPORTANCE_WEIGHT,
    KEYWORD_SHARE,
    RECENCY_WEIGHT,
    Scale,
    Signals,
    fade,
    has_no_spread,
    judge,
)
from winnow.rank.mmr import SPREAD_OVER
from winnow.stages import stage, tally


def rank(
    selection: Selection, beside: tuple[Postings, Vectors], fields: Fields, weighing: Weighing
) -> Ranker:
    """Return what knows the order of the candidates, found in the quickest way."""
    mean = find_mean(selection, beside[1], weighing)
    if mean is None:
        return score(selection, beside, fields, weighing)
    return Sifted(selection, beside, fields, weighing, mean)


@dataclass(frozen=True)
class Sifted:
    """Many candidates, of which only the best are scored. `mean` is their mean cosine."""

    selection: Selection
    beside: tuple[Postings, Vectors]
    fields: Fields
    weighing: Weighing
    mean: float

    def best(self, limit: int) -> list[Ranked]:
        """Return the best rows, the highest score first, spread if that was asked for."""
        wanted = limit if self.weighing.balance is None else limit * SPREAD_OVER
        return (self._sift(wanted) or self._whole).best(limit)

    def sort(self, rows: Rows, limit: int) -> list[Ranked]:
        """Return the best of some rows, the highest score first; too low ones are left out."""
        return self._whole.sort(rows, limit)

    @cached_property
    def _whole(self) -> Scored:
        return score(self.selection, self.beside, self.fields, self.weighing)

    def _sift(self, wanted: int) -> Scored | None:
        """Score those that may be among the best; None if they are too many to be worth it."""
        rows, scale = self.selection.rows, self._scale
        if scale is None or scale.top is None or wanted < 1:
            return None
        doubt, near = self._doubt(scale.top), self._measure(scale.top)
        lowest = pick_greatest(near, wanted) - 2 * doubt - RECENCY_WEIGHT - IMPORTANCE_WEIGHT
        chosen = np.flatnonzero(near >= np.float32(lowest))
        if len(chosen) * _WORTH > len(rows):
            return None
        few = replace(self.selection, rows=rows[chosen])
        ages, importance = find_ages(few, self.fields), read_numbers(few, self.fields.importance)
        closer = near[chosen] + fade(ages) * RECENCY_WEIGHT + importance * IMPORTANCE_WEIGHT
        kept = np.flatnonzero(closer >= pick_greatest(closer, wanted) - 2 * doubt)
        best = replace(self.selection, rows=few.rows[kept])
        signals = Signals(
            None if self._words is None else self._words.at(best.rows),
            self._cosines(best.rows),
            ages[kept],
            importance[kept],
        )
        ranking = judge(signals, self.weighing.fusion, highest=self._highest, scale=scale)
        return Scored(best, self.beside[1], self.fields, self.weighing, ranking)

    def _weight(self, top: float) -> float:
        """Return how much a cosine that is 1 higher adds to a score."""
        share = 1.0 if self._words is None else 1 - KEYWORD_SHARE
        return FUSION_WEIGHT * share / (top - self.mean)

    def _doubt(self, top: float) -> float:
        """Return how far what is measured may be from what words and meaning give."""
        return self._weight(top) * (self._estimates[1].bound + _ROUNDED) + _SLACK

    def _measure(self, top: float) -> NDArray[np.float32]:
        """Return near to what words and meaning give each candidate together."""
        held, estimates = self._estimates
        weight = self._weight(top)
        shares = estimates.cosines * np.float32(weight)
        shares -= np.float32(self.mean * weight)
        np.maximum(shares, 0, out=shares)
        if len(held) < len(self.selection.rows):
            spread = np.zeros(len(self.selection.rows), np.float32)
            spread[self._places(held)] = shares
            shares = spread
        if self._words is not None and self._highest:
            places = self._places(self._words.rows)
            words = self._words.scores * (1 / self._highest)
            words *= self._keyword_weight(self._words.rows)
            shares[places] += words.astype(np.float32)
        return shares

    def _places(self, rows: Rows) -> Rows:
        """Return where some of the candidates are among all of them."""
        every = self.selection.rows
        if int(every[-1]) - int(every[0]) == len(every) - 1:  # they follow each other
            return rows - every[0]
        places = np.empty(int(every[-1]) + 1, np.int64)
        places[every] = np.arange(len(every))
        return places[rows]

    def _keyword_weight(self, rows: Rows) -> NDArray[np.float64] | float:
        """Return how much words weigh: all where there is no vector to share with."""
        held = self._estimates[0]
        if len(held) == len(self.selection.rows):
            return FUSION_WEIGHT * KEYWORD_SHARE
        sharing = mark(held, int(self.selection.rows[-1]) + 1, inside=True)[rows]
        return np.where(sharing, FUSION_WEIGHT * KEYWORD_SHARE, FUSION_WEIGHT)

    @property
    def _query(self) -> tuple[str, Vector]:
        return self.weighing.queries[0]

    @cached_property
    def _words(self) -> Scores | None:
        if self.weighing.terms is None:
            return None
        rows, worded = self.selection.rows, self.weighing.worded
        some = rows if worded is None else rows[worded[rows]]
        with stage("words"):
            return self.beside[0].score(self.weighing.terms, some, self.weighing.spaces)

    @cached_property
    def _highest(self) -> float:
        return 0.0 if self._words is None else float(self._words.scores.max(initial=0))

    @cached_property
    def _estimates(self) -> tuple[Rows, Estimates]:
        model, query = self._query
        with stage("vectors"):
            return self.beside[1].estimate(query, model, self.selection.rows)

    @cached_property
    def _scale(self) -> Scale | None:
        """What the cosines are measured by; None where they are too near to each other to tell."""
        held, estimates = self._estimates
        near, bound = estimates.cosines, estimates.bound
        floor = float(near.max()) - 2 * bound - _SLACK
        if not floor > -np.inf:
            return None
        top = float(np.nanmax(self._cosines(held[near >= np.float32(floor)])))
        if has_no_spread(float(near.min()) + bound, top) or top - self.mean < _NARROW:
            return None
        return Scale(self.mean, top)

    def _cosines(self, rows: Rows) -> NDArray[np.float64]:
        model, query = self._query
        cosines = np.full(len(rows), np.nan)
        with stage("vectors"):
            self.beside[1].similarity(query, model, rows).spread(rows, cosines)
        tally("rescored", len(rows))
        return cosines


_SLACK: Final = 2e-5  # more than what 32 bits and six digits leave open in a score
_ROUNDED: Final = 2.0**-22  # and in a cosine that was weighed: four roundings of up to 1
_NARROW: Final = 1e-3  # less is between mean and highest, and bounds say little
_WORTH: Final = 8
