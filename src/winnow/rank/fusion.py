"""One score out of words, meaning, recency and importance: between 0 and 1, higher is better.

Arrays have one entry for each candidate. Their order doesn't matter: the same candidates get the
same scores, however they are laid out.
"""

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.int64]

FUSION_WEIGHT: Final = 0.9
KEYWORD_SHARE: Final = 0.6  # of words beside meaning, by their values
RECENCY_WEIGHT: Final = 0.05
IMPORTANCE_WEIGHT: Final = 0.05
HALF_LIFE: Final = 7 * 86_400.0  # seconds
DIGITS: Final = 6


class Fusion(StrEnum):
    """How words and meaning become one: by their values, or by the ranks that they give."""

    LINEAR = "linear"
    RRF = "rrf"


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of the candidates.

    `keyword` is bm25, 0 where no term of the query is found; None if the query has no terms.
    `vector` is the cosine, NaN for a candidate without a vector; None if the query has none.
    `ages` are the seconds from a candidate's last change to the last one of its namespace.
    """

    keyword: Floats | None
    vector: Floats | None
    ages: Floats
    importance: Floats


@dataclass(frozen=True, slots=True)
class Components:
    """What one candidate's score is made of, each between 0 and 1 and rounded.

    None stands for what the query or the candidate does not have.
    """

    keyword: float | None
    vector: float | None
    recency: float
    importance: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The scores, rounded, and what they are made of, not rounded yet."""

    scores: Floats
    keyword: Floats | None
    vector: Floats | None
    recency: Floats
    importance: Floats

    def components(self, place: int) -> Components:
        """Return what the score of one candidate is made of."""
        return Components(
            _part(self.keyword, place),
            _part(self.vector, place),
            round(float(self.recency[place]), DIGITS),
            round(float(self.importance[place]), DIGITS),
        )


@dataclass(frozen=True, slots=True)
class Scale:
    """What cosines are measured by: their mean, and the highest of them, `top`.

    Without a spread `top` is None.
    """

    mean: float
    top: float | None


def judge(
    signals: Signals,
    fusion: Fusion = Fusion.LINEAR,
    *,
    highest: float | None = None,
    scale: Scale | None = None,
) -> Ranking:
    """Score the candidates.

    Of some of many, `highest` and `scale` are those of all: the highest bm25, and what cosines are
    measured by.
    """
    method = _METHODS[fusion]
    keyword = vector = None
    if signals.keyword is not None:
        keyword = method.scale_keyword(signals.keyword, highest)
    if signals.vector is not None:
        vector = _where_known(partial(method.scale_vector, scale=scale), signals.vector)
    recency = fade(signals.ages)
    scores = _mix(keyword, vector, method, len(recency))
    scores *= FUSION_WEIGHT
    part = np.multiply(recency, RECENCY_WEIGHT)  # again and again: new memory costs more than sums
    scores += part
    scores += np.multiply(signals.importance, IMPORTANCE_WEIGHT, out=part)
    np.round(scores, DIGITS, out=scores)
    return Ranking(scores, keyword, vector, recency, signals.importance)


def select_best(
    scores: Floats,
    limit: int,
    name: Callable[[Places], Sequence[tuple[str, ...]]],
    minimum: float | None = None,
) -> Places:
    """Return the places of the best scores, at least `minimum`, the highest first.

    Of equal scores the one with the lesser name comes first; `name` gives an id and what else
    tells candidates apart, and is asked only for those that may be among the best.
    """
    kept = scores if minimum is None else scores[scores >= minimum]
    last = len(kept) - limit
    if last > 0:
        minimum = _find_bound(kept, limit) if limit else np.inf
    places = np.arange(len(scores)) if minimum is None else np.flatnonzero(scores >= minimum)
    ranks: list[float] = (-scores[places]).tolist()
    numbers: list[int] = places.tolist()
    best = heapq.nsmallest(limit, zip(ranks, name(places), numbers, strict=True))
    return np.array([number for _, _, number in best], np.int64)


def _find_bound(scores: Floats, limit: int) -> float:
    """Return the lowest of the best scores: so many are at least as high.

    Of stretches of scores, each as high as the highest of it, so many give a bound that few others
    reach: to look for it among those is several times as quick.
    """
    whole = len(scores) // _STRETCH
    if whole >= limit:
        highest = scores[: whole * _STRETCH].reshape(whole, _STRETCH).max(axis=1)
        scores = scores[scores >= np.partition(highest, whole - limit)[whole - limit]]
    last = len(scores) - limit
    return float(np.partition(scores, last)[last])


