"""Klyro's scores: words, vectors, recency and importance weighed into one number of 32 bits.

Arrays have one entry for each candidate. A part that a candidate does not have is NaN, and worth
nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Places: TypeAlias = NDArray[np.int64]


class Fusion(StrEnum):
    """How words and vectors are brought together: by their values, or by their ranks."""

    LINEAR = "LINEAR"
    RRF = "RRF"


class Metric(StrEnum):
    """How near two vectors are; more is nearer."""

    COSINE = "COSINE"
    L2 = "L2"
    IP = "IP"


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part counts."""

    keyword: float = 0.35
    vector: float = 0.5
    recency: float = 0.1
    importance: float = 0.05


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of the candidates; None for a part that the query does not have.

    `ages` are seconds since their last change.
    """

    keyword: Floats | None
    vector: Floats | None
    ages: NDArray[np.float64]
    importance: Floats


def fade(ages: NDArray[np.float64], half_life: float) -> Floats:
    """Return how recent candidates are: 1 for now, half of it with each half-life."""
    return np.exp2(np.maximum(ages, 0) / -half_life).astype(np.float32)


def fuse(signals: Signals, weights: Weights, half_life: float, fusion: Fusion) -> Floats:
    """Return the score of each candidate."""
    scale = _SCALES[fusion]
    score = np.zeros(len(signals.ages), np.float32)
    for values, weight in ((signals.keyword, weights.keyword), (signals.vector, weights.vector)):
        if values is not None:
            score += np.float32(weight) * _scale_known(values, scale)
    score += np.float32(weights.recency) * fade(signals.ages, half_life)
    score += np.float32(weights.importance) * signals.importance
    return score


def _scale_known(values: Floats, scale: Callable[[Floats], Floats]) -> Floats:
    known = ~np.isnan(values)
    scaled = np.zeros(len(values), np.float32)
    if known.any():
        scaled[known] = scale(values[known])
    return scaled


def _by_spread(values: Floats) -> Floats:
    """Scale from the lowest to the highest; all are 1 where they are equal."""
    low, high = values.min(), values.max()
    if low == high:
        return np.ones(len(values), np.float32)
    return (values - low) / (high - low)


def _by_rank(values: Floats) -> Floats:
    """Return 1 / (60 + rank); equal values share the best rank."""
    ordered = np.sort(-values)
    ranks = np.searchsorted(ordered, -values, side="left") + 1
    return (1 / (_RRF_K + ranks)).astype(np.float32)


_RRF_K: Final = 60
_SCALES: Final[Mapping[Fusion, Callable[[Floats], Floats]]] = {
    Fusion.LINEAR: _by_spread,
    Fusion.RRF: _by_rank,
}
