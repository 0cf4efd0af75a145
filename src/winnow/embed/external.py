"""Vectors that the caller gives: nothing is made from texts, only the numbers are checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from winnow.embed.base import Matrix, identify
from winnow.errors import Fault, InvalidRequest
from winnow.values import Json, describe

Vector: TypeAlias = NDArray[np.float32]

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


def read_vector(raw: Json, dimension: int | None = None, pointer: str = "/vector") -> Vector:
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


def parse_numbers(raw: Json) -> Vector:
    """Read a list of numbers; raises ValueError with what is wrong."""
    if not isinstance(raw, list):
        raise ValueError(f"expected a list of numbers, got {describe(raw)}")
    if not 0 < len(raw) <= MOST_DIMENSIONS:
        raise ValueError(f"expected 1 to {MOST_DIMENSIONS} numbers, got {len(raw)}")
    vector = _read_numbers(raw)
    fits = np.abs(vector) <= _LARGEST  # false for NaN too
    if not fits.all():
        place = int(np.argmin(fits))
        raise ValueError(f"the number at place {place} is not finite in 32 bits")
    return vector.astype(np.float32)


_LARGEST: Final = float(np.finfo(np.float32).max)
_NUMBERS: Final = frozenset({int, float})


def _read_numbers(raw: list[Json]) -> NDArray[np.float64]:
    if set(map(type, raw)) <= _NUMBERS:
        try:
            return np.array(raw, np.float64)
        except OverflowError:  # a whole number that no float can hold
            return np.array([_as_float(number) for number in cast("list[float]", raw)])
    place = next(place for place, number in enumerate(raw) if type(number) not in _NUMBERS)
    raise ValueError(f"expected a number at place {place}, got {describe(raw[place])}")


def _as_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:  # a whole number of more than 308 digits
        return float("inf")
