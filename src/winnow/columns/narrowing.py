"""The few vectors among which the best are, by their distance to a query or their product with it.

The rows have length 1, as for `quantized`, and each vector is a row times its length.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import Rows
from winnow.columns.greatest import Floats, choose_greatest, pick_greatest
from winnow.columns.products import Vector
from winnow.columns.quantized import (
    EPSILON,
    PER_HIT,
    SPARE,
    Codes,
    Scan,
    ask,
    measure_square,
)
from winnow.embed.base import Matrix


@dataclass(frozen=True, slots=True)
class Lengths:
    """Vectors that are `lengths` times the rows, and whether those are sought that are nearest.

    Without `distance` they are those with the greatest products with the query.
    """

    lengths: Vector
    distance: bool

    def at(self, places: Rows | None) -> "Lengths":
        """Return those of some rows."""
        return self if places is None else Lengths(self.lengths[places], self.distance)

    def weigh(self, products: Floats) -> NDArray[np.float64]:
        """Return what is sought to be great: a product, or the part of -distance² that differs."""
        exact = self.lengths.astype(np.float64)
        return exact * (2.0 * products - exact) if self.distance else exact * products

    def doubt(self, query: Vector) -> NDArray[np.float64] | float:
        """Return how far `weigh` of exact products may be from what the rows themselves give."""
        if not self.distance:
            return 0.0
        squares = self.lengths.astype(np.float64) ** 2 + measure_square(query)
        return squares * ((len(query) + 16) * 2 * EPSILON)

    def widen(self, bounds: NDArray[np.float64], query: Vector) -> NDArray[np.float64]:
        """Return how far what `weigh` says may be off where products are off by so much."""
        factor = 2 if self.distance else 1
        return bounds * self.lengths * factor + self.doubt(query)

    def lower(self, threshold: float, query: Vector) -> float:
        """Return what ties with a threshold once all but 20 bits of a result are left out."""
        if not abs(threshold) < _GREAT:
            return -np.inf
        size = max(measure_square(query) - threshold, 0) if self.distance else abs(threshold)
        return threshold - size * _SETTLED - _SMALL


def narrow(
    matrix: Matrix,
    codes: Codes | None,
    query: Vector,
    places: Rows | None,
    count: int,
    lengths: Lengths,
) -> Rows | None:
    """Return candidates, few, among which are the `count` best vectors and all that tie with them.

    Else like `find_nearest`; `places` themselves come back where it is quicker to measure all.
    Whatever ties in 20 bits counts as tied.
    """
    question = None if count < 1 else ask(codes, query, places, count * PER_HIT)
    if codes is None or question is None:
        return places
    scan = Scan(matrix, codes, question, places, question.score(codes, places))
    here = lengths.at(places)
    reach = here.weigh(scan.scores * np.float64(question.scale))
    first = choose_greatest(reach, count + SPARE)
    some = here.at(first)
    threshold = pick_greatest(some.weigh(scan.measure(first)) - some.doubt(query), count)
    least = here.lower(threshold, query)
    # With the widest bound first, which is one number, then with each one's own.
    longest = Lengths(here.lengths.max(keepdims=True), lengths.distance)
    bound = np.array([question.base + question.slope * codes.worst])
    chosen = (~(reach < least - longest.widen(bound, query))).nonzero()[0]
    places = chosen if places is None else places[chosen]
    bound = question.base + question.slope * codes.errors[places].astype(np.float64)
    return places[~(reach[chosen] < least - here.at(chosen).widen(bound, query))]


_GREAT: Final = 1e30  # beyond it, and below the other, floats of 32 bits may tie that differ
_SMALL: Final = 1e-37
_SETTLED: Final = 2.0**-16  # more than the share of a square that rounding to 20 bits may hide
