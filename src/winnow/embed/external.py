"""Vectors that the caller gives: nothing is made from texts, only the numbers are checked."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from winnow.embed.base import Matrix, identify
from winnow.embed.floats import SIZE, Vector, is_finite, unpack
from winnow.errors import Fault, InvalidRequest
from winnow.values import describe

MOST_DIMENSIONS: Final = 65_536
# There is no model to measure. This holds for most of them, and for the share of a topic's own
# bm25 by which texts without a vector are judged.
MIN_SIMILARITY: Final = 0.6


@dataclass(frozen=True, slots=True)
class ExternalEmbedder:
    """Holds a namespace to one dimension; no text has a vector."""

    dimension: int
    min_similarity: float = MIN_SIMILARITY

    @property
    def identity(self) -> str:
        """Tell vectors of the caller's from those of any model."""
        return identify("external", self.dimension)

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return zeros: no vector."""
        return np.zeros((len(texts), self.dimension), np.float32)


def read_vector(raw: object, dimension: int | None = None, pointer: str = "/vector") -> Vector:
    """Read a vector as it was given, of any length but of this dimension.

    All zeros are legal and have no direction. Raises InvalidRequest.
    """
    try:
        vector = parse_numbers(raw)
    except ValueError as error:
        raise InvalidRequest([Fault(pointer, str(error))]) from None
    if dimension is not None and len(vector) != dimension:
        detail = f"expected {dimension} numbers, got {len(vector)}"
        raise InvalidRequest([Fault(pointer, detail)])
    return vector


def parse_numbers(raw: object) -> Vector:
    """Read numbers as `encode_numbers` does."""
    return unpack(encode_numbers(raw))


def encode_numbers(raw: object) -> bytes:
    """Read a list of numbers, or an array, as float32 in little-endian bytes.

    Raises ValueError with what is wrong.
    """
    if isinstance(raw, list):
        return _encode_list(cast("list[object]", raw))
    array = _find_array(raw)
    if array is None:
        raise ValueError(f"expected a list of numbers, got {describe(raw)}")
    return _encode_array(array)


def list_numbers(raw: object, pointer: str = "/vector") -> list[float]:
    """Read numbers as a list; raises InvalidRequest."""
    return cast("list[float]", read_vector(raw, pointer=pointer).tolist())


def is_array(raw: object) -> bool:
    """Tell whether something is an array: numpy's, or of whatever else lends its memory.

    Bytes are one of float32, little-endian.
    """
    return _find_array(raw) is not None


def _encode_list(raw: list[object]) -> bytes:
    _check_count(len(raw))
    if not set(map(type, raw)) <= _NUMBERS and not all(map(_is_number, raw)):
        place = next(place for place, number in enumerate(raw) if not _is_number(number))
        raise ValueError(f"expected a number at place {place}, got {describe(raw[place])}")
    packed = _pack(raw)
    if packed is None:
        _refuse_place([_pack([number]) is not None for number in raw].index(False))
    return packed


def _encode_array(array: NDArray[Any]) -> bytes:
    if array.ndim != 1:
        shape = " x ".join(map(str, array.shape)) or "a single number"
        raise ValueError(f"expected an array of one dimension, got {shape}")
    if array.dtype.kind not in "fiu" or array.dtype.itemsize == 1:
        raise ValueError(f"expected an array of float32 or float64, got one of {array.dtype}")
    _check_count(len(array))
    with np.errstate(over="ignore"):
        numbers = array.astype("<f4", copy=False)
    packed = numbers.tobytes()
    if not is_finite(packed):
        _refuse_place(int(np.argmin(np.isfinite(numbers))))
    return packed


def _find_array(raw: object) -> NDArray[Any] | None:
    if isinstance(raw, np.ndarray):
        return cast("NDArray[Any]", raw)
    try:
        lent = memoryview(cast(bytes, raw))
        if isinstance(raw, bytes | bytearray) and len(raw) % SIZE == 0:
            return np.frombuffer(lent, "<f4")
        return np.asarray(lent)
    except (TypeError, ValueError):  # nothing is lent, or nothing that numpy knows
        return None


def _check_count(count: int) -> None:
    if not 0 < count <= MOST_DIMENSIONS:
        raise ValueError(f"expected 1 to {MOST_DIMENSIONS} numbers, got {count}")


def _refuse_place(place: int) -> NoReturn:
    raise ValueError(f"the number at place {place} is not finite in 32 bits")


def _is_number(raw: object) -> bool:
    return not isinstance(raw, bool) and isinstance(raw, Real)


def _pack(numbers: Sequence[object]) -> bytes | None:
    """Return numbers as bytes; None if one of them is not finite in 32 bits."""
    try:
        packed = struct.pack(f"<{len(numbers)}f", *numbers)
    except (OverflowError, struct.error):  # the second of whole numbers that no float can hold
        return None
    return packed if is_finite(packed) else None


_NUMBERS: Final = frozenset({int, float})
