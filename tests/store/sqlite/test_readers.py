from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from tests.store.making import add_entities, entity

from winnow.errors import StoreError
from winnow.store.memories import NamespaceRow
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.place import find_place
from winnow.store.sqlite.readers import ChangeWatch, Readers
from winnow.store.sqlite.store import SqliteStore


def test_a_free_connection_is_used_again(store: SqliteStore) -> None:
    readers = Readers(find_place(store.path))
    with readers.snapshot() as first, readers.snapshot() as second:
        assert first is not second
    with readers.snapshot() as third:
        assert third in (first, second)
    readers.close()


def test_a_reader_can_not_write(store: SqliteStore) -> None:
    readers = Readers(find_place(store.path))
    with readers.snapshot() as connection, pytest.raises(StoreError, match="read-only"):
        connection.execute("DELETE FROM meta")
    readers.close()


def test_all_reads_of_a_block_see_one_state(store: SqliteStore) -> None:
    readers = Readers(find_place(store.path))
    with readers.snapshot() as connection:
        counts = [connection.one(tuple[int], "SELECT count(*) FROM entity")]
        add_entities(store, entity("M-1"))
        counts.append(connection.one(tuple[int], "SELECT count(*) FROM entity"))
    with readers.snapshot() as connection:
        counts.append(connection.one(tuple[int], "SELECT count(*) FROM entity"))
    readers.close()
    assert counts == [(0,), (0,), (1,)]


def test_a_connection_may_come_back_while_the_others_are_closed(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The collector may find a forgotten reader at any moment, also in the thread that closes."""
    readers = Readers(find_place(store.path))
    lent = readers.snapshot()
    connection = lent.__enter__()
    with readers.snapshot():
        pass
    close = Connection.close

    def close_and_collect(closed: Connection) -> None:
        close(closed)
        if closed is not connection:
            lent.__exit__(None, None, None)

    monkeypatch.setattr(Connection, "close", close_and_collect)
    closer = Thread(target=readers.close, daemon=True)
    closer.start()
    closer.join(10)
    assert not closer.is_alive()


def count_entities(readers: Readers) -> int:
    with readers.snapshot() as connection:
        return connection.one(tuple[int], "SELECT count(*) FROM entity")[0]


def test_a_thread_that_holds_a_state_reads_all_from_it_until_it_advances(
    store: SqliteStore,
) -> None:
    readers = Readers(find_place(store.path))
    with readers.hold():
        counts = [count_entities(readers)]
        add_entities(store, entity("M-1"))
        with readers.hold():
            counts.append(count_entities(readers))
        counts.append(count_entities(readers))
        readers.advance()
        counts.append(count_entities(readers))
    readers.close()
    assert counts == [0, 0, 0, 1]
    assert readers.held is None


def test_another_thread_holds_nothing_because_of_it(store: SqliteStore) -> None:
    readers = Readers(find_place(store.path))
    with readers.hold(), ThreadPoolExecutor(1) as pool:
        before = count_entities(readers)
        add_entities(store, entity("M-1"))
        assert (before, pool.submit(count_entities, readers).result()) == (0, 1)
        assert count_entities(readers) == 0
    readers.close()


def test_a_thread_that_stays_advances_only_afterwards(store: SqliteStore) -> None:
    with store.states.hold():
        before = store.last_change().number
        with store.states.stay():
            add_entities(store, entity("M-1"))
            with store.states.stay():
                store.states.advance()
            store.states.advance()
            assert store.last_change().number == before
        store.states.advance()
        assert store.last_change().number == before + 1


def test_the_last_change_is_that_of_the_held_state(store: SqliteStore) -> None:
    with store.states.hold():
        before = store.last_change()
        add_entities(store, entity("M-1"))
        assert store.last_change() == before
        store.states.advance()
        assert store.last_change().number == before.number + 1
    assert store.last_change().number == before.number + 1


def test_to_advance_without_a_held_state_does_nothing(store: SqliteStore) -> None:
    store.states.advance()
    assert store.last_change().number == 0


def test_a_connection_is_lent_for_a_statement_from_the_state_that_is_held(
    store: SqliteStore,
) -> None:
    with store.write() as writer:
        writer.records.put_namespace(NamespaceRow("a", {"n": 1}))
    with store.states.hold():
        assert store.records.namespace("a").settings == {"n": 1}
        with store.write() as writer:
            writer.records.put_namespace(NamespaceRow("a", {"n": 2}))
        assert store.records.namespace("a").settings == {"n": 1}
    assert store.records.namespace("a").settings == {"n": 2}


def test_readers_that_are_closed_lend_nothing(path: Path, store: SqliteStore) -> None:
    readers = Readers(find_place(path))
    readers.close()
    with pytest.raises(StoreError, match="closed"), readers.snapshot():
        pass
    assert store.last_change().number == 0


def test_the_watch_reads_the_number_only_when_the_file_moved(store: SqliteStore) -> None:
    with closing(ChangeWatch(find_place(store.path))) as watch:
        first = watch.last_change()
        assert watch.last_change() is first
        add_entities(store, entity("M-1"))
        second = watch.last_change()
        assert second.number == first.number + 1
        assert watch.last_change() is second
