"""From what a store gives of memories to a table, and which keys of metadata are told."""

from collections.abc import Mapping
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plan.memories import (
    KEYS,
    NUMBER_OF_WORLDS,
    Memory,
    Past,
    changes,
    metadata,
    remember,
)

from winnow.columns.memories import MemoryChanges, VisibleKeys
from winnow.columns.mixed import Kind
from winnow.columns.table import Table
from winnow.filter.raw import Untyped, read_number
from winnow.memories import AT_FIELDS, RECORDS
from winnow.values import Json, Value

MEMORY: Memory = {
    "id": "m1",
    "namespace": "default",
    "text": "Chopper likes to walk.",
    "title": "A walk",
    "kind": "claim",
    "kindProvenance": "declared",
    "entity": "chopper",
    "memoryType": "semantic",
    "tags": ["walk", "Morning"],
    "importance": 0.25,
    "source": "mail",
    "createdAt": "2026-03-05T12:00:00.123Z",
    "updatedAt": "1969-12-31T23:59:59.999Z",
    "expiresAt": "2027-01-01T00:00:00.000Z",
    "vault": "notes",
    "path": "a/b.md",
    "heading": "Walks",
    "metadata": {"mood": "good"},
}
NOTHING: Memory = {
    "id": "m2",
    "namespace": "default",
    "text": "",
    "title": "",
    "kind": "hunch",
    "tags": [],
    "importance": 0,
    "createdAt": "2026-03-05T12:00:00Z",
    "updatedAt": "2026-03-05T12:00:00Z",
    "metadata": {},
}
EMPTY = Table(RECORDS, UTC)
pasts = st.integers(0, NUMBER_OF_WORLDS - 1).map(remember)


def row_of(table: Table, name: str) -> Mapping[str, Value]:
    """What the columns have of a memory."""
    row = table.row_of(name)
    assert row is not None
    part, local = table.locate(row)
    found = {key: column.get(local) for key, column in part.columns.items()}
    return {key: value for key, value in found.items() if value is not None}


def test_a_table_gives_back_a_memory_s_own_fields() -> None:
    table = EMPTY.changed(changes([(7, NOTHING), (9, MEMORY)]))
    milliseconds = int(datetime(2026, 3, 5, 12, tzinfo=UTC).timestamp()) * 1000 + 123
    own = {name: value for name, value in MEMORY.items() if name != "metadata"}
    assert row_of(table, "m1") == {
        **own,
        "tags": ("walk", "Morning"),
        "@id": "m1",
        "@text": MEMORY["text"],
        "@importance": 0.25,
        "@created_at": milliseconds,
        "@updated_at": -1,
    }
    assert table.key_of(table.row_of("m1") or 0) == 9


def test_what_is_empty_is_not_there_but_text_and_tags_always_are() -> None:
    table = EMPTY.changed(changes([(7, NOTHING), (9, MEMORY)]))
    found = row_of(table, "m2")
    assert found.keys() == {
        *("id", "namespace", "text", "kind", "tags", "importance", "createdAt", "updatedAt"),
        *AT_FIELDS,
    }
    assert (found["text"], found["tags"], found["kind"]) == ("", (), "observation")


def test_a_field_that_no_memory_has_has_no_column() -> None:
    (part,) = EMPTY.changed(changes([(1, NOTHING)])).parts
    assert "entity" not in part.columns
    assert "expiresAt" not in part.columns


def test_rows_need_not_be_in_the_order_of_their_ids() -> None:
    """Nor are ids unique among all namespaces."""
    memories = [{**NOTHING, "id": name} for name in ("m2", "m10", "m1", "m2")]
    table = EMPTY.changed(changes(enumerate(memories)))
    assert [table.id_of(row) for row in range(4)] == ["m2", "m10", "m1", "m2"]
    assert [table.row_of(name) for name in ("m2", "m10", "m1", "m3")] == [0, 1, 2, None]
    assert set(table.ids_near("m1")) == {"m1", "m10", "m2"}
    without = table.changed(changes((), gone=[0]))
    assert without.row_of("m2") == 3


def test_a_deleted_memory_is_gone_and_a_newer_one_takes_its_place() -> None:
    table = EMPTY.changed(changes([(1, MEMORY), (2, NOTHING)]))
    table = table.changed(changes([(2, {**NOTHING, "text": "new"})], gone=[1]))
    assert table.row_of("m1") is None
    assert row_of(table, "m2")["text"] == "new"
    assert table.count == 1


def test_no_memories_make_no_part() -> None:
    assert EMPTY.changed(MemoryChanges((), (), (), {}, ())).parts == ()


@pytest.mark.parametrize("seed", range(0, NUMBER_OF_WORLDS, 4))
def test_a_history_of_changes_leaves_no_trace(seed: int) -> None:
    past = remember(seed)
    for memory in past.memories:
        name = str(memory["id"])
        assert row_of(past.table_in_parts, name) == row_of(past.table, name)


