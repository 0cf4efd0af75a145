"""Records in a store that was made before them, that several use, and that is damaged."""

import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import LiteralString

import pytest
from tests.store.making import add_entities, add_notes, add_vault, entity, ids_after, note, said
from tests.store.making import note_key as key_of_note
from tests.store.remembering import living_after, memory, piece, put, put_pieces, stored

from winnow.errors import StoreError
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.lock import WriteLock
from winnow.store.sqlite.migrate import migrations, open_current
from winnow.store.sqlite.place import find_place
from winnow.store.sqlite.store import SqliteStore, open_store

DIE_WRITING = """
import sys
from pathlib import Path
from winnow.store.memories import Record
from winnow.store.sqlite.store import open_store
store = open_store(Path(sys.argv[1]))
def put(writer, name):
    plain = ("", "told", None, None, None, (), 0.5, None, {}, 1, 1, None, b"x" * 4000, "static")
    writer.records.put(Record("default", name, "text", *plain))
with store.write() as writer:
    put(writer, writer.records.new_id("default"))
with store.write() as writer:
    writer.records.purge([1])
    for number in range(6000):
        put(writer, writer.records.new_id("default"))
    print("ready", flush=True)
    sys.stdin.readline()
"""


def make_first_version(path: Path) -> None:
    """A store as it was before there were records, with a vault, a note and entities."""
    lock = WriteLock(path.with_name(path.name + ".d") / "lock")
    with closing(open_current(find_place(path), lock, migrations()[:1])) as sqlite:
        sqlite.execute("INSERT INTO namespace (name) VALUES ('default'), ('other')")
        sqlite.execute("INSERT INTO schema (name) VALUES ('legal.Matter')")
        sqlite.execute(
            """INSERT INTO vault (namespace, root, name, fingerprint, packs)
            VALUES (2, '/vault', 'vault', 'f1', '[]')"""
        )
        sqlite.execute(
            """INSERT INTO note VALUES
            (1, 1, 'a.md', 4, 1, 'd', 3, 't', 's', '', '[]', '[]', '[]', '{}', 'text')"""
        )
        sqlite.execute(
            """INSERT INTO entity (schema, namespace, id, imported, change)
            VALUES (1, 1, 'M-1', '{"a":1}', 3)"""
        )
        sqlite.execute("UPDATE meta SET change = 3")


def test_a_store_of_the_first_version_is_brought_up_to_date(path: Path) -> None:
    make_first_version(path)
    with closing(open_store(path)) as store:
        assert store.last_change().number == 3
        assert ids_after(store, 0) == ["M-1"]
        (vault,) = store.vaults()
        assert (vault.root, vault.namespace) == ("/vault", "other")
        assert list(store.records.scan(0)) == []
        assert [one.name for one in store.records.namespaces()] == ["default", "other"]
        assert put_pieces(store, key_of_note(store, vault, "a.md"), piece("p1")) == 4
        with store.write() as writer:
            assert writer.records.new_id("default") == "m1"
        assert store.upkeep.check() == []
    with closing(open_store(path)) as store:
        assert living_after(store, 0) == ["p1"]


def test_two_may_bring_a_store_up_to_date_at_once(path: Path) -> None:
    make_first_version(path)
    faults: list[Exception] = []

    def work() -> None:
        try:
            with closing(open_store(path)) as store:
                put(store, memory(threading.current_thread().name))
        except StoreError as error:
            faults.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    with closing(open_store(path)) as store:
        assert len(living_after(store, 0)) == 4


def test_a_first_version_that_can_not_be_changed_is_left_as_it_is(path: Path) -> None:
    make_first_version(path)
    with closing(Connection(path)) as sqlite:
        sqlite.execute("CREATE TABLE term (a)")
    with pytest.raises(StoreError, match="already exists"):
        open_store(path)
    with closing(Connection(path)) as sqlite:
        assert sqlite.one(tuple[int], "PRAGMA user_version") == (1,)
        assert sqlite.one(tuple[str], "SELECT id FROM entity") == ("M-1",)


def test_a_process_killed_while_it_puts_records_leaves_a_whole_store(store: SqliteStore) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", DIE_WRITING, str(store.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    log = store.path.with_name("winnow.db-wal")
    assert log.stat().st_size > 8_000_000  # what it wrote has reached the file
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert living_after(store, 0) == ["m1"]
    with store.write() as writer:
        assert writer.records.new_id("default") == "m2"
        writer.records.put(memory("m2"))
    assert store.upkeep.check() == []
    store.close()
    with closing(open_store(store.path)) as again:
        assert living_after(again, 0) == ["m1", "m2"]


