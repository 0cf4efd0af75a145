from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.store.remembering import memory, put
from tests.vault.making import (
    date,
    index,
    look,
    make_vault,
    place_of,
    stored_pieces,
    vault_of,
    write,
)

from winnow.store.base import VaultRow
from winnow.store.memories import Record, RecordWriter
from winnow.store.sqlite.store import SqliteStore, open_store
from winnow.vault import loading, sync
from winnow.vault.contents import Content
from winnow.vault.filing import Finish
from winnow.vault.folder import SeenNote
from winnow.vault.pieces import Home
from winnow.vault.reading import BuiltNote, build_note

TERMS = "# Terms\nTwelve percent.\n"
PARTIES = "# Parties\nNorthwind.\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(open_store(tmp_path / "store" / "winnow.db")) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", {"a.md": TERMS + PARTIES, "b.md": "Something else.\n"})


def ids(store: SqliteStore, path: str) -> list[str]:
    return [piece.id for piece in stored_pieces(store, path)]


def change(store: SqliteStore) -> int:
    return store.last_change().number


# --- with the note -------------------------------------------------------------------------------


def test_pieces_are_stored_with_their_note(store: SqliteStore, folder: Path) -> None:
    index(store, folder)
    assert [(place_of(one), one.text) for one in stored_pieces(store)] == [
        (("a.md", 1), "# Terms\nTwelve percent."),
        (("a.md", 3), "# Parties\nNorthwind."),
        (("b.md", 1), "Something else."),
    ]
    (first, *_) = stored_pieces(store)
    assert first.piece is not None
    assert (first.namespace, first.piece.vault, first.piece.heading) == (
        "default",
        "vault",
        "Terms",
    )


def test_an_edit_replaces_the_pieces_of_its_section_alone(store: SqliteStore, folder: Path) -> None:
    index(store, folder)
    terms, parties = ids(store, "a.md")
    write(folder, "a.md", TERMS + "More.\n" + PARTIES)
    index(store, folder)
    edited, same = ids(store, "a.md")
    assert same == parties
    assert edited != terms
    assert store.records.find("default", terms) is None


def test_a_note_that_moves_or_is_renamed_keeps_the_ids_of_its_pieces(
    store: SqliteStore, folder: Path
) -> None:
    """F100: same ids, new path."""
    index(store, folder)
    before = ids(store, "a.md")
    (folder / "deep").mkdir()
    (folder / "a.md").rename(folder / "deep" / "new.md")
    index(store, folder)
    assert ids(store, "deep/new.md") == before
    assert ids(store, "a.md") == []


def test_pieces_go_with_their_note(store: SqliteStore, folder: Path) -> None:
    """F64."""
    index(store, folder)
    (folder / "a.md").unlink()
    index(store, folder)
    assert [place_of(one)[0] for one in stored_pieces(store)] == ["b.md"]


