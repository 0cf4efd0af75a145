import os
import shutil
import stat
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import LiteralString

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.making import add_entities, add_vault, entity, ids_after
from tests.store.rights import as_nobody

from winnow.errors import StoreError
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.lock import WriteLock
from winnow.store.sqlite.migrate import migrations, open_current
from winnow.store.sqlite.place import find_place
from winnow.store.sqlite.store import open_store

FIRST_OPEN = """
import sys
from pathlib import Path
from winnow.records import Candidate
from winnow.store.base import Contribution
from winnow.store.sqlite.store import open_store
sys.stdin.readline()
store = open_store(Path(sys.argv[1]))
with store.write() as writer:
    writer.put_entities("default", [Contribution("s.E", sys.argv[2], {})])
store.close()
"""


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(folder)): one.read_bytes() if one.is_file() else b""
        for one in folder.rglob("*")
    }


def refused(path: Path, match: str) -> None:
    """Opening fails with these words and changes nothing in the folder."""
    before = tree(path.parent)
    with pytest.raises(StoreError, match=match):
        open_store(path)
    assert tree(path.parent) == before


def test_a_missing_store_is_made_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "winnow.db"
    with closing(open_store(path)) as store:
        assert store.last_change().number == 0
        assert store.upkeep.check(0) == []
    assert path.is_file()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_the_owner_may_read_a_new_store(tmp_path: Path, umask: int) -> None:
    """F122."""
    before = os.umask(umask)
    try:
        with closing(open_store(tmp_path / "new" / "winnow.db")) as store:
            add_entities(store, entity("M-1"))
            modes = {
                str(one.relative_to(tmp_path)): stat.S_IMODE(one.stat().st_mode)
                for one in tmp_path.rglob("*")
            }
    finally:
        os.umask(before)
    assert modes == {
        "new": 0o700,
        "new/winnow.db": 0o600,
        "new/winnow.db-wal": 0o600,
        "new/winnow.db-shm": 0o600,
        "new/winnow.db.d": 0o700,
        "new/winnow.db.d/lock": 0o600,
    }


