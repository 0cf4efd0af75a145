"""What a store keeps of memories and of pieces of notes: records, their history, and terms."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from winnow.values import Json


@dataclass(frozen=True, slots=True)
class Piece:
    """Where a piece of a note stands: a record with one is read-only.

    `note` is the note's key. It, `vault` and `path` are the note's own, whatever is written.
    """

    vault: str
    path: str
    heading: str | None
    line: int
    note: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """A stored memory, or a piece of a note.

    Times are milliseconds since 1970-01-01 UTC. `vector` is float32 in little-endian bytes, not
    normalized; `model` names what made it (`external` if the caller gave it), also where it made
    none of this text. `terms` is the text's and title's terms as `winnow.columns.terms` packs
    them.
    """

    namespace: str
    id: str
    text: str
    title: str
    kind: str
    kind_provenance: str | None
    entity: str | None
    memory_type: str | None
    tags: tuple[str, ...]
    importance: float
    source: str | None
    metadata: Mapping[str, Json]
    created_at: int
    updated_at: int
    expires_at: int | None
    vector: bytes | None = None
    model: str | None = None
    terms: bytes = b""
    piece: Piece | None = None


@dataclass(frozen=True, slots=True)
class RecordBatch:
    """Some records for the columns, as parallel lists: an object for each would cost as much again.

    `dead` has the keys of those that were deleted; they are in none of the lists. `spaces` are
    the keys of the namespaces, which are never given to another one. `notes`,
    `vaults`, `paths` and `headings` tell where a piece stands, and are None for a memory.
    `vectors` is empty unless they were asked for.
    """

    dead: Sequence[int]
    keys: Sequence[int]
    spaces: Sequence[int]
    namespaces: Sequence[str]
    ids: Sequence[str]
    models: Sequence[str | None]
    created_at: Sequence[int]
    updated_at: Sequence[int]
    expires_at: Sequence[int | None]
    importances: Sequence[float]
    kinds: Sequence[str]
    kind_provenances: Sequence[str | None]
    memory_types: Sequence[str | None]
    entities: Sequence[str | None]
    sources: Sequence[str | None]
    notes: Sequence[int | None]
    vaults: Sequence[str | None]
    paths: Sequence[str | None]
    headings: Sequence[str | None]
    titles: Sequence[str]
    tags: Sequence[Sequence[str]]
    metadata: Sequence[Mapping[str, Json]]
    terms: Sequence[bytes]
    texts: Sequence[str]
    vectors: Sequence[bytes | None] = ()


@dataclass(frozen=True, slots=True)
class VectorBatch:
    """The vectors of some live records, and what made them."""

    keys: Sequence[int]
    models: Sequence[str | None]
    vectors: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Past:
    """One change of a record: when it was made (as a record's times are), and what was before.

    `before` has neither vector nor terms; it is None if the record was not there.
    """

    at: int
    before: Record | None


@dataclass(frozen=True, slots=True)
class Version:
    """A record, live or deleted, as it stands, with its history, the last change first.

    `key` and `change` are the store's own: the record's number, and that of its last change.
    """

    record: Record
    deleted_at: int | None = None
    history: tuple[Past, ...] = ()
    key: int = field(default=0, compare=False)
    change: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class NamespaceRow:
    """A namespace, its settings (embedder, classifier policy, language, …) as JSON, its counter.

    `counter` is the number of the last automatic id.
    """

    name: str
    settings: Mapping[str, Json]
    counter: int = 0


@dataclass(frozen=True, slots=True)
class RecordCount:
    """How many records of a namespace one model has made the vectors of.

    They are memories, or `pieces` of notes; `model` is that of `Record`.
    """

    namespace: str
    model: str | None
    pieces: bool
    count: int


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A note's names and its links, as `NoteRow` has them; `vault` and `key` are keys."""

    vault: int
    key: int
    path: str
    aliases: tuple[str, ...]
    links: Sequence[Mapping[str, Json]]


@dataclass(frozen=True, slots=True)
class NoteLinks:
    """The links of all notes by vault and path, and a stamp by which to see that they change."""

    stamp: tuple[int, int]
    rows: Sequence[LinkRow]


@dataclass(frozen=True, slots=True)
class Declarations:
    """Which notes say something of which entities: the keys of both in parallel lists.

    `changed` has the keys of all entities that were asked about: what was known of their notes
    before no longer holds.
    """

    changed: Sequence[int]
    entities: Sequence[int]
    notes: Sequence[int]


@dataclass(frozen=True, slots=True)
class Deleted:
    """A memory that was deleted and is kept: its key, and when that was, as a record's times."""

    namespace: str
    id: str
    at: int
    key: int = 0


class RecordLookup(Protocol):
    """Looking up single records."""

    def find(self, namespace: str, record: str, *, deleted: bool = False) -> int | None:
        """Return the key of a live record, or of a deleted one."""
        ...

    def read(self, keys: Sequence[int], *, brief: bool = False) -> list[Record | None]:
        """Read records in the order of `keys`; None for one that is not live.

        What is `brief` has no metadata, terms and vector, and comes several times quicker.
        """
        ...

    def fetch(self, namespace: str, ids: Sequence[str]) -> list[Record | None]:
        """Read records in the order of their ids; None for one that is not live."""
        ...

    def duplicates(self, namespace: str, text: str) -> list[int]:
        """Return the keys of the live records of a namespace with exactly this text."""
        ...

    def in_order(self, keys: Sequence[int]) -> list[int]:
        """Return the keys of records, live or deleted, by namespace, then id."""
        ...

    def find_versions(self, namespace: str, ids: Iterable[str]) -> dict[str, Version]:
        """Return the records of these ids, live or deleted, as far as there are any."""
        ...

    def read_versions(self, keys: Sequence[int]) -> list[Version | None]:
        """Return records, live or deleted, in the order of `keys`; None for one that is gone."""
        ...

    def deleted(self, namespaces: Sequence[str], since: int, now: int) -> list[Deleted]:
        """List what was deleted since then and has not expired by `now`, the last first."""
        ...


class RecordWriter(RecordLookup, Protocol):
    """The part of a write transaction that is about records; it looks up what it has written.

    Pieces of notes are written by `put_pieces` and `put_derived` only; the others refuse them
    (ReadOnly). A note's pieces go with it when it is deleted.
    """

    def new_id(self, namespace: str) -> str:
        """Return the next automatic id (`m1`, `m2`, …); never one that is or was in use."""
        ...

    def put(self, record: Record) -> int:
        """Add a record, or replace the one of that namespace and id; return its key.

        What it replaces goes to the history, except vector and terms. A deleted record is live
        again. Equal ones change nothing.
        """
        ...

    def restore(self, versions: Sequence[Version]) -> None:
        """Make records what they were elsewhere: deleted if they were, and with that history.

        Those of the same namespace and id are replaced with their history. Equal ones change
        nothing.
        """
        ...

    def put_derived(
        self, key: int, *, vector: bytes | None, model: str | None, terms: bytes
    ) -> None:
        """Replace what is made from a live record's text; no matter for its history."""
        ...

    def put_pieces(self, note: int, records: Sequence[Record]) -> None:
        """Make these the pieces of a note; those that are equal stay as they are.

        Their namespace is the vault's. An id that anything else in it has is refused.
        """
        ...

    def delete(self, keys: Iterable[int], at: int) -> int:
        """Delete live records, so that they can be brought back; return how many there were."""
        ...

    def undelete(self, keys: Iterable[int], at: int) -> int:
        """Bring deleted records back as they were; return how many there were."""
        ...

    def purge(self, keys: Iterable[int]) -> int:
        """Remove records, live or deleted, with history and vector; return how many there were.

        Words that only they had stay in the dictionary until `prune_terms`.
        """
        ...

    def sweep(self, now: int, retention: int, *, limit: int = 10_000) -> int:
        """Purge what has expired or was deleted at least `retention` milliseconds ago.

        Return how many there were, at most `limit`: with more, others would wait long.
        """
        ...

    def put_namespace(self, row: NamespaceRow) -> None:
        """Keep a namespace's settings; its counter never goes back."""
        ...

    def spend(self, namespace: str, numbers: Iterable[int]) -> None:
        """Let the counter of a namespace pass over these numbers."""
        ...

    def term_ids(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the numbers of terms for what this transaction puts; new ones get the next."""
        ...

    def prune_terms(self) -> int:
        """Forget the terms that no record has, and return how many; reads all records.

        Numbers that this transaction was given before may be gone.
        """
        ...


class RecordReader(RecordLookup, Protocol):
    """Reading records; safe to use from several threads.

    An expired record is live here until it is swept.
    """

    def scan(self, after: int, *, vectors: bool = False) -> Iterator[RecordBatch]:
        """Yield the records whose change number is above `after`, by key, in one state.

        The dead come first, in a batch of their own; with `after` 0 they are left out.
        """
        ...

    def rescan(self, keys: Sequence[int], *, vectors: bool = False) -> Iterator[RecordBatch]:
        """Yield the records of these keys as `scan` does."""
        ...

    def scan_vectors(self, after: int) -> Iterator[VectorBatch]:
        """Yield the vectors of the live records whose change number is above `after`, by key."""
        ...

    def scan_versions(self, namespace: str) -> Iterator[list[Version]]:
        """Yield the memories of a namespace, live and deleted, by id, in batches."""
        ...

    def spent(self, namespace: str, now: int) -> list[int]:
        """Return the numbers that the counter of a namespace must pass over, in order.

        They are those of ids whose records are purged, or have expired by `now`.
        """
        ...

    def keys(self, namespace: str, *, unless: str | None = None) -> list[int]:
        """Return the keys of the live records of a namespace, in ascending order.

        Those that `unless`, a model, has made the vectors of are left out.
        """
        ...

    def count(self, namespaces: Sequence[str], now: int) -> list[RecordCount]:
        """Count the live records of some namespaces that have not expired by `now`."""
        ...

    def history(self, key: int) -> list[Past]:
        """Return the changes of a record, live or deleted, the last one first."""
        ...

    def namespace(self, name: str) -> NamespaceRow:
        """Return a namespace's settings, empty ones if it is not there."""
        ...

    def namespaces(self) -> list[NamespaceRow]:
        """List all namespaces that were ever written to, by name."""
        ...

    def find_terms(self, texts: Sequence[str]) -> dict[str, int]:
        """Return the numbers of terms, as far as any record ever had them."""
        ...

    def links(self, stamp: tuple[int, int] | None = None) -> NoteLinks | None:
        """Return the links of all notes, None if they are those of a stamp."""
        ...

    def declarations(self, schema: str, after: int) -> Declarations:
        """Return the notes of a schema's entities whose change number is above `after`.

        With `after` 0 those of all, and `changed` is empty: nothing was known before.
        """
        ...
