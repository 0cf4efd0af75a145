import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.vault.making import (
    date,
    index,
    look,
    make_vault,
    matter,
    seen,
    stored_pieces,
    vault_of,
    write,
)

from winnow.packs import builtin_packs
from winnow.records import Finding
from winnow.schema import Pack
from winnow.store.base import FullEntity, StoredNote
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.store import SqliteStore, open_store
from winnow.vault import loading, sync, workers
from winnow.vault.contents import UNSURE, Content, read_file
from winnow.vault.extract import Extraction
from winnow.vault.folder import Listing, SeenNote, Skip
from winnow.vault.note import Note
from winnow.vault.pieces import Home
from winnow.vault.reading import BuiltNote, build_note
from winnow.vault.sync import BATCH_NOTES, Job, Moves, Outcome, apply, is_mass_loss, plan

MATTER = "legal.Matter"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(open_store(tmp_path / "store" / "winnow.db")) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", {f"{n}.md": matter(1000 + n, n) for n in range(4)})


def notes(store: SqliteStore) -> dict[str, StoredNote]:
    return {note.path: note for vault in store.vaults() for note in store.notes(vault)}


def entities(store: SqliteStore) -> dict[str, FullEntity]:
    """All live entities, with everything but their keys."""
    keys = [key for batch in store.scan_entities(MATTER, 0) for key in batch.keys]
    return {one.id: replace(one, key=0) for one in store.read_entities(keys)}


def escrow(store: SqliteStore, name: str) -> list[object]:
    return [one.value for one in entities(store)[name].fields["escrowPct"]]


def findings(store: SqliteStore) -> list[Finding]:
    return list(store.findings(None))


def counts(outcome: Outcome) -> dict[str, int]:
    names = ("added", "changed", "moved", "removed", "unchanged")
    return {name: getattr(outcome, name) for name in names if getattr(outcome, name)}


def deny_opening(patch: pytest.MonkeyPatch, *names: str) -> None:
    """Let files be unreadable; the tests may run as a user whom no permission keeps out."""
    opening = os.open

    def deny(place: "str | os.PathLike[str]", *rest: int) -> int:
        if os.fspath(place).endswith(names):
            raise PermissionError(13, "Permission denied", place)
        return opening(place, *rest)

    patch.setattr(os, "open", deny)


# --- the plan ------------------------------------------------------------------------------------


def known(path: str, size: int = 1, mtime: int = 1, digest: str = "d") -> StoredNote:
    return StoredNote(hash(path), path, size, mtime, digest)


def found(*files: tuple[str, int, int], skips: Sequence[Skip] = ()) -> Listing:
    notes = tuple(SeenNote(path, f"/v/{path}", size, mtime) for path, size, mtime in files)
    return Listing(notes, tuple(skips))


def test_files_of_another_size_or_time_are_read_and_the_others_are_not() -> None:
    todo = plan(
        [known("a.md"), known("b.md"), known("c.md"), known("d.md", mtime=UNSURE)],
        found(("a.md", 1, 1), ("b.md", 2, 1), ("c.md", 1, 2), ("d.md", 1, 1), ("e.md", 1, 1)),
    )
    assert [item.seen.path for item in todo.reads] == ["b.md", "c.md", "d.md", "e.md"]
    assert [item.known is None for item in todo.reads] == [False, False, False, True]
    assert (todo.unchanged, todo.gone, todo.unknown, todo.total) == (1, (), (), 4)


def test_with_other_packs_every_file_is_read() -> None:
    todo = plan([known("a.md")], found(("a.md", 1, 1)), reread=True)
    assert [item.known for item in todo.reads] == [known("a.md")]
    assert todo.unchanged == 0


def test_what_lies_where_nothing_can_be_seen_is_unknown_and_not_gone() -> None:
    """F100: neither a folder that can't be read nor a file that can't be looked at is empty."""
    paths = ["a/b/c.md", "a/bb.md", "ab.md", "f.md", "x.md/y.md"]
    skips = [Skip("a/b/", "", True), Skip("f.md", "", True), Skip("x.md", "", True)]
    todo = plan([known(path) for path in paths], found(skips=skips))
    assert [note.path for note in todo.unknown] == ["a/b/c.md", "f.md"]
    assert [note.path for note in todo.gone] == ["a/bb.md", "ab.md", "x.md/y.md"]


def test_what_was_left_out_on_purpose_is_gone() -> None:
    todo = plan([known("a.md")], found(skips=[Skip("a.md", "a link")]))
    assert [note.path for note in todo.gone] == ["a.md"]


