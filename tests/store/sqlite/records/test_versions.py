"""Records with all that is kept of them: read, and made what they were elsewhere."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.making import add_notes, add_vault, note, note_key
from tests.store.remembering import (
    living_after,
    memory,
    piece,
    put,
    put_pieces,
    records,
    stored,
    temporary_store,
    times,
)

from winnow.errors import InvalidRequest, ReadOnly
from winnow.store.memories import NamespaceRow, Past, Record, Version
from winnow.store.sqlite.store import SqliteStore, open_store

FLOATS = b"\0\0\x80?"


def restore(store: SqliteStore, *versions: Version) -> int:
    """Restore in one transaction; return the change number."""
    with store.write() as writer:
        writer.records.restore(versions)
    return store.last_change().number


def scanned(store: SqliteStore, namespace: str = "default") -> list[Version]:
    return [one for batch in store.records.scan_versions(namespace) for one in batch]


def plain(version: Version) -> str:
    """A version without what is the store's own; its text tells 1 from True."""
    return repr(replace(version, key=0, change=0))


def test_the_versions_of_a_namespace_come_by_id_the_deleted_ones_too(store: SqliteStore) -> None:
    put(store, memory("b"), memory("a", vector=FLOATS), memory("é"), memory("x", namespace="n"))
    with store.write() as writer:
        key = writer.records.find("default", "b") or 0
        writer.records.delete([key], 2_000)
        writer.records.put(memory("a", text="new", updated_at=3_000))
    first = replace(memory("a"), vector=None)
    assert scanned(store) == [
        Version(memory("a", text="new", updated_at=3_000), None, (Past(3_000, first),)),
        Version(memory("b"), 2_000, (Past(2_000, memory("b")),)),
        Version(memory("é")),
    ]
    assert [one.change for one in scanned(store)] == [2, 2, 1]
    assert scanned(store, "nowhere") == []


def test_pieces_of_notes_are_not_scanned_and_can_be_found(store: SqliteStore) -> None:
    vault = add_vault(store)
    add_notes(store, vault, note("a.md"))
    put_pieces(store, note_key(store, vault, "a.md"), piece("p1"))
    put(store, memory("m"))
    assert [one.record.id for one in scanned(store)] == ["m"]
    found = store.records.find_versions("default", ["p1", "m", "none"])
    assert list(found) == ["m", "p1"]
    assert found["p1"].record.piece is not None


def test_many_are_found_by_id_whatever_the_ids_are(store: SqliteStore) -> None:
    names = [*map(str, range(1_500)), "a\0b", "a", "", "'; --", "設備"]
    put(store, *(memory(name) for name in names))
    found = store.records.find_versions("default", [*names, "a\0", "none", "a"])
    assert set(found) == set(names)
    assert all(name == one.record.id for name, one in found.items())
    assert store.records.find_versions("default", []) == {}
    keys = [found[name].key for name in names]
    assert [one and one.record.id for one in store.records.read_versions(keys)] == names
    assert store.records.read_versions([10**6]) == [None]


def test_keys_are_put_in_the_order_of_namespaces_and_ids(store: SqliteStore) -> None:
    keys = put(
        store,
        memory("b"),
        memory("a", namespace="z"),
        memory("a"),
        memory("b", namespace="a"),
        memory("é"),
    )
    order = store.records.in_order(keys)
    assert [keys.index(key) for key in order] == [3, 2, 0, 4, 1]
    assert store.records.in_order([keys[0], 10**6]) == [keys[0]]


@st.composite
def versions(draw: st.DrawFn) -> Version:
    record = draw(records)
    place = {"namespace": record.namespace, "id": record.id}
    earlier = records.map(lambda one: replace(one, vector=None, model=None, terms=b"", **place))
    pasts = st.lists(st.builds(Past, at=times, before=st.none() | earlier), max_size=3)
    return Version(record, draw(st.none() | times), tuple(draw(pasts)))


def place_of(record: Record) -> tuple[str, str]:
    return record.namespace, record.id


