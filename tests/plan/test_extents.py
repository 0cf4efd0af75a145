"""The memories that a question is about: those, and no others, and always those of now."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plan.memories import NUMBER_OF_WORLDS, changes, remember
from tests.plan.recall import Case, open_cases

from winnow.columns.table import Table
from winnow.filter.ast import EVERYTHING, All
from winnow.filter.rewrite import rewrite
from winnow.plan import extents
from winnow.plan.columnar import MEMORIES
from winnow.plan.extents import Extent

names = st.lists(st.sampled_from(["default", "other", "none"]), unique=True).map(tuple)
bounds = st.builds(Extent, names, st.booleans(), st.booleans())
tables = st.integers(0, NUMBER_OF_WORLDS - 1).map(lambda seed: remember(seed).table_in_parts)


def expected(table: Table, extent: Extent, case: Case | None = None) -> list[int]:
    pred = All((extent.pred, EVERYTHING if case is None else case.pred))
    mask = MEMORIES.evaluate(rewrite(pred), table).match
    return np.flatnonzero(mask & table.alive_rows).tolist()


@given(open_cases("gte"), bounds)
@settings(max_examples=150)
def test_what_is_chosen_is_what_both_conditions_together_leave(case: Case, extent: Extent) -> None:
    for table in (case.past.table, case.past.table_in_parts):
        found = extent.choose(table, rewrite(case.pred))
        assert found.tolist() == expected(table, extent, case)


@given(tables, bounds)
def test_all_living_ones_are_counted_and_found_a_second_time_without_looking(
    table: Table, extent: Extent
) -> None:
    within = extent.find(table)
    assert within.count == len(expected(table, extent))
    assert extent.find(table) is within
    assert extent.choose(table, rewrite(EVERYTHING)).tolist() == expected(table, extent)


def test_a_memory_that_is_gone_is_not_among_them_any_more() -> None:
    table, every = remember(3).table, Extent(("default", "other"))
    assert every.find(table).is_whole
    after = table.changed(changes((), gone=[0]))
    assert every.find(after).count == len(table) - 1
    assert 0 not in every.choose(after, rewrite(EVERYTHING)).tolist()


def test_a_table_keeps_only_some() -> None:
    table = remember(4).table
    for number in range(3 * extents._KEPT):
        assert not Extent((f"n{number}",)).find(table).count
    assert len(table.extents) <= extents._KEPT
