import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns import vectors as module
from winnow.columns.arrays import Mask, Rows
from winnow.columns.vectors import Cosines, Vector, Vectors, build_vectors
from winnow.embed.base import Matrix

MODEL = "a model"


def blob(numbers: Sequence[float] | Vector) -> bytes:
    return np.asarray(numbers, "<f4").tobytes()


def single(matrix: Matrix, model: str = MODEL) -> Vectors:
    """One part in which each row has a vector."""
    part = build_vectors([blob(row) for row in matrix], [model] * len(matrix))
    return Vectors((part,), (np.ones(len(matrix), np.bool_),))


def unit(numbers: Sequence[float] | Vector) -> Vector:
    vector = np.asarray(numbers, np.float64)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def pairs(found: Cosines) -> dict[int, float]:
    assert (np.diff(found.rows) > 0).all()
    return dict(zip(found.rows.tolist(), found.cosines.tolist(), strict=True))


def random_matrix(rows: int, dimension: int = 24, seed: int = 1) -> Matrix:
    return np.random.default_rng(seed).standard_normal((rows, dimension), dtype=np.float32)


# --- random tables against the plain meaning -----------------------------------------------------


@dataclass(frozen=True)
class Row:
    vector: tuple[float, ...] | None
    model: str | None
    alive: bool
    candidate: bool


NUMBERS = st.integers(-3, 3).map(float) | st.sampled_from([1e-30, 1e30, 0.1])
VECTORS = st.one_of(
    st.none(), *(st.tuples(*[NUMBERS] * dimension) for dimension in (2, 3, 3, 3, 4))
)
ROWS = st.builds(
    Row, VECTORS, st.sampled_from([MODEL, MODEL, "another", None]), st.booleans(), st.booleans()
)
TABLES = st.lists(st.lists(ROWS, max_size=12), max_size=4)
QUERIES = st.tuples(NUMBERS, NUMBERS, NUMBERS).filter(any)


def build(table: Sequence[Sequence[Row]]) -> Vectors:
    parts = [
        build_vectors(
            [None if row.vector is None else blob(row.vector) for row in rows],
            [row.model for row in rows],
        )
        for rows in table
    ]
    return Vectors(
        tuple(parts), tuple(np.array([row.alive for row in rows], np.bool_) for rows in table)
    )


def candidates_of(table: Sequence[Sequence[Row]]) -> Mask:
    return np.array([row.candidate for rows in table for row in rows], np.bool_)


def brute_force(table: Sequence[Sequence[Row]], query: Sequence[float]) -> dict[int, float]:
    """The cosines in 64 bits, a row at a time."""
    found: dict[int, float] = {}
    for number, row in enumerate(row for rows in table for row in rows):
        vector = np.array(np.array(row.vector or (), np.float32), np.float64)
        if row.alive and row.candidate and row.model == MODEL and len(vector) == len(query):
            lengths = np.linalg.norm(vector) * np.linalg.norm(query)
            if lengths:
                found[number] = float(np.dot(vector, np.array(query)) / lengths)
    return found


@given(TABLES, QUERIES)
def test_the_candidates_that_live_and_have_a_vector_of_the_model_get_their_cosine(
    table: list[list[Row]], query: tuple[float, ...]
) -> None:
    found = build(table).similarity(unit(query), MODEL, candidates_of(table))
    assert pairs(found) == pytest.approx(brute_force(table, query), abs=1e-6)


@given(TABLES, QUERIES)
def test_rows_and_a_mask_of_them_say_the_same(
    table: list[list[Row]], query: tuple[float, ...]
) -> None:
    vectors, mask = build(table), candidates_of(table)
    by_mask = pairs(vectors.similarity(unit(query), MODEL, mask))
    assert pairs(vectors.similarity(unit(query), MODEL, np.flatnonzero(mask))) == by_mask
    everyone = np.ones(len(mask), np.bool_)
    assert pairs(vectors.similarity(unit(query), MODEL)) == pairs(
        vectors.similarity(unit(query), MODEL, everyone)
    )


@given(TABLES, QUERIES)
def test_how_rows_came_into_their_parts_does_not_move_a_bit(
    table: list[list[Row]], query: tuple[float, ...]
) -> None:
    merged = [[row for rows in table for row in rows]]
    mask = candidates_of(table)
    apart = build(table).similarity(unit(query), MODEL, mask)
    together = build(merged).similarity(unit(query), MODEL, mask)
    assert pairs(apart) == pairs(together)


# --- exactness and ties --------------------------------------------------------------------------


def some(count: int, of: int, seed: int = 3) -> Rows:
    return np.sort(np.random.default_rng(seed).choice(of, count, replace=False))


@pytest.mark.parametrize("dimension", [1, 3, 17, 256, 384])
@pytest.mark.parametrize("count", [1, 50, 1_024, 1_500, 6_000])
def test_cosines_are_those_of_64_bits_at_any_share_of_the_rows(dimension: int, count: int) -> None:
    matrix = random_matrix(6_000, dimension)
    query, rows = unit(matrix[17] + 1), some(count, 6_000)
    found = single(matrix).similarity(query, MODEL, rows)
    wide = matrix.astype(np.float64)
    wide /= np.linalg.norm(wide, axis=1)[:, np.newaxis]
    assert found.rows.tolist() == rows.tolist()
    assert np.abs(found.cosines - wide[rows] @ query).max() < 1e-6


