"""A short torture; `make torture SECONDS=600` is a long one."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.torture.ledger import Ledger, read_ledger

PROJECT = Path(__file__).parents[2]
LAST = re.compile(r"acknowledged (\d+), lost 0, kills (\d+), worst wait [\d.]+ s, integrity ok")


def test_nothing_acknowledged_is_lost_whatever_goes_wrong(tmp_path: Path) -> None:
    """F91, F92, F93, F94, F100."""
    command = (sys.executable, "-m", "tests.torture", "--seconds", "5", "--processes", "6")
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    ran = subprocess.run(command, cwd=PROJECT, env=env, capture_output=True, text=True, check=False)
    told = LAST.fullmatch(ran.stdout.splitlines()[-1])
    assert (ran.returncode, bool(told), ran.stderr) == (0, True, ""), ran.stdout
    assert told is not None
    assert int(told[1]) > 0
    assert int(told[2]) > 0
    assert [one for one in os.listdir("/proc") if one.isdigit() and _names(one, tmp_path)] == []
    assert list(tmp_path.iterdir()) == []


def _names(process: str, folder: Path) -> bool:
    """Tell whether a process was started with a path in a folder."""
    try:
        return bytes(folder) in Path("/proc", process, "cmdline").read_bytes()
    except OSError:
        return False


def test_a_ledger_tells_what_may_be_found(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    first = ledger.attempt("a", "store", {"memory:x": 1})
    assert ledger.now("memory:x") == ({None, 1}, 1)
    ledger.acknowledge(first)
    assert ledger.now("memory:x") == ({1}, 1)
    ledger.attempt("a", "update", {"memory:x": 2})
    deletion = ledger.attempt("a", "delete", {"memory:x": None})
    assert ledger.now("memory:x")[0] == {1, 2, None}
    ledger.acknowledge(deletion)
    ledger.close()
    expected = read_ledger(tmp_path / "ledger.jsonl")
    assert expected.allowed("memory:x") == {None}
    assert expected.allowed("memory:never") == {None}
    assert expected.acknowledged == {"store": 1, "delete": 1}


def test_an_index_tells_of_the_notes_as_they_were_when_it_began(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    for version in (1, 2):
        ledger.place(ledger.attempt("editor", "edit", {"note:a": version, "note:b": version}))
    index = ledger.attempt("indexer", "index", {}, index=True)
    ledger.attempt("editor", "edit", {"note:a": 3})
    ledger.attempt("editor", "edit", {"note:b": None})
    ledger.acknowledge(index)
    assert ledger.now("note:a")[0] == {2, 3}
    assert ledger.now("note:b")[0] == {None, 1, 2}
    ledger.close()


def test_a_note_that_is_not_in_its_place_yet_may_be_missed_by_an_index(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.place(ledger.attempt("editor", "edit", {"note:a": 1}))
    ledger.attempt("editor", "edit", {"note:a": 2})
    ledger.acknowledge(ledger.attempt("indexer", "index", {}, index=True))
    assert ledger.now("note:a")[0] == {1, 2}
    ledger.close()
