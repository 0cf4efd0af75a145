"""A copy is the state of one moment, whole, and stands where nothing else may be harmed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.store.making import add_entities, add_notes, add_vault, entity, note, said
from tests.store.remembering import memory, put

from winnow.errors import Conflict, DamagedStore, InvalidRequest, StoreError
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.store import SqliteStore, open_store
from winnow.store.sqlite.upkeep.copies import check_copy, read_held

PROJECT = Path(__file__).parents[4]
FILE_MODE = 0o600


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    vault = add_vault(store)
    add_notes(store, vault, note("a.md", said("a.md", "M-1", f=1)))
    add_entities(store, entity("M-2", f=1), namespace="firm")
    put(store, memory("m1"), memory("m2"), memory("m3"))
    with store.write() as writer:
        writer.records.delete([writer.records.find("default", "m2") or 0], 5)
    return store


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "backups"
    folder.mkdir()
    return folder / "copy.db"


def test_a_copy_tells_what_is_in_it_and_holds_that(filled: SqliteStore, target: Path) -> None:
    copied = filled.upkeep.copy_to(target, replace=False)
    assert copied.held.change == filled.last_change().number
    assert copied.held.changed_at == filled.last_change().time
    assert copied.held.namespaces == {
        "default": {"memories": 2, "deleted": 1, "pieces": 0, "entities": 1},
        "firm": {"memories": 0, "deleted": 0, "pieces": 0, "entities": 1},
    }
    assert (copied.size, copied.oddities) == (target.stat().st_size, ())
    assert check_copy(target).held == copied.held


def test_a_copy_is_one_file_for_its_owner_alone(filled: SqliteStore, target: Path) -> None:
    filled.upkeep.copy_to(target, replace=False)
    assert os.listdir(target.parent) == [target.name]
    assert target.stat().st_mode & 0o777 == FILE_MODE
    with closing(Connection(target, "mode=ro")) as connection:
        assert connection.one(tuple[str], "PRAGMA journal_mode") == ("delete",)


def test_a_copy_is_a_store_that_can_be_opened(filled: SqliteStore, target: Path) -> None:
    filled.upkeep.copy_to(target, replace=False)
    with closing(open_store(target)) as opened:
        assert opened.upkeep.check(0) == []
        assert opened.schemas() == filled.schemas()


def test_pages_are_told_as_they_are_copied(filled: SqliteStore, target: Path) -> None:
    told: list[tuple[int, int]] = []
    filled.upkeep.copy_to(
        target, replace=False, report=lambda done, total: told.append((done, total))
    )
    assert told
    assert told[-1][0] == told[-1][1] > 0


def test_what_is_written_during_a_copy_is_not_in_it_and_does_not_wait(
    filled: SqliteStore, target: Path, path: Path
) -> None:
    with closing(open_store(path)) as other:
        before = filled.last_change().number
        written: list[int] = []

        def write(_: int, __: int) -> None:
            put(other, memory(f"late{len(written)}"))
            written.append(1)

        copied = filled.upkeep.copy_to(target, replace=False, report=write)
        assert written
        assert copied.held.change == before
        assert copied.held.namespaces["default"]["memories"] == 2
        assert other.last_change().number == before + len(written)


WRITER = """
import sys
from pathlib import Path
from tests.store.remembering import memory, put
from winnow.store.sqlite.store import open_store
path, name = Path(sys.argv[1]), sys.argv[2]
store = open_store(path)
print("ready", flush=True)
for number in range(1_000_000):
    put(store, memory(f"{name}-{number}-a"), memory(f"{name}-{number}-b"))
