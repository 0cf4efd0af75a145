"""Reading records from any thread, each answer from one state of the store."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager

from winnow.store.memories import (
    Declarations,
    NamespaceRow,
    NoteLinks,
    Past,
    RecordBatch,
    RecordCount,
    VectorBatch,
    Version,
)
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.readers import Readers
from winnow.store.sqlite.records import counts, ids, reads, versions
from winnow.store.sqlite.records.declarations import read_declarations
from winnow.store.sqlite.records.links import read_links
from winnow.store.sqlite.records.lookup import SqliteRecordLookup
from winnow.store.sqlite.records.namespaces import read_namespace, read_namespaces
from winnow.store.sqlite.records.terms import find_terms


class SqliteRecordReader(SqliteRecordLookup):
    """The reading half of `winnow.store.memories`. An expired record is live here."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers

    def connect(self) -> AbstractContextManager[Connection]:
        """Lend a connection whose reads in the block all see one state."""
        return self._readers.snapshot()

    def scan(self, after: int, *, vectors: bool = False) -> Iterator[RecordBatch]:
        """Yield the records whose change number is above `after`, by key, in one state.

        The dead come first, in a batch of their own; with `after` 0 they are left out.
        """
        with self._readers.snapshot() as connection:
            yield from reads.scan(connection, after, vectors=vectors)

    def rescan(self, keys: Sequence[int], *, vectors: bool = False) -> Iterator[RecordBatch]:
        """Yield the records of these keys as `scan` does."""
        with self._readers.snapshot() as connection:
            yield from reads.rescan(connection, keys, vectors=vectors)

    def scan_vectors(self, after: int) -> Iterator[VectorBatch]:
        """Yield the vectors of the live records whose change number is above `after`, by key."""
        with self._readers.snapshot() as connection:
            yield from reads.scan_vectors(connection, after)

    def scan_versions(self, namespace: str) -> Iterator[list[Version]]:
        """Yield the memories of a namespace, live and deleted, by id, in batches."""
        with self._readers.snapshot() as connection:
            yield from versions.scan_versions(connection, namespace)

    def spent(self, namespace: str, now: int) -> list[int]:
        """Return the numbers that the counter of a namespace must pass over, in order.

        They are those of ids whose records are purged, or have expired by `now`.
        """
        with self._readers.snapshot() as connection:
            return ids.list_spent(connection, namespace, int(now))

    def keys(self, namespace: str, *, unless: str | None = None) -> list[int]:
        """Return the keys of the live records of a namespace, in ascending order.

        Those that `unless`, a model, has made the vectors of are left out.
        """
        with self._readers.snapshot() as connection:
            return counts.list_keys(connection, namespace, unless)

    def count(self, namespaces: Sequence[str], now: int) -> list[RecordCount]:
        """Count the live records of some namespaces that have not expired by `now`."""
        with self._readers.snapshot() as connection:
            return counts.count_records(connection, namespaces, int(now))

    def history(self, key: int) -> list[Past]:
        """Return the changes of a record, live or deleted, the last one first."""
        with self._readers.snapshot() as connection:
            return versions.read_history(connection, int(key))

    def namespace(self, name: str) -> NamespaceRow:
        """Return a namespace's settings, empty ones if it is not there."""
        with self._readers.lend() as connection:
            return read_namespace(connection, name)

    def namespaces(self) -> list[NamespaceRow]:
        """List all namespaces that were ever written to, by name."""
        with self._readers.snapshot() as connection:
            return read_namespaces(connection)

    def find_terms(self, texts: Sequence[str]) -> dict[str, int]:
        """Return the numbers of terms, as far as any record ever had them."""
        with self._readers.snapshot() as connection:
            return find_terms(connection, texts)

    def links(self, stamp: tuple[int, int] | None = None) -> NoteLinks | None:
        """Return the links of all notes, None if they are those of a stamp."""
        with self._readers.snapshot() as connection:
            return read_links(connection, stamp)

    def declarations(self, schema: str, after: int) -> Declarations:
        """Return the notes of a schema's entities whose change number is above `after`."""
        with self._readers.snapshot() as connection:
            return read_declarations(connection, schema, after)
