"""What does not fit together is told: what, where, how often, and what would mend it."""

from typing import LiteralString

import pytest
from tests.store.making import add_entities, add_notes, add_vault, entity, note, note_key, said
from tests.store.remembering import memory, piece, put, put_pieces

from winnow.store.problems import DAMAGED
from winnow.store.sqlite.store import SqliteStore
from winnow.store.sqlite.upkeep.rules import RULES

NOW = 10_000
"""Milliseconds: later than all that is stored here."""


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    """Two entities, one of them of a note with two pieces, and three memories."""
    vault = add_vault(store)
    add_notes(store, vault, note("a.md", said("a.md", "M-1", f=1)))
    add_entities(store, entity("M-2", f=1))
    put_pieces(store, note_key(store, vault, "a.md"), piece("p1"), piece("p2"))
    vectors = [{"vector": bytes(8), "model": one} for one in ("static", "external")]
    put(store, memory("m1", **vectors[0]), memory("m2", **vectors[1]))
    put(store, memory("m2", text="changed", **vectors[1]), memory("m3"))
    with store.write() as writer:
        writer.records.purge([writer.records.find("default", "m3") or 0])
    return store


def damage(store: SqliteStore, *statements: LiteralString) -> None:
    store._connection.execute("PRAGMA foreign_keys = OFF")
    for statement in statements:
        store._connection.execute(statement)
    store._connection.execute("PRAGMA foreign_keys = ON")


def codes(store: SqliteStore) -> set[str]:
    return {one.code for one in store.upkeep.check(NOW)}


def test_a_whole_store_has_no_problems(filled: SqliteStore) -> None:
    assert filled.upkeep.check(NOW) == []


CASES: tuple[tuple[str, LiteralString, str], ...] = (
    ("no_change_number", "DELETE FROM meta", "1 row with the store's change number is missing"),
    ("lost_vectors", "INSERT INTO vector VALUES (99, x'00000000')", "1 vectors are of records"),
    ("lost_history", "INSERT INTO past VALUES (99, 1, 5, '{}')", "1 steps of a history"),
    (
        "lost_contributions",
        "INSERT INTO contribution SELECT 99, key, '{}' FROM note",
        "1 statements are of a note or an entity",
    ),
    ("lost_numbers", "INSERT INTO spent VALUES (99, 7)", "1 spent numbers are of namespaces"),
    ("lost_pieces", "UPDATE record SET note = 99 WHERE note IS NOT NULL", "2 pieces are of notes"),
    ("unknown_models", "DELETE FROM model WHERE name = 'static'", "1 records don't know what made"),
    (
        "unreadable_vectors",
        "UPDATE vector SET vector = x'01' WHERE record = (SELECT key FROM record WHERE id = 'm1')",
        "1 records have a vector that can't be read",
    ),
    (
        "unreadable_given_vectors",
        "UPDATE vector SET vector = x'01' WHERE record = (SELECT key FROM record WHERE id = 'm2')",
        "1 records have a vector that was given",
    ),
    (
        "wrong_noted",
        "DELETE FROM contribution",
        "1 entities don't know whether a note declares them",
    ),
    (
        "unreadable_imports",
        "UPDATE entity SET imported = '{' WHERE id = 'M-2'",
        "1 entities have imported fields",
    ),
    (
        "unreadable_contributions",
        "UPDATE contribution SET fields = '{'",
        "1 notes say something of an entity",
    ),
    ("entities_ahead", "UPDATE entity SET change = 99", "2 entities have a change number"),
    ("notes_ahead", "UPDATE note SET change = 99", "1 notes have a change number"),
    ("records_ahead", "UPDATE record SET change = 99", "4 records have a change number"),
    (
        "living_purged",
        "INSERT INTO purged SELECT 1, key FROM record WHERE id = 'm1'",
        "1 records are there and purged at once",
    ),
    ("unreadable_notes", "UPDATE note SET links = '{'", "1 notes have tags, findings, links"),
    ("unreadable_records", "UPDATE record SET tags = '{'", "4 records have tags or metadata"),
    (
        "unreadable_keys",
        "INSERT INTO access_key VALUES ('a', zeroblob(32), '{', NULL, '')",
        "1 keys have scopes or namespaces",
    ),
    ("unreadable_history", "UPDATE past SET before = '{'", "1 records have a history"),
    (
        "late_change",
        "UPDATE meta SET changed_at = '2999-01-01T00:00:00.000Z'",
        "1 time of the last change has not come yet",
    ),
    (
        "times_ahead",
        "UPDATE record SET updated_at = 86420000",
        "2 memories have times that have not come yet",
    ),
    (
        "times_backward",
        "UPDATE record SET updated_at = created_at - 1",
        "2 memories were changed before they were stored",
    ),
)


