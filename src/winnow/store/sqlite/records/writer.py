"""What can be written of records in one transaction."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext

from winnow.store.memories import NamespaceRow, Record, Version
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.records import ids, pieces, puts, removal
from winnow.store.sqlite.records.lookup import SqliteRecordLookup
from winnow.store.sqlite.records.namespaces import put_namespace
from winnow.store.sqlite.records.restoring import restore_records
from winnow.store.sqlite.records.terms import Dictionary, TermNumbers
from winnow.store.sqlite.transaction import Transaction


class SqliteRecordWriter(SqliteRecordLookup):
    """The writing half of `winnow.store.memories`; it looks up what it has written."""

    def __init__(self, transaction: Transaction, numbers: TermNumbers) -> None:
        self._transaction = transaction
        self.dictionary = Dictionary(transaction, numbers)

    def connect(self) -> AbstractContextManager[Connection]:
        """Lend the transaction's connection, which sees what was written so far."""
        return nullcontext(self._transaction.reading())

    def new_id(self, namespace: str) -> str:
        """Return the next automatic id (`m1`, `m2`, …); never one that is or was in use."""
        with self._transaction.step(visible=False):
            return ids.next_id(self._transaction, self._transaction.namespace(namespace))

    def put(self, record: Record) -> int:
        """Add a record, or replace the one of that namespace and id; return its key.

        What it replaces goes to the history, except vector and terms. A deleted record is live
        again. Equal ones change nothing.
        """
        with self._transaction.step(named=True):
            return puts.put_record(self._transaction, record)

    def restore(self, versions: Sequence[Version]) -> None:
        """Make records what they were elsewhere: deleted if they were, and with that history.

        Those of the same namespace and id are replaced with their history. Equal ones change
        nothing.
        """
        with self._transaction.step():
            restore_records(self._transaction, versions)

    def put_derived(
        self, key: int, *, vector: bytes | None, model: str | None, terms: bytes
    ) -> None:
        """Replace what is made from a live record's text; no matter for its history."""
        with self._transaction.step():
            puts.put_derived(self._transaction, int(key), vector, model, terms)

    def put_pieces(self, note: int, records: Sequence[Record]) -> None:
        """Make these the pieces of a note; those that are equal stay as they are.

        Their namespace is the vault's. An id that anything else in it has is refused.
        """
        with self._transaction.step():
            pieces.put_pieces(self._transaction, int(note), records)

    def delete(self, keys: Iterable[int], at: int) -> int:
        """Delete live records, so that they can be brought back; return how many there were."""
        with self._transaction.step():
            return puts.delete_records(self._transaction, keys, int(at))

    def undelete(self, keys: Iterable[int], at: int) -> int:
        """Bring deleted records back as they were; return how many there were."""
        with self._transaction.step():
            return puts.undelete_records(self._transaction, keys, int(at))

    def purge(self, keys: Iterable[int]) -> int:
        """Remove records, live or deleted, with history and vector; return how many there were.

        Words that only they had stay in the dictionary until `prune_terms`.
        """
        with self._transaction.step():
            return removal.purge_records(self._transaction, keys)

    def sweep(self, now: int, retention: int, *, limit: int = 10_000) -> int:
        """Purge what has expired or was deleted at least `retention` milliseconds ago.

        Return how many there were, at most `limit`: with more, others would wait long.
        """
        with self._transaction.step():
            return removal.sweep_records(self._transaction, now, retention, limit)

    def put_namespace(self, row: NamespaceRow) -> None:
        """Keep a namespace's settings; its counter never goes back."""
        with self._transaction.step(named=True):
            put_namespace(self._transaction, row)

    def spend(self, namespace: str, numbers: Iterable[int]) -> None:
        """Let the counter of a namespace pass over these numbers."""
        with self._transaction.step(visible=False):
            ids.spend(self._transaction, namespace, numbers)

    def term_ids(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the numbers of terms for what this transaction puts; new ones get the next."""
        with self._transaction.step(visible=False):
            return self.dictionary.numbers_of(terms)

    def prune_terms(self) -> int:
        """Forget the terms that no record has, and return how many; reads all records.

        Numbers that this transaction was given before may be gone.
        """
        with self._transaction.step(visible=False):
            return self.dictionary.prune()
