"""Importing entities, many at a time."""

from collections.abc import Mapping, Sequence

from winnow.store.base import Contribution, ImportCounts
from winnow.store.rows import Fields, encode_fields, merge_fields
from winnow.store.transaction import Transaction


def import_path(schema: str, entity: str) -> str:
    """Return the path that an imported value has as evidence if it names none."""
    return f"winnow://{schema}/{entity}"


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
