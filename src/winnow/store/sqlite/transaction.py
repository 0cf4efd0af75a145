"""A write transaction on SQLite: its change number, its steps, and the keys of names."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Final, LiteralString, TypeAlias

from winnow.errors import Fault, InvalidRequest, StoreError
from winnow.store.change import Change
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.rows import encode_json

Keys: TypeAlias = dict[tuple[str, str], int]
"""The keys of names, each by the statement that finds it, and the name; none is ever another's."""


class Transaction:
    """A transaction that has begun on a connection that nobody else uses meanwhile."""

    def __init__(self, connection: Connection, keys: Keys, *, sync: bool) -> None:
        """Begin; with `sync` the commit waits until all is on the disk.

        `keys` are those of names that are committed; what is committed here is put to them.
        """
        _begin(connection, sync=sync)
        self.connection = connection
        self.before, self.prunings, self.last_term = _read_before(connection)
        self.change = self.before.number + 1
        self.wrote = False
        """Whether anything was written that moves the change number."""
        self.undone = 0
        """How many changes of rows were undone by themselves."""
        self.keeps_settings = True
        """Whether the settings of all namespaces stay as they are."""
        self._open = True
        self._scattered = False
        self._known = keys
        self._keys: Keys = {}
        self.terms: dict[str, int] = {}
        """The numbers of terms that this transaction has made."""
        self._touched: set[int] = set()

    @contextmanager
    def step(self, *, visible: bool = True, named: bool = False) -> Generator[Connection]:
        """Run a block that does all or nothing, so that the transaction can go on if it fails.

        What is not `visible` in any answer moves no change number. What is `named` changes nothing
        in namespaces but those whose keys it asks for.
        """
        before = self.reading().changed_rows()
        try:
            with self.connection.savepoint():
                yield self.connection
        except BaseException:
            self.undone += self.connection.changed_rows() - before
            self.forget_keys()  # they may be of rows that were just undone
            self._open = self.connection.in_transaction
            raise
        if visible and self.connection.changed_rows() > before:
            self.wrote = True
            self._scattered = self._scattered or not named

    def reading(self) -> Connection:
        """Return the connection, to see what was written so far."""
        if not self._open:
            raise StoreError("the write transaction has ended")
        return self.connection

    def commit(self) -> None:
        """Commit; the store's change number moves only if anything was written."""
        if not self._open:
            raise StoreError("the write transaction has ended: an error undid all of it")
        if self.wrote:
            self.connection.execute(
                """UPDATE meta SET change = ?,
                changed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')""",
                (self.change,),
            )
            self._count_for_namespaces()
        self.connection.execute("COMMIT")
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        self._known |= self._keys

    def end(self) -> None:
        """Let nothing more be written; what was not committed is undone."""
        self._open = False
        self.connection.rollback()

    def namespace(self, name: str) -> int:
        """Return the key of a namespace that is about to change; it is made if new."""
        if not name:
            raise InvalidRequest([Fault("/namespace", "a namespace needs a name")])
        key = self.key_of(
            name,
            "SELECT key FROM namespace WHERE name = ?",
            "INSERT INTO namespace (name) VALUES (?) RETURNING key",
        )
        self._touched.add(key)
        return key

    def touch(self, namespaces: Iterable[int]) -> None:
        """Note that namespaces change, as their rows will not show: they are about to go."""
        self._touched.update(namespaces)

    def schema(self, name: str) -> int:
        """Return the key of a schema's name, which is kept if new."""
        return self.key_of(
            name,
            "SELECT key FROM schema WHERE name = ?",
            "INSERT INTO schema (name) VALUES (?) RETURNING key",
        )

    def model(self, name: str) -> int:
        """Return the key of the name of what makes vectors, which is kept if new."""
        return self.key_of(
            name,
            "SELECT key FROM model WHERE name = ?",
            "INSERT INTO model (name) VALUES (?) RETURNING key",
        )

    def key_of(self, text: str, select: LiteralString, insert: LiteralString) -> int:
        """Return the key that `select` finds for a text, else the one that `insert` gives it."""
        key = self._known.get((select, text)) or self._keys.get((select, text))
        if key is None:
            row = self.connection.first(tuple[int], select, (text,))
            (key,) = row or self.connection.one(tuple[int], insert, (text,))
            self._keys[select, text] = key
        return key

    def forget_keys(self) -> None:
        """Look keys up again from now on."""
        self._keys.clear()
        self.terms.clear()

    def refresh(self, entities: Iterable[int]) -> None:
        """Give entities this change number, and life or death by what their notes say."""
        self.connection.execute_many(
            """UPDATE entity SET change = ?, noted = EXISTS (
                SELECT 1 FROM contribution WHERE contribution.entity = entity.key
            ) WHERE key = ?""",
            [(self.change, entity) for entity in sorted(set(entities))],
        )

    def _count_for_namespaces(self) -> None:
        """Count this change for the namespaces that were named, or that rows of it are in."""
        if not self._scattered:
            self.connection.execute_many(
                """UPDATE namespace SET changes = changes + 1,
                    changed_at = (SELECT changed_at FROM meta)
                WHERE key = ?""",
                [(key,) for key in sorted(self._touched)],
            )
            return
        self.connection.execute(
            """UPDATE namespace SET changes = changes + 1,
                changed_at = (SELECT changed_at FROM meta)
            WHERE key IN (SELECT value FROM json_each(?2))
            OR key IN (SELECT namespace FROM record WHERE change = ?1)
            OR key IN (
                SELECT namespace FROM entity
                WHERE schema IN (SELECT key FROM schema) AND change = ?1
            )""",
            (self.change, encode_json(sorted(self._touched))),
        )


def commit_to_disk(connection: Connection) -> None:
    """Wait until all that was committed before is on the disk, whoever committed it.

    A commit waits only if it writes a page: here the first one, as it was.
    """
    _begin(connection, sync=True)
    try:
        connection.execute("PRAGMA application_id = 0x574E4E57")
        connection.execute("COMMIT")
    finally:
        connection.rollback()


def _begin(connection: Connection, *, sync: bool) -> None:
    if sync is not connection.syncs:
        connection.execute(f"PRAGMA synchronous = {'FULL' if sync else 'NORMAL'}")
        connection.syncs = sync
    connection.execute("BEGIN IMMEDIATE")


def _read_before(connection: Connection) -> tuple[Change, int, int]:
    """Return the last change, how often terms were pruned, and the highest number of one so far."""
    try:
        number, time, origin, prunings, last_term = connection.one(
            tuple[int, str, str, int, int],
            """SELECT change, changed_at, store_id, prunings, coalesce(
                (SELECT seq FROM sqlite_sequence WHERE name = 'term'), 0
            ) FROM meta""",
        )
        return Change(number, time, origin), prunings, last_term
    except BaseException:
        connection.rollback()
        raise


_MOST_KNOWN: Final = 10_000