names = st.sampled_from([f"{folder}{n}.md" for folder in ("", "a/", "a/b/") for n in range(4)])


@given(st.sets(names), st.sets(names), st.sets(st.sampled_from(["a/", "a/b/"])), st.booleans())
def test_each_note_and_each_file_has_one_place_in_the_plan(
    stored: set[str], files: set[str], denied: set[str], reread: bool
) -> None:
    seen = [path for path in files if not any(path.startswith(one) for one in denied)]
    todo = plan(
        [known(path) for path in stored],
        found(*((path, 1, 1) for path in seen), skips=[Skip(one, "", True) for one in denied]),
        reread=reread,
    )
    assert len(todo.reads) + todo.unchanged == len(seen)
    missing = sorted(note.path for note in (*todo.gone, *todo.unknown))
    assert missing == sorted(stored - set(seen))
    assert all(not note.path.startswith(tuple(denied)) for note in todo.gone)


def test_a_moved_note_is_looked_for_by_content_then_by_name() -> None:
    moves = Moves([known("a/x.md"), known("a/y.md"), known("z.md", digest="other")])
    assert moves.find("none", "a/x.md") is None
    by_name = moves.find("d", "b/y.md")
    assert by_name == known("a/y.md")
    moves.take(known("a/y.md"))
    assert moves.find("d", "b/y.md") == known("a/x.md")
    moves.take(known("a/x.md"))
    assert moves.find("d", "b/y.md") is None
    assert moves.left() == [known("z.md", digest="other")]


@pytest.mark.parametrize(
    ("gone", "total", "mass"),
    [(5, 5, False), (6, 6, True), (6, 11, True), (6, 12, False), (7, 12, True), (0, 0, False)],
)
def test_more_than_half_and_more_than_five_are_a_mass_loss(
    gone: int, total: int, mass: bool
) -> None:
    assert is_mass_loss(gone, total) is mass


# --- what becomes of notes -----------------------------------------------------------------------


def test_new_edited_and_deleted_notes_are_followed(store: SqliteStore, folder: Path) -> None:
    assert counts(index(store, folder)) == {"added": 4}
    write(folder, "1.md", matter(1001, 50))
    write(folder, "new.md", matter(1009, 9))
    (folder / "2.md").unlink()
    outcome = index(store, folder)
    assert counts(outcome) == {"added": 1, "changed": 1, "removed": 1, "unchanged": 2}
    assert outcome.read == 2
    assert list(entities(store)) == ["MAT-1000", "MAT-1001", "MAT-1003", "MAT-1009"]
    assert escrow(store, "MAT-1001") == [50]


def test_a_run_with_nothing_new_writes_nothing(store: SqliteStore, folder: Path) -> None:
    index(store, folder)
    last = store.last_change()
    outcome = index(store, folder)
    assert counts(outcome) == {"unchanged": 4}
    assert outcome.read == 0
    assert store.last_change() == last


def test_a_file_that_was_only_touched_is_read_once_more_and_is_no_change(
    store: SqliteStore, folder: Path
) -> None:
    index(store, folder)
    last = store.last_change()
    date(folder / "1.md")
    for read in (1, 0):
        outcome = index(store, folder)
        assert counts(outcome) == {"unchanged": 4}
        assert outcome.read == read
    assert store.last_change() == last


def test_a_moved_note_stays_the_note_it_was(store: SqliteStore, folder: Path) -> None:
    """F100: a move without a change of content is the same note at a new path."""
    index(store, folder)
    key = notes(store)["1.md"].key
    (folder / "sub").mkdir()
    (folder / "1.md").rename(folder / "sub/renamed.md")
    assert counts(index(store, folder)) == {"moved": 1, "unchanged": 3}
    assert notes(store)["sub/renamed.md"].key == key
    assert "1.md" not in notes(store)
    (evidence,) = entities(store)["MAT-1001"].fields["escrowPct"]
    assert evidence.evidence is not None
    assert evidence.evidence.path == "sub/renamed.md"


def test_a_moved_note_whose_name_declares_is_about_what_it_is_now_named(
    store: SqliteStore, folder: Path
) -> None:
    write(folder, "MAT-5000.md", "CLAWQL_ESCROW_PCT=7\n")
    index(store, folder)
    key = notes(store)["MAT-5000.md"].key
    (folder / "MAT-5000.md").rename(folder / "MAT-6000.md")
    assert counts(index(store, folder)) == {"moved": 1, "unchanged": 4}
    assert notes(store)["MAT-6000.md"].key == key
    assert "MAT-5000" not in entities(store)
    assert escrow(store, "MAT-6000") == [7]


