"""What a backup holds takes the place of a store as a whole, and nothing that was there is lost."""

import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest
from tests.store.making import add_entities, entity
from tests.store.remembering import memory, put

from winnow.errors import Conflict, StoreError
from winnow.store.keys import KeyRow
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.store import open_store
from winnow.store.sqlite.upkeep.restoring import restore_store

PROJECT = Path(__file__).parents[4]


def ids(path: Path) -> list[str]:
    """The memories that a store holds, which is opened for that, and is sound."""
    with closing(open_store(path)) as store:
        assert store.upkeep.check(0) == []
        return sorted(one for batch in store.records.scan(0) for one in batch.ids)


def beside(path: Path) -> set[str]:
    """The names of the files beside a store and in its folder, apart from the lock."""
    own = {one.name for one in path.with_name(path.name + ".d").iterdir()} - {"lock"}
    return own | {one.name for one in path.parent.iterdir()} - {path.name, path.name + ".d"}


@pytest.fixture
def backup(path: Path, tmp_path: Path) -> Path:
    """A backup of three memories; the store has a fourth since, and one of them no longer."""
    folder = tmp_path / "backups"
    folder.mkdir()
    with closing(open_store(path)) as store:
        put(store, memory("m1"), memory("m2"), memory("m3"))
        store.upkeep.copy_to(folder / "copy.db", replace=False)
        _, (m2,) = put(store, memory("m4")), [store.records.find("default", "m2") or 0]
        with store.write() as writer:
            writer.records.purge([m2])
    return folder / "copy.db"


BACKED_UP, SINCE = ["m1", "m2", "m3"], ["m1", "m3", "m4"]


# --- into a new store ----------------------------------------------------------------------------


def test_a_backup_becomes_a_new_store(backup: Path, tmp_path: Path) -> None:
    new = tmp_path / "far" / "away" / "new.db"
    restored = restore_store(backup, new)
    assert restored.kept is None
    assert restored.held.namespaces["default"]["memories"] == 3
    assert ids(new) == BACKED_UP
    assert beside(new) == set()
    assert new.stat().st_mode & 0o777 == 0o600


