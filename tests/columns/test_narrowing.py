"""Vectors of any length: the few that are left hold what measuring all of them finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.columns.matrices import multiply_plainly, random_rows, using, worlds

from winnow.columns.arrays import Rows
from winnow.columns.narrowing import Lengths, narrow
from winnow.columns.nearness import measure
from winnow.columns.products import Vector
from winnow.columns.quantized import quantize
from winnow.columns.vectors import Vectors, build_vectors
from winnow.embed.base import Matrix, unit_rows
from winnow.rank.klyro.scores import Metric


@pytest.mark.parametrize("metric", [Metric.IP, Metric.L2])
@given(world=worlds(), count=st.integers(1, 10), seed=st.integers(0, 2**32))
def test_the_best_by_distance_or_product_are_among_the_few_that_are_left(
    metric: Metric, world: tuple[Matrix, Vector, Rows | None], count: int, seed: int
) -> None:
    matrix, query, places = world
    random = np.random.default_rng(seed)
    query = query / np.float32(max(1, np.abs(query).max(initial=0) / 1e9))  # no square overflows
    sizes = 10.0 ** random.integers(-2, 3) * (1 + random.integers(0, 9, (len(matrix), 1)) * 2e-7)
    given_ = (matrix * sizes).astype(np.float32)
    part = build_vectors([row.tobytes() for row in given_], ["m"] * len(given_))
    space = part.spaces.get(("m", len(query)))
    if space is None:
        return
    if places is not None:
        places = space.select(places)
    lengths = Lengths(space.lengths, metric is Metric.L2)
    with using(multiply_plainly):
        left = narrow(space.matrix, quantize(space.matrix), query, places, count, lengths)
    vectors = Vectors((part,), (np.ones(len(given_), np.bool_),))

    def best(places: Rows | None) -> list[tuple[int, float]]:
        rows = space.rows if places is None else space.rows[places]
        near = measure(vectors, query, "m", metric, rows)
        pairs = list(zip(near.rows.tolist(), near.scores.tolist(), strict=True))
        bound = sorted((score for _, score in pairs), reverse=True)[:count][-1:]
        return [(row, score) for row, score in pairs if not score < bound[0]]

    assert best(left) == best(places)


@pytest.mark.parametrize("distance", [False, True])
def test_of_many_vectors_few_are_left(distance: bool) -> None:
    random = np.random.default_rng(7)
    matrix = unit_rows(random_rows(random, 20_000, 64))
    lengths = Lengths(random.uniform(1, 2, 20_000).astype(np.float32), distance)
    with using(multiply_plainly):
        left = narrow(matrix, quantize(matrix), matrix[3], None, 10, lengths)
    assert left is not None
    assert 10 <= len(left) < 1_000