def test_a_row_has_the_same_bits_whichever_others_are_asked_for() -> None:
    matrix = random_matrix(6_000, 100)
    vectors, query = single(matrix), unit(matrix[4])
    whole = vectors.similarity(query, MODEL).cosines
    for count in (1, 2, 3, 7, 1_023, 1_025, 1_499, 1_500, 1_501, 5_999):
        rows = some(count, 6_000, seed=count)
        assert (vectors.similarity(query, MODEL, rows).cosines == whole[rows]).all()


def test_equal_vectors_tie_wherever_they_stand() -> None:
    matrix = random_matrix(3_001, 100)
    matrix[::3] = matrix[0]
    for candidates in (None, some(700, 3_001), some(2_500, 3_001)):
        found = single(matrix).similarity(unit(matrix[7]), MODEL, candidates)
        assert len(set(found.cosines[found.rows % 3 == 0].tolist())) == 1


def test_the_order_by_cosine_is_that_of_64_bits_and_ties_stay_in_the_order_of_rows() -> None:
    matrix = random_matrix(2_000, 64)
    matrix[1_000:] = matrix[:1_000]
    query = unit(matrix[5])
    found = single(matrix).similarity(query, MODEL)
    wide = np.dot(matrix.astype(np.float64), query.astype(np.float64))
    wide /= np.linalg.norm(matrix, axis=1)
    order = np.argsort(-found.cosines.astype(np.float64).round(6), kind="stable")[:50]
    assert order.tolist() == np.argsort(-wide.round(6), kind="stable")[:50].tolist()
    assert order[:2].tolist() == [5, 1_005]


# --- what has no vector --------------------------------------------------------------------------


def test_f101_vectors_of_another_model_or_dimension_count_as_none() -> None:
    blobs = [blob([1, 0]), blob([1, 0]), blob([1, 0, 0]), None]
    vectors = Vectors(
        (build_vectors(blobs, [MODEL, "another", MODEL, None]),), (np.ones(4, np.bool_),)
    )
    assert pairs(vectors.similarity(unit([1, 0]), MODEL)) == {0: 1.0}
    assert pairs(vectors.similarity(unit([1, 0]), "another")) == {1: 1.0}
    assert pairs(vectors.similarity(unit([1, 0, 0]), MODEL)) == {2: 1.0}
    assert pairs(vectors.similarity(unit([1, 0]), "unheard of")) == {}
    assert vectors.models() == {(MODEL, 2): 1, ("another", 2): 1, (MODEL, 3): 1}


@pytest.mark.parametrize("held", [[], [3], [0, 2, 5], [0, 2, 3, 5, 9]])
def test_cosines_are_spread_beside_the_rows_that_were_asked_for(held: list[int]) -> None:
    rows = np.array([0, 2, 3, 5, 9])
    found = Cosines(np.array(held, np.int64), np.arange(1, len(held) + 1, dtype=np.float32))
    cosines = np.full(len(rows), np.nan)
    found.spread(rows, cosines)
    expected = {row: float(place) for place, row in enumerate(held, 1)}
    assert [None if math.isnan(one) else one for one in cosines.tolist()] == [
        expected.get(row) for row in rows.tolist()
    ]


def test_models_are_told_of_living_rows_only() -> None:
    part = build_vectors([blob([1, 0])] * 3, [MODEL, MODEL, "another"])
    vectors = Vectors((part, part), (np.array([True, False, False]), np.array([True] * 3)))
    assert vectors.models() == {(MODEL, 2): 3, ("another", 2): 1}


def test_f102_vectors_of_any_length_are_compared_by_their_direction() -> None:
    matrix = np.array([[2, 0], [1e-30, 0], [1e30, 1e30], [-5, 0]], np.float32)
    cosines = single(matrix).similarity(unit([1, 0]), MODEL).cosines
    assert cosines.tolist() == pytest.approx([1, 1, 0.5**0.5, -1], abs=1e-6)


@pytest.mark.parametrize(
    "vector",
    [b"", blob([0, 0]), blob([np.nan, 1]), blob([np.inf, 1]), b"\x00\x00\x80\x3f\x00", None],
)
def test_a_vector_without_a_direction_counts_as_none(vector: bytes | None) -> None:
    part = build_vectors([vector, blob([0, 1])], [MODEL, MODEL])
    vectors = Vectors((part,), (np.ones(2, np.bool_),))
    assert pairs(vectors.similarity(unit([0, 1]), MODEL)) == {1: 1.0}


def test_a_query_without_a_direction_has_no_cosines() -> None:
    vectors = single(random_matrix(5, 2))
    assert pairs(vectors.similarity(np.zeros(2, np.float32), MODEL)) == {}


def test_a_table_without_parts_or_rows_has_no_cosines() -> None:
    assert pairs(Vectors().similarity(unit([1, 0]), MODEL)) == {}
    empty = Vectors((build_vectors([], []),), (np.zeros(0, np.bool_),))
    assert pairs(empty.similarity(unit([1, 0]), MODEL, np.zeros(0, np.int64))) == {}


def test_many_vectors_are_read_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = random_matrix(50)
    whole = single(matrix).parts[0].spaces[MODEL, 24]
    monkeypatch.setattr(module, "_BATCH", 7)
    batched = single(matrix).parts[0].spaces[MODEL, 24]
    assert (batched.matrix == whole.matrix).all()


def test_the_memory_that_vectors_take_is_told() -> None:
    vectors = single(random_matrix(10, 24))
    assert vectors.nbytes == 10 * (24 * 4 + 8)
