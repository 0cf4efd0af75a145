from typing import LiteralString

import pytest
from tests.store.making import add_entities, add_notes, add_vault, entity, note, said

from winnow.store.sqlite import SqliteStore


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    vault = add_vault(store)
    add_notes(store, vault, note("a.md", said("a.md", "M-1", f=1)))
    add_entities(store, entity("M-2", f=1))
    return store


def test_a_whole_store_has_no_faults(filled: SqliteStore) -> None:
    assert filled.check() == []


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        ("DELETE FROM contribution", "1 entities don't know whether a note declares them"),
        ("UPDATE entity SET imported = '{' WHERE id = 'M-2'", "1 entities have imported fields"),
        ("UPDATE contribution SET fields = '{'", "1 notes say something of an entity"),
        ("UPDATE entity SET change = 99", "2 entities have a change number that was never given"),
        ("UPDATE note SET change = 99", "1 notes have a change number that was never given"),
        ("DELETE FROM note", "row None of contribution belongs to a note that is missing"),
        ("DELETE FROM vault", "row 1 of note belongs to a vault that is missing"),
        ("DELETE FROM meta", "1 row with the store's change number is missing"),
        (
            "INSERT INTO access_key VALUES ('a', zeroblob(32), '{', NULL, '')",
            "1 keys have scopes or namespaces that can't be read",
        ),
    ],
)
def test_what_does_not_fit_together_is_told(
    filled: SqliteStore, damage: LiteralString, fault: str
) -> None:
    filled._connection.execute("PRAGMA foreign_keys = OFF")
    filled._connection.execute(damage)
    assert any(fault in line for line in filled.check()), filled.check()


def test_damage_of_the_file_is_told(filled: SqliteStore) -> None:
    filled._connection.execute("PRAGMA writable_schema = ON")
    filled._connection.execute("UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'entity_change'")
    assert any("damaged" in line for line in filled.check()), filled.check()
