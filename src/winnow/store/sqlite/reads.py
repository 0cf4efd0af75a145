"""What can be read from the store, each from one connection in one state."""

from collections.abc import Iterable, Iterator, Sequence
from typing import LiteralString

from winnow.errors import NotFound
from winnow.records import Candidate, Evidence
from winnow.store.base import EntityBatch, FullEntity, Sight
from winnow.store.sqlite.connection import Connection, Value
from winnow.store.sqlite.imports import import_path
from winnow.store.sqlite.rows import decode_columns, decode_fields, encode_json

# More would push the rows of a batch out of the processor's cache before they are decoded.
BATCH_ROWS = 512

_ColumnRow = tuple[int, int, str, int, str, str | None]

_COLUMNS = """SELECT key, namespace, id, live, coalesce(imported, '{}'), CASE WHEN noted THEN (
    SELECT group_concat(contribution.fields, ',' ORDER BY note.vault, note.path)
    FROM contribution JOIN note ON note.key = contribution.note
    WHERE contribution.entity = entity.key
) END FROM entity """


def scan_entities(connection: Connection, schema: str, after: int) -> Iterator[EntityBatch]:
    """Yield the entities of a schema that changed after a change number."""
    row = connection.first(tuple[int], "SELECT key FROM schema WHERE name = ?", (schema,))
    if row is None:
        return
    if after <= 0:
        where = "WHERE schema = ? AND live ORDER BY id, namespace"
        yield from _batches(connection, _COLUMNS + where, row)
    else:
        # The sign keeps SQLite from walking all rows in the order that is wanted.
        where = "WHERE schema = ? AND change > ? ORDER BY +id, namespace"
        yield from _batches(connection, _COLUMNS + where, (*row, int(after)))


def rescan_entities(connection: Connection, keys: Sequence[int]) -> Iterator[EntityBatch]:
    """Yield the entities of these keys."""
    where = "WHERE key IN (SELECT value FROM json_each(?)) ORDER BY +id, namespace"
    return _batches(connection, _COLUMNS + where, (key_list(keys),))


def read_entities(connection: Connection, keys: Sequence[int]) -> list[FullEntity]:
    """Read entities with all evidence, in the order of the keys."""
    rows = connection.all(
        tuple[int, str, str, str, str | None],
        """SELECT entity.key, namespace.name, schema.name, entity.id, entity.imported
        FROM entity
        JOIN namespace ON namespace.key = entity.namespace
        JOIN schema ON schema.key = entity.schema
        WHERE entity.key IN (SELECT value FROM json_each(?))""",
        (key_list(keys),),
    )
    notes = _notes_of(connection, keys)
    found = {row[0]: _full_entity(row, notes.get(row[0], [])) for row in rows}
    if unknown := [key for key in keys if key not in found]:
        raise NotFound(f"no entity has the key {unknown[0]}")
    return [found[key] for key in keys]


def key_list(keys: Iterable[int]) -> str:
    """Return keys as the JSON that `json_each` takes apart."""
    return encode_json([int(key) for key in keys])


def text_list(texts: Sequence[Value]) -> tuple[LiteralString, list[Value]]:
    """Return the marks of `IN (…)` for texts, and the values for the marks.

    Not by `json_each`, as for keys: it ends a text at the sign U+0000. The last text is repeated
    up to a power of two, so that few different statements come of it.
    """
    count = 1 << (len(texts) - 1).bit_length()
    return "?" + ", ?" * (count - 1), [*texts, *[texts[-1]] * (count - len(texts))]


def _batches(
    connection: Connection, sql: LiteralString, values: Sequence[Value]
) -> Iterator[EntityBatch]:
    names = dict(connection.all(tuple[int, str], "SELECT key, name FROM namespace"))
    for rows in connection.batches(_ColumnRow, sql, values, BATCH_ROWS):
        keys, namespaces, ids, live, imported, noted = zip(*rows, strict=True)
        yield EntityBatch(
            keys=list(keys),
            namespaces=[names[key] for key in namespaces],
            ids=list(ids),
            live=[*map(bool, live)],
            fields=decode_columns(imported, noted),
        )


_NoteRow = tuple[int, str, str, str, str]


def _notes_of(connection: Connection, keys: Sequence[int]) -> dict[int, list[_NoteRow]]:
    rows = connection.all(
        _NoteRow,
        """SELECT contribution.entity, contribution.fields, note.path, vault.name, note.snippet
        FROM contribution
        JOIN note ON note.key = contribution.note
        JOIN vault ON vault.key = note.vault
        WHERE contribution.entity IN (SELECT value FROM json_each(?))
        ORDER BY note.vault, note.path""",
        (key_list(keys),),
    )
    grouped: dict[int, list[_NoteRow]] = {}
    for row in rows:
        grouped.setdefault(row[0], []).append(row)
    return grouped


def _full_entity(
    row: tuple[int, str, str, str, str | None], notes: Sequence[_NoteRow]
) -> FullEntity:
    key, namespace, schema, entity, imported = row
    path = import_path(schema, entity)
    fields: dict[str, tuple[Candidate, ...]] = {}
    if imported is not None:
        fields = decode_fields(imported, path, Evidence(path))
    for _, text, note_path, _, _ in notes:
        for name, candidates in decode_fields(text, note_path).items():
            fields[name] = fields.get(name, ()) + candidates
    sights = tuple(Sight(path, vault, snippet) for _, _, path, vault, snippet in notes)
    return FullEntity(key, namespace, schema, entity, fields, sights)
