from dataclasses import replace

import pytest
from tests.store.making import add_notes, add_vault, note, note_key
from tests.store.remembering import memory, piece, put, put_pieces

from winnow.store.base import VaultRow
from winnow.store.memories import LinkRow, NoteLinks
from winnow.store.sqlite.store import SqliteStore
from winnow.values import Json

LINK: dict[str, Json] = {"target": "b", "heading": "Terms", "line": 3}


@pytest.fixture
def vault(store: SqliteStore) -> VaultRow:
    return add_vault(store)


def read(store: SqliteStore, stamp: tuple[int, int] | None = None) -> NoteLinks:
    found = store.records.links(stamp)
    assert found is not None
    return found


def test_links_and_aliases_of_all_notes_are_read_by_vault_and_path(
    store: SqliteStore, vault: VaultRow
) -> None:
    other = add_vault(store, "/other", "work")
    add_notes(store, other, note("o.md"))
    linked = replace(note("b.md"), links=[LINK], metadata={"aliases": ["B", "É, b"]})
    add_notes(store, vault, linked, replace(note("a.md"), links=[], metadata={}))
    assert read(store).rows == [
        LinkRow(vault.key, note_key(store, vault, "a.md"), "a.md", (), []),
        LinkRow(vault.key, note_key(store, vault, "b.md"), "b.md", ("B", "É, b"), [LINK]),
        LinkRow(other.key, note_key(store, other, "o.md"), "o.md", (), [{"target": "other"}]),
    ]


@pytest.mark.parametrize("aliases", [None, "A", 7, {"a": 1}, []])
def test_aliases_that_no_reader_made_are_none(
    store: SqliteStore, vault: VaultRow, aliases: Json
) -> None:
    add_notes(store, vault, replace(note("a.md"), metadata={"aliases": aliases}))
    assert [row.aliases for row in read(store).rows] == [()]


def test_nothing_is_read_again_until_a_note_changes(store: SqliteStore, vault: VaultRow) -> None:
    add_notes(store, vault, note("a.md"), note("b.md"))
    stamp = read(store).stamp
    put(store, memory("m1"))
    put_pieces(store, note_key(store, vault, "a.md"), piece("p1"))
    with store.write() as writer:
        writer.touch_note(note_key(store, vault, "a.md"), 9, 9)
    assert store.records.links(stamp) is None


@pytest.mark.parametrize("change", ["add", "edit", "move", "delete", "replace"])
def test_every_change_of_a_note_is_seen(store: SqliteStore, vault: VaultRow, change: str) -> None:
    add_notes(store, vault, note("a.md"), note("b.md"))
    stamp = read(store).stamp
    key = note_key(store, vault, "b.md")
    with store.write() as writer:
        if change in ("add", "edit"):
            writer.put_note(vault, note("c.md" if change == "add" else "b.md", text="new"))
        elif change == "move":
            writer.move_note(key, "c.md")
        else:
            writer.delete_notes([key])
            if change == "replace":
                writer.put_note(vault, note("c.md"))
    assert read(store, stamp).stamp != stamp


def test_a_store_without_notes_has_no_links(store: SqliteStore) -> None:
    assert read(store).rows == []
