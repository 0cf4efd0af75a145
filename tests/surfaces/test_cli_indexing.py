"""`winnow index`: once, with a progress bar, and after every change."""

import json
import os
import pty
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from threading import Timer
from typing import Any

import pytest
from tests.surfaces.running import run_winnow, spawn_winnow, start_winnow, write_note

PATIENCE = 60
"""Seconds after which a command that should have said something is ended."""


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "s.db")


def test_an_index_tells_what_it_came_to(store: str, notes: Path) -> None:
    first = run_winnow("--store", store, "index", str(notes))
    again = run_winnow("--store", store, "index", str(notes), "--json")
    assert (first.code, first.err) == (0, "")
    assert "1 note (1 added" in first.out
    assert "entities: 1 legal.Matter" in first.out
    assert (again.json["added"], again.json["unchanged"]) == (0, 1)


def test_notes_that_fit_no_schema_are_told_where_to_go_on(store: str, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.md").write_text("Milk, bread\n", encoding="utf-8")
    ran = run_winnow("--store", store, "index", str(tmp_path / "plain"), "--namespace", "plain")
    assert "entities: none, as no note fits a schema" in ran.out
    assert "docs/packs.md" in ran.out


@pytest.mark.parametrize("how", [(), ("--watch",)])
def test_a_vault_that_is_not_there_is_an_error(store: str, how: tuple[str, ...]) -> None:
    ran = run_winnow("--store", store, "index", "/nowhere/at/all", *how)
    assert ran.code in (1, 2)
    assert ran.err.startswith("winnow: ")
    assert ran.err.count("\n") == 1
    assert "/nowhere/at/all" in ran.err


def test_a_pack_that_is_given_is_read(store: str, notes: Path, tmp_path: Path) -> None:
    ran = run_winnow("--store", store, "index", str(notes), "--pack", str(tmp_path / "no.yaml"))
    assert ran.code in (1, 2)
    assert "no.yaml" in ran.err


def test_notes_that_are_gone_stay_until_they_may_be_pruned(store: str, notes: Path) -> None:
    for number in range(1000, 1010):
        write_note(notes, f"MAT-{number}", escrow=5)
    run_winnow("--store", store, "index", str(notes))
    for note in notes.glob("MAT-1*.md"):
        note.unlink()
    kept = run_winnow("--store", store, "index", str(notes), "--json")
    pruned = run_winnow("--store", store, "index", str(notes), "--prune", "--json")
    assert (kept.code, kept.json["removed"], kept.json["kept"]) == (1, 0, 10)
    assert (pruned.code, pruned.json["removed"], pruned.json["kept"]) == (0, 10, 0)


def test_progress_is_shown_on_a_terminal_and_leaves_the_output_alone(
    store: str, notes: Path
) -> None:
    ours, theirs = pty.openpty()
    with start_winnow(
        "--store", store, "index", str(notes), "--json", stderr=theirs, env={"TERM": "xterm"}
    ) as process:
        os.close(theirs)
        out = process.communicate()[0]
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert process.returncode == 0
    assert json.loads(out)["added"] == 1
    assert "\x1b[" in shown
    assert "100%" in shown


def test_no_progress_is_shown_elsewhere(store: str, notes: Path) -> None:
    ran = spawn_winnow("--store", store, "index", str(notes), "--json")
    assert (ran.code, ran.err) == (0, "")


@contextmanager
def watching(store: str, vault: Path) -> Generator[Popen[bytes]]:
    """A command that watches; it is ended if it says nothing for too long."""
    with start_winnow("--store", store, "index", str(vault), "--watch", "--json") as process:
        guard = Timer(PATIENCE, process.kill)
        guard.start()
        try:
            yield process
        finally:
            guard.cancel()
            process.kill()


def next_answer(process: Popen[bytes]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline() or b"null")


def test_a_watch_reads_again_after_a_change_and_ends_in_peace(store: str, notes: Path) -> None:
    with watching(store, notes) as process:
        assert next_answer(process)["added"] == 1
        write_note(notes, "MAT-2389", escrow=20)
        assert next_answer(process)["added"] == 1
        (notes / "MAT-2388.md").unlink()
        assert next_answer(process)["removed"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_a_watch_that_is_interrupted_while_it_reads_says_so(
    monkeypatch: pytest.MonkeyPatch, store: str, notes: Path
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("winnow.surfaces.cli.indexing.index", interrupt)
    assert run_winnow("--store", store, "index", str(notes), "--watch").code == 130


def test_a_watch_goes_on_after_a_pass_that_failed(store: str, notes: Path) -> None:
    with watching(store, notes) as process:
        assert next_answer(process)["added"] == 1
        (notes / ".winnow").mkdir()
        (notes / ".winnow" / "mine.yaml").write_text("schemas: [", encoding="utf-8")
        assert process.stderr is not None
        assert b"mine.yaml" in process.stderr.readline()
        (notes / ".winnow" / "mine.yaml").unlink()
        assert next_answer(process)["notes"] == 1


def test_a_watch_does_not_wake_for_the_store_or_hidden_files(notes: Path) -> None:
    with watching(str(notes / "winnow.db"), notes) as process:
        assert next_answer(process)["added"] == 1
        (notes / ".obsidian").mkdir()
        (notes / ".obsidian" / "workspace.json").write_text("{}")
        write_note(notes, "MAT-2389", escrow=20)
        answers = [next_answer(process)]
        (notes / "MAT-2389.md").unlink()
        answers.append(next_answer(process))
        assert [(one["added"], one["removed"]) for one in answers] == [(1, 0), (0, 1)]
