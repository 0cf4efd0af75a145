import math
from array import array
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.embed.external import (
    MOST_DIMENSIONS,
    ExternalEmbedder,
    encode_numbers,
    is_array,
    read_vector,
)
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


ARRAYS: list[tuple[Any, list[float]]] = [
    (np.array([1, -2.5], np.float32), [1, -2.5]),
    (np.array([0.1, 2], np.float64), [float(np.float32(0.1)), 2]),
    (np.array([0.5, 2], np.float16), [0.5, 2]),
    (np.array([3, -4]), [3, -4]),
    (np.array([1, 2], ">f4"), [1, 2]),
    (np.arange(6, dtype=np.float32)[::2], [0, 2, 4]),
    (array("f", [1, 2]), [1, 2]),
    (array("d", [1, 2]), [1, 2]),
    (np.array([1, 2], np.float32).data, [1, 2]),
    (np.array([1, 2], "<f4").tobytes(), [1, 2]),
    (bytearray(np.array([1, 2], "<f4").tobytes()), [1, 2]),
]


@pytest.mark.parametrize(("raw", "numbers"), ARRAYS)
def test_an_array_is_read_as_the_numbers_in_it(raw: object, numbers: list[float]) -> None:
    assert is_array(raw)
    assert read_vector(raw, len(numbers)).tolist() == numbers


@given(st.lists(st.floats(-1e38, 1e38), min_size=1, max_size=9))
def test_a_list_and_an_array_of_the_same_numbers_are_the_same(numbers: list[float]) -> None:
    packed = encode_numbers(numbers)
    assert encode_numbers(np.array(numbers)) == encode_numbers(array("d", numbers)) == packed
    assert encode_numbers(packed) == packed
    assert encode_numbers([*np.array(numbers)]) == packed


@pytest.mark.parametrize(
    ("raw", "detail"),
    [
        (np.zeros((2, 3)), "expected an array of one dimension, got 2 x 3"),
        (np.float32(1), "expected an array of one dimension, got a single number"),
        (np.zeros(2, bool), "expected an array of float32 or float64, got one of bool"),
        (np.zeros(2, complex), "expected an array of float32 or float64, got one of complex128"),
        (np.zeros(2, np.uint8), "expected an array of float32 or float64, got one of uint8"),
        (np.zeros(2, object), "expected an array of float32 or float64, got one of object"),
        (b"abcde", "expected an array of float32 or float64, got one of uint8"),
        (np.zeros(0), f"expected 1 to {MOST_DIMENSIONS} numbers, got 0"),
        (b"", f"expected 1 to {MOST_DIMENSIONS} numbers, got 0"),
        (np.array([1, math.nan]), "the number at place 1 is not finite in 32 bits"),
        (np.array([1e39, 1]), "the number at place 0 is not finite in 32 bits"),
        (np.array([1, math.inf], np.float32), "the number at place 1 is not finite in 32 bits"),
        (
            np.zeros(2, np.float32).tobytes() + b"\0\0\x80\x7f",
            "the number at place 2 is not finite",
        ),
        ([np.float32(1), np.bool_(1)], "expected a number at place 1, got bool"),
        ({1.0}, "expected a list of numbers, got set {1.0}"),
    ],
)
def test_another_array_is_an_error_that_says_what_it_is(raw: object, detail: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read_vector(raw)
    (fault,) = caught.value.faults
    assert fault.detail.startswith(detail)


def test_numbers_of_other_types_are_numbers() -> None:
    numbers = [np.float32(0.5), np.float64(2), np.int16(3), Fraction(1, 4)]
    assert read_vector(numbers).tolist() == [0.5, 2, 3, 0.25]
