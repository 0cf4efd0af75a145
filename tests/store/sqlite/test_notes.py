from dataclasses import replace

import pytest
from tests.store.making import (
    MATTER,
    add_entities,
    add_notes,
    add_vault,
    entity,
    fields_of,
    ids_after,
    note,
    note_key,
    said,
)

from winnow.errors import InvalidRequest, NotFound, StoreError
from winnow.records import Candidate, Evidence, Finding
from winnow.store.base import Sight, StoredNote
from winnow.store.sqlite.store import SqliteStore


def test_what_a_note_says_is_there_with_its_evidence(store: SqliteStore) -> None:
    vault = add_vault(store)
    add_notes(
        store, vault, note("m/a.md", said("m/a.md", "M-1", escrowPct=12, nonCompeteMonths=24))
    )
    (found,) = store.read_entities([store.find_entity("default", MATTER, "M-1") or 0])
    assert found.fields == {
        "escrowPct": (Candidate(12, evidence=Evidence("m/a.md", 1, "escrowPct=12")),),
        "nonCompeteMonths": (Candidate(24, evidence=Evidence("m/a.md", 2, "nonCompeteMonths=24")),),
    }
    assert found.notes == (Sight("m/a.md", "vault", "snippet of m/a.md"),)
    assert fields_of(store, "M-1") == {"escrowPct": 12, "nonCompeteMonths": 24}


def test_candidates_come_from_the_import_then_from_notes_by_vault_and_path(
    store: SqliteStore,
) -> None:
    first, second = add_vault(store, "/z"), add_vault(store, "/a")
    add_notes(store, second, note("a.md", said("a.md", "M-1", f=4)))
    add_notes(store, first, note("b.md", said("b.md", "M-1", f=3)))
    add_notes(store, first, note("a.md", said("a.md", "M-1", f=2)))
    add_entities(store, entity("M-1", f=1))
    assert fields_of(store, "M-1") == {"f": tuple(Candidate(n) for n in (1, 2, 3, 4))}
    (found,) = store.read_entities([store.find_entity("default", MATTER, "M-1") or 0])
    assert [one.value for one in found.fields["f"]] == [1, 2, 3, 4]
    assert [(one.vault, one.path) for one in found.notes] == [
        ("z", "a.md"),
        ("z", "b.md"),
        ("a", "a.md"),
    ]


def test_several_blocks_of_one_entity_in_a_note_add_up(store: SqliteStore) -> None:
    vault = add_vault(store)
    blocks = (said("a.md", "M-1", f=1, g=1), said("a.md", "M-2", f=5), said("a.md", "M-1", f=2))
    add_notes(store, vault, note("a.md", *blocks))
    assert fields_of(store, "M-1") == {"f": (Candidate(1), Candidate(2)), "g": 1}
    assert fields_of(store, "M-2") == {"f": 5}


def test_a_note_put_again_replaces_the_one_of_its_path(store: SqliteStore) -> None:
    vault = add_vault(store)
    add_notes(store, vault, note("a.md", said("a.md", "M-1", f=1)))
    key = note_key(store, vault, "a.md")
    add_notes(store, vault, note("a.md", said("a.md", "M-2", f=1), text="new"))
    assert ids_after(store, 0) == ["M-2"]
    assert store.notes(vault) == [StoredNote(key, "a.md", 3, 1, "digest of new")]


def test_only_entities_of_which_something_else_is_said_change(store: SqliteStore) -> None:
    vault = add_vault(store)
    same, before, after = (said("a.md", *one) for one in (("M-1",), ("M-2",), ("M-3",)))
    last = add_notes(store, vault, note("a.md", same, before))
    new = add_notes(store, vault, note("a.md", same, after, text="other text"))
    assert new == last + 1
    assert ids_after(store, last) == ["M-2", "M-3"]


def test_an_entity_that_nothing_declares_any_more_is_dead(store: SqliteStore) -> None:
    vault = add_vault(store)
    add_notes(
        store, vault, note("a.md", said("a.md", "M-1", f=1)), note("b.md", said("b.md", "M-1"))
    )
    key = store.find_entity("default", MATTER, "M-1") or 0
    for path, live in (("a.md", True), ("b.md", False)):
        last = store.last_change().number
        with store.write() as writer:
            writer.delete_notes([note_key(store, vault, path)])
        (batch,) = store.scan_entities(MATTER, last)
        assert (batch.keys, batch.ids, batch.live, batch.fields) == ([key], ["M-1"], [live], [{}])
    assert ids_after(store, 0) == []
    assert store.find_entity("default", MATTER, "M-1") is None
    assert store.schemas() == []


