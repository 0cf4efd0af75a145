"""Which records there are, and how many, without reading what they say."""

from collections.abc import Sequence

from winnow.store.memories import RecordCount
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.rows import encode_json


def list_keys(connection: Connection, namespace: str, unless: str | None) -> list[int]:
    """Return the keys of the live records of a namespace, without those of one model."""
    rows = connection.all(
        tuple[int],
        """SELECT record.key FROM record
        JOIN namespace ON namespace.key = record.namespace
        LEFT JOIN model ON model.key = record.model
        WHERE namespace.name = ?1 AND deleted_at IS NULL
        AND (?2 IS NULL OR model.name IS NOT ?2)
        ORDER BY +record.key""",  # the sign leaves SQLite the index by namespace
        (namespace, unless),
    )
    return [key for (key,) in rows]


def list_bare(connection: Connection, namespace: str, model: str) -> list[int]:
    """Return the keys of the live records that a model should have made a vector of."""
    rows = connection.all(
        tuple[int],
        """SELECT record.key FROM record
        JOIN namespace ON namespace.key = record.namespace
        JOIN model ON model.key = record.model
        WHERE namespace.name = ? AND model.name = ? AND deleted_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.record = record.key)
        ORDER BY +record.key""",
        (namespace, model),
    )
    return [key for (key,) in rows]


def count_records(connection: Connection, namespaces: Sequence[str], now: int) -> list[RecordCount]:
    """Count the live records of some namespaces, apart by model, and pieces apart from memories."""
    rows = connection.all(
        tuple[str, str | None, int, int],
        """SELECT namespace.name, model.name, counted.piece, counted.records FROM (
            SELECT record.namespace, model, note IS NOT NULL AS piece, count(*) AS records
            FROM record JOIN namespace ON namespace.key = record.namespace
            WHERE namespace.name IN (SELECT value FROM json_each(?1))
            AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)
            GROUP BY record.namespace, model, piece
        ) AS counted
        JOIN namespace ON namespace.key = counted.namespace
        LEFT JOIN model ON model.key = counted.model
        ORDER BY namespace.name, counted.piece, model.name""",
        (encode_json(list(namespaces)), now),
    )
    return [RecordCount(name, model, bool(piece), count) for name, model, piece, count in rows]
