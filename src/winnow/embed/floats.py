"""Vectors as clients send them: numbers of 32 bits, in little-endian bytes."""

from array import array
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from winnow.embed.base import unit_rows

Vector: TypeAlias = NDArray[np.float32]
SIZE: Final = 4
"""Bytes of a number."""


def pack_numbers(numbers: Iterable[float]) -> bytes:
    """Return numbers as bytes; one that is too large becomes infinity."""
    return unpack(array("f", numbers).tobytes(), order="=").astype("<f4").tobytes()


def unpack(data: bytes, order: str = "<") -> Vector:
    """Return bytes as a vector."""
    return np.frombuffer(data, f"{order}f4").astype(np.float32)


def is_finite(data: bytes) -> bool:
    """Tell whether all numbers are."""
    if len(data) < _MANY:
        highest = data[SIZE - 1 :: SIZE]  # sign and exponent: of most numbers they tell it at once
        if 0x7F not in highest and 0xFF not in highest:
            return True
    return bool(np.isfinite(np.frombuffer(data, "<f4")).all())


def is_zero(data: bytes) -> bool:
    """Tell whether a vector has no direction."""
    return not data.strip(b"\0\x80") and not np.frombuffer(data, "<f4").any()


def bring_to_unit(data: bytes) -> bytes:
    """Return a vector with length 1."""
    return unit_rows(unpack(data)[np.newaxis]).astype("<f4", copy=False).tobytes()


_MANY: Final = 16_384
"""Bytes in which it is quicker to look at all numbers at once."""


@lru_cache(4_096)
def spell(number: float) -> str:
    """Return the shortest text that is this number in 32 bits, without an exponent."""
    rounded = np.float32(number)
    text = str(rounded)
    if "e" in text:
        text = str(np.format_float_positional(rounded, unique=True))
    text = text.removesuffix(".0").removesuffix(".")
    return "0" if text == "-0" else text
