"""Reading which notes say something of which entities."""

from winnow.store.memories import Declarations
from winnow.store.sqlite.connection import Connection


def read_declarations(connection: Connection, schema: str, after: int) -> Declarations:
    """Read the notes of a schema's entities that changed after a change number."""
    row = connection.first(tuple[int], "SELECT key FROM schema WHERE name = ?", (schema,))
    if row is None:
        return Declarations((), (), ())
    if after <= 0:
        # The notes come first, so that entities without one cost nothing, however many they are.
        pairs = connection.all(
            tuple[int, int],
            """SELECT contribution.entity, contribution.note
            FROM contribution CROSS JOIN entity ON entity.key = contribution.entity
            WHERE entity.schema = ?""",
            row,
        )
        return Declarations((), *_columns(pairs))
    since = (*row, int(after))
    changed = connection.all(
        tuple[int], "SELECT key FROM entity WHERE schema = ? AND change > ?", since
    )
    pairs = connection.all(
        tuple[int, int],
        """SELECT contribution.entity, contribution.note
        FROM entity JOIN contribution ON contribution.entity = entity.key
        WHERE entity.schema = ? AND entity.change > ? AND entity.noted""",
        since,
    )
    return Declarations([key for (key,) in changed], *_columns(pairs))


def _columns(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [entity for entity, _ in pairs], [note for _, note in pairs]
