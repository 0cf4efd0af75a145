"""Maximal marginal relevance: hits that answer the query without saying the same again."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from winnow.rank.fusion import Floats


def diversify(
    relevance: Floats, vectors: NDArray[np.float32] | Floats, balance: float, limit: int
) -> list[int]:
    """Return places of candidates, the one first that adds most to those before it.

    Each next one has the highest `balance` · relevance - (1 - `balance`) · (its highest cosine
    to any before it); of equal ones the first. `balance` 1 looks at relevance alone. `vectors`
    has a row of length 1 for each candidate, or zeros for one without: it is like no other.
    """
    rows = vectors.astype(np.float64)
    likeness = np.zeros(len(rows))
    left = np.ones(len(rows), np.bool_)
    chosen: list[int] = []
    while len(chosen) < min(limit, len(rows)):
        gains = np.round(balance * relevance - (1 - balance) * likeness, _DIGITS)
        best = int(np.argmax(np.where(left, gains, -np.inf)))
        cosines = rows @ rows[best]
        likeness = np.maximum(likeness, cosines) if chosen else cosines
        left[best] = False
        chosen.append(best)
    return chosen


# Products of the same rows differ in the last digits by where the rows stand.
_DIGITS: Final = 9


SPREAD_OVER: Final = 5
"""Times as many hits as are wanted are spread."""
