"""Export and import on the command line: what goes where, and nothing else."""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.surfaces.running import Ran, Winnow, run_winnow, spawn_winnow, start_winnow


@pytest.fixture
def ask(tmp_path: Path) -> Winnow:
    """Runs the command on a store of two memories and an entity."""

    def run(*args: str, input: str | None = None, env: Mapping[str, str] | None = None) -> Ran:
        return run_winnow("--store", str(tmp_path / "w.db"), *args, input=input, env=env)

    entity = {"schema": "legal.Matter", "id": "MAT-1000", "fields": {"title": "設備"}}
    plain = {"id": "a", "text": "A line\nand “another” – ü", "kind": "claim"}
    lines = "".join(f"{json.dumps(one)}\n" for one in (entity, plain, {"text": "b"}))
    assert run("import", "-", input=lines).out == "3 added, 0 changed, 0 unchanged\n"
    return run


def test_an_export_to_standard_output_is_its_lines_alone(ask: Winnow, tmp_path: Path) -> None:
    ran = ask("export")
    assert (ran.code, ran.err) == (0, "")
    assert [next(iter(json.loads(line))) for line in ran.out.splitlines()] == ["namespace"] * 4
    assert ask("export", "-", "--json").out == ran.out
    other = ("--store", str(tmp_path / "other.db"))
    assert run_winnow(*other, "import", "-", input=ran.out).out.startswith("3 added, 0 changed")
    assert run_winnow(*other, "export").out == ran.out


def test_an_export_is_utf8_whatever_the_terminal_is(ask: Winnow, tmp_path: Path) -> None:
    """F112."""
    expected = ask("export").out
    env = {"PYTHONIOENCODING": "cp1252", "LC_ALL": "C"}
    ran = spawn_winnow("--store", str(tmp_path / "w.db"), "export", env=env)
    assert (ran.code, ran.out, ran.err) == (0, expected, "")


def test_an_export_to_a_file_says_what_it_wrote(ask: Winnow, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    ran = ask("export", str(file))
    assert ran.out == f"2 memories and 1 entity of 1 namespace written to {file}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text(encoding="utf-8") == ask("export").out
    assert ask("export", str(file)).code == 1
    answer = ask("export", str(file), "--replace", "--json").json
    assert (answer["memories"], answer["entities"], answer["path"]) == (2, 1, str(file))


def test_conditions_of_an_export_are_options(ask: Winnow) -> None:
    def count(*options: str) -> int:
        return len(ask("export", "--no-vectors", *options).out.splitlines()) - 1

    assert count("--kind", "claim") == 1
    assert count("--where", "text contains 'line'") == 1
    assert count("--schema", "legal.Matter") == 1
    assert count("--kinds", "observation") == 1
    ran = ask("export", "--where", "metadata.nothing = 1")
    assert len(ran.out.splitlines()) == 1
    assert ran.err.startswith("winnow: ")
    assert "nothing" in ran.err


def test_what_is_wrong_with_an_export_is_one_line(ask: Winnow, tmp_path: Path) -> None:
    for options, told in (
        (("--where", "tags ="), "/where"),
        (("--namespace", "nowhere"), "unknown namespace 'nowhere'"),
        ((str(tmp_path / "no" / "file"),), "can't write"),
        ((str(tmp_path / "w.db"),), "this is the store itself"),
    ):
        ran = ask("export", *options)
        assert ran.code in (1, 2)
        assert ran.out == ""
        assert ran.err.startswith("winnow: ")
        assert told in ran.err
        assert ran.err.count("\n") == 1


def test_an_export_into_a_closed_pipe_ends_quietly(ask: Winnow, tmp_path: Path) -> None:
    ask("store", "word " * 100_000)
    reader, writer = os.pipe()
    os.close(reader)
    with start_winnow("--store", str(tmp_path / "w.db"), "export", stdout=writer) as process:
        os.close(writer)
        _, err = process.communicate()
    assert process.returncode == 1
    assert err == b""


def test_an_import_tells_what_was_left_out(ask: Winnow) -> None:
    lines = '{"text": "over", "expiresAt": "2020-01-01"}\n{"text": "a", "kind": "no"}\n'
    ran = ask("import", "-", input=lines)
    assert ran.code == 1
    assert "1 left out: their time is over" in ran.out
    assert "refused /lines/2/kind: invalid kind 'no'" in ran.out
