from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.remembering import (
    key_of,
    living_after,
    memory,
    put,
    read_batches,
    records,
    stored,
    temporary_store,
)

from winnow.errors import InvalidRequest, NotFound, StoreError
from winnow.store.memories import Record
from winnow.store.sqlite.store import SqliteStore, open_store

FLOATS = b"\0\0\x80?"


@settings(max_examples=40)
@given(st.lists(records, max_size=4, unique_by=lambda one: (one.namespace, one.id)))
def test_records_come_back_as_they_were(given_records: list[Record]) -> None:
    with temporary_store() as store:
        keys = put(store, *given_records)
        expected = dict(zip(keys, given_records, strict=True))
        # Their text tells 1 from True and 1.0, as equality would not.
        assert repr(store.records.read(keys)) == repr(given_records)
        assert repr(read_batches(store.records.scan(0, vectors=True))) == repr(expected)
        last = store.last_change()
        assert put(store, *given_records) == keys
        assert store.last_change() == last
        assert {one.code for one in store.upkeep.check() if one.serious} <= {"wrong_terms"}


@pytest.mark.parametrize(
    "change",
    [
        {"text": "other"},
        {"title": "title"},
        {"kind": "claim"},
        {"kind_provenance": "declared"},
        {"entity": "chopper"},
        {"memory_type": "semantic"},
        {"tags": ("law/ip",)},
        {"importance": 0.75},
        {"source": "mail"},
        {"metadata": {"n": 1}},
        {"metadata": {"n": True}},
        {"created_at": 1_001},
        {"updated_at": 1_001},
        {"expires_at": 9_000},
        {"vector": FLOATS},
        {"model": "static"},
        {"terms": b"\x07\0\0\0"},
    ],
    ids=str,
)
def test_whatever_is_different_is_a_change(store: SqliteStore, change: dict[str, Any]) -> None:
    (key,) = put(store, memory("r1"))
    first = store.last_change().number
    other = memory("r1", **change)
    assert put(store, other) == [key]
    assert stored(store, "r1") == other
    assert living_after(store, first) == ["r1"]
    assert put(store, memory("r1")) == [key]
    assert stored(store, "r1") == memory("r1")
    assert store.last_change().number == first + 2


def test_namespaces_keep_equal_ids_apart(store: SqliteStore) -> None:
    one, other = memory("r1", text="one"), memory("r1", text="other", namespace="b")
    keys = put(store, one, other)
    assert len(set(keys)) == 2
    assert (stored(store, "r1"), stored(store, "r1", "b")) == (one, other)
    assert store.namespaces() == ["b", "default"]


def test_ids_with_any_character_are_found_again(store: SqliteStore) -> None:
    names = ["a", "a\0", "a\0b", "A", "é", "e\u0301", "𝔘", "", " ", "';--", "1", "01"]
    keys = put(store, *(memory(name) for name in names))
    assert [store.records.find("default", name) for name in names] == keys
    assert store.records.find("default", "a\0c") is None
    assert store.records.find("nowhere", "a") is None


@pytest.mark.parametrize(
    "bad",
    [
        {"text": "\ud800"},
        {"id": "x\udfff"},
        {"tags": ("\ud800",)},
        {"metadata": {"a": ["\ud800"]}},
        {"namespace": "\ud800"},
        {"namespace": ""},
        {"metadata": {"a": float("nan")}},
        {"created_at": 2**63},
    ],
    ids=repr,
)
def test_what_can_not_be_stored_is_refused_and_leaves_the_rest_whole(
    store: SqliteStore, bad: dict[str, Any]
) -> None:
    with store.write() as writer:
        writer.records.put(memory("before"))
        with pytest.raises(InvalidRequest):
            writer.records.put(replace(memory("bad"), **bad))
        writer.records.put(memory("after"))
    assert living_after(store, 0) == ["before", "after"]
    assert store.upkeep.check() == []