def test_four_processes_may_open_a_new_store_at_once(tmp_path: Path) -> None:
    """F94."""
    path = tmp_path / "new" / "winnow.db"
    children = [
        subprocess.Popen(
            [sys.executable, "-c", FIRST_OPEN, str(path), f"E-{n}"],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for n in range(4)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"go\n")
        child.stdin.flush()
    assert [child.communicate()[1] for child in children] == [b""] * 4
    with closing(open_store(path)) as store:
        assert ids_after(store, 0, "s.E") == ["E-0", "E-1", "E-2", "E-3"]
        assert store.last_change().number == 4


@given(
    st.binary(min_size=1, max_size=300) | st.binary(max_size=200).map(b"SQLite format 3\0".__add__)
)
def test_a_file_that_is_no_sqlite_file_is_left_alone(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "notes.db"
        path.write_bytes(content)
        refused(path, "not a Winnow store")


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    with closing(open_store(path)) as store:
        assert store.upkeep.check(0) == []


@pytest.mark.parametrize(
    "setting",
    ["PRAGMA journal_mode = DELETE", "PRAGMA journal_mode = WAL", "PRAGMA application_id = 1234"],
)
def test_the_file_of_another_program_is_left_alone(tmp_path: Path, setting: LiteralString) -> None:
    """Its write-ahead log too, which SQLite would fold into the file and remove."""
    source, copied = tmp_path / "source.db", tmp_path / "copy"
    copied.mkdir()
    with closing(Connection(source)) as other:
        other.execute(setting)
        other.execute("PRAGMA wal_autocheckpoint = 0")
        other.execute("CREATE TABLE meta (a); INSERT INTO meta VALUES (1)")
        for one in tmp_path.glob("source.db*"):
            shutil.copy(one, copied)
    refused(copied / "source.db", "another program")


def test_a_store_of_a_newer_version_is_left_alone(path: Path) -> None:
    open_store(path).close()
    with closing(Connection(path)) as other:
        other.execute("PRAGMA user_version = 99")
    refused(path, r"newer Winnow \(version 99.*upgrade Winnow")


def test_a_version_that_stands_in_the_log_only_counts_too(path: Path) -> None:
    with closing(open_store(path)), closing(Connection(path)) as other:
        other.execute("PRAGMA user_version = 99")
        with pytest.raises(StoreError, match="newer Winnow"):
            open_store(path)


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    refused(tmp_path, "is a folder")


def test_a_path_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    refused(tmp_path / "file" / "winnow.db", "Not a directory")


def test_a_folder_in_the_place_of_the_lock_is_needed(path: Path) -> None:
    path.with_name("winnow.db.d").write_text("x", encoding="utf-8")
    refused(path, "can't be written")


@pytest.mark.parametrize("name", ["a?b#c%41 d&e=f.db", "é𝔘.db", "file:x.db", ":memory:", "-"])
def test_any_name_will_do(tmp_path: Path, name: str) -> None:
    with closing(open_store(tmp_path / name)) as store:
        add_entities(store, entity("M-1"))
    assert (tmp_path / name).is_file()
    with closing(open_store(tmp_path / name)) as store:
        assert ids_after(store, 0) == ["M-1"]


def test_a_name_that_is_not_utf8_will_do(tmp_path: Path) -> None:
    path = Path(os.fsdecode(bytes(tmp_path / "x-") + b"\xff.db"))
    with closing(open_store(path)) as store:
        add_entities(store, entity("M-1"))
    assert path.is_file()


def test_a_name_that_can_not_be_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="can't be the path"):
        open_store(tmp_path / "a\0b")


def test_two_names_of_one_store_share_it(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "winnow.db")
    with (
        closing(open_store(tmp_path / "link.db")) as one,
        closing(open_store(tmp_path / "winnow.db")) as other,
    ):
        add_entities(one, entity("M-1"))
        assert ids_after(other, 0) == ["M-1"]
    assert sorted(os.listdir(tmp_path)) == ["link.db", "winnow.db", "winnow.db.d"]


def test_a_read_only_file_can_be_read_and_says_so_when_written(open_folder: Path) -> None:
    path = open_folder / "winnow.db"
    with closing(open_store(path)) as store:
        add_entities(store, entity("M-1"))
    path.chmod(0o400)
    content = path.read_bytes()
    with as_nobody(open_folder), closing(open_store(path)) as store:
        assert ids_after(store, 0) == ["M-1"]
        with pytest.raises(StoreError, match="read-only"):
            add_entities(store, entity("M-2"))
        assert ids_after(store, 0) == ["M-1"]
    assert path.read_bytes() == content


def test_what_was_opened_while_it_was_read_only_is_written_once_it_may_be(
    open_folder: Path,
) -> None:
    path = open_folder / "winnow.db"
    open_store(path).close()
    path.chmod(0o400)
    with as_nobody(open_folder), closing(open_store(path)) as store:
        with pytest.raises(StoreError, match="read-only"):
            add_entities(store, entity("M-1"))
        path.chmod(0o600)
        add_entities(store, entity("M-2"))
        store.flush()
        assert ids_after(store, 0) == ["M-2"]


def test_a_store_in_a_read_only_folder_is_read_and_nothing_is_left_there(
    open_folder: Path,
) -> None:
    path = open_folder / "winnow.db"
    with closing(open_store(path)) as store:
        add_entities(store, entity("M-1"))
    with as_nobody(open_folder):
        (open_folder / "winnow.db.d").chmod(0o500)
        open_folder.chmod(0o500)
        before = tree(open_folder)
        with closing(open_store(path)) as store:
            assert ids_after(store, 0) == ["M-1"]
            assert store.upkeep.check(0) == []
            with pytest.raises(StoreError, match="can't be written"):
                add_entities(store, entity("M-2"))
            assert ids_after(store, 0) == ["M-1"]
        assert tree(open_folder) == before
        refused(open_folder / "new.db", "can't be (made|written)")


def test_a_store_that_is_written_to_after_all_must_be_opened_again(open_folder: Path) -> None:
    path = open_folder / "winnow.db"
    open_store(path).close()
    open_folder.chmod(0o500)
    with as_nobody(open_folder):
        store = open_store(path)
    open_folder.chmod(0o700)
    with closing(store), closing(open_store(path)) as other:
        add_entities(other, entity("M-1"))
        for ask in (store.last_change, store.namespaces):
            with pytest.raises(StoreError, match=r"somebody else writes .* open it again"):
                ask()


def test_a_log_of_writes_in_a_read_only_folder_is_not_passed_over(open_folder: Path) -> None:
    path = open_folder / "winnow.db"
    with closing(open_store(path)) as store:
        add_entities(store, entity("M-1"))
        for one in (path, path.with_name("winnow.db-wal")):
            shutil.copy(one, open_folder / one.name.replace("winnow", "copy"))
    with as_nobody(open_folder):
        open_folder.chmod(0o500)
        refused(open_folder / "copy.db", "needs a folder that can be written to")


def test_an_older_store_in_a_read_only_folder_is_refused(open_folder: Path) -> None:
    path = open_folder / "winnow.db"
    lock = WriteLock(path.with_name("winnow.db.d") / "lock")
    open_current(find_place(path), lock, migrations()[:1]).close()
    with as_nobody(open_folder):
        open_folder.chmod(0o500)
        refused(path, "can't be (made|written)|read-only")


def test_a_file_that_may_not_be_read_is_refused_in_words(open_folder: Path) -> None:
    path = open_folder / "winnow.db"
    open_store(path).close()
    path.chmod(0o000)
    with as_nobody(open_folder), pytest.raises(StoreError, match="can't be opened"):
        open_store(path)


def test_a_damaged_store_is_refused_and_left_as_it_is(path: Path) -> None:
    with closing(open_store(path)) as store:
        add_entities(store, *(entity(f"M-{n}", a="x" * 50) for n in range(2000)))
    whole = path.read_bytes()
    for damaged in (
        whole[:4096] + b"\xff" * (len(whole) - 4096),
        whole[:4096],
        whole[:100] + b"\0" * (len(whole) - 100),
        b"\0" * len(whole),
    ):
        path.write_bytes(damaged)
        refused(path, "damaged|not a Winnow store")


def test_each_migration_sets_its_own_version() -> None:
    for version, script in enumerate(migrations(), 1):
        assert script.name.startswith(f"{version:04}_")
        assert f"PRAGMA user_version = {version};" in script.read_text(encoding="utf-8")


def test_a_store_is_brought_up_to_date_with_all_that_it_holds(path: Path, tmp_path: Path) -> None:
    with closing(open_store(path)) as store:
        vault = add_vault(store)
    later = tmp_path / "9999_later.sql"
    script = f"CREATE TABLE later (a); PRAGMA user_version = {len(migrations()) + 1};"
    later.write_text(script, encoding="utf-8")
    lock = WriteLock(tmp_path / "winnow.db.d" / "lock")
    with closing(open_current(find_place(path), lock, [*migrations(), later])) as connection:
        assert connection.one(tuple[int], "SELECT count(*) FROM later") == (0,)
        assert connection.one(tuple[str], "SELECT root FROM vault") == (vault.root,)
    refused(path, "newer Winnow")


def test_a_migration_that_fails_leaves_the_version_before(path: Path, tmp_path: Path) -> None:
    with closing(open_store(path)) as store:
        vault = add_vault(store)
    later = tmp_path / "9999_later.sql"
    later.write_text("DROP TABLE note; CREATE TABLE meta (a);", encoding="utf-8")
    lock = WriteLock(tmp_path / "winnow.db.d" / "lock")
    with pytest.raises(StoreError, match="already exists"):
        open_current(find_place(path), lock, [*migrations(), later])
    with closing(open_store(path)) as store:
        assert store.vaults() == [vault]
        assert store.upkeep.check(0) == []


def test_a_store_whose_making_was_cut_short_is_finished(path: Path) -> None:
    """Made, but not yet switched to WAL."""
    open_store(path).close()
    with closing(Connection(path)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
    open_store(path).close()
    with closing(Connection(path)) as other:
        assert other.one(tuple[str], "PRAGMA journal_mode") == ("wal",)