def test_every_rule_has_a_case_below() -> None:
    assert [case[0] for case in CASES] == [rule.code for rule in RULES]


@pytest.mark.parametrize(("code", "statement", "told"), CASES)
def test_what_breaks_a_rule_is_told_with_its_place(
    filled: SqliteStore, code: str, statement: LiteralString, told: str
) -> None:
    rule = next(one for one in RULES if one.code == code)
    damage(filled, statement)
    (problem,) = (one for one in filled.upkeep.check(NOW) if one.code == code)
    assert f"{problem.count} {problem.detail}".startswith(told)
    assert (problem.where, problem.repair) == (rule.where, rule.repair)
    assert problem.serious == rule.serious


@pytest.mark.parametrize(
    ("code", "statement"),
    [(code, statement) for code, statement, _ in CASES if code != "no_change_number"],
)
def test_a_repair_mends_what_it_says_it_does_and_loses_no_memory(
    filled: SqliteStore, code: str, statement: LiteralString
) -> None:
    damage(filled, statement)
    before, found = filled.last_change().number, filled.upkeep.check(NOW)
    memories = memories_of(filled)
    with filled.write() as writer:
        writer.mend([one.code for one in found])
    left = {one.code for one in filled.upkeep.check(NOW)}
    if code not in {"unreadable_imports", "unreadable_contributions"}:  # which say nothing now
        assert left == {one.code for one in found if one.repair is None}
    assert memories_of(filled) == memories
    if any(one.repair for one in found):
        assert filled.last_change().number > before
        with filled.write() as writer:
            writer.mend([one.code for one in found])
        assert {one.code for one in filled.upkeep.check(NOW)} == left


def memories_of(store: SqliteStore) -> list[tuple[str, str]]:
    return store._connection.all(
        tuple[str, str], "SELECT id, text FROM record WHERE id LIKE 'm%' ORDER BY id"
    )


def test_pieces_that_a_repair_removes_are_gone_for_who_has_read_them(filled: SqliteStore) -> None:
    before = filled.last_change().number
    damage(filled, "UPDATE record SET note = 99 WHERE note IS NOT NULL")
    with filled.write() as writer:
        writer.mend(["lost_pieces"])
    assert sum(len(batch.dead) for batch in filled.records.scan(before)) == 2


@pytest.mark.parametrize(
    ("statement", "where", "told"),
    [
        ("DELETE FROM vault", "note", "1 rows of note belong to a vault that is missing"),
        ("DELETE FROM note", "contribution", "1 statements are of a note or an entity"),
        ("DELETE FROM namespace", "record", "4 rows of record belong to a namespace"),
    ],
)
def test_rows_whose_owner_is_gone_are_told(
    filled: SqliteStore, statement: LiteralString, where: str, told: str
) -> None:
    damage(filled, statement)
    found = {f"{one.where}: {one.count} {one.detail}" for one in filled.upkeep.check(NOW)}
    assert any(one.startswith(f"{where}: {told}") for one in found), found


def test_damage_of_the_file_is_told_and_nothing_else(filled: SqliteStore) -> None:
    damage(
        filled,
        "DELETE FROM contribution",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'entity_change'",
        "PRAGMA schema_version = 999",  # or who has read the schema would not read it again
    )
    assert codes(filled) == {DAMAGED}
    assert all(one.serious and one.repair is None for one in filled.upkeep.check(NOW))


# --- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("terms", ["x'01'", "x'63000000'", "x'01000080'", "x'ffffffff01000000'"])
def test_terms_that_are_no_words_of_the_dictionary_are_counted_by_namespace(
    filled: SqliteStore, terms: str
) -> None:
    with filled.write() as writer:
        writer.records.term_ids(["one", "two"])
    value = bytes.fromhex(terms[2:-1])
    filled._connection.execute("UPDATE record SET terms = ? WHERE id IN ('m1', 'p1')", (value,))
    (problem,) = filled.upkeep.check(NOW)
    assert (problem.code, problem.where, problem.count) == ("wrong_terms", "default", 2)


def test_words_that_nothing_has_are_told_when_there_are_many(filled: SqliteStore) -> None:
    with filled.write() as writer:
        writer.records.term_ids(f"word{number}" for number in range(1_001))
    (problem,) = filled.upkeep.check(NOW)
    assert (problem.code, problem.count, problem.serious) == ("unused_terms", 1_001, False)
    with filled.write() as writer:
        writer.mend(["unused_terms"])
    assert filled.upkeep.check(NOW) == []
    assert filled.records.find_terms(["word1"]) == {}
