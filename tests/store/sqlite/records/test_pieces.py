from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.store.making import add_notes, add_vault, note, note_key
from tests.store.remembering import (
    dead_after,
    key_of,
    living_after,
    memory,
    piece,
    put,
    put_pieces,
    stored,
)

from winnow.errors import NotFound, ReadOnly, StoreError
from winnow.store.base import VaultRow
from winnow.store.memories import Piece, RecordWriter
from winnow.store.sqlite.store import SqliteStore

FLOATS = b"\0\0\x80?"


@pytest.fixture
def vault(store: SqliteStore) -> VaultRow:
    added = add_vault(store)
    add_notes(store, added, note("a.md"), note("b.md"))
    return added


@pytest.fixture
def here(store: SqliteStore, vault: VaultRow) -> int:
    return note_key(store, vault, "a.md")


@pytest.fixture
def there(store: SqliteStore, vault: VaultRow) -> int:
    return note_key(store, vault, "b.md")


def test_a_note_that_is_put_tells_its_key(store: SqliteStore, vault: VaultRow, here: int) -> None:
    with store.write() as writer:
        assert writer.put_note(vault, note("a.md", text="new")) == here
        new = writer.put_note(vault, note("c.md"))
    assert new == note_key(store, vault, "c.md")


def test_a_piece_stands_where_its_note_does(store: SqliteStore, here: int) -> None:
    put_pieces(store, here, piece("p1", vector=FLOATS, model="static"), memory("p2"))
    place = Piece("vault", "a.md", "Heading", 3, here)
    assert stored(store, "p1") == memory("p1", vector=FLOATS, model="static", piece=place)
    assert stored(store, "p2") == memory("p2", piece=replace(place, heading=None, line=0))
    put(store, memory("m1"))
    (batch,) = store.records.scan(0)
    assert batch.notes == (here, here, None)
    assert batch.vaults == ["vault", "vault", None]
    assert batch.paths == ["a.md", "a.md", None]
    assert batch.headings == ("Heading", None, None)


def test_pieces_of_many_notes_know_their_own(store: SqliteStore, vault: VaultRow) -> None:
    with store.write() as writer:
        for n in range(700):
            key = writer.put_note(vault, note(f"n{n}.md"))
            writer.records.put_pieces(key, [piece(f"p{n}"), piece(f"q{n}")])
    found = [
        (record, path)
        for batch in store.records.scan(0)
        for record, path in zip(batch.ids, batch.paths, strict=True)
    ]
    assert found == [(f"{x}{n}", f"n{n}.md") for n in range(700) for x in "pq"]


def test_equal_pieces_keep_their_key_and_are_no_change(store: SqliteStore, here: int) -> None:
    first = put_pieces(store, here, piece("p1"), piece("p2"), piece("p3", vector=FLOATS))
    keys = [key_of(store, name) for name in ("p1", "p2", "p3")]
    assert put_pieces(store, here, piece("p3", vector=FLOATS), piece("p1"), piece("p2")) == first
    last = put_pieces(store, here, piece("p1"), piece("p2", text="new"), piece("p4"))
    assert last == first + 1
    assert living_after(store, first) == ["p2", "p4"]
    assert dead_after(store, first) == [keys[2]]
    assert [key_of(store, name) for name in ("p1", "p2")] == keys[:2]
    assert stored(store, "p3") is None


@pytest.mark.parametrize("line", [0, 4])
def test_where_a_piece_stands_in_its_note_is_a_change(
    store: SqliteStore, here: int, line: int
) -> None:
    first = put_pieces(store, here, piece("p1"))
    moved = memory("p1", piece=Piece("", "", "Heading", line))
    assert put_pieces(store, here, moved) == first + 1
    assert stored(store, "p1") == replace(
        moved, piece=Piece("vault", "a.md", "Heading", line, here)
    )


@pytest.mark.parametrize("change", [{"vector": FLOATS}, {"model": "new"}, {"terms": b"abcd"}])
def test_what_is_made_from_the_text_of_a_piece_is_a_change(
    store: SqliteStore, here: int, change: dict[str, Any]
) -> None:
    first = put_pieces(store, here, piece("p1"))
    assert put_pieces(store, here, piece("p1", **change)) == first + 1
    assert put_pieces(store, here, piece("p1")) == first + 2
    assert living_after(store, first) == ["p1"]


def test_pieces_have_no_history_and_leave_nothing_behind(store: SqliteStore, here: int) -> None:
    put_pieces(store, here, piece("p1", vector=FLOATS))
    key = key_of(store, "p1")
    put_pieces(store, here, piece("p1", text="new", updated_at=2_000))
    assert store.records.history(key) == []
    put_pieces(store, here)
    assert store.records.find("default", "p1", deleted=True) is None
    assert store._connection.all(tuple[int], "SELECT 1 FROM vector UNION SELECT 1 FROM past") == []


def test_pieces_go_with_their_note(store: SqliteStore, here: int, there: int) -> None:
    """F64."""
    put_pieces(store, here, piece("p1"), piece("p2"))
    last = put_pieces(store, there, piece("p3"))
    keys = [key_of(store, name) for name in ("p1", "p2")]
    with store.write() as writer:
        writer.delete_notes([here])
    assert dead_after(store, last) == keys
    assert living_after(store, 0) == ["p3"]
    assert store.upkeep.check() == []


