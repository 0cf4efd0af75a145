"""Small memories to put into a store, and ways to look at what is there."""

import tempfile
from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from winnow.store.memories import Piece, Record, RecordBatch
from winnow.store.sqlite.store import SqliteStore, open_store
from winnow.values import Json

PLAIN = Record(
    namespace="default",
    id="r1",
    text="text",
    title="",
    kind="observation",
    kind_provenance=None,
    entity=None,
    memory_type=None,
    tags=(),
    importance=0.5,
    source=None,
    metadata={},
    created_at=1_000,
    updated_at=1_000,
    expires_at=None,
)


@contextmanager
def temporary_store() -> Generator[SqliteStore]:
    """A store for one case of a property."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_store(Path(folder) / "winnow.db")) as store,
    ):
        yield store


def memory(record: str, **others: Any) -> Record:
    return replace(PLAIN, id=record, **others)


def piece(record: str, **others: Any) -> Record:
    """A piece as it is given to a store, which knows the note's vault and path itself."""
    return replace(memory(record, **others), piece=Piece("", "", "Heading", 3))


def put(store: SqliteStore, *records: Record) -> list[int]:
    """Put memories in one transaction; return their keys."""
    with store.write() as writer:
        return [writer.records.put(record) for record in records]


def put_pieces(store: SqliteStore, note: int, *records: Record) -> int:
    """Put a note's pieces; return the change number."""
    with store.write() as writer:
        writer.records.put_pieces(note, records)
    return store.last_change().number


def key_of(store: SqliteStore, record: str, namespace: str = "default") -> int:
    key = store.records.find(namespace, record)
    assert key is not None
    return key


def stored(store: SqliteStore, record: str, namespace: str = "default") -> Record | None:
    key = store.records.find(namespace, record)
    return None if key is None else store.records.read([key])[0]


def living_after(store: SqliteStore, change: int) -> list[str]:
    return [one for batch in store.records.scan(change) for one in batch.ids]


def dead_after(store: SqliteStore, change: int) -> list[int]:
    return [key for batch in store.records.scan(change) for key in batch.dead]


def read_batches(batches: Iterable[RecordBatch]) -> dict[int, Record]:
    """The records of batches that were read with their vectors, by key; line and note left out."""
    found: dict[int, Record] = {}
    for batch in batches:
        for row in range(len(batch.keys)):
            found[batch.keys[row]] = _record(batch, row)
    return found


def _record(batch: RecordBatch, row: int) -> Record:
    vault, path = batch.vaults[row], batch.paths[row]
    place = None
    if vault is not None and path is not None:
        place = Piece(vault, path, batch.headings[row], 0, batch.notes[row] or 0)
    return Record(
        batch.namespaces[row],
        batch.ids[row],
        batch.texts[row],
        batch.titles[row],
        batch.kinds[row],
        batch.kind_provenances[row],
        batch.entities[row],
        batch.memory_types[row],
        tuple(batch.tags[row]),
        batch.importances[row],
        batch.sources[row],
        batch.metadata[row],
        batch.created_at[row],
        batch.updated_at[row],
        batch.expires_at[row],
        batch.vectors[row],
        batch.models[row],
        batch.terms[row],
        place,
    )


# --- all that a record can be ------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('\0{}\\"𝔘é'), max_size=8)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
    | st.sampled_from([2**53 + 1, 10**30, 2.0, 5e-324, -0.0])
)
jsons: st.SearchStrategy[Json] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=3,
)
metadata = st.dictionaries(texts, jsons, max_size=2)
times = st.integers(-(2**63), 2**63 - 1)
records = st.builds(
    Record,
    namespace=texts.filter(bool),
    id=texts,
    text=texts,
    title=texts,
    kind=texts,
    kind_provenance=st.none() | texts,
    entity=st.none() | texts,
    memory_type=st.none() | texts,
    tags=st.lists(texts, max_size=2).map(tuple),
    importance=st.floats(0, 1),
    source=st.none() | texts,
    metadata=metadata,
    created_at=times,
    updated_at=times,
    expires_at=st.none() | times,
    vector=st.none() | st.binary(min_size=4, max_size=4),
    model=st.none() | texts,
    terms=st.sampled_from([b"", b"\x01\0\0\0"]),
)
