"""The names of files of columns in the tables of a store."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final

from winnow.store.segments import Derived, Segment
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.lock import try_lock
from winnow.store.sqlite.readers import Readers
from winnow.store.sqlite.transaction import Transaction


class SqliteSegmentReader:
    """Reads which files there are from the store's tables."""

    def __init__(self, readers: Readers, folder: Path) -> None:
        self._readers = readers
        self._turn = Lock()
        self.folder = folder

    def find(self, topic: str) -> Derived | None:
        """Return what there is of a topic in the state that this thread sees."""
        with self._readers.snapshot() as connection:
            row = connection.first(_DerivedRow, _DERIVED + "WHERE topic = ?", (topic,))
            return None if row is None else _read(connection, row)

    def list(self) -> Sequence[Derived]:
        """Return what there is of all topics."""
        with self._readers.snapshot() as connection:
            rows = connection.all(_DerivedRow, _DERIVED + "ORDER BY topic")
            return [_read(connection, row) for row in rows]

    @contextmanager
    def claim(self) -> Generator[bool]:
        """Return a block that may write files; it gets False while another process does.

        Threads of this process wait for each other.
        """
        with self._turn, try_lock(self.folder / "segments.lock") as claimed:
            yield claimed


class SqliteSegmentWriter:
    """Names files in the store's tables."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def put(self, derived: Derived) -> bool:
        """Name the files of a topic in place of those before; False if newer ones are named."""
        with self._transaction.step(visible=False) as connection:
            row = connection.first(_DerivedRow, _DERIVED + "WHERE topic = ?", (derived.topic,))
            if row is not None and row[1] == derived.stamp and row[2] > derived.change:
                return False
            connection.execute("DELETE FROM derived WHERE topic = ?", (derived.topic,))
            connection.execute(
                "INSERT INTO derived (topic, stamp, change) VALUES (?, ?, ?)",
                (derived.topic, derived.stamp, int(derived.change)),
            )
            connection.execute_many(
                """INSERT INTO segment
                (topic, place, label, file, entry, rows, size, checksum, dead)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                [
                    (derived.topic, place, *_values(segment))
                    for place, segment in enumerate(derived.segments)
                ],
            )
        return True

    def forget(self, topics: Iterable[str]) -> None:
        """Take topics out; their files are litter then."""
        with self._transaction.step(visible=False) as connection:
            connection.execute_many(
                "DELETE FROM derived WHERE topic = ?", [(topic,) for topic in topics]
            )


def _values(segment: Segment) -> tuple[str, str, int, int, int, int, bytes | None]:
    return (
        segment.label,
        segment.file,
        int(segment.entry),
        int(segment.rows),
        int(segment.size),
        int(segment.checksum),
        segment.dead,
    )


_DerivedRow = tuple[str, str, int]
_DERIVED: Final = "SELECT topic, stamp, change FROM derived "


def _read(connection: Connection, row: _DerivedRow) -> Derived:
    segments = connection.all(
        tuple[str, str, int, int, int, int, "bytes | None"],
        """SELECT label, file, entry, rows, size, checksum, dead
        FROM segment WHERE topic = ? ORDER BY place""",
        (row[0],),
    )
    return Derived(*row, segments=[Segment(*one) for one in segments])
