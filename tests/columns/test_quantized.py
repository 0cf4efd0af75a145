"""Rows nearest to a query: what is found by 8 bits is what reading every row finds."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.columns.matrices import (
    clustered_rows,
    kernels,
    multiply_plainly,
    random_rows,
    using,
    worlds,
)

from winnow.columns import quantized
from winnow.columns.arrays import Rows
from winnow.columns.products import Kernel, Vector
from winnow.columns.quantized import (
    Codes,
    estimate,
    find_nearest,
    quantize,
)
from winnow.embed.base import Matrix, unit_rows


def all_cosines(matrix: Matrix, query: Vector, places: Rows | None) -> tuple[Rows, Vector]:
    every = np.arange(len(matrix)) if places is None else places
    return every, np.vecdot(matrix, query)[every]


# --- what is found ---------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", kernels().values(), ids=kernels())
@given(world=worlds(), count=st.integers(1, 20))
def test_those_with_the_greatest_cosines_are_found_and_all_that_tie_with_the_last(
    kernel: Kernel | None, world: tuple[Matrix, Vector, Rows | None], count: int
) -> None:
    every, cosines = all_cosines(*world)
    expected = cosines >= np.sort(cosines)[-count:].min(initial=np.inf)
    matrix, query, places = world
    with using(kernel):
        found = find_nearest(matrix, quantize(matrix), query, places, count)
    assert found.places.tolist() == every[expected].tolist()
    assert found.cosines.tobytes() == cosines[expected].tobytes()


@given(world=worlds(), count=st.integers(1, 5))
def test_without_codes_the_same_is_found(
    world: tuple[Matrix, Vector, Rows | None], count: int
) -> None:
    matrix, query, places = world
    with using(multiply_plainly):
        found = find_nearest(matrix, None, query, places, count)
        coded = find_nearest(matrix, quantize(matrix), query, places, count)
    assert found.places.tolist() == coded.places.tolist()
    assert found.cosines.tobytes() == coded.cosines.tobytes()


@pytest.mark.parametrize("dimension", [1_024, 4_096])
def test_many_dimensions_and_thousands_of_rows_are_no_different(dimension: int) -> None:
    random = np.random.default_rng(7)
    matrix = unit_rows(clustered_rows(random, 3_000, dimension))
    codes, query = quantize(matrix), matrix[5]
    for share in (0.1, 0.5, 1):
        places = np.flatnonzero(random.random(3_000) < share)
        every, cosines = all_cosines(matrix, query, places)
        expected = every[cosines >= np.sort(cosines)[-10]]
        with using(multiply_plainly):
            found = find_nearest(matrix, codes, query, places, 10)
        assert found.places.tolist() == expected.tolist()


def test_where_all_rows_tie_all_come_back_and_none_where_none_is_asked_for() -> None:
    matrix = unit_rows(np.ones((500, 8), np.float32))
    with using(multiply_plainly):
        assert len(find_nearest(matrix, quantize(matrix), matrix[0], None, 3).places) == 500
        assert not len(find_nearest(matrix, quantize(matrix), matrix[0], None, 0).places)


def test_files_mapped_into_memory_for_reading_will_do(tmp_path: Path) -> None:
    matrix = unit_rows(random_rows(np.random.default_rng(7), 400, 16))
    codes = quantize(matrix)
    mapped: list[np.ndarray] = []
    for number, array in enumerate((matrix, codes.codes, codes.scales, codes.errors)):
        array.tofile(tmp_path / str(number))
        mapped.append(np.memmap(tmp_path / str(number), array.dtype, "r", shape=array.shape))
    places = np.arange(0, 400, 3)
    for kernel in kernels().values():
        with using(kernel):
            found = find_nearest(mapped[0], Codes(*mapped[1:]), matrix[9], places, 10)
            plain = find_nearest(matrix, codes, matrix[9], places, 10)
        assert found.places.tolist() == plain.places.tolist()
        assert found.cosines.tobytes() == plain.cosines.tobytes()


# --- what it takes ---------------------------------------------------------------------------


def test_of_many_rows_few_are_read_as_they_are() -> None:
    random = np.random.default_rng(7)
    matrix = unit_rows(random_rows(random, 20_000, 64))
    with using(multiply_plainly):
        found = find_nearest(matrix, quantize(matrix), matrix[3], None, 10)
    assert found.coded == 20_000
    assert 10 <= found.measured < 200


def test_few_candidates_and_all_without_a_kernel_are_read_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matrix = unit_rows(random_rows(np.random.default_rng(7), 20_000, 64))
    codes = quantize(matrix)
    found = find_nearest(matrix, codes, matrix[3], np.arange(0, 20_000, 100), 10)
    assert (found.coded, found.measured) == (0, 200)
    monkeypatch.setattr(quantized, "load_kernel", lambda: None)
    found = find_nearest(matrix, codes, matrix[3], None, 10)
    assert (found.coded, found.measured) == (0, 20_000)


# --- why it is right -------------------------------------------------------------------------


@given(world=worlds())
def test_an_error_is_no_less_than_the_distance_of_a_row_from_its_codes(
    world: tuple[Matrix, Vector, Rows | None],
) -> None:
    matrix = world[0][:20]
    codes = quantize(matrix)
    near = codes.codes.astype(np.float64) * codes.scales[:, np.newaxis]
    for row, coded, error in zip(
        matrix.tolist(), near.tolist(), codes.errors.tolist(), strict=True
    ):
        squares = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(row, coded, strict=True))
        assert squares <= Fraction(error) ** 2
        assert sum(Fraction(a) ** 2 for a in row) <= (1 + Fraction(error)) ** 2


@given(world=worlds())
def test_a_cosine_is_within_the_bound_of_the_product_of_codes(
    world: tuple[Matrix, Vector, Rows | None],
) -> None:
    matrix, query, _ = world
    codes = quantize(matrix)
    with using(multiply_plainly):
        question = quantized.ask(codes, query, None)
    if question is None:  # the query is too short or too long for it
        return
    scores = question.score(codes, None).astype(np.float64) * question.scale
    bounds = question.base + question.slope * codes.errors.astype(np.float64)
    assert np.all(np.abs(np.vecdot(matrix, query) - scores) <= bounds)
    assert np.all(np.abs(np.vecdot(matrix.astype(np.float64), query) - scores) <= bounds)


@pytest.mark.parametrize("kernel", kernels().values(), ids=kernels())
@given(world=worlds())
def test_an_estimate_is_no_further_from_a_cosine_than_its_bound(
    kernel: Kernel | None, world: tuple[Matrix, Vector, Rows | None]
) -> None:
    matrix, query, places = world
    _, cosines = all_cosines(*world)
    with using(kernel):
        near = estimate(matrix, quantize(matrix), query, places)
    apart = np.abs(cosines.astype(np.float64) - near.cosines)
    assert len(near.cosines) == len(cosines)
    assert np.all(apart <= near.bound)


def test_the_bound_has_room_for_the_rounding_of_long_sums() -> None:
    for dimension in range(4_000, 4_100):
        matrix = unit_rows(np.ones((2, dimension), np.float32))
        codes, query = quantize(matrix), matrix[0]
        with using(multiply_plainly):
            question = quantized.ask(codes, query, None)
        assert question is not None
        scores = question.score(codes, None).astype(np.float64) * question.scale
        bounds = question.base + question.slope * codes.errors
        assert np.all(np.abs(np.vecdot(matrix, query) - scores) <= bounds)
        assert bounds[0] < 1e-3


def test_rows_of_length_one_have_small_errors() -> None:
    codes = quantize(unit_rows(random_rows(np.random.default_rng(7), 1_000, 384)))
    assert codes.worst < 0.02
    assert codes.nbytes == 1_000 * (384 + 8)


def test_numbers_that_are_not_finite_are_all_error() -> None:
    matrix = np.array([[np.nan, 1], [np.inf, 1], [1e38, -1e38], [0.6, 0.8]], np.float32)
    codes = quantize(matrix)
    assert codes.errors[:3].tolist() == [np.inf] * 3
    assert codes.errors[3] < 0.01
