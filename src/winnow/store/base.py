"""What a store is: the truth, in rows with change numbers. Everything fast is derived from it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from winnow.records import Candidate, Finding
from winnow.store.additions import Additions
from winnow.store.change import Change
from winnow.store.keys import AccessReader, KeyWriter
from winnow.store.memories import RecordReader, RecordWriter
from winnow.store.segments import SegmentReader, SegmentWriter
from winnow.store.spaces import SpaceReader, SpaceWriter
from winnow.store.upkeep import StoreUpkeep
from winnow.values import Json

DEFAULT_NAMESPACE = "default"


@dataclass(frozen=True, slots=True)
class StoredPack:
    """A pack as kept for a namespace. `source` tells where it came from (`builtin`, a file)."""

    namespace: str
    name: str
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class EntityBatch:
    """Some entities for the columns, as parallel lists: a row object for each would cost more.

    `keys` are the entities' numbers, `fields` their merged candidates: imported ones first, then
    the notes' by vault and path. A field's entry is a plain JSON value (EXTRACTED,
    machine_readable; a list of values is a list), or else the tuple of its candidates, without
    evidence and without repetitions; `read_entities` has the evidence. An entity that is not
    `live` was deleted, and its fields are empty.
    """

    keys: list[int]
    namespaces: list[str]
    ids: list[str]
    live: list[bool]
    fields: "list[Mapping[str, PlainOrCandidates]]"


@dataclass(frozen=True, slots=True)
class StoredNote:
    """What the store knows of a note without its text, to see whether the file has changed."""

    key: int
    path: str
    size: int
    mtime_ns: int
    digest: str


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A note to be stored. `metadata` is its frontmatter and inline fields, `created_at` ISO."""

    path: str
    size: int
    mtime_ns: int
    digest: str
    title: str
    text: str
    snippet: str
    created_at: str
    tags: tuple[str, ...]
    metadata: Mapping[str, Json]
    links: Sequence[Json]
    findings: tuple[Finding, ...]
    contributions: "tuple[Contribution, ...]"


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one source (a note, or an import) says of one entity."""

    schema: str
    entity: str
    fields: Mapping[str, tuple[Candidate, ...]]


@dataclass(frozen=True, slots=True)
class Sight:
    """A note that declares an entity, for showing it in a hit."""

    path: str
    vault: str
    snippet: str


@dataclass(frozen=True, slots=True)
class FullEntity:
    """One entity with every candidate and its evidence, and its notes in path order."""

    key: int
    namespace: str
    schema: str
    id: str
    fields: Mapping[str, tuple[Candidate, ...]]
    notes: tuple[Sight, ...]


@dataclass(frozen=True, slots=True)
class VaultRow:
    """A vault: a folder, the namespace that its notes are in, and how it was last read.

    `fingerprint` covers the packs and the extractor; `packs` are the extra pack files.
    """

    key: int
    root: str
    name: str
    namespace: str
    fingerprint: str
    packs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """How many entities an import added, changed and left as they were."""

    added: int
    changed: int
    unchanged: int


class Writer(Protocol):
    """One write transaction; it has one change number, and commits as a whole or not at all."""

    @property
    def records(self) -> RecordWriter:
        """What writes memories and pieces of notes."""
        ...

    @property
    def additions(self) -> Additions:
        """What adds many new memories at once."""
        ...

    @property
    def keys(self) -> KeyWriter:
        """What writes keys."""
        ...

    @property
    def spaces(self) -> SpaceWriter:
        """What changes whole namespaces."""
        ...

    @property
    def segments(self) -> SegmentWriter:
        """What names files of columns."""
        ...

    def mend(self, codes: Collection[str]) -> None:
        """Mend the rows that are wrong by the rules of these codes."""
        ...

    def put_pack(self, pack: StoredPack) -> None:
        """Keep a pack for its namespace, in place of one of the same name."""
        ...

    def drop_pack(self, namespace: str, name: str) -> None:
        """Forget a pack of a namespace; one that it does not have is no mistake."""
        ...

    def put_vault(self, vault: VaultRow) -> VaultRow:
        """Add a vault (`key` 0) or change one; return it with its key."""
        ...

    def put_note(self, vault: VaultRow, note: NoteRow) -> int:
        """Add a note or replace the one of that path, with all that it says of entities.

        Return its key; its pieces stay as they are.
        """
        ...

    def touch_note(self, key: int, size: int, mtime_ns: int) -> None:
        """Note that a file's size and time changed and its content did not: that is no change."""
        ...

    def move_note(self, key: int, path: str) -> None:
        """Give a note a new path; what it says, and its key, stay."""
        ...

    def delete_notes(self, keys: Iterable[int]) -> None:
        """Delete notes and their pieces; an entity that nothing else declares goes with them."""
        ...

    def put_entities(self, namespace: str, entities: Sequence[Contribution]) -> ImportCounts:
        """Import entities: fields that are named replace those of an earlier import.

        A field with no candidates is cleared; the others stay. Equal ones change nothing.
        """
        ...


