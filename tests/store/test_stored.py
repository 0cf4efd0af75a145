"""A store of each version there has been opens in this one, and one of a newer version does not."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import LiteralString

import pytest
from tests.store.storing import DELETED, ESCROW, NOTE, TEXTS, stored, unpack

import winnow
from winnow.errors import NotFound, StoreError
from winnow.memory import Memory
from winnow.store.sqlite import store as sqlite
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.migrate import migrations

VERSIONS = range(1, len(migrations()) + 1)
WITH_MEMORIES = VERSIONS[1:]  # the first version kept entities and notes alone
LAYOUT: LiteralString = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
OPEN = """
import sys
from pathlib import Path
from winnow.store.sqlite.store import open_store
sys.stdin.readline()
store = open_store(Path(sys.argv[1]))
print(len(store.upkeep.check(4_000_000_000_000)), store.last_change().number)
store.close()
"""


@pytest.fixture(params=VERSIONS)
def old(request: pytest.FixtureRequest, path: Path) -> Path:
    """A store as each version has left it."""
    unpack(request.param, path)
    return path


def layout(path: Path) -> list[tuple[str, str, str | None]]:
    with closing(Connection(path)) as connection:
        return connection.all(tuple[str, str, str | None], LAYOUT)


def texts(memory: Memory) -> dict[str, str]:
    found = memory.list(where="path is null").memories or ()
    return {one.id: one.text for one in found}


def escrow(memory: Memory) -> dict[str, int]:
    """The matters by the values that are found under them."""
    asked = {
        name: memory.count(schema="legal.Matter", where=f"id = {name} and escrowPct = {value}")
        for name, value in ESCROW.items()
    }
    return {name: value for name, value in ESCROW.items() if asked[name].count == 1}


def test_a_script_that_makes_a_version_has_a_stored_file() -> None:
    """`python -m tests.store.storing` writes it."""
    assert [one for one in VERSIONS if not stored(one).exists()] == []


def test_a_stored_file_has_its_version_and_no_other_is_kept(path: Path) -> None:
    kept = sorted(stored(1).parent.iterdir())
    assert kept == [stored(one) for one in VERSIONS]
    for version in VERSIONS:
        unpack(version, path)
        with closing(Connection(path)) as connection:
            assert connection.one(tuple[int], "PRAGMA user_version") == (version,)


def test_what_an_older_store_holds_is_all_there(old: Path) -> None:
    with winnow.open(old) as memory:
        assert memory.admin.doctor().sound
        assert escrow(memory) == ESCROW
        before = texts(memory)
    with winnow.open(old) as memory:
        assert texts(memory) == before
        assert memory.admin.doctor().sound


@pytest.mark.parametrize("version", WITH_MEMORIES)
def test_its_memories_are_found_and_the_deleted_ones_stay_deleted(path: Path, version: int) -> None:
    unpack(version, path)
    with winnow.open(path) as memory:
        assert texts(memory) == TEXTS
        assert memory.get("alpha").tags == ("law/ip",)
        hits = memory.recall("token rotation").memories
        assert hits
        assert hits[0].id == "alpha"
        with pytest.raises(NotFound):
            memory.get(DELETED)
        assert memory.undelete(DELETED).text == "never mind"


def test_an_older_store_can_be_written_to(old: Path, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "eight.md").write_text(
        NOTE.replace("MAT-1007", "MAT-1009"), encoding="utf-8"
    )
    with winnow.open(old) as memory:
        expected = texts(memory) | {"new": "written by this one"}
        memory.store("written by this one", id="new")
        memory.admin.index(str(tmp_path / "vault"))
        assert memory.count(schema="legal.Matter").count == len(ESCROW) + 1
    with winnow.open(old) as memory:
        assert texts(memory) == expected
        assert memory.admin.doctor().sound


def test_it_gets_the_tables_of_a_new_store(old: Path, tmp_path: Path) -> None:
    sqlite.open_store(old).close()
    sqlite.open_store(tmp_path / "new.db").close()
    assert layout(old) == layout(tmp_path / "new.db")


def test_four_processes_may_bring_it_up_to_date_at_once(old: Path) -> None:
    """F94."""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, str(old)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    told = {child.communicate("go\n") for child in children}
    assert len(told) == 1
    ((out, err),) = told
    assert (out.split()[0], err) == ("0", "")


# --- a newer store -------------------------------------------------------------------------------


@pytest.fixture
def later(tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """A program with one script more; undone, it is that of today again."""
    script = tmp_path / "9999_later.sql"
    version = len(VERSIONS) + 1
    text = f"ALTER TABLE record ADD COLUMN mood TEXT; PRAGMA user_version = {version};"
    script.write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite, "migrations", lambda: [*migrations(), script])
        yield patch


def test_going_back_is_refused_and_export_and_import_are_the_way(
    path: Path, tmp_path: Path, later: pytest.MonkeyPatch
) -> None:
    unpack(VERSIONS[-1], path)
    lines, again = tmp_path / "all.jsonl", tmp_path / "again.db"
    with winnow.open(path) as newer:
        newer.store("written by the newer one", id="new")
        expected = texts(newer)
        newer.admin.export(str(lines))
    later.undo()
    content = path.read_bytes()
    with pytest.raises(StoreError, match=r"newer Winnow .*let the newer one export it and import"):
        winnow.open(path)
    assert path.read_bytes() == content
    with winnow.open(again) as older:
        older.admin.import_(str(lines))
        assert texts(older) == expected
        assert older.admin.doctor().sound


def test_opening_and_asking_changes_nothing(path: Path, tmp_path: Path) -> None:
    unpack(VERSIONS[-1], path)
    asked = count()
    content = path.read_bytes()
    with winnow.open(path, create=False) as memory:
        before = memory.engine.store.last_change()
        for ask in (
            lambda: memory.recall("token"),
            lambda: memory.list(),
            lambda: memory.count(schema="legal.Matter"),
            lambda: memory.aggregate(schema="legal.Matter", metrics=["count"]),
            lambda: memory.check("tokens"),
            lambda: memory.get("alpha"),
            lambda: memory.schema(),
            lambda: memory.capabilities(),
            lambda: memory.recall("token", namespace="nobody"),
            lambda: memory.admin.namespaces(),
            lambda: memory.admin.lint(),
            lambda: memory.admin.doctor(),
            lambda: memory.admin.export(str(tmp_path / "all.jsonl")),
        ):
            ask()
            next(asked)
        assert memory.engine.store.last_change() == before
    assert path.read_bytes() == content
