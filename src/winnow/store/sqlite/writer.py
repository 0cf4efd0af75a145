"""What can be written to the store in one transaction."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from winnow.errors import NotFound
from winnow.store.additions import Additions
from winnow.store.base import Contribution, ImportCounts, NoteRow, StoredPack, VaultRow
from winnow.store.segments import SegmentWriter
from winnow.store.spaces import SpaceWriter
from winnow.store.sqlite import imports, notes
from winnow.store.sqlite.keys import SqliteKeyWriter
from winnow.store.sqlite.records.additions import SqliteAdditions
from winnow.store.sqlite.records.pieces import touch_pieces
from winnow.store.sqlite.records.spaces import SqliteSpaceWriter
from winnow.store.sqlite.records.terms import TermNumbers
from winnow.store.sqlite.records.writer import SqliteRecordWriter
from winnow.store.sqlite.rows import encode_json
from winnow.store.sqlite.segments import SqliteSegmentWriter
from winnow.store.sqlite.transaction import Transaction
from winnow.store.sqlite.upkeep.check import UNUSED_TERMS
from winnow.store.sqlite.upkeep.mending import mend_rows


class SqliteWriter:
    """The methods of a write transaction; one that fails leaves the others' work as it is."""

    def __init__(self, transaction: Transaction, numbers: TermNumbers, settled: int) -> None:
        self._transaction = transaction
        self.records = SqliteRecordWriter(transaction, numbers)
        self.additions: Additions = SqliteAdditions(transaction, self.records.dictionary)
        self.keys = SqliteKeyWriter(transaction)
        self.spaces: SpaceWriter = SqliteSpaceWriter(transaction, settled)
        self.segments: SegmentWriter = SqliteSegmentWriter(transaction)

    def mend(self, codes: Collection[str]) -> None:
        """Mend the rows that are wrong by the rules of these codes."""
        with self._transaction.step():
            mend_rows(self._transaction, codes)
        if UNUSED_TERMS in codes:
            self.records.prune_terms()

    def put_pack(self, pack: StoredPack) -> None:
        """Keep a pack for its namespace, in place of one of the same name."""
        with self._transaction.step() as connection:
            connection.execute(
                """INSERT INTO pack (namespace, name, source, text) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET source = excluded.source, text = excluded.text
                WHERE source <> excluded.source OR text <> excluded.text""",
                (self._transaction.namespace(pack.namespace), pack.name, pack.source, pack.text),
            )

    def drop_pack(self, namespace: str, name: str) -> None:
        """Forget a pack of a namespace; one that it does not have is no mistake."""
        with self._transaction.step() as connection:
            connection.execute(
                "DELETE FROM pack WHERE namespace = ? AND name = ?",
                (self._transaction.namespace(namespace), name),
            )

    def put_vault(self, vault: VaultRow) -> VaultRow:
        """Add a vault (`key` 0) or change one; return it with its key.

        A root that its namespace already has is changed and not added again. A vault can't
        move to another namespace.
        """
        with self._transaction.step():
            if vault.key:
                _change_vault(self._transaction, vault)
                return vault
            return replace(vault, key=_add_vault(self._transaction, vault))

    def put_note(self, vault: VaultRow, note: NoteRow) -> int:
        """Add a note or replace the one of that path, with all that it says of entities.

        Return its key; its pieces stay as they are.
        """
        with self._transaction.step():
            return notes.put_note(self._transaction, vault, note)

    def touch_note(self, key: int, size: int, mtime_ns: int) -> None:
        """Note that a file's size and time changed and its content did not: that is no change."""
        with self._transaction.step(visible=False):
            notes.touch_note(self._transaction, int(key), size, mtime_ns)

    def move_note(self, key: int, path: str) -> None:
        """Give a note a new path, which must be free; what it says, and its key, stay."""
        with self._transaction.step():
            notes.move_note(self._transaction, int(key), path)

    def delete_notes(self, keys: Iterable[int]) -> None:
        """Delete notes and their pieces; an entity that nothing else declares goes with them."""
        with self._transaction.step():
            for key in keys:
                notes.delete_note(self._transaction, int(key))

    def put_entities(self, namespace: str, entities: Sequence[Contribution]) -> ImportCounts:
        """Import entities: fields that are named replace those of an earlier import.

        A field with no candidates is cleared; the others stay. Equal ones change nothing.
        """
        with self._transaction.step():
            return imports.put_entities(self._transaction, namespace, entities)


def _add_vault(transaction: Transaction, vault: VaultRow) -> int:
    (key,) = transaction.connection.one(
        tuple[int],
        """INSERT INTO vault (namespace, root, name, fingerprint, packs) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (namespace, root) DO UPDATE SET
            name = excluded.name, fingerprint = excluded.fingerprint, packs = excluded.packs
        RETURNING key""",
        (
            transaction.namespace(vault.namespace),
            vault.root,
            vault.name,
            vault.fingerprint,
            encode_json(vault.packs),
        ),
    )
    return key


def _change_vault(transaction: Transaction, vault: VaultRow) -> None:
    _touch_renamed(transaction, vault)
    row = transaction.connection.first(
        tuple[int],
        """UPDATE vault SET root = ?, name = ?, fingerprint = ?, packs = ?
        WHERE key = ? AND namespace = ? RETURNING key""",
        (
            vault.root,
            vault.name,
            vault.fingerprint,
            encode_json(vault.packs),
            int(vault.key),
            transaction.namespace(vault.namespace),
        ),
    )
    if row is None:
        raise NotFound(f"namespace {vault.namespace!r} has no vault of the key {vault.key}")


def _touch_renamed(transaction: Transaction, vault: VaultRow) -> None:
    """Let the pieces of a vault that gets another name be read again: they show it."""
    rows = transaction.connection.all(
        tuple[int],
        """SELECT note.key FROM note JOIN vault ON vault.key = note.vault
        WHERE vault.key = ? AND vault.name <> ?""",
        (int(vault.key), vault.name),
    )
    touch_pieces(transaction, [key for (key,) in rows])
