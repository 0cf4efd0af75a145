"""A table after any history of changes holds what is stored, and nothing else."""

from collections.abc import Mapping
from datetime import UTC

import numpy as np
import pytest
from tests.plan.worlds import NUMBER_OF_WORLDS, make_realm

from winnow.columns.arrays import Entry
from winnow.columns.table import Changes, Table, parts_to_merge
from winnow.schema import Field, IdRule, Schema
from winnow.values import Type, Value

SCHEMA = Schema("t.A", "A", IdRule(""), {"n": Field("n", Type.INTEGER)})
EMPTY = Table(SCHEMA, UTC)


def changes(*rows: tuple[int, str, int | None]) -> Changes:
    """Rows of (key, id, value); None deletes."""
    fields: list[Mapping[str, Entry]] = [{} if one is None else {"n": one} for _, _, one in rows]
    return Changes(
        [key for key, _, _ in rows],
        [entity for _, entity, _ in rows],
        [one is not None for _, _, one in rows],
        fields,
    )


def contents(table: Table) -> dict[str, Value | None]:
    """The living rows, in the order of the table."""
    found: dict[str, Value | None] = {}
    for row in np.flatnonzero(table.alive_rows).tolist():
        part, local = table.locate(row)
        column = part.columns.get("n")
        entity = table.id_of(row)
        assert entity not in found
        found[entity] = None if column is None else column.get(local)
    return found


FIRST = EMPTY.changed(changes((1, "A-1", 10), (2, "A-2", 20), (3, "A-3", 30)))


def test_an_empty_table_has_nothing() -> None:
    assert (len(EMPTY), EMPTY.count, contents(EMPTY)) == (0, 0, {})
    assert EMPTY.row_of("A-1") is None
    assert parts_to_merge(EMPTY) == 0


def test_rows_are_found_by_id_and_tell_their_keys() -> None:
    assert contents(FIRST) == {"A-1": 10, "A-2": 20, "A-3": 30}
    row = FIRST.row_of("A-2")
    assert row is not None
    assert (FIRST.id_of(row), FIRST.key_of(row)) == ("A-2", 2)
    assert FIRST.row_of("A-20") is None
    assert FIRST.row_of("") is None


def test_a_newer_row_takes_the_place_of_the_older() -> None:
    table = FIRST.changed(changes((2, "A-2", 21)))
    assert contents(table) == {"A-1": 10, "A-3": 30, "A-2": 21}
    assert (len(table), table.count) == (4, 3)
    assert table.row_of("A-2") == 3


def test_a_deleted_row_is_gone_and_may_come_back_under_a_new_key() -> None:
    without = FIRST.changed(changes((2, "A-2", None)))
    assert contents(without) == {"A-1": 10, "A-3": 30}
    assert without.row_of("A-2") is None
    again = without.changed(changes((9, "A-2", 22)))
    assert contents(again) == {"A-1": 10, "A-3": 30, "A-2": 22}
    row = again.row_of("A-2")
    assert row is not None
    assert again.key_of(row) == 9


def test_one_change_may_delete_a_row_and_make_it_anew() -> None:
    table = FIRST.changed(changes((2, "A-2", None), (9, "A-2", 22)))
    assert contents(table)["A-2"] == 22
    assert table.count == 3


def test_a_change_leaves_the_old_table_whole() -> None:
    before = contents(FIRST)
    FIRST.changed(changes((1, "A-1", None), (2, "A-2", 99), (7, "A-7", 70)))
    assert contents(FIRST) == before


def test_a_part_without_living_rows_is_dropped() -> None:
    table = FIRST.changed(changes((1, "A-1", None), (2, "A-2", None), (3, "A-3", None)))
    assert table.parts == ()
    assert FIRST.changed(changes((8, "A-8", None))).parts == FIRST.parts


def test_parts_stay_few_however_many_changes_come() -> None:
    """Each part is more than twice as large as all after it, so there are log n of them."""
    table, stored = EMPTY, dict[int, int]()
    for step in range(300):
        stored[step % 200] = step
        key = step % 200
        table = table.changed(changes((key, f"A-{key:03}", step)))
        if last := parts_to_merge(table):
            rows = ((key, f"A-{key:03}", stored[key]) for key in sorted(table.keys_of_last(last)))
            table = table.merged(last, changes(*rows))
        sizes = [int(mask.sum()) for mask in table.alive]
        assert all(size > 2 * sum(sizes[place + 1 :]) for place, size in enumerate(sizes[:-1]))
        assert len(sizes) <= 6
    assert contents(table) == {f"A-{key:03}": value for key, value in stored.items()}


def test_merging_keeps_the_rows_and_makes_one_part_of_the_last() -> None:
    table = FIRST.changed(changes((2, "A-2", 21), (5, "A-5", 50)))
    assert parts_to_merge(table) == 2
    assert sorted(table.keys_of_last(2)) == [1, 2, 3, 5]
    rows = ((1, "A-1", 10), (2, "A-2", 21), (3, "A-3", 30), (5, "A-5", 50))
    merged = table.merged(2, changes(*rows))
    assert len(merged.parts) == 1
    assert contents(merged) == {"A-1": 10, "A-2": 21, "A-3": 30, "A-5": 50}


def test_ids_near_one_are_its_neighbors_in_every_part() -> None:
    table = FIRST.changed(changes((5, "A-25", 50)))
    assert {"A-2", "A-3", "A-25"} <= set(table.ids_near("A-24"))


def test_ids_sort_by_code_point_and_may_hold_anything() -> None:
    ids = ["", "A", "A\0", "a", "é", "\uffff", "\U0001f600"]
    table = EMPTY.changed(changes(*((key, entity, key) for key, entity in enumerate(ids))))
    assert [table.row_of(entity) for entity in ids] == list(range(len(ids)))
    assert table.row_of("A\0\0") is None


@pytest.mark.parametrize("seed", range(NUMBER_OF_WORLDS))
def test_a_history_of_changes_ends_in_what_is_stored(seed: int) -> None:
    realm = make_realm(seed)
    for name, at_once in realm.tables.items():
        in_parts = realm.tables_in_parts[name]
        assert in_parts.count == at_once.count == len(realm.entities[name])
        for entity in realm.entities[name]:
            assert read(in_parts, entity) == read(at_once, entity)


def read(table: Table, entity: str) -> dict[str, tuple[Value | None, int]]:
    row = table.row_of(entity)
    assert row is not None
    part, local = table.locate(row)
    found = {name: (one.get(local), int(one.levels[local])) for name, one in part.columns.items()}
    return {name: value for name, value in found.items() if value[1]}


def test_the_histories_have_parts_and_dead_rows() -> None:
    tables = [make_realm(seed).tables_in_parts["t.A"] for seed in range(NUMBER_OF_WORLDS)]
    assert sum(len(table.parts) > 1 for table in tables) > NUMBER_OF_WORLDS // 2
    assert sum(table.count < len(table) for table in tables) > NUMBER_OF_WORLDS // 2