@settings(max_examples=40, deadline=None)
@given(st.lists(versions(), max_size=4), st.lists(records, max_size=2))
def test_what_is_restored_is_there_whatever_was_there_before(
    wanted: list[Version], before: list[Record]
) -> None:
    """A later version of a place stands in place of an earlier one."""
    last = {place_of(one.record): one for one in wanted}
    with temporary_store() as store:
        for record, (namespace, name) in zip(before, last, strict=False):
            put(store, replace(record, namespace=namespace, id=name))
        restore(store, *wanted)
        for (namespace, name), version in last.items():
            found = store.records.find_versions(namespace, [name])[name]
            assert plain(found) == plain(version)
        change = store.last_change()
        restore(store, *last.values())
        assert store.last_change() == change
        assert {one.code for one in store.upkeep.check() if one.serious} <= {"wrong_terms"}


def test_a_version_that_is_there_already_changes_nothing(store: SqliteStore) -> None:
    one = Version(memory("a", vector=FLOATS), 5_000, (Past(5_000, memory("a")),))
    other = Version(memory("b", metadata={"n": 1}))
    assert restore(store, one, other) == 1
    assert restore(store, other, one) == 1
    assert restore(store, replace(other, record=memory("b", metadata={"n": True}))) == 2
    assert living_after(store, 1) == ["b"]
    (found,) = store.records.find_versions("default", ["b"]).values()
    assert found.record.metadata == {"n": True}
    assert found.history == ()


def test_a_restored_version_takes_the_place_of_a_living_or_deleted_one(store: SqliteStore) -> None:
    put(store, memory("a", text="old", vector=FLOATS), memory("a", text="older", updated_at=9))
    restore(store, Version(memory("a", text="restored"), 7_000))
    assert stored(store, "a") is None
    assert store.records.find("default", "a", deleted=True) is not None
    restore(store, Version(memory("a", text="again")))
    assert stored(store, "a") == memory("a", text="again")
    (found,) = scanned(store)
    assert found.history == ()


def test_keys_of_restored_records_are_new_ones(store: SqliteStore) -> None:
    (first,) = put(store, memory("a"))
    with store.write() as writer:
        writer.records.purge([first])
    restore(store, Version(memory("a")), Version(memory("b")))
    keys = [one.key for one in scanned(store)]
    assert min(keys) > first
    (later,) = put(store, memory("c"))
    assert later > max(keys)


def test_a_piece_of_a_note_is_not_restored_nor_replaced(store: SqliteStore) -> None:
    vault = add_vault(store)
    add_notes(store, vault, note("a.md"))
    put_pieces(store, note_key(store, vault, "a.md"), piece("p1"))
    for version in (Version(memory("p1")), Version(piece("p2"))):
        with store.write() as writer, pytest.raises(ReadOnly):
            writer.records.restore([Version(memory("m")), version])
    assert scanned(store) == []
    with store.write() as writer, pytest.raises(InvalidRequest):
        writer.records.restore([Version(memory("m")), Version(memory("\ud800"))])
    assert scanned(store) == []


# --- numbers that are spent --------------------------------------------------------------------


def test_the_numbers_that_a_counter_must_pass_over_can_be_brought_along(
    store: SqliteStore, tmp_path: Path
) -> None:
    keys = put(store, memory("m3"), memory("m9"), memory("m1"), memory("own"))
    put(store, memory("m4", expires_at=500), memory("m7", expires_at=501))
    with store.write() as writer:
        writer.records.purge(keys)
        writer.records.put_namespace(NamespaceRow("default", {}, 2))
    assert store.records.spent("default", 500) == [3, 4, 9]
    assert store.records.spent("default", 501) == [3, 4, 7, 9]
    assert store.records.spent("nowhere", 500) == []
    with closing(open_store(tmp_path / "other.db")) as other:
        with other.write() as writer:
            writer.records.put_namespace(NamespaceRow("default", {}, 2))
            writer.records.spend("default", [3, 4, 9])
            writer.records.spend("default", [9])
        assert other.records.spent("default", 0) == [3, 4, 9]
        with other.write() as writer:
            found = [writer.records.new_id("default") for _ in range(3)]
        assert found == ["m5", "m6", "m7"]
        assert other.records.spent("default", 0) == [9]
