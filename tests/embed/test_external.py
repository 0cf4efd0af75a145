import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.embed.external import MOST_DIMENSIONS, ExternalEmbedder, read_vector
from winnow.errors import InvalidRequest
from winnow.values import Json


def test_no_text_has_a_vector() -> None:
    vectors = ExternalEmbedder(3).embed(["a", "b"])
    assert vectors.shape == (2, 3)
    assert not vectors.any()


def test_f101_the_identity_tells_the_dimension() -> None:
    assert ExternalEmbedder(3).identity != ExternalEmbedder(4).identity


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_a_vector_is_read_as_it_was_given(numbers: list[float]) -> None:
    vector = read_vector(list[Json](numbers), len(numbers))
    assert vector.dtype == np.float32
    assert vector.tolist() == numbers


@pytest.mark.parametrize(
    ("raw", "detail"),
    [
        ([1, 2], "expected 3 numbers, got 2"),
        ([], f"expected 1 to {MOST_DIMENSIONS} numbers, got 0"),
        ([0] * (MOST_DIMENSIONS + 1), f"expected 1 to {MOST_DIMENSIONS} numbers, got 65537"),
        (None, "expected a list of numbers, got null"),
        ("1,2,3", "expected a list of numbers, got text '1,2,3'"),
        ([1, "2", 3], "expected a number at place 1, got text '2'"),
        ([1, 2, True], "expected a number at place 2, got boolean true"),
        ([1, [2], 3], "expected a number at place 1, got list [2]"),
        ([1, 2, math.nan], "the number at place 2 is not finite in 32 bits"),
        ([1, -math.inf, 3], "the number at place 1 is not finite in 32 bits"),
        ([1e39, 2, 3], "the number at place 0 is not finite in 32 bits"),
        ([1, 2, 10**400], "the number at place 2 is not finite in 32 bits"),
    ],
)
def test_anything_else_is_an_error_with_its_place(raw: Json, detail: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read_vector(raw, 3)
    (fault,) = caught.value.faults
    assert (fault.pointer, fault.detail) == ("/vector", detail)


def test_f102_a_vector_may_be_zeros_which_have_no_direction() -> None:
    assert not read_vector([0, 0.0, -0.0], 3).any()
