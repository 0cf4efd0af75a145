"""What imports say of entities: many at a time, read and written."""

from collections.abc import Iterator, Mapping, Sequence

from winnow.store.base import Contribution, ImportCounts
from winnow.store.sqlite.readers import Readers
from winnow.store.sqlite.rows import Fields, decode_fields, encode_fields, encode_json, merge_fields
from winnow.store.sqlite.transaction import Transaction


def import_path(schema: str, entity: str) -> str:
    """Return the path that an imported value has as evidence if it names none."""
    return f"winnow://{schema}/{entity}"


class SqliteImportReader:
    """What imports say of entities, each answer from one state of the store."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers

    def scan(self, namespace: str) -> Iterator[list[Contribution]]:
        """Yield what was imported into a namespace, by schema and id, in batches."""
        with self._readers.snapshot() as connection:
            schemas = connection.all(tuple[int, str], "SELECT key, name FROM schema ORDER BY name")
            for key, schema in schemas:
                for rows in connection.batches(
                    tuple[str, str],
                    """SELECT id, imported FROM entity
                    WHERE schema = ? AND namespace = (SELECT key FROM namespace WHERE name = ?)
                    AND imported IS NOT NULL ORDER BY id""",
                    (key, namespace),
                    _BATCH_ROWS,
                ):
                    yield [_decode(schema, *row) for row in rows]

    def read(self, keys: Sequence[int]) -> list[Contribution | None]:
        """Read entities in the order of `keys`; None for one that no import speaks of."""
        with self._readers.snapshot() as connection:
            rows = connection.all(
                tuple[int, str, str, str],
                """SELECT entity.key, schema.name, entity.id, imported
                FROM entity JOIN schema ON schema.key = entity.schema
                WHERE entity.key IN (SELECT value FROM json_each(?)) AND imported IS NOT NULL""",
                (encode_json([int(key) for key in keys]),),
            )
        found = {key: _decode(*row) for key, *row in rows}
        return [found.get(key) for key in keys]


def put_entities(
    transaction: Transaction, namespace: str, entities: Sequence[Contribution]
) -> ImportCounts:
    """Import entities; one that is given twice counts once."""
    place = transaction.namespace(namespace)
    counts = [
        _put_group(transaction, place, schema, group)
        for schema, group in _by_schema(entities).items()
    ]
    return ImportCounts(*(sum(column) for column in zip((0, 0, 0), *counts, strict=True)))


def _decode(schema: str, entity: str, imported: str) -> Contribution:
    return Contribution(schema, entity, decode_fields(imported, import_path(schema, entity)))


def _put_group(
    transaction: Transaction, namespace: int, schema: str, group: Mapping[str, Fields]
) -> tuple[int, int, int]:
    """Import entities of one schema; return how many were added, changed and left.

    All are inserted as if they were new, which most are; what is there already stays as it is
    and is then read and compared.
    """
    place = (transaction.schema(schema), namespace)
    texts = {
        entity: encode_fields(fields, import_path(schema, entity))
        for entity, fields in group.items()
    }
    new = _insert(transaction, place, texts)
    updates: list[tuple[str, int, int]] = []
    revived = 0
    for entity in texts.keys() - new:
        key, before, live = _read(transaction, place, entity)
        after = texts[entity]
        if before is not None and before != after:
            after = merge_fields(before, group[entity], import_path(schema, entity))
        if before != after:
            updates.append((after, transaction.change, key))
            revived += not live
    transaction.connection.execute_many(
        "UPDATE entity SET imported = ?, change = ? WHERE key = ?", updates
    )
    added, changed = len(new) + revived, len(updates) - revived
    return added, changed, len(texts) - added - changed


def _by_schema(entities: Sequence[Contribution]) -> dict[str, dict[str, Fields]]:
    groups: dict[str, dict[str, Fields]] = {}
    for one in entities:
        group = groups.setdefault(one.schema, {})
        earlier = group.get(one.entity)
        group[one.entity] = one.fields if earlier is None else {**earlier, **one.fields}
    return groups


def _insert(transaction: Transaction, place: tuple[int, int], texts: Mapping[str, str]) -> set[str]:
    connection = transaction.connection
    (last,) = connection.one(tuple[int], "SELECT coalesce(max(key), 0) FROM entity")
    connection.execute_many(
        """INSERT INTO entity (schema, namespace, id, imported, change) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (schema, id, namespace) DO NOTHING""",
        [(*place, entity, text, transaction.change) for entity, text in texts.items()],
    )
    # Keys ascend; RETURNING would cost four times the insertion itself.
    rows = connection.all(tuple[str], "SELECT id FROM entity WHERE key > ?", (last,))
    return {entity for (entity,) in rows}


def _read(
    transaction: Transaction, place: tuple[int, int], entity: str
) -> tuple[int, str | None, int]:
    return transaction.connection.one(
        tuple[int, str | None, int],
        """SELECT key, imported, live FROM entity
        WHERE schema = ? AND namespace = ? AND id = ?""",
        (*place, entity),
    )


_BATCH_ROWS = 512