def test_a_whole_folder_that_is_renamed_loses_nothing(store: SqliteStore, tmp_path: Path) -> None:
    many = {f"old/{n}.md": matter(1000 + n) for n in range(20)}
    folder = make_vault(tmp_path / "vault", many)
    index(store, folder)
    keys = {note.key for note in notes(store).values()}
    (folder / "old").rename(folder / "new")
    outcome = index(store, folder)
    assert (counts(outcome), outcome.warnings) == ({"moved": 20}, [])
    assert {note.key for note in notes(store).values()} == keys
    assert list(notes(store)) == [path.replace("old", "new") for path in sorted(many)]


def test_a_copy_is_a_note_of_its_own(store: SqliteStore, folder: Path) -> None:
    index(store, folder)
    write(folder, "copy.md", matter(1001, 1))
    assert counts(index(store, folder)) == {"added": 1, "unchanged": 4}
    assert len(entities(store)["MAT-1001"].notes) == 2


def test_a_note_whose_name_changed_in_case_alone_is_followed(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the system finds a file by its name in any case."""
    index(store, folder)
    (folder / "1.md").unlink()
    write(folder, "1.MD", matter(1001, 77))
    lstat = os.lstat

    def look_in_any_case(place: str) -> os.stat_result:
        return lstat(place.replace("1.md", "1.MD"))

    monkeypatch.setattr(os, "lstat", look_in_any_case)
    assert counts(index(store, folder)) == {"added": 1, "removed": 1, "unchanged": 3}
    assert list(notes(store)) == ["0.md", "1.MD", "2.md", "3.md"]


def test_a_note_that_is_deleted_and_made_again_is_back(store: SqliteStore, folder: Path) -> None:
    index(store, folder)
    before = entities(store)
    (folder / "1.md").unlink()
    index(store, folder)
    assert "MAT-1001" not in entities(store)
    write(folder, "1.md", matter(1001, 1))
    index(store, folder)
    assert entities(store) == before


@pytest.mark.parametrize("prune", [False, True])
def test_of_a_vault_that_is_half_gone_nothing_is_forgotten_unless_asked(
    store: SqliteStore, tmp_path: Path, prune: bool
) -> None:
    """F100."""
    folder = make_vault(tmp_path / "vault", {f"{n}.md": matter(1000 + n) for n in range(11)})
    index(store, folder)
    for n in range(6):
        (folder / f"{n}.md").unlink()
    write(folder, "10.md", matter(1010, 99))
    outcome = index(store, folder, prune=prune)
    if prune:
        assert counts(outcome) == {"changed": 1, "removed": 6, "unchanged": 4}
        assert outcome.warnings == []
        assert len(entities(store)) == 5
    else:
        assert counts(outcome) == {"changed": 1, "unchanged": 4}
        assert "6 of the 11 known notes" in outcome.warnings[0]
        assert "--prune" in outcome.warnings[0]
        assert len(entities(store)) == 11
    assert escrow(store, "MAT-1010") == [99]


def test_notes_in_a_folder_that_can_t_be_read_stay_even_with_prune(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F100: a permission that is missing deletes nothing."""
    folder = make_vault(tmp_path / "vault", {f"sub/{n}.md": matter(1000 + n) for n in range(8)})
    index(store, folder)
    scandir = os.scandir

    def scan(place: str) -> object:
        if place.endswith("/sub"):
            raise PermissionError(13, "Permission denied", place)
        return scandir(place)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", scan)
        assert counts(index(store, folder, prune=True)) == {}
    assert len(notes(store)) == 8
    assert counts(index(store, folder)) == {"unchanged": 8}


def test_a_file_that_can_t_be_opened_is_reported_and_the_known_note_stays(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(store, folder)
    write(folder, "1.md", matter(1001, 50))
    write(folder, "new.md", matter(1009))
    with monkeypatch.context() as patch:
        deny_opening(patch, "1.md", "new.md")
        outcome = index(store, folder)
    assert counts(outcome) == {"unchanged": 3}
    assert outcome.skips == [
        Skip(path, "can't be read: Permission denied", unknown=True) for path in ("1.md", "new.md")
    ]
    assert escrow(store, "MAT-1001") == [1]
    assert counts(index(store, folder)) == {"added": 1, "changed": 1, "unchanged": 3}


# --- bad notes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [ValueError("no"), RecursionError("deep"), MemoryError()])
def test_a_note_that_can_t_be_understood_stops_nothing_and_keeps_its_text(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    from winnow.vault import reading
    from winnow.vault.extract import extract

    def hostile(note: Note, path: str, packs: Sequence[Pack]) -> Extraction:
        if path == "1.md":
            raise failure
        return extract(note, path, packs)

    monkeypatch.setattr(reading, "extract", hostile)
    assert counts(index(store, folder)) == {"added": 4}
    assert list(entities(store)) == ["MAT-1000", "MAT-1002", "MAT-1003"]
    (finding,) = findings(store)
    assert (finding.code, finding.path) == ("not_understood", "1.md")
    assert type(failure).__name__ in finding.detail
    assert texts(store)["1.md"] == matter(1001, 1)


def test_a_row_that_can_t_be_stored_is_stored_as_text(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hostile(seen: SeenNote, content: Content, packs: Sequence[Pack], home: Home) -> BuiltNote:
        note = build_note(seen, content, packs, home)
        broken = replace(note, row=replace(note.row, title="\ud800"))
        return broken if seen.path == "1.md" else note

    monkeypatch.setattr(loading, "build_note", hostile)
    assert counts(index(store, folder)) == {"added": 4}
    assert [(one.code, one.path) for one in findings(store)] == [("not_understood", "1.md")]
    assert texts(store)["1.md"] == matter(1001, 1)


def texts(store: SqliteStore) -> dict[str, str]:
    with closing(Connection(store.path, "mode=ro")) as connection:
        return dict(connection.all(tuple[str, str], "SELECT path, text FROM note"))


def pieces(store: SqliteStore) -> list[tuple[object, ...]]:
    """All pieces, less what two stores may have otherwise: ids of twins, and times of files."""
    return [
        (one.piece.path, one.piece.heading, one.piece.line, one.id[:21], one.text, one.title)
        for one in stored_pieces(store)
        if one.piece is not None
    ]


def test_twenty_megabytes_in_one_note_are_read(store: SqliteStore, folder: Path) -> None:
    filler = ("All that was said that day. " * 35 + "\n\n") * 20_450
    write(folder, "long.md", matter(1009) + filler)
    index(store, folder)
    assert escrow(store, "MAT-1009") == [12]
    assert len(texts(store)["long.md"]) > 19_999_000
    assert sum(len(one.text) for one in stored_pieces(store, "long.md")) > 19_900_000
    assert len(entities(store)) == 5


def test_countless_notes_are_written_in_batches_and_their_progress_told(
    store: SqliteStore, tmp_path: Path
) -> None:
    count = BATCH_NOTES * 2 + 1
    folder = make_vault(tmp_path / "vault", {f"{n}.md": "" for n in range(count)})
    vault = vault_of(store, folder)
    told: list[tuple[int, int, str]] = []

    def tell(done: int, total: int, stage: str) -> None:
        told.append((done, total, stage))

    apply(Job(store, vault, str(folder), (), progress=tell), plan([], look(folder)))
    read = [done for done, total, stage in told if (total, stage) == (count, "reading")]
    assert read == [0, BATCH_NOTES, BATCH_NOTES * 2, count]
    assert len(notes(store)) == count


def test_long_notes_fill_a_batch_before_it_has_many(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "BATCH_BYTES", len(matter(1000, 1)) * 3)
    index(store, folder)
    assert store.last_change().number == 3  # the vault, three notes, one note


def test_many_notes_are_loaded_in_other_processes_to_the_same_effect(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(20):
        write(folder, f"more/{n}.md", f"---\nn: {n}\n---\n{matter(2000 + n, n)}\nescrow of 7%\n")
    write(folder, "latin.md", b"caf\xe9")
    monkeypatch.setattr(sync, "BATCH_NOTES", 3)
    monkeypatch.setattr(workers, "MANY", 1)
    monkeypatch.setattr(workers, "count_processors", lambda: 2)
    assert counts(index(store, folder)) == {"added": 25}
    monkeypatch.undo()
    assert_follows(store, folder)


# --- other packs ---------------------------------------------------------------------------------


def test_with_other_packs_all_is_read_again_and_what_could_not_be_is_read_later(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(store, folder)
    with monkeypatch.context() as patch:
        deny_opening(patch, "1.md")
        outcome = index(store, folder, reread=True)
    assert (counts(outcome), outcome.read) == ({"unchanged": 3}, 3)
    assert notes(store)["1.md"].mtime_ns == UNSURE
    outcome = index(store, folder)
    assert (counts(outcome), outcome.read) == ({"unchanged": 4}, 1)


def test_notes_that_were_kept_by_the_guard_are_read_by_the_new_packs_when_they_are_back(
    store: SqliteStore, tmp_path: Path
) -> None:
    folder = make_vault(tmp_path / "vault", {f"{n}.md": matter(1000 + n) for n in range(8)})
    index(store, folder)
    (folder).rename(tmp_path / "away")
    folder.mkdir()
    assert index(store, folder, reread=True).warnings
    folder.rmdir()
    (tmp_path / "away").rename(folder)
    assert index(store, folder).read == 8


# --- files and stores that change meanwhile ------------------------------------------------------


def during_reading(patch: pytest.MonkeyPatch, path: str, act: Callable[[], object]) -> None:
    """Do something, once, after a file was read and before it is written to the store."""
    done: list[str] = []

    def build(seen: SeenNote, content: Content, packs: Sequence[Pack], home: Home) -> BuiltNote:
        if seen.path == path and not done:
            done.append(path)
            act()
        return build_note(seen, content, packs, home)

    patch.setattr(loading, "build_note", build)


def test_a_note_that_is_edited_while_it_is_read_is_stored_as_it_is_now(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    during_reading(monkeypatch, "1.md", lambda: write(folder, "1.md", matter(1001, 99)))
    index(store, folder)
    assert escrow(store, "MAT-1001") == [99]
    assert index(store, folder).read == 0


def test_a_new_note_that_is_deleted_while_it_is_read_is_not_stored(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    during_reading(monkeypatch, "1.md", (folder / "1.md").unlink)
    assert counts(index(store, folder)) == {"added": 3}
    assert "1.md" not in notes(store)


def test_a_note_that_is_back_before_it_is_forgotten_stays(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F100: a note written during the scan is not deleted."""
    index(store, folder)
    (folder / "1.md").unlink()
    write(folder, "2.md", matter(1002, 99))
    during_reading(monkeypatch, "2.md", lambda: write(folder, "1.md", matter(1001, 50)))
    assert counts(index(store, folder)) == {"changed": 1, "unchanged": 2}
    assert counts(index(store, folder)) == {"changed": 1, "unchanged": 3}
    assert escrow(store, "MAT-1001") == [50]


def test_a_key_that_another_process_gave_to_another_note_is_not_deleted(
    store: SqliteStore, folder: Path
) -> None:
    index(store, folder)
    last = max(notes(store).values(), key=lambda note: note.key)
    (folder / last.path).unlink()
    vault = vault_of(store, folder)
    todo = plan(store.notes(vault), look(folder))
    write(folder, "other.md", matter(1009))
    with store.write() as writer:  # what another process would do meanwhile
        writer.delete_notes([last.key])
    index(store, folder)
    assert notes(store)["other.md"].key == last.key
    apply(Job(store, vault, str(folder), builtin_packs()), todo)
    assert "other.md" in notes(store)


def test_a_move_that_another_process_made_first_is_not_made_twice(
    store: SqliteStore, folder: Path
) -> None:
    index(store, folder)
    vault = vault_of(store, folder)
    before = store.notes(vault)
    (folder / "1.md").rename(folder / "moved.md")
    todo = plan(before, look(folder))
    index(store, folder)
    there = notes(store)
    apply(Job(store, vault, str(folder), builtin_packs()), todo)
    assert notes(store) == there


def test_a_path_that_another_process_fills_during_the_run_is_no_place_to_move_to(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(store, folder)
    (folder / "1.md").rename(folder / "x.md")
    (folder / "2.md").rename(folder / "y.md")

    def fill() -> None:
        place = seen(folder / "y.md")
        row = build_note(place, read_file(place.place), builtin_packs()).row
        with store.write() as writer:
            writer.put_note(vault_of(store, folder), row)

    monkeypatch.setattr(sync, "BATCH_NOTES", 1)
    during_reading(monkeypatch, "y.md", fill)
    assert counts(index(store, folder)) == {"added": 1, "moved": 1, "removed": 1, "unchanged": 2}
    assert_follows(store, folder)


def test_a_touched_note_that_another_process_took_out_is_put_back(
    store: SqliteStore, folder: Path
) -> None:
    index(store, folder)
    date(folder / "1.md")
    vault = vault_of(store, folder)
    todo = plan(store.notes(vault), look(folder))
    with store.write() as writer:
        writer.delete_notes([notes(store)["1.md"].key])
    apply(Job(store, vault, str(folder), builtin_packs()), todo)
    assert escrow(store, "MAT-1001") == [1]


INDEXER = """
import sys
from pathlib import Path
from winnow.app import open_memory

with open_memory(sys.argv[1]) as memory:
    sys.stdout.write("ready\\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for _ in range(int(sys.argv[3])):
        memory.admin.index(path=sys.argv[2])
"""


def start_indexers(store: SqliteStore, folder: Path, runs: int) -> "list[subprocess.Popen[str]]":
    """Start three processes that index the vault when they are told to."""
    command = [sys.executable, "-c", INDEXER, str(store.path), str(folder), str(runs)]
    pipe = subprocess.PIPE
    started = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(3)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    return started


def wait_for(processes: "list[subprocess.Popen[str]]") -> None:
    for process in processes:
        _, errors = process.communicate()
        assert (process.returncode, errors) == (0, "")


def test_processes_that_index_one_vault_at_once_lose_and_double_nothing(
    store: SqliteStore, tmp_path: Path
) -> None:
    many = {f"{n % 7}/{n}.md": matter(1000 + n, n % 100) for n in range(BATCH_NOTES + 100)}
    folder = make_vault(tmp_path / "vault", many)
    processes = start_indexers(store, folder, 1)
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    wait_for(processes)
    assert sorted(notes(store)) == sorted(many)
    assert len(entities(store)) == len(many)
    assert all(len(one.notes) == 1 for one in entities(store).values())


def test_processes_that_index_a_vault_under_change_come_to_its_last_state(
    store: SqliteStore, tmp_path: Path
) -> None:
    folder = make_vault(tmp_path / "vault", {f"{n}.md": matter(1000 + n, 1) for n in range(60)})
    processes = start_indexers(store, folder, 4)
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for n in range(60):
        if n % 3 == 0:
            (folder / f"{n}.md").rename(folder / f"moved-{n}.md")
        elif n % 3 == 1:
            (folder / f"{n}.md").write_text(matter(1000 + n, 2), encoding="utf-8")
        elif n % 2:
            (folder / f"{n}.md").unlink()
    wait_for(processes)
    assert_follows(store, folder)


# --- any history ---------------------------------------------------------------------------------

PATHS = ["a.md", "b.md", "sub/a.md", "sub/MAT-1001.md", "MAT-1002.md"]
TEXTS = [matter(1001, 1), matter(1001, 2), matter(1002, 3), "CLAWQL_ESCROW_PCT=4\n", ""]
steps = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(TEXTS)),
    st.tuples(st.just("delete"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("touch"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("move"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("swap"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("index"), st.just(""), st.just("")),
)


@settings(max_examples=40)
@given(st.lists(steps, max_size=20))
def test_after_any_history_the_store_is_what_a_new_one_would_be(
    history: list[tuple[str, str, str]],
) -> None:
    with tempfile.TemporaryDirectory() as place, closing(open_store(Path(place) / "s.db")) as store:
        folder = Path(place) / "vault"
        (folder / "sub").mkdir(parents=True)
        for action, path, other in history:
            act(store, folder, action, path, other)
        assert_follows(store, folder)


def act(store: SqliteStore, folder: Path, action: str, path: str, other: str) -> None:
    here, there = folder / path, folder / other
    match action:
        case "write":
            here.write_text(other, encoding="utf-8")
        case "index":
            index(store, folder)
        case "delete":
            here.unlink(missing_ok=True)
        case "touch" if here.exists():
            date(here)
        case "move" if here.exists():
            here.replace(there)
        case "swap" if path != other and here.exists() and there.exists():
            here.rename(folder / "hand")
            there.rename(here)
            (folder / "hand").rename(there)
        case _:
            pass


def assert_follows(store: SqliteStore, folder: Path) -> None:
    """Bring a store up to its folder, and compare it with one that never saw another state."""
    index(store, folder)
    with (
        tempfile.TemporaryDirectory() as place,
        closing(open_store(Path(place) / "fresh.db")) as fresh,
    ):
        index(fresh, folder)
        contents = {path: note.digest for path, note in notes(store).items()}
        assert contents == {path: note.digest for path, note in notes(fresh).items()}
        assert entities(store) == entities(fresh)
        assert texts(store) == texts(fresh)
        assert pieces(store) == pieces(fresh)
        assert findings(store) == findings(fresh)
    last = store.last_change()
    index(store, folder)
    assert store.last_change() == last