def test_notes_that_did_not_change_cost_their_pieces_nothing(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(store, folder)
    last = change(store)
    date(folder / "a.md")

    def refuse(_: Sequence[Record]) -> Finish:
        raise AssertionError("a piece is made anew")

    monkeypatch.setattr(loading, "build_note", refuse)
    index(store, folder)
    index(store, folder)
    assert change(store) == last


def test_notes_that_are_read_again_to_the_same_effect_keep_their_pieces_as_they_are(
    store: SqliteStore, folder: Path
) -> None:
    index(store, folder)
    last = change(store)
    index(store, folder, reread=True)
    assert [one for batch in store.records.scan(last) for one in batch.ids] == []


def test_notes_that_are_read_again_get_the_pieces_that_they_lack(
    store: SqliteStore, folder: Path
) -> None:
    index(store, folder)
    before = stored_pieces(store)
    with store.write() as writer:
        for note in store.notes(vault_of(store, folder)):
            writer.records.put_pieces(note.key, [])
    assert stored_pieces(store) == []
    index(store, folder, reread=True)
    assert stored_pieces(store) == before


# --- ids that something else has -----------------------------------------------------------------


def test_of_equal_pieces_in_several_notes_the_first_has_the_plain_id(
    store: SqliteStore, folder: Path
) -> None:
    index(store, folder)
    write(folder, "copy.md", TERMS + PARTIES + "# New\nx\n")
    index(store, folder)
    first, copied = ids(store, "a.md"), ids(store, "copy.md")
    key = next(one.key for one in store.notes(vault_of(store, folder)) if one.path == "copy.md")
    assert copied[:2] == [f"{one}-{key}" for one in first]
    assert "-" not in copied[2]


def test_two_stores_give_the_same_vault_the_same_ids(
    store: SqliteStore, folder: Path, tmp_path: Path
) -> None:
    for name in ("copy.md", "another/copy.md", "empty.md", "another/empty.md"):
        write(folder, name, TERMS + PARTIES if "copy" in name else "")
    index(store, folder)
    with closing(open_store(tmp_path / "other.db")) as other:
        index(other, folder)
        assert [one.id for one in stored_pieces(other)] == [one.id for one in stored_pieces(store)]
    assert len({one.id for one in stored_pieces(store)}) == 9


def test_the_id_of_a_twin_stays_whatever_becomes_of_the_other(
    store: SqliteStore, folder: Path
) -> None:
    write(folder, "copy.md", TERMS + PARTIES)
    index(store, folder)
    terms, parties = ids(store, "copy.md")
    (folder / "a.md").unlink()
    index(store, folder)
    write(folder, "copy.md", TERMS + "More.\n" + PARTIES)
    index(store, folder)
    assert ids(store, "copy.md")[1] == parties
    (folder / "copy.md").rename(folder / "a.md")
    index(store, folder)
    assert ids(store, "a.md")[1] == parties
    assert terms not in ids(store, "a.md")


def test_a_section_that_is_cut_from_one_note_and_pasted_into_another_is_in_both_runs(
    store: SqliteStore, folder: Path
) -> None:
    index(store, folder)
    write(folder, "a.md", TERMS)
    write(folder, "b.md", "Something else.\n" + PARTIES)
    index(store, folder)
    assert [one.text for one in stored_pieces(store, "b.md")][1] == "# Parties\nNorthwind."
    write(folder, "a.md", TERMS + PARTIES)
    write(folder, "b.md", "Something else.\n")
    index(store, folder)
    assert len(ids(store, "a.md")) == 2


def test_notes_of_two_vaults_in_one_namespace_may_be_equal(
    store: SqliteStore, folder: Path, tmp_path: Path
) -> None:
    other = make_vault(tmp_path / "other", {"a.md": TERMS + PARTIES})
    index(store, folder)
    index(store, other)
    assert len({one.id for one in stored_pieces(store, "a.md")}) == 4


def test_in_another_namespace_an_equal_note_has_the_same_ids(
    store: SqliteStore, folder: Path, tmp_path: Path
) -> None:
    index(store, folder)
    other = make_vault(tmp_path / "other", {"a.md": TERMS + PARTIES})
    with store.write() as writer:
        writer.put_vault(VaultRow(0, str(other), "other", "work", "f", ()))
    index(store, other)
    found = [(one.namespace, one.id) for one in stored_pieces(store, "a.md")]
    assert len(found) == 4
    assert {one for space, one in found if space == "work"} == set(ids(store, "a.md"))


@pytest.mark.parametrize("deleted", [False, True])
def test_a_memory_that_has_the_id_of_a_piece_stops_no_run(
    store: SqliteStore, folder: Path, deleted: bool
) -> None:
    index(store, folder)
    known = ids(store, "a.md")
    copy = store.notes(vault_of(store, folder))[-1].key + 1
    write(folder, "copy.md", TERMS + "# New\nx\n")
    names = [f"{known[0]}-{copy}", f"{known[0]}-{copy}-2"]
    keys = put(store, *map(memory, names))
    if deleted:
        with store.write() as writer:
            writer.records.delete(keys, 1)
    for _ in range(2):
        index(store, folder, reread=True)
        assert ids(store, "copy.md")[0].startswith(names[0] + "-")
    assert ids(store, "a.md") == known


# --- terms and vectors ---------------------------------------------------------------------------


class Finishing:
    """Gives each piece terms that tell its text, and counts what it was asked for."""

    def __init__(self) -> None:
        self.prepared: list[list[str]] = []
        self.finished = 0

    def __call__(self, pieces: Sequence[Record]) -> Finish:
        self.prepared.append([piece.text for piece in pieces])

        def finish(writer: RecordWriter) -> list[Record]:
            self.finished += 1
            numbers = writer.term_ids(piece.text for piece in pieces)
            return [
                replace(one, terms=numbers[one.text].to_bytes(4, "little"), vector=b"\0\0\0\0")
                for one in pieces
            ]

        return finish


def assert_finished(store: SqliteStore) -> None:
    """Each piece has the terms of its own text."""
    numbers = store.records.find_terms([one.text for one in stored_pieces(store)])
    for one in stored_pieces(store):
        assert (one.terms, one.vector) == (numbers[one.text].to_bytes(4, "little"), b"\0\0\0\0")


def test_pieces_are_finished_a_batch_at_a_time(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finishing = Finishing()
    write(folder, "c.md", "Third.\n")
    monkeypatch.setattr(sync, "BATCH_NOTES", 2)
    index(store, folder, prepare=finishing)
    assert finishing.prepared == [
        ["# Terms\nTwelve percent.", "# Parties\nNorthwind.", "Something else."],
        ["Third."],
    ]
    assert finishing.finished == 2
    assert_finished(store)


def test_only_what_is_read_is_prepared(store: SqliteStore, folder: Path) -> None:
    index(store, folder, prepare=Finishing())
    last = change(store)
    finishing = Finishing()
    date(folder / "a.md")
    index(store, folder, prepare=finishing)
    assert finishing.prepared == []
    write(folder, "b.md", "New.\n")
    index(store, folder, prepare=finishing)
    assert finishing.prepared[-1] == ["New."]
    assert [one for batch in store.records.scan(last) for one in batch.paths] == ["b.md"]
    assert_finished(store)


def test_twins_are_finished_too(store: SqliteStore, folder: Path) -> None:
    write(folder, "copy.md", TERMS + PARTIES)
    index(store, folder, prepare=Finishing())
    assert len(stored_pieces(store)) == 5
    assert_finished(store)


def test_a_note_that_is_edited_while_it_is_read_is_finished_as_it_is_now(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited: list[str] = []

    def build(seen: SeenNote, content: Content, packs: Sequence[object], home: Home) -> BuiltNote:
        if seen.path == "a.md" and not edited:
            edited.append(seen.path)
            write(folder, "a.md", "Edited.\n# More\nx\n# And more\ny\n")
        return build_note(seen, content, (), home)

    monkeypatch.setattr(loading, "build_note", build)
    index(store, folder, prepare=Finishing())
    assert [one.text for one in stored_pieces(store)] == [
        "Edited.",
        "# More\nx",
        "# And more\ny",
        "Something else.",
    ]
    assert_finished(store)


def test_what_is_read_in_a_transaction_is_prepared_in_haste(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(seen: SeenNote, content: Content, packs: Sequence[object], home: Home) -> BuiltNote:
        if seen.path == "a.md" and b"Edited" not in (folder / "a.md").read_bytes():
            write(folder, "a.md", "Edited.\n")
        return build_note(seen, content, (), home)

    monkeypatch.setattr(loading, "build_note", build)
    calm, hasty = Finishing(), Finishing()
    index(store, folder, prepare=calm, hasten=hasty)
    assert hasty.prepared == [["Edited."]]
    assert len(calm.prepared) == 1
    assert_finished(store)


def test_what_is_left_of_a_note_that_can_t_be_stored_is_finished(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(seen: SeenNote, content: Content, packs: Sequence[object], home: Home) -> BuiltNote:
        note = build_note(seen, content, (), home)
        return replace(note, row=replace(note.row, title="\ud800"))

    monkeypatch.setattr(loading, "build_note", build)
    index(store, folder, prepare=Finishing())
    assert [one.text for one in stored_pieces(store, "a.md")] == [(TERMS + PARTIES).strip()]
    assert_finished(store)


def test_a_note_that_another_process_took_out_is_put_back_with_its_pieces(
    store: SqliteStore, folder: Path
) -> None:
    index(store, folder, prepare=Finishing())
    date(folder / "a.md")
    vault = vault_of(store, folder)
    known = store.notes(vault)
    todo = sync.plan(known, look(folder))
    with store.write() as writer:
        writer.delete_notes([known[0].key])
    sync.apply(sync.Job(store, vault, str(folder), (), prepare=Finishing()), todo)
    assert len(ids(store, "a.md")) == 2
    assert_finished(store)
