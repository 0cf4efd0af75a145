"""Small things to put into a store."""

from collections.abc import Iterable

from winnow.records import Candidate, Evidence
from winnow.store.base import Contribution, NoteRow, VaultRow, Writer
from winnow.store.sqlite.store import SqliteStore
from winnow.values import Value

MATTER = "legal.Matter"


def plain(**values: Value) -> dict[str, tuple[Candidate, ...]]:
    return {name: (Candidate(value),) for name, value in values.items()}


def entity(name: str, schema: str = MATTER, **values: Value) -> Contribution:
    return Contribution(schema, name, plain(**values))


def said(path: str, name: str, **values: Value) -> Contribution:
    """What the note of this path says of an entity, each value in a line of its own."""
    fields = {
        field: (Candidate(value, evidence=Evidence(path, line, f"{field}={value}")),)
        for line, (field, value) in enumerate(values.items(), 1)
    }
    return Contribution(MATTER, name, fields)


def note(path: str, *contributions: Contribution, text: str = "text") -> NoteRow:
    return NoteRow(
        path=path,
        size=len(text),
        mtime_ns=1,
        digest=f"digest of {text}",
        title=path,
        text=text,
        snippet=f"snippet of {path}",
        created_at="2026-03-05T00:00:00Z",
        tags=("law/ip",),
        metadata={"draft": None, "n": [1, {"deep": True}]},
        links=[{"target": "other"}],
        findings=(),
        contributions=contributions,
    )


def add_vault(store: SqliteStore, root: str = "/vault", namespace: str = "default") -> VaultRow:
    with store.write() as writer:
        return writer.put_vault(VaultRow(0, root, root.strip("/"), namespace, "f1", ()))


def add_notes(store: SqliteStore, vault: VaultRow, *notes: NoteRow) -> int:
    """Put notes in one transaction; return its change number."""
    with store.write() as writer:
        put_notes(writer, vault, notes)
    return store.last_change().number


def put_notes(writer: Writer, vault: VaultRow, notes: Iterable[NoteRow]) -> None:
    for one in notes:
        writer.put_note(vault, one)


def add_entities(store: SqliteStore, *entities: Contribution, namespace: str = "default") -> int:
    """Import entities in one transaction; return its change number."""
    with store.write() as writer:
        writer.put_entities(namespace, entities)
    return store.last_change().number


def note_key(store: SqliteStore, vault: VaultRow, path: str) -> int:
    return next(one.key for one in store.notes(vault) if one.path == path)


def ids_after(store: SqliteStore, change: int, schema: str = MATTER) -> list[str]:
    return [one for batch in store.scan_entities(schema, change) for one in batch.ids]


def fields_of(store: SqliteStore, name: str, schema: str = MATTER) -> object:
    """The fields of a live entity, as the columns see them."""
    for batch in store.scan_entities(schema, 0):
        if name in batch.ids:
            return batch.fields[batch.ids.index(name)]
    return None
