"""Which rows are alive comes back from the bytes that the store keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns import masks
from winnow.columns.arrays import Mask
from winnow.columns.masks import (
    Within,
    count_alive,
    find_first,
    find_true,
    keys_alive,
    pack_dead,
    unpack_dead,
)


@st.composite
def drawn(draw: st.DrawFn) -> Mask:
    """A mask that is true anywhere, here and there, or in a run; not all begin at a whole word."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = draw(st.integers(0, 2_000))
    mask = random.random(size) < draw(st.sampled_from([0, 0.001, 0.01, 0.2, 1]))
    start, end = sorted(draw(st.tuples(st.integers(0, size), st.integers(0, size))))
    if draw(st.booleans()):
        mask[start:end] = True
    return mask[draw(st.integers(0, 9)) :]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have masks of some words count as large."""
    monkeypatch.setattr(masks, "_LARGE", 24)


@given(drawn())
def test_where_a_mask_is_true_is_found_however_seldom_that_is(mask: Mask) -> None:
    assert find_true(mask).tolist() == np.flatnonzero(mask).tolist()


@given(drawn(), st.integers(0, 40))
def test_the_first_places_are_found(mask: Mask, count: int) -> None:
    assert find_first(mask, count).tolist() == np.flatnonzero(mask)[:count].tolist()


@given(drawn(), st.integers(0, 2**32))
def test_rows_within_others_are_those_of_both_masks(mask: Mask, seed: int) -> None:
    other = np.random.default_rng(seed).random(len(mask)) < 0.5
    within = Within(mask)
    assert (within.count, within.is_whole) == (int(mask.sum()), bool(mask.all()))
    assert within.choose(other).tolist() == np.flatnonzero(mask & other).tolist()


@given(st.lists(st.booleans(), max_size=70))
def test_a_mask_comes_back_as_it_was(alive: list[bool]) -> None:
    mask = np.array(alive, np.bool_)
    assert unpack_dead(pack_dead(mask), len(mask)).tolist() == alive
    assert (pack_dead(mask) is None) == all(alive)
    assert count_alive(mask) == sum(alive)
    assert keys_alive(np.arange(len(mask)), mask) == [i for i, one in enumerate(alive) if one]


@pytest.mark.parametrize("dead", [b"", b"nonsense", pack_dead(np.zeros(9, np.bool_))])
def test_bytes_that_are_no_such_mask_are_refused(dead: bytes) -> None:
    with pytest.raises(ValueError, match=r"bytes for|decompressing"):
        unpack_dead(dead, 99)
