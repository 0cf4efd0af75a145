"""Matrices that are hard on codes of 8 bits, queries, and kernels that multiply those."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import strategies as st

from winnow.columns import quantized
from winnow.columns.arrays import Rows
from winnow.columns.products import Bytes, Kernel, Vector, load_kernel
from winnow.embed.base import Matrix, unit_rows


def multiply_plainly(rows: Bytes, query: Bytes, out: Vector) -> None:
    out[:] = rows.astype(np.int64) @ query.astype(np.int64)


def kernels() -> Mapping[str, Kernel | None]:
    """None (floats only), one of numpy, and that of `numkong` where it is installed."""
    installed = load_kernel()
    return {"none": None, "numpy": multiply_plainly} | (
        {} if installed is None else {"numkong": installed}
    )


@contextmanager
def using(kernel: Kernel | None) -> Generator[None]:
    """Take a kernel, and the codes for few candidates too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quantized, "load_kernel", lambda: kernel)
        patch.setattr(quantized, "_FEW", 0)
        yield


Random = np.random.Generator


def random_rows(random: Random, count: int, dimension: int) -> Matrix:
    return random.standard_normal((count, dimension), dtype=np.float32)


def clustered_rows(random: Random, count: int, dimension: int) -> Matrix:
    centers = random_rows(random, 3, dimension)
    spread = np.float32(10.0 ** -int(random.integers(0, 8)))
    rows = centers[random.integers(0, 3, count)]
    rows += spread * random_rows(random, count, dimension)
    return rows


def repeated_rows(random: Random, count: int, dimension: int) -> Matrix:
    return random_rows(random, 4, dimension)[random.integers(0, 4, count)]


def equal_rows(random: Random, count: int, dimension: int) -> Matrix:
    return np.repeat(random_rows(random, 1, dimension), count, axis=0)


def spiked_rows(random: Random, count: int, dimension: int) -> Matrix:
    """Rows of which one number outweighs the others, so that those are lost in the codes."""
    rows = random_rows(random, count, dimension)
    rows[np.arange(count), random.integers(0, dimension, count)] *= 1_000
    return rows


def faint_rows(random: Random, count: int, dimension: int) -> Matrix:
    """Rows that stay as they are, some too short for floats of full precision."""
    size = np.float32(10.0 ** -int(random.integers(20, 46)))
    return size * random_rows(random, count, dimension)


def even_rows(random: Random, count: int, dimension: int) -> Matrix:
    """Rows whose codes are right but for rounding."""
    return random.choice(np.array([-1, 1], np.float32), (count, dimension))


MAKERS: Mapping[str, Callable[[Random, int, int], Matrix]] = {
    "random": random_rows,
    "clustered": clustered_rows,
    "repeated": repeated_rows,
    "equal": equal_rows,
    "spiked": spiked_rows,
    "faint": faint_rows,
    "even": even_rows,
}


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Matrix, Vector, Rows | None]:
    """A matrix with rows of length 1, 0, and others, a query, and candidates."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    count, dimension = draw(st.integers(0, 300)), draw(st.sampled_from([1, 2, 3, 17, 64, 384]))
    maker = draw(st.sampled_from(sorted(MAKERS)))
    matrix = MAKERS[maker](random, count, dimension)
    if maker != "faint":
        matrix = unit_rows(matrix)
    strange = draw(st.sampled_from([0, 0, 0, 0.1, 1.5, 1e9]))
    matrix[random.random(count) < draw(st.sampled_from([0, 0.1]))] *= np.float32(strange)
    near = matrix[random.integers(0, count)] if count else np.zeros(dimension, np.float32)
    noise = np.float32(draw(st.sampled_from([0, 1e-6, 0.05, 1e6])))
    query = near + noise * random_rows(random, 1, dimension)[0]
    query *= np.float32(draw(st.sampled_from([1, 1, 1, 0, 1e-3, 1e-30, 1e-44, 1e12])))
    if draw(st.booleans()):
        return matrix, query, None
    share = draw(st.sampled_from([0, 0.02, 0.3, 0.9, 1]))
    return matrix, query, np.flatnonzero(random.random(count) < share)
