"""Klyro's scores, against sums in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.rank.klyro.scores import Fusion, Signals, Weights, fade, fuse

SCORES = st.lists(st.none() | st.floats(0, 5, width=32), min_size=1, max_size=8)
WEIGHTS = Weights(0.35, 0.5, 0.1, 0.05)


def signals(
    keyword: list[float | None] | None, vector: list[float | None] | None, size: int
) -> Signals:
    def column(values: list[float | None] | None) -> "np.ndarray | None":
        if values is None:
            return None
        return np.array([np.nan if one is None else one for one in values], np.float32)

    ages = np.arange(size, dtype=np.float64) * 100
    return Signals(column(keyword), column(vector), ages, np.full(size, 0.5, np.float32))


def by_spread(values: list[float | None]) -> list[float]:
    known = [one for one in values if one is not None]
    low, high = min(known, default=0), max(known, default=0)
    return [
        0.0 if one is None else 1.0 if low == high else (one - low) / (high - low) for one in values
    ]


def by_rank(values: list[float | None]) -> list[float]:
    known = [one for one in values if one is not None]
    return [
        0.0 if one is None else 1 / (61 + sum(other > one for other in known)) for one in values
    ]


@given(SCORES, st.data(), st.sampled_from([*Fusion]))
def test_parts_are_scaled_weighed_and_added(
    keyword: list[float | None], data: st.DataObject, fusion: Fusion
) -> None:
    size = len(keyword)
    vector = data.draw(
        st.lists(st.none() | st.floats(-1, 1, width=32), min_size=size, max_size=size)
    )
    got = fuse(signals(keyword, vector, size), WEIGHTS, 1_000, fusion)
    scale = by_spread if fusion is Fusion.LINEAR else by_rank
    wanted = [
        0.35 * one + 0.5 * two + 0.1 * 0.5 ** (row / 10) + 0.05 * 0.5
        for row, (one, two) in enumerate(zip(scale(keyword), scale(vector), strict=True))
    ]
    assert got.dtype == np.float32
    assert got.tolist() == pytest.approx(wanted, abs=1e-5)


def test_a_part_that_the_query_does_not_have_is_worth_nothing() -> None:
    got = fuse(signals(None, None, 2), WEIGHTS, 1_000, Fusion.LINEAR)
    assert got.tolist() == pytest.approx([0.125, 0.025 + 0.1 * 0.5**0.1])


def test_what_is_of_the_future_is_as_recent_as_what_is_of_now() -> None:
    assert fade(np.array([-5.0, 0.0, 10.0]), 10).tolist() == pytest.approx([1, 1, 0.5])
    assert math.isclose(float(fade(np.array([1e12]), 1)[0]), 0.0)
