"""Since when settings have stayed, against a list of what they were after each change."""

from hypothesis import given
from hypothesis import strategies as st

from winnow.store.sqlite.settled import Settled

# Whether a change is of this process, whether it touches settings, and which one is asked about.
CHANGES = st.lists(st.tuples(st.booleans(), st.booleans(), st.none() | st.integers(0, 3)))


@given(CHANGES)
def test_from_the_change_that_is_told_settings_have_stayed(
    changes: list[tuple[bool, bool, int | None]],
) -> None:
    settled, states = Settled(), [0]
    for own, touches, back in changes:
        states.append(states[-1] + touches)
        now = len(states) - 1
        if own and not touches:
            settled.carry(now - 1, now)
        if back is not None:
            asked = max(now - back, 0)
            first = settled.since(asked)
            assert len(set(states[first : asked + 1])) == 1


def test_changes_of_ones_own_that_touch_none_leave_the_number_as_it_is() -> None:
    settled = Settled()
    assert settled.since(3) == 3
    settled.carry(3, 4)
    settled.carry(4, 5)
    assert [settled.since(change) for change in (5, 4, 3)] == [3, 3, 3]
    assert settled.since(6) == 6
