"""Products of a query with rows: of 32-bit floats, and of whole numbers of 8 bits."""

from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import Rows
from winnow.embed.base import Matrix

Vector: TypeAlias = NDArray[np.float32]
Bytes: TypeAlias = NDArray[np.int8]
# Puts the product of each row with a query into the third array; all are contiguous, none empty.
Kernel: TypeAlias = Callable[[Bytes, Bytes, Vector], object]
_Number = TypeVar("_Number", np.float32, np.int8)


def multiply(matrix: Matrix, query: Vector, places: Rows | None = None) -> Vector:
    """Return the products of a query with the rows at `places`, which ascend, or with all.

    A row's is the same to the bit whichever others are asked for with it.
    """
    # Not by a matrix product: its sums depend on how many rows there are, so equal vectors
    # would not tie, and for a single query it is slower.
    if places is None or len(places) == len(matrix):
        return np.vecdot(matrix, query)
    if len(places) <= _ONCE:
        return np.vecdot(matrix.take(places, axis=0, mode="clip"), query)
    products = np.empty(len(places), np.float32)
    buffer = np.empty((min(_FLOATS, len(places)), len(query)), np.float32)
    for start in range(0, len(places), _FLOATS):
        some = products[start : start + _FLOATS]
        rows, inside = _read(matrix, places[start : start + _FLOATS], buffer)
        if inside is None:
            np.vecdot(rows, query, out=some)
        else:
            np.take(np.vecdot(rows, query), inside, out=some, mode="clip")
    return products


def multiply_codes(kernel: Kernel, codes: Bytes, query: Bytes, places: Rows | None) -> Vector:
    """Return what `multiply` does of numbers of 8 bits, rounded to floats; there are some rows."""
    if places is None:
        products = np.empty(len(codes), np.float32)
        kernel(codes, query, products)
        return products
    products = np.empty(len(places), np.float32)
    buffer = np.empty((min(_CODES, len(places)), len(query)), np.int8)
    for start in range(0, len(places), _CODES):
        some = products[start : start + _CODES]
        rows, inside = _read(codes, places[start : start + _CODES], buffer)
        if inside is None:
            kernel(rows, query, some)
        else:
            wide = np.empty(len(rows), np.float32)
            kernel(rows, query, wide)
            np.take(wide, inside, out=some, mode="clip")
    return products


@cache
def load_kernel() -> Kernel | None:
    """Return the kernel of `numkong`, if it is there and multiplies rightly on this machine."""
    try:
        from numkong import dot
    except ImportError:
        return None

    def run(rows: Bytes, query: Bytes, out: Vector) -> object:
        # Only in this form: with an output of two dimensions it has ended the process.
        return dot(rows, query, out=out)

    return run if all(_is_right(run, dimension) for dimension in (1, 63, 384, 1_025)) else None


def _is_right(kernel: Kernel, dimension: int) -> bool:
    """Tell whether a kernel multiplies exactly, the greatest numbers too."""
    numbers = np.arange(3 * dimension, dtype=np.int64).reshape(3, dimension) * 89 % 255 - 127
    numbers[0] = 127
    rows = numbers.astype(np.int8)
    products = np.empty(3, np.float32)
    kernel(rows, -rows[0], products)
    return bool(np.array_equal(products, (numbers @ -numbers[0]).astype(np.float32)))


def _read(
    array: NDArray[_Number], places: Rows, buffer: NDArray[_Number]
) -> tuple[NDArray[_Number], Rows | None]:
    """Return the rows at places, which ascend; or all between them, and where those are inside."""
    first, count = int(places[0]), len(places)
    span = int(places[-1]) - first + 1
    if span <= count * _WHOLE:
        return array[first : first + span], None if span == count else places - first
    # Any mode but `raise`, with which numpy gathers into a copy of its own first.
    return np.take(array, places, axis=0, out=buffer[:count], mode="clip"), None


_ONCE: Final = 256  # so few rows that where they are makes no difference
# Rows that are gathered at a time: they should stay in the cache until they are multiplied.
_FLOATS: Final = 1_024
_CODES: Final = 2_048
# Reading rows as they stand is this many times quicker than gathering them.
_WHOLE: Final = 4