def test_the_histories_have_parts_and_dead_rows() -> None:
    tables = [remember(seed).table_in_parts for seed in range(NUMBER_OF_WORLDS)]
    assert sum(len(table.parts) > 1 for table in tables) > NUMBER_OF_WORLDS // 2
    assert sum(table.count < len(table) for table in tables) > NUMBER_OF_WORLDS // 2


# --- keys ---


def keys_of(*metadata: dict[str, Json], visible: list[bool]) -> VisibleKeys:
    memories = [{**NOTHING, "id": f"m{n}", "metadata": one} for n, one in enumerate(metadata)]
    table = EMPTY.changed(changes([(0, memories[0])]))
    table = table.changed(changes(list(enumerate(memories))[1:]))
    return VisibleKeys(table, np.array(visible))


def test_keys_are_those_of_visible_memories_alone() -> None:
    keys = keys_of({"a": {"b": 1}}, {"a": 1, "secret": 1}, {"c": None}, visible=[True, False, True])
    assert set(keys) == {("a",), ("a", "b")}
    assert ("a", "b") in keys
    assert ("secret",) not in keys
    assert ("c",) not in keys
    assert ("a.b",) not in keys


def test_keys_within_namespaces_are_those_of_their_visible_memories() -> None:
    rows = [("mine", {"a": 1}), ("theirs", {"a": 1, "secret": 1}), ("mine", {"gone": 1})]
    memories = [
        {**NOTHING, "id": f"m{n}", "namespace": space, "metadata": one}
        for n, (space, one) in enumerate(rows)
    ]
    table = EMPTY.changed(changes(list(enumerate(memories))))
    keys = VisibleKeys(table, np.array([True, True, False]))
    assert set(keys) == {("a",), ("secret",)}
    assert set(keys.within({"mine"})) == {("a",)}
    assert ("secret",) not in keys.within({"mine"})
    assert set(keys.within({"mine", "theirs"})) == set(keys)
    assert not set(keys.within(set()))


def test_a_key_that_has_filled_the_field_of_a_piece_differs_from_nothing() -> None:
    piece = {"path": "a.md", "source": "mail", "metadata": {"source": "mail", "id": 1}}
    unfilled = {"path": "b.md", "metadata": {"source": ["a", "b"]}}
    memory = {"source": "mail", "metadata": {"source": "x"}}
    memories = [
        {**NOTHING, **one, "id": f"m{n}"} for n, one in enumerate((piece, unfilled, memory))
    ]
    table = EMPTY.changed(changes(list(enumerate(memories))))
    for visible, differ in (([1, 0, 0], False), ([1, 1, 0], True), ([1, 0, 1], True)):
        keys = VisibleKeys(table, np.array(visible, np.bool_))
        assert keys.differ(("source",), "source") is differ
        assert keys.differ(("id",), "id")  # which no frontmatter fills
        assert not keys.differ(("title",), "title")


def test_of_very_many_keys_some_are_told() -> None:
    many: dict[str, Json] = {f"k{n}": n for n in range(3_000)}
    keys = keys_of({}, many, visible=[True, True])
    assert len([*keys]) == 1_000
    assert ("k2999",) in keys


def test_values_are_counted_by_kind_among_those_that_may_be_seen() -> None:
    values: list[Json] = [1, "a", True, ["a"], {"x": 1}, Untyped("5"), Untyped("b"), 2.5, None]
    rows: list[dict[str, Json]] = [{"k": value} for value in values]
    keys = keys_of(*rows, {}, visible=[True] * 10)
    assert keys.kinds_of(("k",)) == {
        Kind.NUMBER: 2,
        Kind.TEXT: 3,
        Kind.FLAG: 1,
        Kind.LIST: 1,
        Kind.OBJECT: 1,
        Kind.READING: 1,
    }
    assert keys_of(*rows, {}, visible=[True, *[False] * 9]).kinds_of(("k",)) == {Kind.NUMBER: 1}
    assert not keys.kinds_of(("other",))
    assert not keys.within({"theirs"}).kinds_of(("k",))


@given(pasts, st.sampled_from(KEYS))
def test_kinds_are_counted_over_all_parts(past: Past, key: str) -> None:
    for table in (past.table, past.table_in_parts):
        found = VisibleKeys(table, table.alive_rows).kinds_of((key,))
        values = [metadata(one).get(key) for one in past.memories]
        texts = [one for one in values if isinstance(one, str)]
        assert found.get(Kind.TEXT, 0) == len(texts)
        assert found.get(Kind.FLAG, 0) == sum(isinstance(one, bool) for one in values)
        assert found.get(Kind.LIST, 0) == sum(isinstance(one, list) for one in values)
        assert found.get(Kind.OBJECT, 0) == sum(isinstance(one, dict) for one in values)
        untyped = [one for one in texts if isinstance(one, Untyped)]
        readings = sum(read_number(one) is not None for one in untyped)
        assert found.get(Kind.READING, 0) == readings
