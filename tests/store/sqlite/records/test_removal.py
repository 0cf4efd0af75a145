from tests.store.remembering import (
    dead_after,
    key_of,
    living_after,
    memory,
    put,
    stored,
)

from winnow.store.memories import Record
from winnow.store.sqlite.store import SqliteStore

DAY = 86_400_000
FLOATS = b"\0\0\x80?"
TABLES = ("record", "vector", "past")


def rows(store: SqliteStore) -> dict[str, int]:
    """How many rows are left of records."""
    counts: dict[str, int] = {}
    for table in TABLES:
        (counts[table],) = store._connection.one(tuple[int], f"SELECT count(*) FROM {table}")
    return counts


def delete(store: SqliteStore, *keys: int, at: int = 2_000) -> int:
    with store.write() as writer:
        return writer.records.delete(keys, at)


def undelete(store: SqliteStore, *keys: int, at: int = 3_000) -> int:
    with store.write() as writer:
        return writer.records.undelete(keys, at)


def purge(store: SqliteStore, *keys: int) -> int:
    with store.write() as writer:
        return writer.records.purge(keys)


def sweep(store: SqliteStore, now: int, retention: int = 30 * DAY, limit: int = 100) -> int:
    with store.write() as writer:
        return writer.records.sweep(now, retention, limit=limit)


def test_a_deleted_record_is_nowhere_but_can_be_brought_back(store: SqliteStore) -> None:
    """F63."""
    record = memory("r1", vector=FLOATS, model="static", tags=("a",))
    key, other = put(store, record, memory("r2", namespace="other"))
    assert delete(store, key) == 1
    assert store.records.find("default", "r1") is None
    assert store.records.read([key, other])[0] is None
    assert living_after(store, 0) == ["r2"]
    assert list(store.records.scan_vectors(0)) == []
    assert store.namespaces() == ["other"]
    assert store.records.find("default", "r1", deleted=True) == key
    assert undelete(store, key) == 1
    assert stored(store, "r1") == record
    assert store.records.find("default", "r1", deleted=True) is None


def test_what_was_deleted_is_listed_the_last_first(store: SqliteStore) -> None:
    one, two, three, over = put(
        store,
        memory("r1"),
        memory("r2"),
        memory("r3", namespace="other"),
        memory("r4", expires_at=5_000),
    )
    delete(store, one, over, at=2_000)
    delete(store, two, three, at=3_000)
    both = ["default", "other"]

    def listed(names: list[str], since: int = 0, now: int = 4_000) -> list[int]:
        return [found.key for found in store.records.deleted(names, since, now)]

    assert listed(both) == [two, three, one, over]
    assert listed(both, now=5_000) == [two, three, one]
    assert listed(both, since=3_000) == [two, three]
    assert listed(["other"]) == [three]
    assert listed([]) == []
    undelete(store, two)
    assert listed(both, since=3_000) == [three]


def test_deaths_are_seen_by_their_change_number(store: SqliteStore) -> None:
    one, two, _ = put(store, memory("r1"), memory("r2"), memory("r3"))
    assert delete(store, one) == 1
    assert purge(store, two) == 1
    assert (dead_after(store, 1), living_after(store, 1)) == ([one, two], [])
    assert (dead_after(store, 2), dead_after(store, 3)) == ([two], [])
    assert dead_after(store, 0) == []
    assert undelete(store, one) == 1
    assert (dead_after(store, 1), living_after(store, 1)) == ([two], ["r1"])


def test_the_dead_among_keys_are_told(store: SqliteStore) -> None:
    one, two, three = put(store, memory("r1"), memory("r2"), memory("r3"))
    delete(store, one)
    purge(store, three)
    dead, living = store.records.rescan([three, two, one, 99, one])
    assert (dead.dead, dead.keys) == ([one, three, 99], ())
    assert (living.dead, living.keys) == ((), (two,))


