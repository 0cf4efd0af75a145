import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.embed.base import blaming, identify, load, require, unit_rows
from winnow.errors import EmbedderError, NotAvailable

NUMBERS = st.floats(width=32)
ROWS = st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=1, max_size=5)


@given(ROWS)
def test_a_row_has_length_1_or_is_all_zeros_and_never_anything_else(
    rows: list[list[float]],
) -> None:
    lengths = np.linalg.norm(unit_rows(np.array(rows, np.float32)).astype(np.float64), axis=1)
    for row, length in zip(rows, lengths, strict=True):
        has_direction = np.isfinite(row).all() and np.any(row)
        assert length == pytest.approx(1 if has_direction else 0, abs=1e-6)


@given(ROWS, st.floats(1e-3, 1e3))
def test_f102_a_row_of_another_length_comes_out_the_same(
    rows: list[list[float]], factor: float
) -> None:
    small = np.clip(np.nan_to_num(np.array(rows)), -1e6, 1e6)
    small[np.abs(small) < 1e-6] = 0
    assert np.allclose(unit_rows(small), unit_rows(small * factor), atol=1e-6)


def test_the_vectors_that_are_given_stay_as_they_are() -> None:
    given_ = np.array([[3.0, 4.0]], np.float32)
    assert unit_rows(given_).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]
    assert given_.tolist() == [[3.0, 4.0]]


def test_f101_models_that_differ_in_their_dimension_differ_in_their_identity() -> None:
    assert identify("small", 256) != identify("small", 384)


def test_a_missing_package_is_an_error_that_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(NotAvailable, match=r"pip install winnow-memory\[fastembed\]"):
        require("fastembed", "fastembed")


def test_a_package_that_cannot_be_imported_is_an_error_that_names_the_embedder() -> None:
    with pytest.raises(EmbedderError, match="'onnx' failed: ZeroDivisionError: this machine"):
        load("tests.embed.broken", "onnx")


def test_an_error_of_another_library_is_one_line() -> None:
    def fail() -> None:
        with blaming("onnx"):
            raise KeyError("first\nsecond " + "x" * 1_000)

    with pytest.raises(EmbedderError) as caught:
        fail()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_an_error_of_winnow_stays_what_it_is() -> None:
    def fail() -> None:
        with blaming("onnx"):
            raise NotAvailable("no")

    with pytest.raises(NotAvailable, match=r"^no$"):
        fail()
