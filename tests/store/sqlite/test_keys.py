"""Keys in the store, and the changes of some namespaces."""

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.store.making import add_entities, entity
from tests.store.remembering import memory

from winnow.access import digest_of
from winnow.store.additions import make_draft
from winnow.store.base import Store
from winnow.store.keys import KeyRow
from winnow.store.memories import NamespaceRow
from winnow.store.sqlite.lock import WriteLock
from winnow.store.sqlite.migrate import migrations, open_current
from winnow.store.sqlite.place import find_place
from winnow.store.sqlite.store import SqliteStore, open_store


def key(name: str, *, namespaces: tuple[str, ...] | None = None) -> KeyRow:
    return KeyRow(name, digest_of(name), ("read",), namespaces, "2026-03-05T12:00:00.000Z")


def put(store: Store, *keys: KeyRow) -> list[bool]:
    with store.write() as writer:
        return [writer.keys.put(one) for one in keys]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "winnow.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with closing(open_store(path)) as opened:
        yield opened


def test_keys_are_listed_by_name_as_they_were_put(store: SqliteStore) -> None:
    assert store.access.read_keys() == []
    first, second = key("b", namespaces=("x", "y")), key("a")
    assert put(store, first, second) == [True, True]
    assert store.access.read_keys() == [second, first]


def test_a_name_that_is_taken_stays_as_it_is(store: SqliteStore) -> None:
    put(store, key("a"))
    other = KeyRow("a", digest_of("other"), ("admin",), None, "2027-01-01T00:00:00.000Z")
    assert put(store, other) == [False]
    assert store.access.read_keys() == [key("a")]


def test_a_deleted_key_is_gone_and_its_name_is_free(store: SqliteStore) -> None:
    put(store, key("a"), key("b"))
    with store.write() as writer:
        assert writer.keys.delete("a")
        assert not writer.keys.delete("a")
    assert store.access.read_keys() == [key("b")]
    assert put(store, key("a")) == [True]


def test_another_process_sees_at_once_what_keys_there_are(path: Path, store: SqliteStore) -> None:
    with closing(open_store(path)) as other:
        put(store, key("a"))
        assert other.access.read_keys() == [key("a")]
        with store.write() as writer:
            writer.keys.delete("a")
        assert other.access.read_keys() == []


def test_keys_are_read_once_for_each_change(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, key("a"))
    first = store.access.read_keys()
    assert store.access.read_keys() is first
    add_entities(store, entity("M-1"))
    assert store.access.read_keys() is not first


def test_an_undone_transaction_leaves_no_key(store: SqliteStore) -> None:
    with suppress(ZeroDivisionError), store.write() as writer:
        writer.keys.put(key("a"))
        raise ZeroDivisionError
    assert store.access.read_keys() == []


# --- the changes of some namespaces --------------------------------------------------------------


def changes(store: Store, *namespaces: str) -> int:
    return store.access.last_change(namespaces).number


def test_changes_of_other_namespaces_do_not_count(store: SqliteStore) -> None:
    for namespace in ("a", "b", "b", "c"):
        with store.write() as writer:
            writer.records.put(memory(writer.records.new_id(namespace), namespace=namespace))
    assert [changes(store, one) for one in "abcd"] == [1, 2, 1, 0]
    assert changes(store, "a", "b") == 3
    assert changes(store) == 0


def test_every_way_to_change_a_namespace_counts_once_for_a_transaction(store: SqliteStore) -> None:
    seen = [changes(store, "a")]

    def count() -> None:
        seen.append(changes(store, "a"))

    with store.write() as writer:
        keys = [writer.records.put(memory(f"r{n}", namespace="a")) for n in range(3)]
    count()
    with store.write() as writer:
        writer.records.delete(keys[:2], 1_000)
    count()
    with store.write() as writer:
        writer.records.undelete(keys[:1], 2_000)
    count()
    with store.write() as writer:
        writer.records.purge(keys[:2])
    count()
    with store.write() as writer:
        writer.records.put_namespace(NamespaceRow("a", {"language": "german"}))
    count()
    assert seen == [0, 1, 2, 3, 4, 5]


def test_what_is_added_and_what_is_changed_by_its_key_count_in_one_transaction(
    store: SqliteStore,
) -> None:
    with store.write() as writer:
        key = writer.records.put(memory("r1", namespace="a"))
    with store.write() as writer:
        writer.records.put(memory("r1", namespace="b"))
        writer.records.delete([key], 1_000)
        writer.additions.add([make_draft(memory("r1", namespace="c"))])
    assert [changes(store, one) for one in "abc"] == [2, 1, 1]


def test_a_change_that_was_undone_does_not_count(store: SqliteStore) -> None:
    with suppress(ZeroDivisionError), store.write() as writer:
        writer.records.put(memory("r1", namespace="a"))
        raise ZeroDivisionError
    assert changes(store, "a") == 0


def test_the_time_is_that_of_the_last_change_of_theirs(store: SqliteStore) -> None:
    with store.write() as writer:
        writer.records.put(memory("r1", namespace="a"))
    first = store.last_change()
    with store.write() as writer:
        writer.records.put(memory("r1", namespace="b"))
    assert store.access.last_change(["a"]).time == first.time
    assert store.access.last_change(["a", "b"]).time == store.last_change().time
    assert store.access.last_change(["nobody"]).time <= first.time


def test_the_namespaces_of_an_older_store_have_changed_once(path: Path) -> None:
    lock = WriteLock(path.with_name("winnow.db.d") / "lock")
    with closing(open_current(find_place(path), lock, migrations()[:2])) as sqlite:
        sqlite.execute("INSERT INTO namespace (name) VALUES ('a'), ('b')")
        sqlite.execute("UPDATE meta SET change = 7")
    with closing(open_store(path)) as store:
        assert [changes(store, "a"), changes(store, "a", "b")] == [1, 2]
        assert store.access.read_keys() == []
        with store.write() as writer:
            writer.records.put(memory("r1", namespace="a"))
        assert [changes(store, "a"), changes(store, "b")] == [2, 1]


def test_every_store_has_a_secret_of_its_own_that_stays(path: Path, store: SqliteStore) -> None:
    with closing(open_store(path)) as again, closing(open_store(path.with_name("b.db"))) as other:
        assert store.access.secret() == again.access.secret() != other.access.secret()
        assert len(store.access.secret()) >= 16
