"""How near vectors are, against sums in plain Python."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.nearness import measure
from winnow.columns.vectors import Vectors, build_vectors
from winnow.rank.klyro.scores import Metric

NUMBERS = st.floats(-8, 8, width=32)
ROWS = st.lists(st.none() | st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=12)


def pack(vector: Sequence[float] | None) -> bytes | None:
    return None if vector is None else np.array(vector, "<f4").tobytes()


def vectors_of(rows: Sequence[Sequence[float] | None], cut: int) -> Vectors:
    """Vectors in two parts."""
    parts = [rows[:cut], rows[cut:]]
    made = tuple(build_vectors([pack(one) for one in some], ["m"] * len(some)) for some in parts)
    return Vectors(made, tuple(np.ones(len(some), np.bool_) for some in parts))


def cosine(one: Sequence[float], two: Sequence[float]) -> float:
    return dot(one, two) / (math.hypot(*one) * math.hypot(*two))


def dot(one: Sequence[float], two: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, two, strict=True))


PLAIN: Mapping[Metric, Callable[[Sequence[float], Sequence[float]], float]] = {
    Metric.COSINE: lambda one, two: cosine(one, two) if any(one) and any(two) else 0.0,
    Metric.L2: lambda one, two: -math.dist(one, two),
    Metric.IP: dot,
}


@pytest.mark.parametrize("metric", Metric)
@given(rows=ROWS, query=st.tuples(NUMBERS, NUMBERS, NUMBERS), data=st.data())
def test_each_candidate_with_a_vector_is_as_near_as_the_metric_says(
    metric: Metric,
    rows: list[tuple[float, ...] | None],
    query: tuple[float, ...],
    data: st.DataObject,
) -> None:
    vectors = vectors_of(rows, data.draw(st.integers(0, len(rows))))
    chosen = sorted(data.draw(st.sets(st.integers(0, len(rows) - 1))))
    near = measure(vectors, np.array(query, np.float32), "m", metric, np.array(chosen, np.int64))
    expected = {row: one for row in chosen if (one := rows[row]) is not None}
    # One that is so short that its square vanishes has no direction.
    expected = {
        row: one for row, one in expected.items() if not any(one) or math.hypot(*one) > 1e-20
    }
    found = dict(zip(near.rows.tolist(), near.scores.tolist(), strict=True))
    assert near.rows.tolist() == sorted(found)
    for row, one in expected.items():
        scale = max(1.0, math.hypot(*one) * max(math.hypot(*query), 1))
        assert found[row] == pytest.approx(PLAIN[metric](query, one), abs=2e-5 * scale)


def test_equal_vectors_tie_and_a_distance_of_nothing_is_nothing() -> None:
    rows = [(5.0, 9.0), (5.0, 0.0), (5.0, 9.0), (0.0, 0.0)]
    vectors, every = vectors_of(rows, 2), np.arange(4)
    near = measure(vectors, np.array([1, 0], np.float32), "m", Metric.IP, every)
    assert near.scores.tolist() == [5, 5, 5, 0]
    near = measure(vectors, np.array([5, 9], np.float32), "m", Metric.L2, every)
    assert near.scores.tolist() == pytest.approx([0, -9, 0, -math.hypot(5, 9)], abs=1e-6)


def test_another_model_and_another_dimension_have_nothing() -> None:
    vectors, every = vectors_of([(1.0, 2.0)], 1), np.arange(1)
    for query, model in ((np.ones(2, np.float32), "x"), (np.ones(3, np.float32), "m")):
        assert not len(measure(vectors, query, model, Metric.COSINE, every).rows)