class ImportReader(Protocol):
    """Reading what imports say of entities, whatever notes say. Safe to use from several threads.

    A candidate without evidence has None.
    """

    def scan(self, namespace: str) -> Iterator[list[Contribution]]:
        """Yield what was imported into a namespace, by schema and id, in batches."""
        ...

    def read(self, keys: Sequence[int]) -> list[Contribution | None]:
        """Read entities in the order of `keys`; None for one that no import speaks of."""
        ...


class States(Protocol):
    """States of the store, which changes while others write to it; each thread has its own."""

    def hold(self) -> AbstractContextManager[None]:
        """Let all that this thread reads in the block come from one state."""
        ...

    def advance(self) -> None:
        """Move on to the state of now, if this thread holds one."""
        ...

    def stay(self) -> AbstractContextManager[None]:
        """Let `advance` do nothing in the block."""
        ...


class Store(Protocol):
    """A place where everything is kept. Safe to use from several threads."""

    states: States
    access: AccessReader
    imported: ImportReader
    spaces: SpaceReader
    segments: SegmentReader
    upkeep: StoreUpkeep

    @property
    def records(self) -> RecordReader:
        """What reads memories and pieces of notes."""
        ...

    def close(self) -> None:
        """Close; waits for a write that is under way."""
        ...

    def write(self) -> AbstractContextManager[Writer]:
        """Begin the write transaction; commit at the end of the block, undo on an exception."""
        ...

    def flush(self) -> None:
        """Wait until all that was ever committed, by whatever process, is on the disk."""
        ...

    def last_change(self) -> Change:
        """Return the last committed change, other processes' included, or that of a held state."""
        ...

    def packs(self) -> list[StoredPack]:
        """List the packs of all namespaces."""
        ...

    def namespaces(self) -> list[str]:
        """List the namespaces that hold anything."""
        ...

    def schemas(self) -> list[tuple[str, str, int]]:
        """List (namespace, schema, live entities)."""
        ...

    def scan_entities(self, schema: str, after: int) -> Iterator[EntityBatch]:
        """Yield the entities whose change number is above `after`, in batches.

        Ids ascend through all batches; the order of one id's namespaces is fixed. With `after`
        0, dead rows are left out.
        """
        ...

    def rescan_entities(self, keys: Sequence[int]) -> Iterator[EntityBatch]:
        """Yield the rows of these keys, ordered as by `scan_entities`."""
        ...

    def read_entities(self, keys: Sequence[int]) -> list[FullEntity]:
        """Read entities in the order of `keys`."""
        ...

    def find_entity(self, namespace: str, schema: str, entity: str) -> int | None:
        """Return the key of a live entity."""
        ...

    def vaults(self) -> list[VaultRow]:
        """List the vaults."""
        ...

    def notes(self, vault: VaultRow) -> list[StoredNote]:
        """List what is known of a vault's notes."""
        ...

    def findings(
        self, namespaces: Sequence[str] | None, vault: VaultRow | None = None
    ) -> Iterator[Finding]:
        """Yield what the notes' readers found, by vault and path; None means everywhere."""
        ...


PlainOrCandidates: TypeAlias = "Json | tuple[Candidate, ...]"
