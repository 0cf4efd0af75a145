from contextlib import closing
from pathlib import Path

import pytest
from tests.store.making import add_entities, entity, ids_after

from winnow.errors import StoreError
from winnow.store.sqlite import connection as connections
from winnow.store.sqlite.connection import Connection, require_sqlite
from winnow.store.sqlite.place import connect
from winnow.store.sqlite.store import SqliteStore, open_store


@pytest.mark.parametrize("version", ["3.51.3", "3.51.10", "3.52.0", "4.0.0"])
def test_an_sqlite_that_keeps_all_commits_is_accepted(version: str) -> None:
    require_sqlite(version)


@pytest.mark.parametrize("version", ["3.51.2", "3.40.1", "3.6.23"])
def test_an_older_sqlite_is_refused_with_what_to_do(version: str) -> None:
    with pytest.raises(StoreError, match=r"3\.51\.3 or later.*pip install --upgrade apsw"):
        require_sqlite(version)


def test_a_full_disk_undoes_the_transaction_and_leaves_the_store_usable(
    store: SqliteStore,
) -> None:
    last = add_entities(store, entity("M-1"))
    sqlite = store._connection
    (pages,) = sqlite.one(tuple[int], "PRAGMA page_count")
    assert pages < 50
    sqlite.execute("PRAGMA max_page_count = 50")
    with pytest.raises(StoreError, match="the disk is full"), store.write() as writer:
        writer.put_entities("default", [entity(f"M-{n}", a="x" * 100) for n in range(2, 5000)])
    sqlite.execute("PRAGMA max_page_count = 5000000")
    assert ids_after(store, 0) == ["M-1"]
    assert store.upkeep.check() == []
    assert add_entities(store, entity("M-2")) == last + 1


def test_a_transaction_that_a_full_disk_undid_does_not_go_on(store: SqliteStore) -> None:
    store._connection.execute("PRAGMA max_page_count = 50")
    many = [entity(f"M-{n}", a="x" * 100) for n in range(5000)]

    def go_on() -> None:
        with store.write() as writer:
            writer.put_entities("default", [entity("first")])
            with pytest.raises(StoreError, match="the disk is full"):
                writer.put_entities("default", many)
            with pytest.raises(StoreError, match="has ended"):
                writer.put_entities("default", [entity("last")])

    with pytest.raises(StoreError, match="an error undid all of it"):
        go_on()
    assert ids_after(store, 0) == []
    assert store.last_change().number == 0


def test_a_store_that_another_program_locks_is_busy(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BUSY_MILLISECONDS", 1)
    with closing(open_store(path)) as store, closing(Connection(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="the store is busy"), store.write():
            pass
        other.execute("ROLLBACK")
        add_entities(store, entity("M-1"))
        assert ids_after(store, 0) == ["M-1"]


def test_a_closed_store_says_so(path: Path) -> None:
    store = open_store(path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="the store is closed"):
        store.last_change()
    with pytest.raises(StoreError, match="the store is closed"):
        store.packs()
    with pytest.raises(StoreError, match="the store is closed"), store.write():
        pass


def test_a_number_of_another_kind_is_no_key(store: SqliteStore) -> None:
    """numpy's integers would be bound as eight bytes that equal no key."""
    numpy = pytest.importorskip("numpy")
    add_entities(store, entity("M-1"))
    (batch,) = store.rescan_entities(numpy.asarray([1], dtype=numpy.int64))
    assert batch.ids == ["M-1"]


def test_a_step_that_fails_leaves_what_came_before(store: SqliteStore) -> None:
    with closing(connect(store.path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO namespace (name) VALUES ('a')")
        with pytest.raises(StoreError), connection.savepoint():
            connection.execute_many("INSERT INTO namespace (name) VALUES (?)", [("b",), ("a",)])
        connection.execute("COMMIT")
        assert connection.all(tuple[str], "SELECT name FROM namespace") == [("a",)]


def test_a_row_that_must_be_there_is_missed_in_words(store: SqliteStore) -> None:
    with (
        closing(connect(store.path)) as connection,
        pytest.raises(StoreError, match="lacks a row"),
    ):
        connection.one(tuple[str], "SELECT name FROM namespace")
