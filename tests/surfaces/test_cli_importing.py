"""Importing on the command line: from which system, what it came to, and what was wrong."""

import json
import os
import pty
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from tests.surfaces.running import Ran, Winnow, run_winnow, spawn_winnow, start_winnow

ENTITY = '{"type":"entity","name":"Anna","entityType":"person","observations":["Café"]}\n'
COUNTS = "1 added, 0 changed, 0 unchanged\n"


@pytest.fixture
def ask(tmp_path: Path) -> Winnow:
    """Runs the command on a new store."""

    def run(*args: str, input: str | None = None, env: Mapping[str, str] | None = None) -> Ran:
        return run_winnow("--store", str(tmp_path / "w.db"), *args, input=input, env=env)

    return run


def test_an_import_tells_the_format_that_it_found(ask: Winnow, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text(ENTITY, encoding="utf-8")
    foretold = ask("import", str(file), "--dry-run")
    assert foretold.out == f"nothing was written; it would be {COUNTS}read as mcp-memory\n"
    assert ask("import", str(file)).out == f"{COUNTS}read as mcp-memory\n"
    assert ask("import", str(file), "--json").json["format"] == "mcp-memory"
    assert ask("import", str(file), "--format", "winnow").code == 1


def test_the_export_of_another_system_may_come_by_standard_input(tmp_path: Path) -> None:
    """F112: as UTF-8, whatever the terminal is."""
    file = tmp_path / "memory.jsonl"
    file.write_text(ENTITY, encoding="utf-8")
    store = ("--store", str(tmp_path / "w.db"))
    with file.open("rb") as stdin:
        env = {"PYTHONIOENCODING": "cp1252", "LC_ALL": "C"}
        ran = spawn_winnow(*store, "import", "-", stdin=stdin, env=env)
    assert (ran.code, ran.out, ran.err) == (0, f"{COUNTS}read as mcp-memory\n", "")
    assert run_winnow(*store, "get", "mcp-memory:Anna", "--json").json["text"] == "Café"


def test_columns_are_mapped_by_options(ask: Winnow, tmp_path: Path) -> None:
    file = tmp_path / "tickets.csv"
    file.write_text("Key;Body;Labels;Hours\nT-1;It broke;a|b;1.5\nT-2;Odd;;many\n")
    options = ("--map", "text=Body", "--map", "id=Key", "--map", "tags=Labels:|")
    ran = ask("import", str(file), *options, "--map", "metadata.hours=Hours:number")
    assert ran.code == 1
    assert ran.out.splitlines() == [
        COUNTS.strip(),
        "read as csv",
        "refused /lines/3: column 'Hours': expected a number, got text 'many'",
        "1 refused",
    ]
    found = ask("get", "T-1", "--json").json
    assert (found["tags"], found["metadata"]) == (["a", "b"], {"hours": 1.5})
    assert ask("import", str(file), "--map", "text=Body").code == 0


def test_what_is_left_out_is_counted_and_told(ask: Winnow, tmp_path: Path) -> None:
    file = tmp_path / "all.json"
    file.write_text(json.dumps({"results": [{"id": "1", "memory": "a"}], "next": "x", "user": 1}))
    ran = ask("import", str(file))
    assert ran.code == 0
    assert "1 left out on purpose\n" in ran.out
    assert "this is one page of several" in ran.out
    assert "/user is left out: it belongs to no memory" in ran.out


def test_a_format_that_is_not_certain_is_asked_for(ask: Winnow, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("Text")
    for path in (tmp_path / "notes", tmp_path / "notes" / "a.md"):
        ran = ask("import", str(path))
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("winnow: /format: can't tell what this ")
        assert ran.err.count("\n") == 1
    assert ask("import", str(tmp_path / "notes"), "--format", "markdown").out.startswith(COUNTS)


def test_progress_is_shown_on_a_terminal_and_leaves_the_output_alone(tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"text": "a"}\n{"text": "b"}\n', encoding="utf-8")
    ours, theirs = pty.openpty()
    command = ("--store", str(tmp_path / "s.db"), "import", str(lines), "--json")
    with start_winnow(*command, stderr=theirs, env={"TERM": "xterm"}) as process:
        os.close(theirs)
        out = process.communicate()[0]
    shown = b""
    with suppress(OSError):  # it has ended
        while more := os.read(ours, 100_000):
            shown += more
    os.close(ours)
    assert json.loads(out)["added"] == 2
    assert b"importing, 2 lines" in shown
    assert b"100%" in shown
