"""Which notes say something of which entities, read from the store."""

import pytest
from tests.store.making import add_entities, add_notes, add_vault, entity, note, note_key

from winnow.store.base import VaultRow
from winnow.store.memories import Declarations
from winnow.store.sqlite.store import SqliteStore

MATTER, CLIENT = "legal.Matter", "legal.Client"


@pytest.fixture
def vault(store: SqliteStore) -> VaultRow:
    return add_vault(store)


def key(store: SqliteStore, name: str, schema: str = MATTER) -> int:
    found = store.find_entity("default", schema, name)
    assert found is not None
    return found


def pairs(found: Declarations) -> set[tuple[int, int]]:
    return set(zip(found.entities, found.notes, strict=True))


def test_the_notes_of_each_entity_of_a_schema_are_told(store: SqliteStore, vault: VaultRow) -> None:
    both = note("b.md", entity("MAT-1"), entity("MAT-2"), entity("CLT-1", CLIENT))
    add_notes(store, vault, note("a.md", entity("MAT-1")), both, note("c.md"))
    a, b = (note_key(store, vault, path) for path in ("a.md", "b.md"))
    found = store.records.declarations(MATTER, 0)
    assert pairs(found) == {
        (key(store, "MAT-1"), a),
        (key(store, "MAT-1"), b),
        (key(store, "MAT-2"), b),
    }
    assert found.changed == ()
    assert pairs(store.records.declarations(CLIENT, 0)) == {(key(store, "CLT-1", CLIENT), b)}


def test_a_schema_that_nobody_has_and_one_that_was_only_imported_have_none(
    store: SqliteStore,
) -> None:
    add_entities(store, entity("MAT-1"))
    assert store.records.declarations(MATTER, 0) == Declarations((), [], [])
    assert store.records.declarations("legal.Nothing", 0) == Declarations((), (), ())


def test_only_what_changed_since_is_told_again(store: SqliteStore, vault: VaultRow) -> None:
    add_notes(store, vault, note("a.md", entity("MAT-1")), note("b.md", entity("MAT-2")))
    seen = store.last_change().number
    assert store.records.declarations(MATTER, seen) == Declarations([], [], [])
    add_notes(store, vault, note("c.md", entity("MAT-2")))
    found = store.records.declarations(MATTER, seen)
    second = key(store, "MAT-2")
    assert (found.changed, len(found.entities)) == ([second], 2)
    assert set(found.entities) == {second}


@pytest.mark.parametrize("change", ["edit", "move", "delete", "import"])
def test_every_change_of_what_notes_declare_is_seen(
    store: SqliteStore, vault: VaultRow, change: str
) -> None:
    add_notes(store, vault, note("a.md", entity("MAT-1")), note("b.md", entity("MAT-2")))
    first, seen = key(store, "MAT-1"), store.last_change().number
    note_a = note_key(store, vault, "a.md")
    with store.write() as writer:
        if change == "edit":
            writer.put_note(vault, note("a.md", text="nothing any more"))
        elif change == "move":
            writer.move_note(note_a, "z.md")
        elif change == "delete":
            writer.delete_notes([note_a])
        else:
            writer.put_entities("default", [entity("MAT-1", status="Active")])
    found = store.records.declarations(MATTER, seen)
    assert found.changed == [first]
    kept = change in ("move", "import")
    assert pairs(found) == ({(first, note_a)} if kept else set())
