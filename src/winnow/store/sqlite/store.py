"""The store in one SQLite file: many processes may read it and write to it at once."""

import math
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from winnow.errors import Fault, InvalidRequest, StoreError, unknown
from winnow.records import Finding
from winnow.store.base import (
    EntityBatch,
    FullEntity,
    ImportReader,
    States,
    StoredNote,
    StoredPack,
    VaultRow,
    Writer,
)
from winnow.store.change import Change
from winnow.store.keys import AccessReader
from winnow.store.segments import SegmentReader
from winnow.store.spaces import SpaceReader
from winnow.store.sqlite import reads
from winnow.store.sqlite.connection import Connection, require_sqlite
from winnow.store.sqlite.imports import SqliteImportReader
from winnow.store.sqlite.keys import SqliteAccessReader
from winnow.store.sqlite.lock import WriteLock
from winnow.store.sqlite.migrate import migrations, open_again, open_current
from winnow.store.sqlite.origin import Origin
from winnow.store.sqlite.place import Place, find_place
from winnow.store.sqlite.readers import ChangeWatch, Readers, read_change
from winnow.store.sqlite.records.reader import SqliteRecordReader
from winnow.store.sqlite.records.spaces import SqliteSpaceReader
from winnow.store.sqlite.records.terms import TermNumbers
from winnow.store.sqlite.rows import decode_findings, decode_texts
from winnow.store.sqlite.segments import SqliteSegmentReader
from winnow.store.sqlite.settled import Settled
from winnow.store.sqlite.transaction import Keys, Transaction, commit_to_disk
from winnow.store.sqlite.upkeep.keeper import SqliteUpkeep
from winnow.store.sqlite.writer import SqliteWriter
from winnow.store.upkeep import StoreUpkeep

# Seconds of activity after which a commit waits until all is on the disk.
SYNC_SECONDS: Mapping[str, float] = {"normal": 0.1, "full": 0.0}


def open_store(path: Path, *, durability: str = "normal", untouched: bool = False) -> "SqliteStore":
    """Open the store in the file `path`, which is made if missing.

    What is committed survives the end of the process, whatever ends it. A failure of power can
    take the last tenth of a second of writing with `normal` durability, nothing with `full`. What
    lies where nobody can write is only read; with `untouched` so is a backup.
    """
    require_sqlite()
    if durability not in SYNC_SECONDS:
        detail = unknown("durability", durability, SYNC_SECONDS)
        raise InvalidRequest([Fault("/durability", detail)])
    try:
        path = path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise StoreError(f"{str(path)!r} can't be the path of a store: {error}") from error
    lock = WriteLock(path.with_name(path.name + ".d") / "lock")
    place = find_place(path, untouched=untouched)
    connection = open_current(place, lock, migrations())
    store = SqliteStore(place, lock, connection, sync_seconds=SYNC_SECONDS[durability])
    try:
        store.last_change()
    except BaseException:
        store.close()
        raise
    return store


