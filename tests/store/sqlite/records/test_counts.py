"""Which records there are, and how many, by the model that made their vectors."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.remembering import memory, put, temporary_store

from winnow.store.memories import RecordCount
from winnow.store.sqlite.store import SqliteStore


def test_records_are_counted_by_namespace_and_model(store: SqliteStore) -> None:
    put(
        store,
        memory("a", model="one"),
        memory("b", model="one"),
        memory("c", model="two"),
        memory("d"),
        memory("a", namespace="other", model="one"),
        memory("a", namespace="secret", model="one"),
    )
    assert store.records.count(["default", "other", "nowhere"], 0) == [
        RecordCount("default", None, False, 1),
        RecordCount("default", "one", False, 2),
        RecordCount("default", "two", False, 1),
        RecordCount("other", "one", False, 1),
    ]
    assert store.records.count([], 0) == []


def test_what_is_deleted_or_has_expired_is_not_counted(store: SqliteStore) -> None:
    key, *_ = put(
        store, memory("a"), memory("b", expires_at=100), memory("c", expires_at=101), memory("d")
    )
    with store.write() as writer:
        writer.records.delete([key], 50)
    assert [one.count for one in store.records.count(["default"], 99)] == [3]
    assert [one.count for one in store.records.count(["default"], 100)] == [2]


def test_keys_leave_out_those_of_one_model(store: SqliteStore) -> None:
    a, b, c, d, _ = put(
        store,
        memory("z", model="one"),
        memory("y", model="two"),
        memory("x"),
        memory("w", model="one"),
        memory("z", namespace="other", model="two"),
    )
    with store.write() as writer:
        writer.records.delete([d], 50)
    assert store.records.keys("default") == [a, b, c]
    assert store.records.keys("default", unless="one") == [b, c]
    assert store.records.keys("default", unless="nobody") == [a, b, c]
    assert store.records.keys("nowhere") == []


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b"]), st.sampled_from([None, "one", "two"]), st.booleans()
        ),
        max_size=12,
    ),
    st.sampled_from([None, "one", "two"]),
)
@settings(max_examples=20, deadline=None)
def test_counts_and_keys_agree(
    rows: list[tuple[str, str | None, bool]], unless: str | None
) -> None:
    records = [memory(f"r{n}", namespace=row[0], model=row[1]) for n, row in enumerate(rows)]
    with temporary_store() as store:
        keys = put(store, *records)
        with store.write() as writer:
            writer.records.delete([key for key, row in zip(keys, rows, strict=True) if row[2]], 1)
        counts = store.records.count(["a", "b"], 0)
        for space in ("a", "b"):
            mine = [one for one in counts if one.namespace == space]
            others = [one for one in mine if unless is None or one.model != unless]
            assert len(store.records.keys(space)) == sum(one.count for one in mine)
            assert len(store.records.keys(space, unless=unless)) == sum(one.count for one in others)
