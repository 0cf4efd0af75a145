"""Looking up records, by a reader and by a transaction alike."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager

from winnow.store.memories import Deleted, Record, Version
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.records import reads, versions


class SqliteRecordLookup:
    """What readers and writers have in common; they say on which connection they look."""

    def connect(self) -> AbstractContextManager[Connection]:
        """Lend a connection whose reads in the block all see one state."""
        raise NotImplementedError

    def find(self, namespace: str, record: str, *, deleted: bool = False) -> int | None:
        """Return the key of a live record, or of a deleted one."""
        with self.connect() as connection:
            return reads.find(connection, namespace, record, deleted=deleted)

    def read(self, keys: Sequence[int], *, brief: bool = False) -> list[Record | None]:
        """Read records in the order of `keys`; None for one that is not live.

        What is `brief` has no metadata, terms and vector, and comes several times quicker.
        """
        with self.connect() as connection:
            return reads.read(connection, keys, brief=brief)

    def fetch(self, namespace: str, ids: Sequence[str]) -> list[Record | None]:
        """Read records in the order of their ids; None for one that is not live."""
        with self.connect() as connection:
            return reads.fetch(connection, namespace, ids)

    def duplicates(self, namespace: str, text: str) -> list[int]:
        """Return the keys of the live records of a namespace with exactly this text."""
        with self.connect() as connection:
            return reads.duplicates(connection, namespace, text)

    def in_order(self, keys: Sequence[int]) -> list[int]:
        """Return the keys of records, live or deleted, by namespace, then id."""
        with self.connect() as connection:
            return versions.put_in_order(connection, keys)

    def find_versions(self, namespace: str, ids: Iterable[str]) -> dict[str, Version]:
        """Return the records of these ids, live or deleted, as far as there are any."""
        with self.connect() as connection:
            return versions.find_versions(connection, namespace, ids)

    def read_versions(self, keys: Sequence[int]) -> list[Version | None]:
        """Return records, live or deleted, in the order of `keys`; None for one that is gone."""
        with self.connect() as connection:
            return versions.read_versions(connection, keys)

    def deleted(self, namespaces: Sequence[str], since: int, now: int) -> list[Deleted]:
        """List what was deleted since then and has not expired by `now`, the last first."""
        with self.connect() as connection:
            return versions.list_deleted(connection, namespaces, since, now)
