"""Diversity: the next hit is the one that adds most."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.rank.mmr import diversify

ANGLES = st.lists(st.none() | st.sampled_from([0, 30, 90, 180]) | st.integers(0, 359), max_size=8)


def vectors(angles: list[int | None]) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    """Vectors of length 1 in a plane, and zeros for None."""
    rows = [
        (0.0, 0.0)
        if angle is None
        else (math.cos(math.radians(angle)), math.sin(math.radians(angle)))
        for angle in angles
    ]
    return np.array(rows, np.float32).reshape(-1, 2)


def expected(
    relevance: list[float], angles: list[int | None], balance: float, limit: int
) -> list[int]:
    rows = vectors(angles).astype(np.float64)
    left, chosen = list(range(len(angles))), list[int]()
    while left and len(chosen) < limit:
        gains = {
            place: round(
                balance * relevance[place]
                - (1 - balance)
                * max((float(rows[place] @ rows[one]) for one in chosen), default=0),
                9,
            )
            for place in left
        }
        best = min(left, key=lambda place: (-gains[place], place))
        left.remove(best)
        chosen.append(best)
    return chosen


@given(ANGLES, st.sampled_from([0.0, 0.5, 0.7, 1.0]), st.integers(0, 9), st.data())
def test_each_next_one_adds_most_to_those_before_it(
    angles: list[int | None], balance: float, limit: int, data: st.DataObject
) -> None:
    values = st.sampled_from([0.0, 0.5, 0.9, 1.0])
    relevance = data.draw(st.lists(values, min_size=len(angles), max_size=len(angles)))
    found = diversify(np.array(relevance), vectors(angles), balance, limit)
    assert found == expected(relevance, angles, balance, limit)


def test_what_says_the_same_again_comes_later() -> None:
    relevance = np.array([0.9, 0.89, 0.7])
    assert diversify(relevance, vectors([0, 0, 90]), 0.7, 3) == [0, 2, 1]
    assert diversify(relevance, vectors([0, 0, 90]), 1.0, 3) == [0, 1, 2]


def test_one_without_a_vector_is_like_no_other() -> None:
    relevance = np.array([0.9, 0.9, 0.7, 0.7])
    assert diversify(relevance, vectors([10, 10, None, None]), 0.7, 4) == [0, 2, 3, 1]


@pytest.mark.parametrize("balance", [0.0, 0.7, 1.0])
def test_of_equal_ones_the_first_is_taken(balance: float) -> None:
    assert diversify(np.full(4, 0.5), vectors([40] * 4), balance, 3) == [0, 1, 2]


def test_nothing_comes_of_nothing() -> None:
    assert diversify(np.zeros(0), vectors([]), 0.7, 5) == []