def test_a_put_that_fails_half_way_leaves_the_record_as_it_was(store: SqliteStore) -> None:
    before = memory("r1", vector=FLOATS)
    put(store, before)
    last = store.last_change()
    bad: Any = "a text is no vector"
    with store.write() as writer:
        for record in ("r1", "r2"):
            with pytest.raises(StoreError):
                writer.records.put(memory(record, text="new", vector=bad))
    assert (stored(store, "r1"), stored(store, "r2")) == (before, None)
    assert store.records.history(key_of(store, "r1")) == []
    assert store.last_change() == last


def test_an_exception_undoes_all_records_of_a_transaction(store: SqliteStore) -> None:
    keys = put(store, memory("r1"), memory("r2"))

    def fail() -> None:
        with store.write() as writer:
            writer.records.put(memory("r1", text="new"))
            writer.records.put(memory("r3", namespace="new", model="new"))
            writer.records.purge([keys[1]])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert store.records.read(keys) == [memory("r1"), memory("r2")]
    assert living_after(store, 0) == ["r1", "r2"]
    assert store.last_change().number == 1
    (key,) = put(store, memory("r3", namespace="new", model="new"))
    assert stored(store, "r3", "new") == memory("r3", namespace="new", model="new")
    assert store.upkeep.check() == []
    assert key not in keys


def test_a_writer_sees_what_it_has_written_and_others_do_not(store: SqliteStore) -> None:
    with store.write() as writer:
        key = writer.records.put(memory("r1", text="same"))
        assert writer.records.find("default", "r1") == key
        assert writer.records.read([key]) == [memory("r1", text="same")]
        assert writer.records.duplicates("default", "same") == [key]
        assert store.records.find("default", "r1") is None
    assert store.records.find("default", "r1") == key


def test_a_writer_of_records_ends_with_its_block(store: SqliteStore) -> None:
    with store.write() as writer:
        ended = writer.records
    for use in (
        lambda: ended.put(memory("r1")),
        lambda: ended.find("default", "r1"),
        lambda: ended.term_ids(["a"]),
    ):
        with pytest.raises(StoreError, match="has ended"):
            use()


def test_records_come_in_the_order_of_their_keys(store: SqliteStore) -> None:
    names = [f"r{(n * 7919) % 1201}" for n in range(1201)]
    keys = put(store, *(memory(name) for name in names))
    assert keys == sorted(keys)
    assert living_after(store, 0) == names
    put(store, *(memory(name, text="new") for name in reversed(names)))
    assert living_after(store, 1) == names
    named = [one for batch in store.records.rescan(keys[::-2]) for one in batch.ids]
    assert named == names[::2]


def test_a_scan_under_way_sees_one_state(store: SqliteStore) -> None:
    put(store, *(memory(f"r{n}", vector=FLOATS) for n in range(1200)))
    batches = store.records.scan(0, vectors=True)
    first = next(batches)
    put(store, *(memory(f"r{n}", text="new") for n in range(1201)))
    everything = [first, *batches]
    assert len(everything) > 2
    assert {text for batch in everything for text in batch.texts} == {"text"}
    assert [one for batch in everything for one in batch.vectors] == [FLOATS] * 1200


def test_records_are_read_in_the_order_of_their_keys(store: SqliteStore) -> None:
    one, two = put(store, memory("r1"), memory("r2"))
    found = store.records.read([two, 99, one, two])
    assert [record and record.id for record in found] == ["r2", None, "r1", "r2"]
    assert store.records.read([]) == []
    assert list(store.records.rescan([])) == []


def test_vectors_are_read_only_when_asked_for(store: SqliteStore) -> None:
    keys = put(store, memory("r1", vector=FLOATS, model="static"), memory("r2"))
    (batch,) = store.records.scan(0)
    assert (batch.ids, batch.models, batch.vectors) == (("r1", "r2"), ["static", None], ())
    (batch,) = store.records.rescan(keys, vectors=True)
    assert batch.vectors == (FLOATS, None)