def _mix(keyword: Floats | None, vector: Floats | None, method: "_Method", size: int) -> Floats:
    """Weigh words and meaning; one that is not there gives its weight to the other."""
    if keyword is None:
        return np.zeros(size) if vector is None else np.nan_to_num(vector, nan=0.0)
    if vector is None:
        return keyword.copy()
    mixed = method.vector_weight * vector
    mixed += method.keyword_weight * keyword
    lacking = np.isnan(mixed)
    if lacking.any():
        mixed[lacking] = keyword[lacking]
    return mixed


def _where_known(scale: Callable[[Floats], Floats], vector: Floats) -> Floats:
    known = ~np.isnan(vector)
    if known.all():
        return scale(vector) if len(vector) else vector
    scaled = np.full(len(vector), np.nan)
    if known.any():
        scaled[known] = scale(vector[known])
    return scaled


def _part(values: Floats | None, place: int) -> float | None:
    if values is None or np.isnan(values[place]):
        return None
    return round(float(values[place]), DIGITS)


def fade(ages: Floats) -> Floats:
    """Return how recent what has some age is: 1 at first, half as much after each half-life."""
    recency = np.maximum(ages, 0)
    recency /= -HALF_LIFE
    return np.exp2(recency, out=recency)


def find_scale(cosines: Floats, mean: float | None = None) -> Scale:
    """Return what some cosines are measured by; their mean may be known."""
    lowest, top = float(cosines.min()), float(cosines.max())
    if has_no_spread(lowest, top):
        return Scale(0.0, None)
    if mean is None:
        # Averaged in whole numbers: a sum of floats would depend on their order.
        units = _to_units(cosines)
        starts = range(0, len(units), _EXACT)
        mean = sum(map(int, np.add.reduceat(units, starts).tolist())) / len(units) / _UNIT
    return Scale(mean, top)


def has_no_spread(lowest: float, top: float) -> bool:
    """Tell whether cosines between these bounds are as good as equal."""
    return top - lowest < _NO_SPREAD


def _by_highest(keyword: Floats, highest: float | None = None) -> Floats:
    if highest is None:
        highest = float(keyword.max(initial=0))
    return keyword / highest if highest else np.zeros(len(keyword))


def _above_mean(cosines: Floats, scale: Scale | None = None) -> Floats:
    """Scale from the mean to the highest; without a spread, keep what is positive."""
    scale = scale or find_scale(cosines)
    if scale.top is None:
        return np.clip(cosines, 0, 1)
    units = _to_units(cosines)
    mean = scale.mean * _UNIT
    units -= mean
    units /= round(scale.top * _UNIT) - mean
    return np.maximum(units, 0, out=units)


def _to_units(cosines: Floats) -> Floats:
    units = cosines * _UNIT
    units += _ROUNDER  # what is behind the point has no place beside it: many times as quick as
    units -= _ROUNDER  # `rint`, and rounds alike
    return units


def _by_rank(values: Floats, scale: object = None) -> Floats:
    """Give 1 to the highest, less to each rank below; equal values share a rank."""
    order = np.argsort(-values, kind="stable")
    changes = np.diff(values[order], prepend=np.inf) != 0
    ahead = np.maximum.accumulate(np.where(changes, np.arange(len(values)), 0))
    shares = np.empty(len(values))
    shares[order] = (_RRF_K + 1) / (_RRF_K + 1 + ahead)
    return shares


def _by_rank_of_hits(keyword: Floats, highest: object = None) -> Floats:
    return np.where(keyword > 0, _by_rank(keyword), 0)


@dataclass(frozen=True, slots=True)
class _Method:
    """How each part is brought to 0..1, and how much it weighs."""

    scale_keyword: "Callable[[Floats, float | None], Floats]"
    scale_vector: "Callable[..., Floats]"
    keyword_weight: float
    vector_weight: float


_METHODS: Final[Mapping[Fusion, _Method]] = {
    Fusion.LINEAR: _Method(_by_highest, _above_mean, KEYWORD_SHARE, 1 - KEYWORD_SHARE),
    Fusion.RRF: _Method(_by_rank_of_hits, _by_rank, 0.5, 0.5),
}
_RRF_K: Final = 60
_STRETCH: Final = 32
# Cosines of equal vectors differ by less, for they are computed in 32 bits.
_NO_SPREAD: Final = 1e-6
_UNIT: Final = 2.0**36
_EXACT: Final = 2**16  # so many add up to less than 2^53, so that no sum depends on their order
_ROUNDER: Final = 1.5 * 2.0**52  # for numbers up to 2^51