def test_pieces_move_with_their_note(store: SqliteStore, here: int, there: int) -> None:
    put_pieces(store, there, piece("p2"))
    last = put_pieces(store, here, piece("p1"))
    key = key_of(store, "p1")
    with store.write() as writer:
        writer.move_note(here, "deep/c.md")
    assert living_after(store, last) == ["p1"]
    assert key_of(store, "p1") == key
    found = stored(store, "p1")
    assert found is not None
    assert found.piece == Piece("vault", "deep/c.md", "Heading", 3, here)


def test_a_note_put_again_keeps_its_pieces_until_they_are_put(
    store: SqliteStore, vault: VaultRow, here: int
) -> None:
    put_pieces(store, here, piece("p1"))
    add_notes(store, vault, note("a.md", text="new"))
    assert living_after(store, 0) == ["p1"]


def test_pieces_show_the_new_name_of_their_vault(
    store: SqliteStore, vault: VaultRow, here: int
) -> None:
    other = add_vault(store, "/other", "elsewhere")
    add_notes(store, other, note("o.md"))
    put_pieces(store, note_key(store, other, "o.md"), piece("p2"))
    last = put_pieces(store, here, piece("p1"))
    with store.write() as writer:
        writer.put_vault(replace(vault, fingerprint="f2"))
    assert living_after(store, last) == []
    with store.write() as writer:
        writer.put_vault(replace(vault, name="renamed"))
    assert living_after(store, last) == ["p1"]
    (batch,) = store.records.scan(last)
    assert batch.vaults == ["renamed"]


def test_pieces_are_in_the_namespace_of_their_vault(store: SqliteStore) -> None:
    vault = add_vault(store, "/other", "elsewhere")
    add_notes(store, vault, note("a.md"))
    put_pieces(store, note_key(store, vault, "a.md"), piece("p1", namespace="default"))
    assert stored(store, "p1", "default") is None
    assert stored(store, "p1", "elsewhere") is not None


def test_an_id_that_something_else_has_is_refused_and_nothing_changes(
    store: SqliteStore, here: int, there: int
) -> None:
    put(store, memory("m1"))
    put_pieces(store, here, piece("p1"))
    last = put_pieces(store, there, piece("p2"))
    for taken, owner in (("m1", "a memory"), ("p1", r"a piece of the note 'a\.md'")):
        with store.write() as writer, pytest.raises(StoreError, match=f"'{taken}': {owner}"):
            writer.records.put_pieces(there, [piece("new"), piece(taken)])
    assert store.last_change().number == last
    assert living_after(store, 0) == ["m1", "p1", "p2"]


def test_a_deleted_memory_keeps_its_id_from_pieces(store: SqliteStore, here: int) -> None:
    (key,) = put(store, memory("m1"))
    with store.write() as writer:
        writer.records.delete([key], 2_000)
        with pytest.raises(StoreError, match="a memory"):
            writer.records.put_pieces(here, [piece("m1")])
        writer.records.purge([key])
        writer.records.put_pieces(here, [piece("m1")])
    assert living_after(store, 0) == ["m1"]


def test_pieces_need_their_note(store: SqliteStore) -> None:
    with store.write() as writer, pytest.raises(NotFound, match="no note has the key 9"):
        writer.records.put_pieces(9, [piece("p1")])


Change = Callable[[RecordWriter, int], object]

changes: dict[str, Change] = {
    "put a memory of its id": lambda writer, _: writer.put(memory("p1", text="new")),
    "put as a memory": lambda writer, _: writer.put(piece("new")),
    "delete": lambda writer, key: writer.delete([key], 2_000),
    "purge": lambda writer, key: writer.purge([key]),
}


@pytest.mark.parametrize("change", changes)
def test_a_piece_is_changed_in_its_note_only(store: SqliteStore, here: int, change: str) -> None:
    last = put_pieces(store, here, piece("p1"))
    (memory_key,) = put(store, memory("m1"))
    before = stored(store, "p1")
    with store.write() as writer:
        with pytest.raises(ReadOnly, match="is a piece of"):
            changes[change](writer.records, key_of(store, "p1"))
        with pytest.raises(ReadOnly, match=r"'p1' is a piece of the note 'a\.md'"):
            writer.records.delete([memory_key, key_of(store, "p1")], 2_000)
    assert (stored(store, "p1"), stored(store, "m1")) == (before, memory("m1"))
    assert store.last_change().number == last + 1


def test_what_is_made_from_the_text_of_a_piece_can_be_replaced(
    store: SqliteStore, here: int
) -> None:
    last = put_pieces(store, here, piece("p1"))
    with store.write() as writer:
        key = key_of(store, "p1")
        writer.records.put_derived(key, vector=FLOATS, model="new", terms=b"\1\0\0\0")
    found = stored(store, "p1")
    assert found is not None
    assert (found.vector, found.model, found.terms) == (FLOATS, "new", b"\1\0\0\0")
    assert living_after(store, last) == ["p1"]


def test_a_piece_that_expires_is_swept_like_a_memory(store: SqliteStore, here: int) -> None:
    put_pieces(store, here, piece("p1", expires_at=5_000), piece("p2"))
    with store.write() as writer:
        assert writer.records.sweep(5_000, 0) == 1
    assert living_after(store, 0) == ["p2"]
