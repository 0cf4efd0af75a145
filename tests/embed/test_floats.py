"""Vectors as bytes, and numbers of 32 bits as they are spelled."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.embed.floats import bring_to_unit, is_finite, is_zero, pack_numbers, spell, unpack

FLOATS = st.floats(width=32)


@given(st.lists(FLOATS, max_size=5))
def test_numbers_are_bytes_in_little_endian(numbers: list[float]) -> None:
    data = pack_numbers(numbers)
    assert data == struct.pack(f"<{len(numbers)}f", *numbers)
    assert np.array_equal(unpack(data), np.array(numbers, np.float32), equal_nan=True)
    assert is_finite(data) == all(map(math.isfinite, numbers))
    assert is_finite(data + bytes(20_000)) == is_finite(data)
    assert is_zero(data) == (not any(numbers))


def test_a_number_that_is_too_large_becomes_infinite() -> None:
    assert not is_finite(pack_numbers([1e39]))


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_spelled_number_is_the_same_number_without_an_exponent(number: float) -> None:
    text = spell(number)
    assert np.float32(text) == np.float32(number)
    assert set(text) <= set("-.0123456789")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.1, "0.1"),
        (1e20, "100000000000000000000"),
        (33.333333333, "33.333332"),
        (5, "5"),
        (-0.0, "0"),
    ],
)
def test_a_number_has_the_fewest_digits_of_32_bits(number: float, text: str) -> None:
    assert spell(number) == text


def test_a_vector_is_brought_to_length_one() -> None:
    assert unpack(bring_to_unit(pack_numbers([3, 4]))).tolist() == pytest.approx([0.6, 0.8])
