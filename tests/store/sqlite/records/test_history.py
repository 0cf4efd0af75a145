from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.remembering import (
    living_after,
    memory,
    metadata,
    put,
    stored,
    temporary_store,
    texts,
    times,
)

from winnow.store.memories import Past, Record, Version
from winnow.store.sqlite.store import SqliteStore

FLOATS = b"\0\0\x80?"


def kept(record: Record) -> Record:
    """What the history has of a record."""
    return replace(record, vector=None, model=None, terms=b"")


def test_a_new_record_has_no_history(store: SqliteStore) -> None:
    (key,) = put(store, memory("r1"))
    assert store.records.history(key) == []
    assert store.records.history(99) == []


def test_the_history_has_the_record_before_each_change_the_last_first(store: SqliteStore) -> None:
    first = memory("r1", text="one", metadata={"a": [1, True, 2.0, None]}, tags=("x", "y"))
    second = replace(first, text="two", updated_at=2_000)
    third = replace(second, kind="claim", metadata={}, tags=(), updated_at=3_000)
    key = put(store, first, second, third)[0]
    assert repr(store.records.history(key)) == repr([Past(3_000, second), Past(2_000, first)])


def test_a_change_keeps_only_what_was_different(store: SqliteStore) -> None:
    text = "a long text " * 1_000
    (key,) = put(store, memory("r1", text=text))
    put(store, memory("r1", text=text, kind="claim", updated_at=2_000))
    (row,) = store._connection.all(tuple[str], "SELECT before FROM past")
    assert row == ('{"kind":"observation","updated_at":1000}',)
    assert store.records.history(key) == [Past(2_000, memory("r1", text=text))]


def test_an_equal_put_leaves_no_trace(store: SqliteStore) -> None:
    record = memory("r1", vector=FLOATS, metadata={"a": 1})
    (key,) = put(store, record)
    assert put(store, record, record) == [key, key]
    assert store.records.history(key) == []
    assert store.last_change().number == 1


def test_vectors_and_terms_have_no_history(store: SqliteStore) -> None:
    first = memory("r1", vector=FLOATS, model="old", terms=b"\1\0\0\0")
    second = replace(first, vector=b"abcd", model="new", terms=b"")
    (key,) = put(store, first)
    put(store, second)
    assert store.records.history(key) == []
    put(store, replace(second, text="new", updated_at=2_000))
    assert store.records.history(key) == [Past(2_000, kept(first))]


def test_deleting_and_bringing_back_are_changes(store: SqliteStore) -> None:
    (key,) = put(store, memory("r1"))
    with store.write() as writer:
        writer.records.delete([key], 2_000)
    assert store.records.history(key) == [Past(2_000, memory("r1"))]
    with store.write() as writer:
        writer.records.undelete([key], 3_000)
    assert store.records.history(key) == [Past(3_000, None), Past(2_000, memory("r1"))]


def test_a_record_put_where_one_was_deleted_has_its_history(store: SqliteStore) -> None:
    old = memory("r1", text="old")
    (key,) = put(store, old)
    with store.write() as writer:
        writer.records.delete([key], 2_000)
    put(store, memory("r1", text="new", updated_at=3_000))
    assert store.records.history(key) == [Past(3_000, None), Past(2_000, old)]


def test_a_history_comes_with_a_record_and_replaces_the_one_that_it_has(
    store: SqliteStore,
) -> None:
    record = memory("r1", updated_at=9_000)
    pasts = [
        Past(9_000, memory("r1", text="older", metadata={"n": 1})),
        Past(8_000, None),
        Past(7_000, memory("r1", text="oldest")),
        Past(6_000, None),
    ]
    key = put(store, memory("r1", text="another"), memory("r1", text="another still"))[0]
    for _ in range(2):
        with store.write() as writer:
            writer.records.restore([Version(record, None, tuple(pasts))])
        assert store.records.history(key) == pasts
        assert stored(store, "r1") == record
    assert store.last_change().number == 2
    with store.write() as writer:
        writer.records.restore([Version(record)])
    assert store.records.history(key) == []


# --- random histories --------------------------------------------------------------------------


@dataclass
class Model:
    """One record and its changes, in the plainest way."""

    record: Record | None = None
    gone: bool = False
    pasts: list[Past] = field(default_factory=list[Past])

    def add(self, at: int) -> None:
        before = None if self.gone or self.record is None else kept(self.record)
        self.pasts.insert(0, Past(at, before))

    def put(self, record: Record) -> None:
        if self.gone or (self.record and repr(kept(self.record)) != repr(kept(record))):
            self.add(record.updated_at)
        self.record, self.gone = record, False

    def delete(self, at: int) -> None:
        if self.record and not self.gone:
            self.add(at)
            self.gone = True

    def undelete(self, at: int) -> None:
        if self.gone:
            self.add(at)
            self.gone = False


versions = st.builds(
    memory,
    st.just("r"),
    namespace=st.just("n"),
    text=texts,
    entity=st.none() | texts,
    tags=st.lists(texts, max_size=1).map(tuple),
    metadata=metadata,
    updated_at=times,
    expires_at=st.none() | times,
    vector=st.sampled_from([None, FLOATS]),
    terms=st.sampled_from([b"", b"\1\0\0\0"]),
)
steps = st.lists(versions | st.sampled_from(["delete", "undelete"]), max_size=8)


def apply(store: SqliteStore, model: Model, step: Record | str, at: int) -> None:
    keys = [store.records.find("n", "r", deleted=gone) or 0 for gone in (False, True)]
    with store.write() as writer:
        actions: dict[Record | str, Callable[[], object]] = {
            "delete": lambda: (writer.records.delete(keys, at), model.delete(at)),
            "undelete": lambda: (writer.records.undelete(keys, at), model.undelete(at)),
        }
        if isinstance(step, Record):
            writer.records.put(step)
            model.put(step)
        else:
            actions[step]()


@settings(max_examples=40)
@given(steps)
def test_a_history_is_what_happened_and_can_be_brought_to_another_store(
    happened: list[Record | str],
) -> None:
    model = Model()
    with temporary_store() as store, temporary_store() as other:
        for at, step in enumerate(happened):
            apply(store, model, step, at)
        key = store.records.find("n", "r") or store.records.find("n", "r", deleted=True) or 0
        pasts = store.records.history(key)
        assert repr(pasts) == repr(model.pasts)
        if model.record:
            (version,) = store.records.read_versions([key])
            assert version is not None
            assert repr(version.record) == repr(model.record)
            assert (version.deleted_at is not None) == model.gone
            last = store.last_change()
            for again in (store, other):
                assert brought(again, version) == repr(replace(version, key=0, change=0))
                assert {one.code for one in again.upkeep.check() if one.serious} <= {"wrong_terms"}
            assert store.last_change() == last


def brought(store: SqliteStore, version: Version) -> str:
    with store.write() as writer:
        writer.records.restore([version])
    ((found,),) = store.records.scan_versions(version.record.namespace)
    return repr(replace(found, key=0, change=0))


@pytest.mark.parametrize("undone", [True, False])
def test_a_history_is_undone_with_its_transaction(store: SqliteStore, undone: bool) -> None:
    (key,) = put(store, memory("r1"))

    def change() -> None:
        with store.write() as writer:
            writer.records.put(memory("r1", text="new", updated_at=2_000))
            if undone:
                raise RuntimeError

    if undone:
        with pytest.raises(RuntimeError):
            change()
    else:
        change()
    assert len(store.records.history(key)) == (0 if undone else 1)
    assert living_after(store, 1) == ([] if undone else ["r1"])