def test_vectors_alone_are_those_of_live_records(store: SqliteStore) -> None:
    keys = put(store, *(memory(f"r{n}", vector=FLOATS, model=f"v{n % 2}") for n in range(5)))
    put(store, memory("none"))
    with store.write() as writer:
        writer.records.delete([keys[1]], 2_000)
        writer.records.put(memory("r3", vector=b"abcd", model="v1"))
    (batch,) = store.records.scan_vectors(0)
    assert batch.keys == (keys[0], keys[2], keys[3], keys[4])
    assert batch.models == ["v0", "v0", "v1", "v0"]
    assert batch.vectors == (FLOATS, FLOATS, b"abcd", FLOATS)
    (batch,) = store.records.scan_vectors(2)
    assert (batch.keys, batch.models, batch.vectors) == ((keys[3],), ["v1"], (b"abcd",))


def test_what_is_made_from_a_text_can_be_replaced_alone(store: SqliteStore) -> None:
    (key,) = put(store, memory("r1", vector=FLOATS, model="old", terms=b"\1\0\0\0"))
    for vector, model, terms in ((b"abcd", "new", b"\2\0\0\0"), (None, None, b"")):
        last = store.last_change().number
        for _ in range(2):
            with store.write() as writer:
                writer.records.put_derived(key, vector=vector, model=model, terms=terms)
        assert store.last_change().number == last + 1
        assert living_after(store, last) == ["r1"]
        assert stored(store, "r1") == memory("r1", vector=vector, model=model, terms=terms)
    assert store.records.history(key) == []


def test_what_is_made_from_a_text_needs_a_live_record(store: SqliteStore) -> None:
    (key,) = put(store, memory("r1"))
    with store.write() as writer:
        writer.records.delete([key], 2_000)
        for dead in (key, 99):
            with pytest.raises(NotFound, match=f"no record has the key {dead}"):
                writer.records.put_derived(dead, vector=None, model=None, terms=b"")


def test_a_text_that_made_no_vector_keeps_what_tried(store: SqliteStore) -> None:
    put(store, memory("r1", model="static"))
    assert stored(store, "r1") == memory("r1", model="static")
    assert list(store.records.scan_vectors(0)) == []


def test_exact_duplicates_are_the_live_records_of_the_namespace_with_that_text(
    store: SqliteStore,
) -> None:
    """F65: a text that is only like it is none."""
    texts = ["limit 100", "limit 1000", "limit 100", "limit 100 ", "Limit 100", "limit 100\0", ""]
    keys = put(store, *(memory(f"r{n}", text=text) for n, text in enumerate(texts)))
    put(store, memory("other", text="limit 100", namespace="other"))
    assert store.records.duplicates("default", "limit 100") == [keys[0], keys[2]]
    with store.write() as writer:
        writer.records.delete([keys[0]], 2_000)
    assert store.records.duplicates("default", "limit 100") == [keys[2]]
    put(store, memory("r2", text="new"), memory("r3", text="limit 100"))
    assert store.records.duplicates("default", "limit 100") == [keys[3]]
    assert store.records.duplicates("nowhere", "limit 100") == []


def test_texts_that_share_a_number_are_told_apart(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def same(_: str) -> int:
        return 7

    for module in ("puts", "reads"):
        monkeypatch.setattr(f"winnow.store.sqlite.records.{module}.digest_of", same)
    one, _ = put(store, memory("r1", text="one"), memory("r2", text="other"))
    assert store.records.duplicates("default", "one") == [one]


def test_records_of_a_closed_store_say_so(path: Path) -> None:
    store = open_store(path)
    store.close()
    with pytest.raises(StoreError, match="the store is closed"):
        store.records.find("default", "r1")
    with pytest.raises(StoreError, match="the store is closed"):
        next(store.records.scan(0))


def test_values_that_are_not_utf8_have_their_place(store: SqliteStore) -> None:
    """Another surface may keep bytes where texts are; an id as bytes is another than its text."""
    put(store, memory("m"))
    columns = "change, created_at, updated_at, importance, digest, kind, tags, terms"
    store._connection.execute(
        f"""INSERT INTO record (namespace, id, entity, source, title, metadata, text, {columns})
        SELECT namespace, x'6d', x'ff', x'ff', x'ff', x'ff', x'ff', {columns} FROM record"""
    )
    assert store.upkeep.check() == []
