"""When namespaces were last changed, over living memories alone."""

from hypothesis import given
from hypothesis import strategies as st
from tests.plan.memories import NUMBER_OF_WORLDS, Past, changes, remember

from winnow.columns.recency import last_changes
from winnow.columns.table import Table
from winnow.values import read_moment

SPACES = ("other", "default", "nobody")


@given(st.integers(0, NUMBER_OF_WORLDS - 1).map(remember))
def test_the_last_change_is_the_latest_of_what_lives(past: Past) -> None:
    for table in (past.table, past.table_in_parts):
        assert last_changes(table, SPACES) == [latest(past, space) for space in SPACES]


def latest(past: Past, space: str, after: int = -1) -> int:
    times = [
        read_moment(str(memory["updatedAt"]), past.zone).start
        for key, memory in enumerate(past.memories)
        if memory["namespace"] == space and key > after
    ]
    return max(times, default=0)


def test_what_dies_counts_no_more_and_old_tables_stay_as_they_were() -> None:
    past = remember(1)
    table: Table = past.table
    before = last_changes(table, SPACES)
    for gone in range(len(past.memories)):
        table = table.changed(changes((), gone=[gone]))
        assert last_changes(table, SPACES) == [latest(past, space, gone) for space in SPACES]
    assert last_changes(past.table, SPACES) == before