def test_a_dead_entity_comes_back_under_its_key(store: SqliteStore) -> None:
    vault = add_vault(store)
    add_notes(store, vault, note("a.md", said("a.md", "M-1", f=1)))
    key = store.find_entity("default", MATTER, "M-1")
    with store.write() as writer:
        writer.delete_notes([note_key(store, vault, "a.md")])
    add_notes(store, vault, note("b.md", said("b.md", "M-1", f=2)))
    assert store.find_entity("default", MATTER, "M-1") == key
    assert fields_of(store, "M-1") == {"f": 2}


def test_an_imported_entity_outlives_its_notes(store: SqliteStore) -> None:
    vault = add_vault(store)
    add_entities(store, entity("M-1", f=1))
    add_notes(store, vault, note("a.md", said("a.md", "M-1", g=2)))
    with store.write() as writer:
        writer.delete_notes([note_key(store, vault, "a.md")])
    assert fields_of(store, "M-1") == {"f": 1}


def test_a_moved_note_keeps_its_key_and_takes_its_evidence_along(store: SqliteStore) -> None:
    vault = add_vault(store)
    last = add_notes(
        store, vault, note("a.md", said("a.md", "M-1", f=1)), note("b.md", said("b.md", "M-2"))
    )
    key = note_key(store, vault, "a.md")
    with store.write() as writer:
        writer.move_note(key, "deep/c.md")
    assert note_key(store, vault, "deep/c.md") == key
    assert ids_after(store, last) == ["M-1"]
    (found,) = store.read_entities([store.find_entity("default", MATTER, "M-1") or 0])
    assert found.fields["f"][0].evidence == Evidence("deep/c.md", 1, "f=1")
    assert found.notes[0].path == "deep/c.md"


def test_a_note_is_not_moved_onto_another(store: SqliteStore) -> None:
    vault, other = add_vault(store), add_vault(store, "/other")
    add_notes(store, other, note("free.md"))
    add_notes(store, vault, note("a.md"), note("b.md"))
    with store.write() as writer:
        key = note_key(store, vault, "a.md")
        with pytest.raises(StoreError, match=r"'b\.md'.*has a note there"):
            writer.move_note(key, "b.md")
        writer.move_note(key, "a.md")
        writer.move_note(key, "free.md")
    assert [one.path for one in store.notes(vault)] == ["b.md", "free.md"]


def test_a_touched_note_is_known_by_its_new_size_and_time(store: SqliteStore) -> None:
    vault = add_vault(store)
    last = add_notes(store, vault, note("a.md", said("a.md", "M-1")))
    key = note_key(store, vault, "a.md")
    with store.write() as writer:
        writer.touch_note(key, 7, 8)
    assert store.notes(vault) == [StoredNote(key, "a.md", 7, 8, "digest of text")]
    assert ids_after(store, last) == []
    assert store.last_change().number == last


def test_a_note_that_is_not_there_is_named(store: SqliteStore) -> None:
    with store.write() as writer:
        with pytest.raises(NotFound, match="no note has the key 9"):
            writer.touch_note(9, 1, 1)
        with pytest.raises(NotFound, match="no note has the key 9"):
            writer.move_note(9, "a.md")
        writer.delete_notes([9])


def test_a_note_of_an_unknown_vault_is_refused(store: SqliteStore) -> None:
    vault = replace(add_vault(store), key=99)
    with store.write() as writer, pytest.raises(StoreError):
        writer.put_note(vault, note("a.md", said("a.md", "M-1")))
    assert ids_after(store, 0) == []


def test_a_note_with_a_lone_surrogate_leaves_the_earlier_one_whole(store: SqliteStore) -> None:
    vault = add_vault(store)
    last = add_notes(store, vault, note("a.md", said("a.md", "M-1", f=1)))
    bad = (
        note("a.md", said("a.md", "M-1", f=2), text="\ud800"),
        note("a.md", said("a.md", "M-1", f=2), said("a.md", "\ud800")),
    )
    with store.write() as writer:
        for one in bad:
            with pytest.raises(InvalidRequest, match="U\\+D800"):
                writer.put_note(vault, one)
    assert fields_of(store, "M-1") == {"f": 1}
    assert store.last_change().number == last
    assert store.upkeep.check() == []


def test_findings_are_listed_by_vault_and_path_of_the_namespaces_asked_for(
    store: SqliteStore,
) -> None:
    first, second = add_vault(store), add_vault(store, "/second", "other")
    for vault, path in ((second, "a.md"), (first, "c.md"), (first, "b.md")):
        found = (Finding("broken", path, 1, "bad", "M-1", "f"), Finding("worse", path, None, "x"))
        add_notes(store, vault, replace(note(path), findings=found), note("clean.md"))
    shown = [(one.path, one.code) for one in store.findings(None)]
    assert shown == [(p, c) for p in ("b.md", "c.md", "a.md") for c in ("broken", "worse")]
    assert [one.path for one in store.findings(["other"])] == ["a.md", "a.md"]
    assert list(store.findings([])) == []
    assert [one.path for one in store.findings(None, first)] == ["b.md", "b.md", "c.md", "c.md"]
