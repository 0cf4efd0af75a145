"""BM25: how well a text's terms answer those of a query, given all the texts that are searched."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

K1: Final = 1.2
B: Final = 0.75

Numbers: TypeAlias = NDArray[np.int64] | NDArray[np.float64]
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Statistics:
    """What all the texts that are searched are like.

    `texts` is their number, `length` that of their terms, repeated ones too, and `frequencies`
    has for each term of a query the number of texts that it is in.
    """

    texts: int
    length: int
    frequencies: tuple[int, ...]

    @property
    def average(self) -> float:
        """The length of a text; 1 where there is none to divide by."""
        return self.length / self.texts if self.length else 1.0

    def __add__(self, other: "Statistics") -> "Statistics":
        """Return the statistics of both collections together, for the same query."""
        pairs = zip(self.frequencies, other.frequencies, strict=True)
        return Statistics(
            self.texts + other.texts,
            self.length + other.length,
            tuple(mine + theirs for mine, theirs in pairs),
        )


# What one term of a query is worth to some texts: how often they have it, their lengths, the
# statistics, and the number of the term in them.
Weigh: TypeAlias = Callable[[Floats, Floats, Statistics, int], Floats]


def weigh(counts: Floats, lengths: Floats, statistics: Statistics, term: int) -> Floats:
    """Return what a query's term adds to the score of each text; more than 0 if it has the term.

    The result is new; the arguments stay as they are.
    """
    norms = lengths * (K1 * B / statistics.average)
    norms += K1 * (1 - B)
    norms += counts
    weights = counts * (rarity(statistics.frequencies[term], statistics.texts) * (K1 + 1))
    weights /= norms
    return weights


def rarity(frequency: int, texts: int) -> float:
    """Return how much a term tells that is in `frequency` of `texts` texts: more than 0."""
    return math.log(1 + (texts - frequency + 0.5) / (frequency + 0.5))


def score_text(counts: Sequence[int], length: int, statistics: Statistics) -> float:
    """Return the score of one text; `counts` tells how often it has each term of the query."""
    score = 0.0
    lengths = np.array([float(length)])
    for term, count in enumerate(counts):
        if count:
            score += float(weigh(np.array([float(count)]), lengths, statistics, term)[0])
    return score
