"""How near rows are to the vector of a query by cosine, distance or inner product."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import Rows
from winnow.columns.vectors import Space, Vector, Vectors, measure_lengths
from winnow.rank.klyro.scores import Metric


@dataclass(frozen=True, slots=True)
class Nearness:
    """Rows in ascending order that have a vector, and how near each is; more is nearer."""

    rows: Rows
    scores: Vector


def measure(
    vectors: Vectors,
    query: Vector,
    model: str,
    metric: Metric,
    candidates: Rows,
    count: int | None = None,
) -> Nearness:
    """Measure those candidates, given as rows in ascending order, that have a vector.

    With `count` only that many of the nearest need come back, and all that tie with the last.
    """
    rows: list[Rows] = [np.zeros(0, np.int64)]
    scores: list[Vector] = [np.zeros(0, np.float32)]
    for start, space, chosen in vectors.spaces_of(model, len(query), candidates):
        places, near = _MEASURES[metric](space, space.select(chosen), query, count)
        found = space.rows[places]
        zeros = space.select_zeros(chosen)
        if len(zeros):
            found = np.concatenate([found, zeros])
            near = np.concatenate([near, _measure_zeros(metric, query, len(zeros))])
            order = np.argsort(found, kind="stable")
            found, near = found[order], near[order]
        rows.append(found + start)
        scores.append(near)
    return Nearness(np.concatenate(rows), np.concatenate(scores))


def _measure_cosine(
    space: Space, places: Rows, query: Vector, count: int | None
) -> tuple[Rows, Vector]:
    length = float(measure_lengths(query[np.newaxis])[0])
    if length == 0:  # nothing is in its direction
        return places, np.zeros(len(places), np.float32)
    direction = (query / np.float32(length)).astype(np.float32)
    if count is None:
        return places, space.multiply(direction, places)
    nearest = space.find_nearest(direction, places, count)
    return nearest.places, nearest.cosines


def _measure_product(
    space: Space, places: Rows, query: Vector, count: int | None
) -> tuple[Rows, Vector]:
    if count is not None:
        places = space.narrow(query, places, count, distance=False)
    products = space.multiply(query, places) * space.lengths[places].astype(np.float64)
    return places, _settle(products)


def _measure_distance(
    space: Space, places: Rows, query: Vector, count: int | None
) -> tuple[Rows, Vector]:
    if count is not None:
        places = space.narrow(query, places, count, distance=True)
    lengths = space.lengths[places].astype(np.float64)
    products = space.multiply(query, places) * lengths
    squares = lengths**2 - 2 * products + float(np.dot(query, query))
    _measure_near_ones(space, places, query, squares)
    return places, -_settle(np.sqrt(np.maximum(squares, 0)))


def _settle(values: NDArray[np.float64]) -> Vector:
    """Leave out the last bits, so that equal rows tie: they were brought to length 1 and back."""
    shares, powers = np.frexp(values)
    return np.ldexp(np.rint(shares * _SHARES) / _SHARES, powers).astype(np.float32)


def _measure_near_ones(
    space: Space, places: Rows, query: Vector, squares: NDArray[np.float64]
) -> None:
    """Measure again what is so near that the difference of squares says little about it."""
    scale = float(np.dot(query, query)) + space.lengths[places].astype(np.float64) ** 2
    near = np.flatnonzero(squares < _DOUBTFUL * scale)
    for start in range(0, len(near), _BATCH):
        some = near[start : start + _BATCH]
        chosen = places[some]
        given = space.matrix[chosen].astype(np.float64) * space.lengths[chosen, np.newaxis]
        squares[some] = np.square(given - query).sum(axis=1)


def _measure_zeros(metric: Metric, query: Vector, count: int) -> Vector:
    score = -float(measure_lengths(query[np.newaxis])[0]) if metric is Metric.L2 else 0.0
    return np.full(count, score, np.float32)


_BATCH: Final = 4_096
_SHARES: Final = 2.0**20
# Errors of 32 bits are below a ten-thousandth of a distance whose square is this share of the sum.
_DOUBTFUL: Final = 1e-2
_Measure: TypeAlias = Callable[[Space, Rows, Vector, int | None], tuple[Rows, Vector]]
_MEASURES: Final[Mapping[Metric, _Measure]] = {
    Metric.COSINE: _measure_cosine,
    Metric.L2: _measure_distance,
    Metric.IP: _measure_product,
}