"""


@pytest.fixture
def writers(path: Path, store: SqliteStore) -> Iterator[list[str]]:
    """Two other processes that write, pair after pair."""
    names = ["x", "y"]
    line = [sys.executable, "-c", WRITER, str(path)]
    begun = [subprocess.Popen([*line, one], stdout=subprocess.PIPE, cwd=PROJECT) for one in names]
    try:
        for one in begun:
            assert one.stdout is not None
            assert one.stdout.readline() == b"ready\n"
        yield names
    finally:
        for one in begun:
            one.kill()
            one.communicate()


def test_f93_a_copy_made_while_processes_write_is_one_state_of_the_store(
    store: SqliteStore, target: Path, writers: list[str]
) -> None:
    seen = 0
    while seen < 200:
        held = store.upkeep.copy_to(target, replace=True).held
        with closing(Connection(target, "mode=ro", "immutable=1")) as connection:
            ids = {one for (one,) in connection.all(tuple[str], "SELECT id FROM record")}
            assert read_held(connection) == held
        pairs = 0
        for name in writers:
            own = sum(one.startswith(f"{name}-") for one in ids) // 2
            assert all(f"{name}-{n}-{half}" in ids for n in range(own) for half in "ab")
            pairs += own
        assert len(ids) == 2 * pairs
        assert held.change == pairs  # each pair was one change
        seen = pairs
    assert store.upkeep.check(0) == []


# --- where it may not go -------------------------------------------------------------------------


def test_a_file_is_replaced_only_if_that_is_said(filled: SqliteStore, target: Path) -> None:
    target.write_bytes(b"")
    with pytest.raises(Conflict, match="already"):
        filled.upkeep.copy_to(target, replace=False)
    assert target.read_bytes() == b""
    filled.upkeep.copy_to(target, replace=True)
    first = target.read_bytes()
    put(filled, memory("m4"))
    with pytest.raises(Conflict):
        filled.upkeep.copy_to(target, replace=False)
    assert target.read_bytes() == first
    assert filled.upkeep.copy_to(target, replace=True).held.namespaces["default"]["memories"] == 3


def test_what_is_no_backup_is_never_replaced(filled: SqliteStore, target: Path) -> None:
    target.write_text("a letter", encoding="utf-8")
    with pytest.raises(StoreError, match="not a Winnow store"):
        filled.upkeep.copy_to(target, replace=True)
    assert target.read_text(encoding="utf-8") == "a letter"
    target.unlink()
    with closing(open_store(target)) as other:
        put(other, memory("m1"))
        with pytest.raises(InvalidRequest, match="is a store"):
            filled.upkeep.copy_to(target, replace=True)
    with closing(open_store(target)) as other:
        assert other.last_change().number == 1


@pytest.mark.parametrize("side", ["", "-wal", "-shm", "-journal", ".d", ".d/copy.db", "/copy.db"])
@pytest.mark.parametrize("replace", [False, True])
def test_the_store_and_what_is_its_own_are_no_place_for_a_copy(
    filled: SqliteStore, path: Path, side: str, replace: bool
) -> None:
    before = path.read_bytes()
    with pytest.raises(InvalidRequest):
        filled.upkeep.copy_to(Path(f"{path}{side}"), replace=replace)
    assert path.read_bytes() == before


def test_a_folder_and_a_folder_that_is_missing_are_no_place(
    filled: SqliteStore, tmp_path: Path
) -> None:
    for place, told in ((tmp_path, "is a folder"), (tmp_path / "no" / "copy.db", "no folder")):
        with pytest.raises(InvalidRequest, match=told):
            filled.upkeep.copy_to(place, replace=True)


def test_a_link_to_the_store_is_the_store(filled: SqliteStore, path: Path, target: Path) -> None:
    target.symlink_to(path)
    with pytest.raises(InvalidRequest, match="the store itself"):
        filled.upkeep.copy_to(target, replace=True)


def test_a_folder_where_nothing_may_be_written_is_told(
    filled: SqliteStore, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StoreError, match="Permission denied"):
        filled.upkeep.copy_to(target, replace=False)


# --- what is not whole ---------------------------------------------------------------------------


def test_a_store_that_is_damaged_gives_no_copy_and_leaves_none(
    filled: SqliteStore, target: Path
) -> None:
    filled._connection.execute("PRAGMA writable_schema = ON")
    filled._connection.execute("UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'entity_change'")
    with pytest.raises(DamagedStore):
        filled.upkeep.copy_to(target, replace=False)
    assert os.listdir(target.parent) == []


def test_rows_that_do_not_fit_together_are_copied_and_told(
    filled: SqliteStore, target: Path
) -> None:
    filled._connection.execute("PRAGMA foreign_keys = OFF")
    filled._connection.execute("DELETE FROM contribution")
    copied = filled.upkeep.copy_to(target, replace=False)
    assert copied.oddities == ("1 entities don't know whether a note declares them",)


def test_a_copy_that_was_cut_short_is_not_whole(filled: SqliteStore, target: Path) -> None:
    filled.upkeep.copy_to(target, replace=False)
    whole = target.read_bytes()
    target.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DamagedStore):
        check_copy(target)