def test_threads_may_put_and_read_records_at_once(store: SqliteStore) -> None:
    """F91."""
    faults: list[Exception] = []

    def work(name: str) -> None:
        try:
            for number in range(20):
                with store.write() as writer:
                    record = writer.records.new_id("default")
                    writer.records.term_ids([name, str(number)])
                    writer.records.put(memory(record, text=f"{name}-{number}"))
                found = stored(store, record)
                assert found is not None
                assert found.text == f"{name}-{number}"
        except (StoreError, AssertionError) as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(f"T{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(living_after(store, 0)) == 80
    assert store.upkeep.check() == []


def test_records_and_entities_of_a_transaction_are_one_change(store: SqliteStore) -> None:
    with store.write() as writer:
        writer.records.put(memory("r1"))
        writer.put_entities("default", [entity("M-1")])
        writer.records.put(memory("r2"))
    assert store.last_change().number == 1
    assert (living_after(store, 0), ids_after(store, 0)) == (["r1", "r2"], ["M-1"])


def test_a_full_disk_undoes_the_records_of_a_transaction(store: SqliteStore) -> None:
    put(store, memory("r1"))
    store._connection.execute("PRAGMA max_page_count = 80")
    with pytest.raises(StoreError, match="the disk is full"):
        put(store, *(memory(f"n{number}", text="x" * 1_000) for number in range(5_000)))
    store._connection.execute("PRAGMA max_page_count = 5000000")
    assert living_after(store, 0) == ["r1"]
    put(store, memory("r2"))
    assert store.upkeep.check() == []


# --- damage ------------------------------------------------------------------------------------


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    vault = add_vault(store)
    add_notes(store, vault, note("a.md", said("a.md", "M-1", f=1)))
    add_entities(store, entity("M-2"))
    put_pieces(store, key_of_note(store, vault, "a.md"), piece("p1"))
    put(store, memory("r1", vector=b"abcd", model="static", terms=b"\1\0\0\0"), memory("r2"))
    put(store, memory("r1", text="new", updated_at=2_000, vector=b"abcd", model="static"))
    (key,) = put(store, memory("r3"))
    with store.write() as writer:
        writer.records.purge([key])
    return store


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        ("UPDATE record SET change = 99", "3 records have a change number that was never given"),
        ("UPDATE purged SET change = 99", "1 records have a change number that was never given"),
        ("INSERT INTO purged VALUES (1, 2)", "1 records are there and purged at once"),
        ("UPDATE record SET tags = '['", "3 records have tags or metadata that can't be read"),
        ("UPDATE record SET metadata = '{'", "3 records have tags or metadata"),
        ("UPDATE record SET terms = x'00'", "3 records have terms that can't be read"),
        ("UPDATE vector SET vector = x'0000'", "1 records have a vector that can't be read"),
        ("UPDATE past SET before = '{'", "1 records have a history that can't be read"),
        ("DELETE FROM model", "1 records don't know what made their vector"),
        ("DELETE FROM note", "1 pieces are of notes that are gone"),
        ("DELETE FROM record WHERE id = 'r1'", "1 vectors are of records that are gone"),
    ],
)
def test_what_does_not_fit_together_is_told(
    filled: SqliteStore, damage: LiteralString, fault: str
) -> None:
    assert filled.upkeep.check() == []
    filled._connection.execute("PRAGMA foreign_keys = OFF")
    filled._connection.execute(damage)
    told = [f"{one.count} {one.detail}" for one in filled.upkeep.check()]
    assert any(fault in line for line in told), told


@pytest.mark.parametrize(
    "damage", ["UPDATE record SET tags = '['", "UPDATE record SET metadata = '{'"]
)
def test_a_record_that_is_damaged_is_an_error_in_words(
    filled: SqliteStore, damage: LiteralString
) -> None:
    filled._connection.execute(damage)
    with pytest.raises(StoreError, match="JSON that is damaged"):
        filled.records.read([1, 2, 3])
    with pytest.raises(StoreError, match="JSON that is damaged"):
        list(filled.records.scan(0))
