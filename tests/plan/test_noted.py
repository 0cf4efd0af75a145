"""The notes behind the entities of a table, against the plain meaning."""

from collections.abc import Mapping
from datetime import UTC

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.arrays import Entry
from winnow.columns.pieces import NOTHING_DECLARED, Declared
from winnow.columns.table import Changes, Table
from winnow.plan.noted import Noted, find_noted
from winnow.schema import IdRule, Schema

SCHEMA = Schema("t.A", "A", IdRule(""), {})
KEYS = st.integers(1, 6)
STEPS = st.lists(st.dictionaries(KEYS, st.booleans(), max_size=6), max_size=4)
PAIRS = st.lists(st.tuples(KEYS, st.integers(1, 4)), max_size=10, unique=True)


def table_of(steps: list[dict[int, bool]]) -> Table:
    """A table that was changed in steps: keys that live, and keys that die."""
    table = Table(SCHEMA, UTC)
    for step in steps:
        keys = sorted(step, key=name)
        lives = [step[key] for key in keys]
        fields: list[Mapping[str, Entry]] = [{} for _ in keys]
        table = table.changed(Changes(keys, [name(key) for key in keys], lives, fields))
    return table


def name(key: int) -> str:
    """An id: its order is not that of the keys."""
    return f"A-{key * 5 % 7}"


def declare(pairs: list[tuple[int, int]]) -> Declared:
    return NOTHING_DECLARED.changed([], [one for one, _ in pairs], [note for _, note in pairs])


def read(table: Table, noted: Noted) -> set[tuple[int, int]]:
    assert (np.diff(noted.rows) >= 0).all()
    pairs = zip(noted.rows.tolist(), noted.notes.tolist(), strict=True)
    return {(table.key_of(row), note) for row, note in pairs}


@given(STEPS, PAIRS)
def test_the_notes_are_those_of_the_entities_that_live(
    steps: list[dict[int, bool]], pairs: list[tuple[int, int]]
) -> None:
    table = table_of(steps)
    living = {key for step in [{}, *steps] for key in step}
    living = {key for key in living if next(s[key] for s in reversed(steps) if key in s)}
    noted = find_noted(table, declare(pairs))
    expected = {(key, note) for key, note in pairs if key in living}
    assert read(table, noted) == expected
    assert noted.count() == len({key for key, _ in expected})
    marked = np.flatnonzero(noted.mask(len(table))).tolist()
    assert {table.key_of(row) for row in marked} == {key for key, _ in expected}


@given(PAIRS, st.sets(st.integers(1, 5)), st.sets(KEYS))
def test_notes_and_entities_can_be_left_out(
    pairs: list[tuple[int, int]], notes: set[int], keys: set[int]
) -> None:
    table = table_of([dict.fromkeys(range(1, 7), True)])
    noted = find_noted(table, declare(pairs))
    some = noted.among(np.array(sorted(notes), np.int64))
    assert read(table, some) == {pair for pair in pairs if pair[1] in notes}
    rows = sorted(row for row in range(len(table)) if table.key_of(row) in keys)
    some = noted.within(np.array(rows, np.int64))
    assert read(table, some) == {pair for pair in pairs if pair[0] in keys}
    for row in range(len(table)):
        of = [note for key, note in pairs if key == table.key_of(row)]
        assert sorted(noted.of(row).tolist()) == sorted(of)
