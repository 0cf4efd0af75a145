"""Looking after a store that is an SQLite file."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from winnow.store.base import Writer
from winnow.store.held import Copied, Report
from winnow.store.problems import Problem
from winnow.store.segments import SegmentReader
from winnow.store.sqlite.connection import sqlite_version
from winnow.store.sqlite.readers import Readers
from winnow.store.sqlite.records.counts import list_bare
from winnow.store.sqlite.upkeep.check import find_problems, now_in_milliseconds
from winnow.store.sqlite.upkeep.copies import check_target, copy_store
from winnow.store.sqlite.upkeep.surroundings import (
    LITTER,
    OPEN_FILES,
    STALE_FILES,
    close_files,
    find_left,
    find_open,
    find_stale,
    find_stale_files,
    find_surroundings,
    name_files,
    remove_files,
)


class SqliteUpkeep:
    """Looks after one file, and what lies beside it."""

    def __init__(
        self,
        path: Path,
        readers: Readers,
        segments: SegmentReader,
        write: Callable[[], AbstractContextManager[Writer]],
    ) -> None:
        self._path = path
        self._readers = readers
        self._segments = segments
        self._write = write

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of SQLite, and of the tables."""
        with self._readers.lend() as connection:
            (tables,) = connection.one(tuple[int], "PRAGMA user_version")
        return {"sqlite": sqlite_version(), "store": str(tables)}

    def check(self, now: int | None = None) -> list[Problem]:
        """Return what is wrong with the store; `now` is in milliseconds. Reads the whole file."""
        with self._readers.snapshot() as connection:
            return list(find_problems(connection, now_in_milliseconds() if now is None else now))

    def look_around(self) -> list[Problem]:
        """Return what is wrong with the files that lie about the store."""
        derived = self._segments.list()
        stale = find_stale_files(self._segments.folder, derived)
        return [*stale, *find_surroundings(self._path, name_files(derived))]

    def mend(self, codes: Collection[str]) -> None:
        """Mend the problems of these codes, as far as nobody else has to."""
        with self._write() as writer:
            writer.mend(codes)
            if STALE_FILES in codes:
                stale = find_stale(self._segments.folder, self._segments.list())
                writer.segments.forget(stale)
        if OPEN_FILES in codes:
            close_files(find_open(self._path))
        if LITTER in codes:
            with self._segments.claim() as alone:
                if alone:
                    remove_files(find_left(self._path, name_files(self._segments.list())))

    def find_bare(self, namespace: str, model: str) -> Sequence[int]:
        """Return the keys of the live records whose vectors a model makes and that have none."""
        with self._readers.snapshot() as connection:
            return list_bare(connection, namespace, model)

    def copy_to(self, target: Path, *, replace: bool, report: Report | None = None) -> Copied:
        """Copy the state of now into a file, while others write, and check the copy."""
        check_target(self._path, target, replace=replace)
        with self._readers.snapshot() as connection:
            return copy_store(connection, target, replace=replace, report=report)
