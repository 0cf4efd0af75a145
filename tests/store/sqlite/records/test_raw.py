"""Bytes that are not UTF-8, and texts without a type, in the store: in, out, and in the history."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.store.remembering import memory, put, temporary_store

from winnow.filter.raw import Raw, Untyped, from_bytes
from winnow.store.memories import Record
from winnow.store.sqlite.records.rows import decode_metadata, encode_metadata
from winnow.store.sqlite.rows import encode_json
from winnow.store.sqlite.store import SqliteStore
from winnow.values import Json

RAW = st.binary(max_size=8).map(from_bytes)
VALUES: st.SearchStrategy[Json] = (
    RAW.map(Untyped)
    | st.text(max_size=5)
    | st.sampled_from(["\0", "\0u1", "\0t", "\0\0"])
    | st.integers()
)
LISTS: st.SearchStrategy[Json] = st.lists(VALUES, max_size=3).map(lambda one: [*one])
METADATA = st.dictionaries(RAW | st.just("plain"), VALUES | LISTS, max_size=4)


def types(record: Record) -> list[tuple[str, str]]:
    return sorted((key, kind(value)) for key, value in record.metadata.items())


def kind(value: Json) -> str:
    inside = map(kind, value) if isinstance(value, list) else ()
    return f"{type(value).__name__}({', '.join(inside)})"


def test_texts_in_a_list_that_were_not_marked_are_read_as_they_were() -> None:
    assert decode_metadata(['{"k":["\\u0000x","plain"]}']) == [{"k": ["\0x", "plain"]}]


@given(st.lists(st.tuples(RAW, RAW, METADATA), min_size=1, max_size=4))
def test_what_is_put_is_read_in_every_way(rows: list[tuple[str, str, dict[str, Json]]]) -> None:
    with temporary_store() as store:
        records = {
            name: memory(name, text=text, title=text, entity=text, source=text, metadata=metadata)
            for name, text, metadata in rows
        }
        put(store, *records.values())
        keys = [store.records.find("default", name) or 0 for name in records]
        brief = [replace(one, metadata={}, terms=b"", vector=None) for one in records.values()]
        assert store.records.read(keys, brief=True) == brief
        for found in (store.records.read(keys), store.records.fetch("default", [*records])):
            for record, given_ in zip(found, records.values(), strict=True):
                assert record == given_
                assert record is not None
                assert types(record) == types(given_)
        versions = store.records.find_versions("default", records)
        assert {name: one.record for name, one in versions.items()} == records
        (batch,) = store.records.scan(0)
        for name, text, source, metadata in zip(
            batch.ids, batch.texts, batch.sources, batch.metadata, strict=True
        ):
            own = records[name]
            assert (text, source, metadata) == (own.text, own.source, own.metadata)
            assert [*map(kind, metadata.values())] == [*map(kind, own.metadata.values())]
        text = rows[0][1]
        assert (
            store.records.duplicates("default", text)
            == [key for key, one in zip(keys, records.values(), strict=True) if one.text == text]
            or len(keys) > 1
        )


@given(st.dictionaries(RAW | st.text(max_size=4), (RAW | st.text(max_size=4)).map(Untyped)))
def test_texts_without_a_type_are_spelled_as_any_json(metadata: dict[str, Json]) -> None:
    assert encode_metadata(metadata) == encode_json(
        {key: f"\0u{value}" for key, value in metadata.items()}
    )


@given(st.lists(st.tuples(RAW, METADATA), min_size=2, max_size=4))
def test_a_history_has_them_too(states: list[tuple[str, dict[str, Json]]]) -> None:
    name = Raw("\udcff")
    with temporary_store() as store:
        written = [
            memory(name, text=text, metadata=metadata, updated_at=number)
            for number, (text, metadata) in enumerate(states)
        ]
        keys = [put(store, record)[0] for record in written]
        history = [past.before for past in store.records.history(keys[0])]
        assert history == written[-2::-1]


def test_a_key_of_metadata_that_is_bytes_is_told_apart(store: SqliteStore) -> None:
    put(store, memory("a", metadata={"\udcfe": 1, "plain": 2}))
    (record,) = store.records.fetch("default", ["a"])
    assert record is not None
    assert [isinstance(key, Raw) for key in record.metadata] == [True, False]