def test_a_new_store_goes_on_where_the_backup_ends_under_an_id_of_its_own(
    backup: Path, path: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new.db"
    restored = restore_store(backup, new)
    assert restored.held.change == 1
    with closing(open_store(new)) as one, closing(open_store(path)) as other:
        assert one.last_change().origin != other.last_change().origin


def test_a_file_without_a_byte_is_no_store_that_is_in_the_way(backup: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.db"
    new.touch()
    restore_store(backup, new)
    assert ids(new) == BACKED_UP


def test_a_store_that_never_held_anything_is_not_in_the_way(backup: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.db"
    open_store(new).close()
    assert restore_store(backup, new).kept is None
    assert ids(new) == BACKED_UP
    assert beside(new) == {"backups", "winnow.db", "winnow.db.d"}


def test_the_log_of_a_store_that_is_gone_spoils_nothing_and_is_kept(
    backup: Path, path: Path, tmp_path: Path
) -> None:
    new = tmp_path / "alone" / "new.db"
    new.parent.mkdir()
    with closing(open_store(path)) as store:
        put(store, memory("m5"))
        log = Path(f"{path}-wal").read_bytes()
    Path(f"{new}-wal").write_bytes(log)
    restore_store(backup, new)
    assert ids(new) == BACKED_UP
    (kept,) = beside(new)
    assert kept.endswith("-wal")
    assert (new.parent / kept).read_bytes() == log


# --- over a store --------------------------------------------------------------------------------


def test_a_store_is_overwritten_only_if_that_is_said(backup: Path, path: Path) -> None:
    with pytest.raises(Conflict, match="--replace"):
        restore_store(backup, path)
    assert ids(path) == SINCE
    assert beside(path) == {"backups"}


def test_what_was_there_is_kept_as_a_backup_that_brings_it_back(backup: Path, path: Path) -> None:
    restored = restore_store(backup, path, replace=True)
    assert ids(path) == BACKED_UP
    assert restored.kept is not None
    assert beside(path) == {"backups", restored.kept.name}
    restore_store(restored.kept, path, replace=True)
    assert ids(path) == SINCE


def test_what_comes_after_a_restore_is_never_taken_for_what_was_before(
    backup: Path, path: Path
) -> None:
    with closing(open_store(path)) as store:
        before, (last,) = store.last_change(), put(store, memory("m9"))
    restore_store(backup, path, replace=True)
    with closing(open_store(path)) as store:
        after = store.last_change()
        assert after.number > before.number
        assert after.origin != before.origin
        assert put(store, memory("m10")) > [last]


def test_an_automatic_id_is_never_given_a_second_time_after_a_restore(
    path: Path, tmp_path: Path
) -> None:
    def store_some(count: int) -> list[str]:
        with closing(open_store(path)) as store, store.write() as writer:
            names = [writer.records.new_id("default") for _ in range(count)]
            for name in names:
                writer.records.put(memory(name))
        return names

    store_some(2)
    with closing(open_store(path)) as store:
        store.upkeep.copy_to(tmp_path / "copy.db", replace=False)
    assert store_some(2) == ["m3", "m4"]
    restore_store(tmp_path / "copy.db", path, replace=True)
    assert ids(path) == ["m1", "m2"]
    assert store_some(1) == ["m5"]  # who remembers m3 must not meet another memory there


def test_who_may_see_one_namespace_sees_that_it_has_changed(backup: Path, path: Path) -> None:
    with closing(open_store(path)) as store:
        before = store.access.last_change(["default"])
    restore_store(backup, path, replace=True)
    with closing(open_store(path)) as store:
        assert store.access.last_change(["default"]).number > before.number


def test_keys_that_were_revoked_since_are_told(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    with closing(open_store(path)) as store:
        with store.write() as writer:
            for number, name in enumerate(("kept", "revoked")):
                writer.keys.put(KeyRow(name, bytes([number] * 32), ("read",), None, "2026"))
        store.upkeep.copy_to(target, replace=False)
        with store.write() as writer:
            writer.keys.delete("revoked")
    assert restore_store(target, path, replace=True).revived == ("revoked",)


# --- while others have it open -------------------------------------------------------------------


def test_who_reads_meanwhile_sees_one_state_and_then_is_told(backup: Path, path: Path) -> None:
    with closing(open_store(path)) as store:
        with store.states.hold():
            assert store.records.find("default", "m4") is not None
            restore_store(backup, path, replace=True)
            assert store.records.find("default", "m4") is not None
            assert store.records.find("default", "m2") is None
        with pytest.raises(StoreError, match="open it again"):
            store.last_change()
        with pytest.raises(StoreError, match="open it again"):
            put(store, memory("m5"))
        assert store.upkeep.check(0) == []
    assert ids(path) == BACKED_UP


WRITER = """
import sys
from pathlib import Path
from tests.store.remembering import memory, put
from winnow.errors import StoreError
from winnow.store.sqlite.store import open_store
store = open_store(Path(sys.argv[1]))
for number in range(1_000_000):
    try:
        put(store, memory(f"w{number}"))
    except StoreError as error:
        print("refused", error, flush=True)
        break
    print(number, flush=True)
"""


def test_f92_no_write_is_lost_by_a_restore_while_another_process_writes(
    backup: Path, path: Path
) -> None:
    line = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, cwd=PROJECT, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(20)]
        restored = restore_store(backup, path, replace=True)
        *more, last = writer.stdout.read().splitlines()
    acknowledged += map(int, more)
    assert last.startswith("refused")
    assert "open it again" in last
    assert restored.kept is not None
    assert set(ids(restored.kept)) == {*SINCE, *(f"w{number}" for number in acknowledged)}
    assert ids(path) == BACKED_UP


RESTORER = """
import sys
from pathlib import Path
from winnow.store.sqlite.upkeep.restoring import restore_store
one, other, path = map(Path, sys.argv[1:])
print("ready", flush=True)
while True:
    for backup in (one, other):
        for kept in path.parent.glob(path.name + ".2*"):
            kept.unlink()
        restore_store(backup, path, replace=True)
"""


def test_a_restore_that_is_killed_leaves_what_was_or_what_was_to_come(
    backup: Path, path: Path, tmp_path: Path
) -> None:
    other = tmp_path / "backups" / "other.db"
    many = [f"n{number:04}" for number in range(2_000)]
    with closing(open_store(tmp_path / "many.db")) as store:
        put(store, *(memory(one, text="text " * 40) for one in many))
        store.upkeep.copy_to(other, replace=False)
    chance, seen = random.Random(7), set[int]()
    restore_store(backup, path, replace=True)
    for _ in range(8):
        line = [sys.executable, "-c", RESTORER, str(backup), str(other), str(path)]
        with subprocess.Popen(line, stdout=subprocess.PIPE) as restorer:
            assert restorer.stdout is not None
            assert restorer.stdout.readline() == b"ready\n"
            time.sleep(chance.uniform(0, 0.4))
            restorer.send_signal(signal.SIGKILL)
        found = ids(path)
        assert found in (BACKED_UP, many)
        seen.add(len(found))
    assert seen


# --- what is refused -----------------------------------------------------------------------------


def test_what_is_no_whole_backup_is_refused_and_nothing_changes(
    backup: Path, path: Path, tmp_path: Path
) -> None:
    whole = backup.read_bytes()
    wrong: dict[str, bytes] = {
        "cut": whole[: len(whole) - 4096],
        "torn": whole[:8192] + b"\xff" * 4096 + whole[12288:],
        "text": b"a letter",
        "empty": b"",
        "newer": whole[:60] + (99).to_bytes(4, "big") + whole[64:],
        "another program's": whole[:68] + b"abcd" + whole[72:],
    }
    for name, content in wrong.items():
        bad = tmp_path / "backups" / name
        bad.write_bytes(content)
        for target in (path, tmp_path / "new.db"):
            with pytest.raises(StoreError):
                restore_store(bad, target, replace=True)
        assert bad.read_bytes() == content
    assert ids(path) == SINCE
    assert not (tmp_path / "new.db").exists()


def test_a_store_is_no_backup(path: Path, tmp_path: Path, backup: Path) -> None:
    for source, told in (
        (path, "was opened, not only a backup"),
        (tmp_path, "a folder"),
        (tmp_path / "nowhere", "no backup"),
    ):
        with pytest.raises(StoreError, match=told):
            restore_store(source, tmp_path / "new.db")
    with pytest.raises(StoreError, match="the store itself"):
        restore_store(path, path, replace=True)


def test_a_file_that_is_no_store_is_never_overwritten(backup: Path, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("a letter", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(StoreError):
            restore_store(backup, letter, replace=True)
    assert letter.read_text(encoding="utf-8") == "a letter"
    other = tmp_path / "other.db"
    with closing(Connection(other, "mode=rwc")) as connection:
        connection.execute("CREATE TABLE own (x)")
    for _ in range(2):
        with pytest.raises(StoreError, match="another program"):
            restore_store(backup, other, replace=True)


def test_too_little_room_is_told_before_anything_happens(
    backup: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count(_: Path) -> int:
        return 10

    monkeypatch.setattr("winnow.store.sqlite.upkeep.restoring.count_free", count)
    with pytest.raises(StoreError, match="room for 10 bytes"):
        restore_store(backup, path, replace=True)
    assert ids(path) == SINCE


# --- damaged stores, and old backups -------------------------------------------------------------


@pytest.fixture(params=["first bytes", "inside", "cut"])
def damaged(backup: Path, path: Path, request: pytest.FixtureRequest) -> Path:
    with closing(open_store(path)) as store:
        put(store, *(memory(f"n{number}", text="x" * 500) for number in range(200)))
    whole = path.read_bytes()
    assert len(whole) > 30_000
    match request.param:
        case "first bytes":
            path.write_bytes(b"\0" * 100 + whole[100:])
        case "inside":
            path.write_bytes(whole[:8192] + b"\xff" * 16384 + whole[24576:])
        case _:
            path.write_bytes(whole[: len(whole) // 8192 * 4096])
    return path


def test_a_damaged_store_is_replaced_and_kept_byte_by_byte(damaged: Path, backup: Path) -> None:
    before = damaged.read_bytes()
    with pytest.raises(Conflict):
        restore_store(backup, damaged)
    assert damaged.read_bytes() == before
    restored = restore_store(backup, damaged, replace=True)
    assert ids(damaged) == BACKED_UP
    assert restored.kept is not None
    assert restored.kept.read_bytes() == before
    assert restored.kept.stat().st_mode & 0o777 == 0o600


def test_a_store_without_its_first_bytes_stays_as_it_is_while_others_have_it_open(
    backup: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_store(path)):
        content = bytearray(path.read_bytes())
        content[:100] = bytes(100)
        subprocess.run(["cp", "/dev/stdin", str(path)], input=content, check=True)
        monkeypatch.setattr("winnow.store.sqlite.connection.BUSY_MILLISECONDS", 50)
        with pytest.raises(StoreError, match="another program keeps it locked"):
            restore_store(backup, path, replace=True)
        assert beside(path) <= {"backups", f"{path.name}-wal", f"{path.name}-shm"}
    restore_store(backup, path, replace=True)
    assert ids(path) == BACKED_UP


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_backup_of_an_older_version_is_brought_up_to_date(tmp_path: Path, version: int) -> None:
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    with closing(Connection(old, "mode=rwc")) as connection:
        scripts = sorted((files("winnow.store.sqlite") / "sql").iterdir(), key=lambda one: one.name)
        for script in scripts[:version]:
            connection.execute_file(script)
    restore_store(old, new)
    with closing(open_store(new)) as store:
        assert store.upkeep.check(0) == []
        add_entities(store, entity("M-1", f=1))
    restore_store(old, new, replace=True)
    with closing(open_store(new)) as store:
        assert store.schemas() == []
