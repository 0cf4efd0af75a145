"""Reading records from any thread, each answer from one state of the store."""

from collections.abc import Iterator, Sequence

from winnow.store.memories import NamespaceRow, NoteLinks, Past, Record, RecordBatch, VectorBatch
from winnow.store.readers import Readers
from winnow.store.records import reads
from winnow.store.records.history import read_history
from winnow.store.records.links import read_links
from winnow.store.records.namespaces import read_namespace, read_namespaces


class SqliteRecordReader:
    """The reading half of `winnow.store.memories`. An expired record is live here."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers

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

    def find(self, namespace: str, record: str, *, deleted: bool = False) -> int | None:
        """Return the key of a live record, or of a deleted one."""
        with self._readers.snapshot() as connection:
            return reads.find(connection, namespace, record, deleted=deleted)

    def read(self, keys: Sequence[int]) -> list[Record | None]:
        """Read records in the order of `keys`; None for one that is not live."""
        with self._readers.snapshot() as connection:
            return reads.read(connection, keys)

    def duplicates(self, namespace: str, text: str) -> list[int]:
        """Return the keys of the live records of a namespace with exactly this text."""
        with self._readers.snapshot() as connection:
            return reads.duplicates(connection, namespace, text)

    def history(self, key: int) -> list[Past]:
        """Return the changes of a record, live or deleted, the last one first."""
        with self._readers.snapshot() as connection:
            return read_history(connection, int(key))

    def namespace(self, name: str) -> NamespaceRow:
        """Return a namespace's settings, empty ones if it is not there."""
        with self._readers.snapshot() as connection:
            return read_namespace(connection, name)

    def namespaces(self) -> list[NamespaceRow]:
        """List all namespaces that were ever written to, by name."""
        with self._readers.snapshot() as connection:
            return read_namespaces(connection)

    def terms(self, after: int) -> list[tuple[int, str]]:
        """Return the terms whose number is above `after`, by number."""
        with self._readers.snapshot() as connection:
            return connection.all(
                tuple[int, str],
                "SELECT number, text FROM term WHERE number > ? ORDER BY number",
                (int(after),),
            )

    def links(self, stamp: tuple[int, int] | None = None) -> NoteLinks | None:
        """Return the links of all notes, None if they are those of a stamp."""
        with self._readers.snapshot() as connection:
            return read_links(connection, stamp)
