"""Adding many new memories at once: a row for each, all by one statement."""

from collections.abc import Iterable, Sequence
from itertools import count, repeat
from typing import Any, Final, LiteralString

from winnow.rank.analyse import Analyser
from winnow.store.additions import Draft, Sheet
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.records import ids
from winnow.store.sqlite.records.puts import model_key
from winnow.store.sqlite.records.rows import (
    bind_text,
    digest_of,
    digests_of,
    encode_metadata,
    encode_tags,
    encode_untyped,
)
from winnow.store.sqlite.records.terms import Dictionary
from winnow.store.sqlite.transaction import Transaction


class SqliteAdditions:
    """The methods of `winnow.store.additions` on SQLite."""

    def __init__(self, transaction: Transaction, dictionary: Dictionary) -> None:
        self._transaction = transaction
        self._dictionary = dictionary

    def encode_terms(self, texts: Sequence[Sequence[str]], analyser: Analyser) -> list[bytes]:
        """Return the terms of records that have these texts; new terms get numbers."""
        self._transaction.reading()
        return self._dictionary.encode(texts, analyser)

    def add(self, drafts: Sequence[Draft]) -> None:
        """Add memories whose ids nothing in their namespaces has; StoreError if something does."""
        with self._transaction.step(named=True):
            add_drafts(self._transaction, drafts)

    def add_sheet(self, sheet: Sheet) -> bool:
        """Add a sheet of memories, which is quicker yet; tell whether they were added."""
        try:
            with self._transaction.step(named=True):
                add_sheet(self._transaction, sheet)
        except _Taken:
            return False
        return True

    def free_ids(self, namespace: str, count: int) -> list[str]:
        """Return the next automatic ids, so many, without taking them."""
        self._transaction.reading()
        return ids.free_ids(self._transaction, self._transaction.namespace(namespace), count)

    def take_ids(self, namespace: str, last: str) -> None:
        """Let the counter of a namespace stand at an automatic id, so that later ones come next."""
        self._transaction.reading()
        ids.take_ids(self._transaction, self._transaction.namespace(namespace), last)


def add_drafts(transaction: Transaction, drafts: Sequence[Draft]) -> None:
    """Add memories that are not there; the keys follow each other in their order."""
    spaces = {name: transaction.namespace(name) for name in {one.namespace for one in drafts}}
    models = {name: model_key(transaction, name) for name in {one.model for one in drafts}}
    connection = transaction.connection
    rows = [
        (transaction.change, spaces[one.namespace], models[one.model], *_bind(one))
        for one in drafts
    ]
    if len(rows) == 1:
        connection.execute(_INSERT, (None, *rows[0]))
        first = connection.last_key()
    else:
        first = _next_key(connection)
        connection.execute_many(_INSERT, ((key, *row) for key, row in enumerate(rows, first)))
    _insert_vectors(connection, enumerate((one.vector for one in drafts), first))


def add_sheet(transaction: Transaction, sheet: Sheet) -> None:
    """Add memories that are not there, as `add_drafts` does; _Taken if an id is in use.

    To find that out while they are added costs less than a look before.
    """
    first = _next_key(transaction.connection)
    rows = zip(
        count(first),
        repeat(transaction.change),
        repeat(transaction.namespace(sheet.namespace)),
        repeat(model_key(transaction, sheet.model)),
        sheet.ids,
        digests_of(sheet.texts),
        sheet.texts,
        repeat(""),
        sheet.kinds,
        sheet.kind_provenances,
        repeat(None),
        repeat(None),
        repeat(encode_tags(())),
        sheet.importances,
        repeat(None),
        encode_untyped(sheet.metadata, len(sheet.ids)),
        repeat(sheet.now),
        repeat(sheet.now),
        sheet.expires_at,
        sheet.terms,
        strict=False,  # what is the same for all has no end
    )
    connection = transaction.connection
    before = connection.changed_rows()
    connection.execute_many(f"{_INSERT} ON CONFLICT (namespace, id) DO NOTHING", rows)
    if connection.changed_rows() - before < len(sheet.ids):
        raise _Taken
    _insert_vectors(connection, enumerate(sheet.vectors, first))


class _Taken(Exception):
    """An id is in use."""


def _insert_vectors(connection: Connection, vectors: Iterable[tuple[int, bytes | None]]) -> None:
    connection.execute_many(
        "INSERT INTO vector (record, vector) VALUES (?, ?)",
        [one for one in vectors if one[1] is not None],
    )


_INSERT: Final[LiteralString] = """INSERT INTO record (
    key, change, namespace, model, id, digest,
    text, title, kind, kind_provenance, entity, memory_type, tags, importance, source,
    metadata, created_at, updated_at, expires_at, terms
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


def _next_key(connection: Connection) -> int:
    """Return a key that no record has or had, with none above it."""
    row = connection.first(tuple[int], "SELECT seq FROM sqlite_sequence WHERE name = 'record'")
    return 1 if row is None else row[0] + 1


def _bind(draft: Draft) -> tuple[Any, ...]:
    """Return the values of a row, from the id on, as SQLite takes them."""
    return (
        _bind_text(draft.id),
        digest_of(draft.text),
        _bind_text(draft.text),
        _bind_text(draft.title),
        draft.kind,
        draft.kind_provenance,
        _bind_text(draft.entity),
        draft.memory_type,
        encode_tags(draft.tags),
        draft.importance,
        _bind_text(draft.source),
        encode_metadata(draft.metadata),
        draft.created_at,
        draft.updated_at,
        draft.expires_at,
        draft.terms,
    )


def _bind_text(text: str | None) -> str | bytes | None:
    return text if text is None or text.isascii() else bind_text(text)
