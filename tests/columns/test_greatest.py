"""The greatest of many numbers, against sorting them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.greatest import Floats, choose_greatest, find_floor, pick_greatest


@st.composite
def numbers(draw: st.DrawFn) -> Floats:
    """Few or many numbers, with ties or without, in any order or ascending."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.one_of(st.integers(0, 40), st.integers(0, 20_000)))
    kinds = draw(st.sampled_from([1, 3, 1_000, 10**9]))
    values = random.integers(-kinds, kinds, count).astype(draw(st.sampled_from(["f4", "f8"])))
    return np.sort(values) if draw(st.booleans()) else values


@given(values=numbers(), rank=st.integers(0, 200))
def test_the_value_of_a_rank_is_that_of_the_sorted_numbers(values: Floats, rank: int) -> None:
    in_order = np.sort(values)[::-1].tolist()
    expected = [np.inf, *in_order, *[-np.inf] * 201]
    assert pick_greatest(values, rank) == expected[min(rank, len(values) + 1)]


@given(values=numbers(), count=st.integers(1, 200))
def test_as_many_are_chosen_as_are_asked_for_or_all_and_not_many_more(
    values: Floats, count: int
) -> None:
    chosen = choose_greatest(values, count)
    assert np.all(np.diff(chosen) > 0)
    assert min(count, len(values)) <= len(chosen) <= 4 * count
    best = np.sort(values)[::-1][:count]
    assert np.sort(values[chosen])[::-1][:count].tolist() == best.tolist()


@given(values=numbers(), count=st.integers(1, 200))
def test_a_floor_is_reached_by_as_many_as_are_asked_for(values: Floats, count: int) -> None:
    assert int((values >= find_floor(values, count)).sum()) >= min(count, len(values))