def test_what_is_not_there_is_not_counted_and_no_change(store: SqliteStore) -> None:
    """F69."""
    one, two = put(store, memory("r1"), memory("r2"))
    delete(store, one)
    last = store.last_change()
    assert delete(store, one, 99) == 0
    assert undelete(store, two, 99) == 0
    assert purge(store, 99) == 0
    assert sweep(store, 3_000) == 0
    assert store.last_change() == last
    assert delete(store, one, two, two, 99) == 1


def test_a_record_put_where_one_was_deleted_is_live_under_its_key(store: SqliteStore) -> None:
    (key,) = put(store, memory("r1", text="old"))
    delete(store, key)
    new = memory("r1", text="new", updated_at=3_000)
    assert put(store, new) == [key]
    assert stored(store, "r1") == new
    assert undelete(store, key) == 0
    delete(store, key)
    assert put(store, new) == [key]
    assert stored(store, "r1") == new


def test_nothing_is_left_of_a_purged_record_but_its_key(store: SqliteStore) -> None:
    """F64."""
    record = memory("r1", vector=FLOATS)
    for deleted in (False, True):
        (key,) = put(store, record)
        put(store, memory("r1", vector=FLOATS, text="new", updated_at=2_000))
        if deleted:
            delete(store, key)
        assert purge(store, key) == 1
        assert rows(store) == {"record": 0, "vector": 0, "past": 0}
        assert store.records.find("default", "r1", deleted=True) is None
        assert store.records.history(key) == []
        assert undelete(store, key) == 0
    assert store.upkeep.check() == []


def test_the_key_of_a_purged_record_is_never_used_again(store: SqliteStore) -> None:
    keys: list[int] = []
    for _ in range(3):
        keys += put(store, memory("r1"))
        purge(store, keys[-1])
    assert len(set(keys)) == 3
    assert dead_after(store, 1) == keys


def test_a_sweep_purges_at_the_moment_of_expiry_and_not_before(store: SqliteStore) -> None:
    """F81."""
    (key,) = put(store, memory("r1", expires_at=5_000))
    put(store, memory("r2"))
    assert sweep(store, 4_999) == 0
    assert stored(store, "r1") == memory("r1", expires_at=5_000)
    assert sweep(store, 5_000) == 1
    assert living_after(store, 0) == ["r2"]
    assert dead_after(store, 2) == [key]


def test_a_sweep_purges_what_was_deleted_when_its_retention_ends(store: SqliteStore) -> None:
    one, two = put(store, memory("r1"), memory("r2"))
    delete(store, one, at=1_000)
    delete(store, two, at=2_000)
    assert sweep(store, 1_000 + 30 * DAY - 1) == 0
    assert sweep(store, 1_000 + 30 * DAY) == 1
    assert store.records.find("default", "r1", deleted=True) is None
    assert undelete(store, one, two) == 1
    assert sweep(store, 2_000 + 30 * DAY) == 0


def test_a_sweep_takes_no_more_than_it_may(store: SqliteStore) -> None:
    keys = put(store, *(memory(f"r{n}", expires_at=n) for n in range(7)))
    delete(store, *keys[:5], at=0)
    counts = [sweep(store, DAY, retention=0, limit=3) for _ in range(4)]
    assert counts == [3, 3, 1, 0]
    assert dead_after(store, 2) == keys


def test_a_thousand_records_are_deleted_at_once(store: SqliteStore) -> None:
    """F98."""
    keys = put(store, *(memory(f"r{n}") for n in range(1_000)))
    kept: list[Record] = [memory("kept", namespace="other"), memory("kept")]
    put(store, *kept)
    assert delete(store, *keys) == 1_000
    assert living_after(store, 0) == ["kept", "kept"]
    assert undelete(store, *keys[:10]) == 10
    assert purge(store, *keys) == 1_000
    assert dead_after(store, 2) == keys
    assert key_of(store, "kept", "other")
    assert store.upkeep.check() == []
