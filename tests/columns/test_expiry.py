"""Rows that expire: dead from their very time on."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.expiry import build_expiry

times = st.none() | st.integers(-5, 5)


@given(st.lists(st.tuples(times, st.booleans())), st.integers(-6, 6))
def test_a_row_is_hidden_from_its_time_on(rows: list[tuple[int | None, bool]], now: int) -> None:
    part = build_expiry([time for time, _ in rows])
    alive = np.array([living for _, living in rows], np.bool_)
    over = [time is not None and time <= now for time, _ in rows]
    assert part.count(now) == sum(over)
    shown = part.hide(alive, part.count(now))
    assert shown.tolist() == [
        living and not gone for (_, living), gone in zip(rows, over, strict=True)
    ]


def test_a_mask_is_kept_as_it_is_while_nothing_has_expired() -> None:
    part = build_expiry([3, None])
    alive = np.ones(2, np.bool_)
    assert part.hide(alive, part.count(2)) is alive
    assert part.hide(alive, part.count(3)).tolist() == [False, True]
    assert alive.tolist() == [True, True]