class SqliteStore:
    """The tables in one file; safe to use from several threads."""

    def __init__(
        self, place: Place, lock: WriteLock, connection: Connection, *, sync_seconds: float
    ) -> None:
        self.path = place.path
        self._lock = lock
        self._connection = connection
        self._origin = Origin(self.path)
        self._pace = _SyncPace(sync_seconds)
        self._readers = Readers(place)
        self.states: States = self._readers
        self._numbers = TermNumbers()
        self._keys: Keys = {}
        self._settled = Settled()
        self.records = SqliteRecordReader(self._readers)
        self._watch = ChangeWatch(place)
        self.access: AccessReader = SqliteAccessReader(self._readers, self.last_change)
        self.imported: ImportReader = SqliteImportReader(self._readers)
        self.spaces: SpaceReader = SqliteSpaceReader(self._readers, self._settled, self.last_change)
        self.segments: SegmentReader = SqliteSegmentReader(self._readers, lock.path.parent)
        self.upkeep: StoreUpkeep = SqliteUpkeep(self.path, self._readers, self.segments, self.write)

    def close(self) -> None:
        """Close; waits for a write that is under way, and until all is on the disk."""
        if self._pace.owes:
            with suppress(StoreError):  # what was committed is no less so
                self.flush()
        with self._lock.hold_threads():
            self._connection.close()
            self._lock.close()
        self._watch.close()
        self._readers.close()

    @contextmanager
    def write(self) -> Generator[Writer]:
        """Begin the write transaction; commit at the end of the block, undo on an exception.

        Writers wait for each other, in all processes.
        """
        with self._lock.hold():
            self._connection = _renew(self._connection)
            sync, before = self._pace.is_due(), self._connection.changed_rows()
            transaction = Transaction(self._connection, self._keys, sync=sync)
            try:
                self._origin.require(transaction.before.origin)
                settled = self._settled.since(transaction.before.number)
                yield SqliteWriter(transaction, self._numbers, settled)
                transaction.commit()
                self._numbers.learn(transaction.terms)
            finally:
                transaction.end()
            if transaction.wrote and transaction.keeps_settings:
                self._settled.carry(transaction.before.number, transaction.change)
            if self._connection.changed_rows() > before + transaction.undone:
                self._pace.note(synced=sync)

    def flush(self) -> None:
        """Wait until all that was ever committed, by whatever process, is on the disk."""
        with self._lock.hold():
            self._connection = _renew(self._connection)
            commit_to_disk(self._connection)
            self._pace.note(synced=True)

    def last_change(self) -> Change:
        """Return the last committed change, other processes' included, or that of a held state."""
        held = self._readers.held
        change = self._watch.last_change() if held is None else read_change(held)
        self._origin.require(change.origin)
        return change

    def packs(self) -> list[StoredPack]:
        """List the packs of all namespaces."""
        with self._readers.snapshot() as connection:
            rows = connection.all(
                tuple[str, str, str, str],
                """SELECT namespace.name, pack.name, source, text
                FROM pack JOIN namespace ON namespace.key = pack.namespace
                ORDER BY namespace.name, pack.name""",
            )
        return [StoredPack(*row) for row in rows]

    def namespaces(self) -> list[str]:
        """List the namespaces that hold an entity, a record, a vault, a pack or settings."""
        with self._readers.snapshot() as connection:
            rows = connection.all(
                tuple[str],
                """SELECT name FROM namespace
                WHERE EXISTS (SELECT 1 FROM entity WHERE namespace = namespace.key AND live)
                OR EXISTS (
                    SELECT 1 FROM record WHERE namespace = namespace.key AND deleted_at IS NULL
                )
                OR EXISTS (SELECT 1 FROM vault WHERE namespace = namespace.key)
                OR EXISTS (SELECT 1 FROM pack WHERE namespace = namespace.key)
                OR settings <> '{}'
                ORDER BY name""",
            )
        return [name for (name,) in rows]

    def schemas(self) -> list[tuple[str, str, int]]:
        """List (namespace, schema, live entities)."""
        with self._readers.snapshot() as connection:
            return connection.all(
                tuple[str, str, int],
                """SELECT namespace.name, schema.name, counted.live FROM (
                    SELECT namespace, schema, count(*) AS live FROM entity
                    WHERE live GROUP BY namespace, schema
                ) AS counted
                JOIN namespace ON namespace.key = counted.namespace
                JOIN schema ON schema.key = counted.schema
                ORDER BY namespace.name, schema.name""",
            )

    def scan_entities(self, schema: str, after: int) -> Iterator[EntityBatch]:
        """Yield the entities whose change number is above `after`, in one state of the store."""
        with self._readers.snapshot() as connection:
            yield from reads.scan_entities(connection, schema, after)

    def rescan_entities(self, keys: Sequence[int]) -> Iterator[EntityBatch]:
        """Yield the rows of these keys, ordered as by `scan_entities`."""
        with self._readers.snapshot() as connection:
            yield from reads.rescan_entities(connection, keys)

    def read_entities(self, keys: Sequence[int]) -> list[FullEntity]:
        """Read entities, dead ones too, in the order of `keys`."""
        with self._readers.snapshot() as connection:
            return reads.read_entities(connection, keys)

    def find_entity(self, namespace: str, schema: str, entity: str) -> int | None:
        """Return the key of a live entity."""
        with self._readers.snapshot() as connection:
            row = connection.first(
                tuple[int],
                """SELECT entity.key FROM entity
                JOIN namespace ON namespace.key = entity.namespace
                JOIN schema ON schema.key = entity.schema
                WHERE namespace.name = ? AND schema.name = ? AND entity.id = ? AND entity.live""",
                (namespace, schema, entity),
            )
        return None if row is None else row[0]

    def vaults(self) -> list[VaultRow]:
        """List the vaults."""
        with self._readers.snapshot() as connection:
            rows = connection.all(
                tuple[int, str, str, str, str, str],
                """SELECT vault.key, root, vault.name, namespace.name, fingerprint, packs
                FROM vault JOIN namespace ON namespace.key = vault.namespace
                ORDER BY vault.key""",
            )
        return [VaultRow(*row[:5], packs=decode_texts(row[5])) for row in rows]

    def notes(self, vault: VaultRow) -> list[StoredNote]:
        """List what is known of a vault's notes, by path."""
        with self._readers.snapshot() as connection:
            rows = connection.all(
                tuple[int, str, int, int, str],
                """SELECT key, path, size, mtime_ns, digest FROM note
                WHERE vault = ? ORDER BY path""",
                (int(vault.key),),
            )
        return [StoredNote(*row) for row in rows]

    def findings(
        self, namespaces: Sequence[str] | None, vault: VaultRow | None = None
    ) -> Iterator[Finding]:
        """Yield what the notes' readers found, by vault and path; None means everywhere."""
        with self._readers.snapshot() as connection:
            for batch in connection.batches(
                tuple[str, str, str],
                """SELECT namespace.name, note.path, note.findings
                FROM note
                JOIN vault ON vault.key = note.vault
                JOIN namespace ON namespace.key = vault.namespace
                WHERE note.findings <> '[]' AND (?1 IS NULL OR note.vault = ?1)
                ORDER BY note.vault, note.path""",
                (None if vault is None else int(vault.key),),
                reads.BATCH_ROWS,
            ):
                for namespace, path, found in batch:
                    if namespaces is None or namespace in namespaces:
                        yield from decode_findings(found, path)


def _renew(connection: Connection) -> Connection:
    """Open the file anew if it could only be read before: now it can perhaps be written.

    A server may have begun while somebody had taken the right to write away for a while.
    """
    if not connection.is_read_only:
        return connection
    fresh = open_again(connection.path)
    connection.close()
    return fresh


class _SyncPace:
    """Lets one commit in a while wait for the disk: the others before it are then safe too."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last = -math.inf
        self.owes = False
        """Whether a commit has not waited, and none has since."""

    def is_due(self) -> bool:
        return time.monotonic() >= self._last + self._seconds

    def note(self, *, synced: bool) -> None:
        """Take note of a commit that has written something: another one makes nothing safe."""
        if synced:
            self._last = time.monotonic()
        self.owes = not synced
