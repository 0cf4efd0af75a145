"""Products of a query with rows, whichever way the rows are read."""

import sys
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.columns.matrices import multiply_plainly

from winnow.columns.products import Bytes, Vector, load_kernel, multiply, multiply_codes


@given(st.integers(0, 5_000), st.integers(1, 20), st.sampled_from([0, 0.01, 0.2, 0.7, 1]))
def test_products_are_the_same_whichever_rows_are_asked_for(
    count: int, dimension: int, share: float
) -> None:
    random = np.random.default_rng(count)
    matrix = random.standard_normal((count, dimension), dtype=np.float32)
    codes = random.integers(-127, 128, (count, dimension), dtype=np.int8)
    places = np.flatnonzero(random.random(count) < share)
    query = random.standard_normal(dimension, dtype=np.float32)
    whole = multiply(matrix, query)
    assert multiply(matrix, query, places).tobytes() == whole[places].tobytes()
    kernel = load_kernel() or multiply_plainly
    short = np.full(dimension, 127, np.int8)
    exact = codes.astype(np.int64) @ short.astype(np.int64)
    assert multiply_codes(kernel, codes, short, places).tolist() == exact[places].tolist()
    if count:
        assert multiply_codes(kernel, codes, short, None).tolist() == exact.tolist()


@pytest.mark.parametrize("right", [True, False])
def test_a_kernel_that_multiplies_wrongly_is_not_used(
    right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dot(rows: Bytes, query: Bytes, out: Vector) -> None:
        multiply_plainly(rows, query, out)
        out[-1] += not right

    package = ModuleType("numkong")
    monkeypatch.setattr(package, "dot", dot, raising=False)
    monkeypatch.setitem(sys.modules, "numkong", package)
    assert (load_kernel.__wrapped__() is not None) is right


def test_without_the_package_there_is_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numkong", None)
    assert load_kernel.__wrapped__() is None
