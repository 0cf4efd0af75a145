"""Whole namespaces: cleared, moved and copied, with what else is in them left alone."""

from pathlib import Path

import pytest
from tests.store.making import add_vault, note
from tests.store.remembering import memory, piece, put

from winnow.store.memories import NamespaceRow
from winnow.store.sqlite.store import SqliteStore


def ids(store: SqliteStore, namespace: str) -> list[str]:
    return sorted(
        record.id
        for record in store.records.read(store.records.keys(namespace))
        if record is not None
    )


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    """A namespace `k` with two memories, one deleted one, a piece of a note, and a counter."""
    vault = add_vault(store, namespace="k")
    with store.write() as writer:
        key = writer.put_note(vault, note("one.md"))
        writer.records.put_pieces(key, [piece("p1", namespace="k")])
        for _ in range(2):
            writer.records.put(
                memory(writer.records.new_id("k"), namespace="k", vector=b"\0" * 8, model="m")
            )
        gone = writer.records.put(memory("gone", namespace="k"))
        writer.records.delete([gone], 5)
        writer.records.put(memory("other", namespace="o"))
    return store


def next_id(store: SqliteStore, namespace: str) -> str:
    with store.write() as writer:
        return writer.records.new_id(namespace)


def test_spaces_tell_what_is_in_them(filled: SqliteStore) -> None:
    with filled.write() as writer:
        writer.records.put_namespace(NamespaceRow("set", {"a": 1}))
    listed = {one.name: (one.has_memories, one.has_vaults) for one in filled.spaces.list()}
    assert listed == {"k": (True, True), "o": (True, False), "set": (False, False)}
    assert filled.spaces.find("set").settings == {"a": 1}
    assert filled.spaces.find("none").settings == {}


def test_clearing_takes_memories_for_good_and_begins_ids_anew(filled: SqliteStore) -> None:
    with filled.write() as writer:
        assert writer.spaces.clear("k") == 2
    assert ids(filled, "k") == ["p1"]
    assert filled.records.find("k", "gone", deleted=True) is None
    assert ids(filled, "o") == ["other"]
    assert next_id(filled, "k") == "m1"


def test_moving_takes_everything_of_the_memories_along(filled: SqliteStore) -> None:
    before = filled.records.find_versions("k", ["m1", "gone"])
    number = filled.last_change().number
    with filled.write() as writer:
        writer.spaces.move("k", "there")
    assert (ids(filled, "k"), ids(filled, "there")) == (["p1"], ["m1", "m2"])
    after = filled.records.find_versions("there", ["m1", "gone"])
    assert after["m1"].record.vector == before["m1"].record.vector
    assert after["gone"].deleted_at == 5
    assert (next_id(filled, "there"), next_id(filled, "k")) == ("m3", "m1")
    moved = [key for batch in filled.records.scan(number) for key in batch.keys]
    assert before["m1"].key in moved  # whoever keeps columns sees it


def test_copying_copies_live_memories_with_their_vectors(filled: SqliteStore) -> None:
    with filled.write() as writer:
        writer.spaces.copy("k", "twin")
    assert (ids(filled, "k"), ids(filled, "twin")) == (["m1", "m2", "p1"], ["m1", "m2"])
    one, two = (filled.records.fetch(name, ["m2"])[0] for name in ("k", "twin"))
    assert one is not None
    assert two is not None
    assert (one.text, one.vector, one.model) == (two.text, two.vector, two.model)
    assert next_id(filled, "twin") == "m3"


def test_an_id_of_a_piece_is_in_the_way(filled: SqliteStore) -> None:
    put(filled, memory("p1", namespace="o"))
    with filled.write() as writer, pytest.raises(Exception, match="UNIQUE"):
        writer.spaces.move("o", "k")
    assert ids(filled, "o") == ["other", "p1"]


def test_settings_are_replaced_and_the_counter_stays(filled: SqliteStore, tmp_path: Path) -> None:
    with filled.write() as writer:
        writer.spaces.put_settings("k", {"a": 1})
        assert writer.spaces.find("k").settings == {"a": 1}
        writer.spaces.put_settings("k", {})
    assert filled.spaces.find("k").settings == {}
    assert next_id(filled, "k") == "m3"
