"""Looking after a store that is an SQLite file."""

from collections.abc import Sequence
from pathlib import Path

from winnow.store.check import find_problems, now_in_milliseconds
from winnow.store.copies import check_target, copy_store
from winnow.store.held import Copied, Report
from winnow.store.problems import Problem
from winnow.store.readers import Readers
from winnow.store.records.counts import list_bare


class SqliteUpkeep:
    """Looks after one file."""

    def __init__(self, path: Path, readers: Readers) -> None:
        self._path = path
        self._readers = readers

    @property
    def version(self) -> int:
        """The version of the tables."""
        with self._readers.lend() as connection:
            return connection.one(tuple[int], "PRAGMA user_version")[0]

    def check(self, now: int | None = None) -> list[Problem]:
        """Return what is wrong with the store; `now` is in milliseconds. Reads the whole file."""
        with self._readers.snapshot() as connection:
            return list(find_problems(connection, now_in_milliseconds() if now is None else now))

    def find_bare(self, namespace: str, model: str) -> Sequence[int]:
        """Return the keys of the live records whose vectors a model makes and that have none."""
        with self._readers.snapshot() as connection:
            return list_bare(connection, namespace, model)

    def copy_to(self, target: Path, *, replace: bool, report: Report | None = None) -> Copied:
        """Copy the state of now into a file, while others write, and check the copy."""
        check_target(self._path, target, replace=replace)
        with self._readers.snapshot() as connection:
            return copy_store(connection, target, replace=replace, report=report)
