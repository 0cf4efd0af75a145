"""What can be read of records, each from one connection in one state."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, LiteralString, TypeAlias

from winnow.store.memories import Record, RecordBatch, VectorBatch
from winnow.store.sqlite.connection import Connection, Value
from winnow.store.sqlite.reads import BATCH_ROWS, key_list, text_list
from winnow.store.sqlite.records.rows import (
    Place,
    Row,
    bind_text,
    decode_metadata,
    decode_record,
    digest_of,
    read_row,
    read_text,
)
from winnow.store.sqlite.rows import decode_json

# Named keys first make SQLite walk the records in their order, whatever the change numbers are.
_ALL: LiteralString = "WHERE record.deleted_at IS NULL ORDER BY record.key"
_CHANGED: LiteralString = """WHERE record.key IN (SELECT key FROM record WHERE change > ?1)
AND record.deleted_at IS NULL ORDER BY record.key"""
_NAMED: LiteralString = """WHERE record.key IN (SELECT value FROM json_each(?1))
AND record.deleted_at IS NULL ORDER BY record.key"""

_Where: TypeAlias = tuple[LiteralString, tuple[Value, ...]]


def scan(connection: Connection, after: int, *, vectors: bool) -> Iterator[RecordBatch]:
    """Yield the records that changed after a change number, the dead first."""
    if after > 0:
        yield from _dead(
            connection,
            # The sign leaves SQLite the index of the changes only.
            """SELECT key FROM record WHERE change > ?1 AND +deleted_at IS NOT NULL
            UNION ALL SELECT key FROM purged WHERE change > ?1""",
            int(after),
        )
    yield from _batches(connection, _changed_after(after), vectors)


def rescan(connection: Connection, keys: Sequence[int], *, vectors: bool) -> Iterator[RecordBatch]:
    """Yield the records of these keys, the dead first."""
    named = key_list(keys)
    yield from _dead(
        connection,
        """SELECT DISTINCT value FROM json_each(?1) WHERE NOT EXISTS (
            SELECT 1 FROM record WHERE key = value AND deleted_at IS NULL
        )""",
        named,
    )
    yield from _batches(connection, (_NAMED, (named,)), vectors)


def scan_vectors(connection: Connection, after: int) -> Iterator[VectorBatch]:
    """Yield the vectors of the live records that changed after a change number."""
    where, values = _changed_after(after)
    models = _models(connection)
    for rows in connection.batches(
        tuple[int, int | None, bytes],
        """SELECT record.key, record.model, vector.vector
        FROM record CROSS JOIN vector ON vector.record = record.key """
        + where,
        values,
        BATCH_ROWS,
    ):
        keys, made_by, vectors = zip(*rows, strict=True)
        yield VectorBatch(keys, [models[key] for key in made_by], vectors)


def find(connection: Connection, namespace: str, record: str, *, deleted: bool) -> int | None:
    """Return the key of a live record, or of a deleted one."""
    row = connection.first(
        tuple[int],
        """SELECT record.key FROM record JOIN namespace ON namespace.key = record.namespace
        WHERE namespace.name = ? AND record.id = ? AND (record.deleted_at IS NOT NULL) = ?""",
        (namespace, bind_text(record), deleted),
    )
    return None if row is None else row[0]


def read(
    connection: Connection, keys: Sequence[int], *, brief: bool = False
) -> list[Record | None]:
    """Read live records in the order of the keys."""
    if not keys:
        return []
    rows = connection.all(
        FullRow,
        (_BRIEF if brief else FULL)
        + "WHERE record.deleted_at IS NULL AND record.key IN (SELECT value FROM json_each(?))",
        (key_list(keys),),
    )
    found = {row[0]: decode_record(*split_full(row)) for row in rows}
    return [found.get(key) for key in keys]


def fetch(connection: Connection, namespace: str, ids: Sequence[str]) -> list[Record | None]:
    """Read live records in the order of their ids, in any number."""
    found: dict[str, Record] = {}
    for start in range(0, len(ids), _IDS_AT_ONCE):
        marks, values = text_list([bind_text(one) for one in ids[start : start + _IDS_AT_ONCE]])
        rows = connection.all(
            FullRow,
            FULL
            + "WHERE record.namespace = (SELECT key FROM namespace WHERE name = ?)"
            + f" AND record.id IN ({marks}) AND record.deleted_at IS NULL",
            (namespace, *values),
        )
        records = (decode_record(*split_full(row)) for row in rows)
        found |= {record.id: record for record in records}
    return [found.get(one) for one in ids]


_IDS_AT_ONCE = 512


def duplicates(connection: Connection, namespace: str, text: str) -> list[int]:
    """Return the keys of the live records of a namespace with exactly this text."""
    rows = connection.all(
        tuple[int],
        """SELECT record.key FROM record JOIN namespace ON namespace.key = record.namespace
        WHERE namespace.name = ? AND digest = ? AND deleted_at IS NULL AND text = ?
        ORDER BY record.key""",
        (namespace, digest_of(text), bind_text(text)),
    )
    return [key for (key,) in rows]


def _changed_after(after: int) -> _Where:
    return (_CHANGED, (int(after),)) if after > 0 else (_ALL, ())


# --- batches -----------------------------------------------------------------------------------

# A name for each type would say no more than the columns do.
_BatchRow: TypeAlias = tuple[Any, ...]

_COLUMNS: LiteralString = """SELECT record.key, namespace, id, model, created_at, updated_at,
expires_at, importance, kind, kind_provenance, memory_type, entity, source, note, heading, title,
tags, metadata, terms, text, """
_SOURCES: Mapping[bool, LiteralString] = {
    False: "NULL FROM record ",
    True: "vector.vector FROM record LEFT JOIN vector ON vector.record = record.key ",
}
_NONE: Sequence[tuple[()]] = ((),) * 24
_Sight: TypeAlias = tuple[str | None, str | None]


def _dead(connection: Connection, sql: LiteralString, value: Value) -> Iterator[RecordBatch]:
    dead = sorted(key for (key,) in connection.all(tuple[int], sql, (value,)))
    if dead:
        yield RecordBatch(dead, *_NONE)


def _batches(connection: Connection, where: _Where, vectors: bool) -> Iterator[RecordBatch]:
    condition, values = where
    spaces = dict(connection.all(tuple[int, str], "SELECT key, name FROM namespace"))
    models = _models(connection)
    sights: dict[int | None, _Sight] = {None: (None, None)}
    sql = _COLUMNS + _SOURCES[vectors] + condition
    for rows in connection.batches(_BatchRow, sql, values, BATCH_ROWS):
        columns: Iterator[tuple[Any, ...]] = zip(*rows, strict=True)
        keys, spaces_of, ids, made_by, created_at, updated_at, expires_at, *others = columns
        importances, kinds, provenances, types, entities, sources, notes, *others = others
        headings, titles, tags, metadata, terms, texts, blobs = others
        _learn_sights(connection, notes, sights)
        yield RecordBatch(
            dead=(),
            keys=keys,
            spaces=spaces_of,
            namespaces=[spaces[key] for key in spaces_of],
            ids=_texts(ids),
            models=[models[key] for key in made_by],
            created_at=created_at,
            updated_at=updated_at,
            expires_at=expires_at,
            importances=importances,
            kinds=kinds,
            kind_provenances=provenances,
            memory_types=types,
            entities=_texts(entities),
            sources=_texts(sources),
            notes=notes,
            vaults=[sights[note][0] for note in notes],
            paths=[sights[note][1] for note in notes],
            headings=headings,
            titles=_texts(titles),
            tags=decode_json(f"[{','.join(tags)}]"),
            metadata=decode_metadata(metadata),
            terms=terms,
            texts=_texts(texts),
            vectors=blobs if vectors else (),
        )


def _texts(column: tuple[Any, ...]) -> Sequence[Any]:
    return column if bytes not in map(type, column) else [read_text(value) for value in column]


def _models(connection: Connection) -> dict[int | None, str | None]:
    return {None: None, **dict(connection.all(tuple[int, str], "SELECT key, name FROM model"))}


def _learn_sights(
    connection: Connection, notes: Sequence[int | None], sights: dict[int | None, _Sight]
) -> None:
    new = [note for note in set(notes) if note not in sights and note is not None]
    if new:
        rows = connection.all(
            tuple[int, str, str],
            """SELECT note.key, vault.name, note.path
            FROM note JOIN vault ON vault.key = note.vault
            WHERE note.key IN (SELECT value FROM json_each(?))""",
            (key_list(new),),
        )
        sights |= {note: (vault, path) for note, vault, path in rows}


# --- whole records -----------------------------------------------------------------------------

FullRow: TypeAlias = tuple[Any, ...]
"""A key, its change number, when it was deleted, and what `split_full` makes of the rest."""


def _select(vector: LiteralString, metadata: LiteralString, terms: LiteralString) -> LiteralString:
    return f"""SELECT record.key, record.change, record.deleted_at,
        namespace.name, record.id, model.name, {vector}, note.key, vault.name, note.path,
        record.text, record.title, kind, kind_provenance, entity, memory_type, record.tags,
        importance, source, {metadata}, record.created_at, updated_at, expires_at, heading,
        line, record.model, {terms}
    FROM record
    JOIN namespace ON namespace.key = record.namespace
    LEFT JOIN model ON model.key = record.model
    LEFT JOIN note ON note.key = record.note
    LEFT JOIN vault ON vault.key = note.vault """


FULL: LiteralString = (
    _select("vector.vector", "record.metadata", "terms")
    + "LEFT JOIN vector ON vector.record = record.key "
)
_BRIEF: LiteralString = _select("NULL", "'{}'", "x''")


def split_full(row: FullRow) -> tuple[Place, Row]:
    """Return what stands beside a record's row, and the row."""
    place = Place(*row[3:10])
    if isinstance(row[_ID], bytes):
        place = place._replace(id=read_text(row[_ID]))
    return place, read_row(row[10:])


_ID = 4
