"""Writing notes, and what each says of entities."""

from collections.abc import Iterable, Mapping

from winnow.errors import NotFound, StoreError
from winnow.records import Candidate
from winnow.store.base import Contribution, NoteRow, VaultRow
from winnow.store.sqlite.records.pieces import delete_pieces, touch_pieces
from winnow.store.sqlite.rows import encode_fields, encode_findings, encode_json
from winnow.store.sqlite.transaction import Transaction


def put_note(transaction: Transaction, vault: VaultRow, note: NoteRow) -> int:
    """Add a note or replace the one of that path; return its key.

    Entities get the change number only where what is said of them differs from before.
    """
    key = _put_row(transaction, vault, note)
    namespace = transaction.namespace(vault.namespace)
    says = {
        _entity_key(transaction, namespace, schema, entity): encode_fields(fields, note.path)
        for (schema, entity), fields in _by_entity(note.contributions).items()
    }
    said = dict(
        transaction.connection.all(
            tuple[int, str], "SELECT entity, fields FROM contribution WHERE note = ?", (key,)
        )
    )
    _replace_contributions(transaction, key, said, says)
    return key


def touch_note(transaction: Transaction, key: int, size: int, mtime_ns: int) -> None:
    """Keep a note's new size and time."""
    row = transaction.connection.first(
        tuple[int],
        "UPDATE note SET size = ?, mtime_ns = ? WHERE key = ? RETURNING key",
        (int(size), int(mtime_ns), key),
    )
    _require_note(row, key)


def move_note(transaction: Transaction, key: int, path: str) -> None:
    """Give a note a path that is free; its entities and pieces change, since they name the path."""
    connection = transaction.connection
    _require_note(connection.first(tuple[int], "SELECT key FROM note WHERE key = ?", (key,)), key)
    occupant = connection.first(
        tuple[int],
        """SELECT key FROM note
        WHERE vault = (SELECT vault FROM note WHERE key = ?1) AND path = ?2 AND key <> ?1""",
        (key, path),
    )
    if occupant is not None:
        raise StoreError(f"a note can't be moved to {path!r}: the vault has a note there")
    connection.execute(
        "UPDATE note SET path = ?, change = ? WHERE key = ?", (path, transaction.change, key)
    )
    _touch_namespace(transaction, key)
    transaction.refresh(_entities_of(transaction, key))
    touch_pieces(transaction, [key])


def delete_note(transaction: Transaction, key: int) -> None:
    """Delete a note, if there is one, with its pieces and all that it says."""
    entities = _entities_of(transaction, key)
    _touch_namespace(transaction, key)
    delete_pieces(transaction, key)
    transaction.connection.execute("DELETE FROM contribution WHERE note = ?", (key,))
    transaction.connection.execute("DELETE FROM note WHERE key = ?", (key,))
    transaction.refresh(entities)


def _put_row(transaction: Transaction, vault: VaultRow, note: NoteRow) -> int:
    (key,) = transaction.connection.one(
        tuple[int],
        """INSERT INTO note (
            vault, path, size, mtime_ns, digest, change, title, snippet, created_at,
            tags, findings, links, metadata, text
        ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (vault, path) DO UPDATE SET
            size = excluded.size, mtime_ns = excluded.mtime_ns, digest = excluded.digest,
            change = excluded.change, title = excluded.title, snippet = excluded.snippet,
            created_at = excluded.created_at, tags = excluded.tags,
            findings = excluded.findings, links = excluded.links,
            metadata = excluded.metadata, text = excluded.text
        RETURNING key""",
        (
            int(vault.key),
            note.path,
            int(note.size),
            int(note.mtime_ns),
            note.digest,
            transaction.change,
            note.title,
            note.snippet,
            note.created_at,
            encode_json(note.tags),
            encode_findings(note.findings, note.path),
            encode_json(note.links),
            encode_json(note.metadata),
            note.text,
        ),
    )
    return key


def _by_entity(
    contributions: Iterable[Contribution],
) -> dict[tuple[str, str], dict[str, tuple[Candidate, ...]]]:
    merged: dict[tuple[str, str], dict[str, tuple[Candidate, ...]]] = {}
    for one in contributions:
        fields = merged.setdefault((one.schema, one.entity), {})
        for name, candidates in one.fields.items():
            fields[name] = fields.get(name, ()) + candidates
    return merged


def _entity_key(transaction: Transaction, namespace: int, schema: str, entity: str) -> int:
    values = (transaction.schema(schema), entity, namespace)
    row = transaction.connection.first(
        tuple[int],
        "SELECT key FROM entity WHERE schema = ? AND id = ? AND namespace = ?",
        values,
    )
    (key,) = row or transaction.connection.one(
        tuple[int],
        "INSERT INTO entity (schema, id, namespace, change) VALUES (?, ?, ?, ?) RETURNING key",
        (*values, transaction.change),
    )
    return key


def _replace_contributions(
    transaction: Transaction, note: int, said: Mapping[int, str], says: Mapping[int, str]
) -> None:
    gone = said.keys() - says.keys()
    changed = {entity for entity, fields in says.items() if said.get(entity) != fields}
    transaction.connection.execute_many(
        "DELETE FROM contribution WHERE entity = ? AND note = ?",
        [(entity, note) for entity in gone],
    )
    transaction.connection.execute_many(
        """INSERT INTO contribution (entity, note, fields) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET fields = excluded.fields""",
        [(entity, note, says[entity]) for entity in changed],
    )
    transaction.refresh(gone | changed)


def _touch_namespace(transaction: Transaction, note: int) -> None:
    rows = transaction.connection.all(
        tuple[int],
        "SELECT namespace FROM vault WHERE key = (SELECT vault FROM note WHERE key = ?)",
        (note,),
    )
    transaction.touch(namespace for (namespace,) in rows)


def _entities_of(transaction: Transaction, note: int) -> list[int]:
    rows = transaction.connection.all(
        tuple[int], "SELECT entity FROM contribution WHERE note = ?", (note,)
    )
    return [entity for (entity,) in rows]


def _require_note(row: tuple[int] | None, key: int) -> None:
    if row is None:
        raise NotFound(f"no note has the key {key}")
