"""Changing indexes: what a run of commands does in one transaction.

Records are looked up once, changed in memory, and written together at the end.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from winnow.errors import Conflict, ReadOnly
from winnow.memory.changes.cleaning import clean_record
from winnow.memory.changes.finding import is_expired
from winnow.memory.engine import Engine
from winnow.memory.indexes.directory import Directory, find_index, is_over
from winnow.memory.indexes.settings import Index, IndexSettings, erase_index, write_index
from winnow.store.additions import Draft, Sheet, make_draft
from winnow.store.base import Writer
from winnow.store.memories import Record, Version


@dataclass(slots=True)
class _Entry:
    """A record: what is stored of it, and what it is now; None if it is not there."""

    stored: Version | None = None
    now: Record | Draft | None = None
    changed: bool = False


class RecordChanges:
    """The memories that one transaction changes. Used by one thread."""

    def __init__(self, engine: Engine, writer: Writer, now: int) -> None:
        self._engine = engine
        self._writer = writer
        self._now = now
        self.additions = writer.additions
        self._entries: dict[str, dict[str, _Entry]] = {}
        self._free: dict[str, list[str]] = {}
        self._taken: dict[str, str] = {}
        self._redacts: dict[str, bool] = {}

    def look_ahead(self, name: str, ids: Iterable[str]) -> None:
        """Look up records that are about to be asked for, all at once."""
        known = self._entries.setdefault(name, {})
        wanted = [one for one in dict.fromkeys(ids) if one not in known]
        found = self._writer.records.find_versions(name, wanted) if wanted else {}
        for one in wanted:
            version = found.get(one)
            known[one] = _Entry(version, self._live(version))

    def find(self, name: str, record: str) -> Record | None:
        """Return a memory as it stands now; pieces of notes are none."""
        now = self._entry(name, record).now
        return now.record() if isinstance(now, Draft) else now

    def add(self, draft: Draft) -> None:
        """Add a memory that is not there; ReadOnly if a piece of a note has its id."""
        if self.is_redacted(draft.namespace):
            self.put(draft.record())
            return
        entry = self._entry(draft.namespace, draft.id)
        _refuse_piece(entry)
        entry.now, entry.changed = draft, True

    def put(self, record: Record) -> None:
        """Add a memory, or replace the one of that id; ReadOnly if a piece of a note has it."""
        entry = self._entry(record.namespace, record.id)
        _refuse_piece(entry)
        if self.is_redacted(record.namespace):
            record = clean_record(record, Counter())
        entry.now, entry.changed = record, True

    def delete(self, name: str, record: str) -> bool:
        """Delete a memory; tell whether there was one."""
        entry = self._entry(name, record)
        if entry.now is None:
            return False
        entry.now, entry.changed = None, True
        return True

    def add_sheet(self, sheet: Sheet) -> bool:
        """Add memories at once; False, and nothing happens, if each has to be looked at.

        That is so where anything has, or had, one of the ids, and where secrets are left out.
        """
        if self.is_redacted(sheet.namespace):
            return False
        self.flush()
        return self.additions.add_sheet(sheet)

    def new_id(self, name: str) -> str:
        """Return the next automatic id, which nothing has or had."""
        entries = self._entries.setdefault(name, {})
        while True:
            made = self._take_id(name)
            entry = entries.setdefault(made, _Entry())
            if entry.stored is None and not entry.changed:
                return made

    def count(self, name: str) -> int:
        """Count the memories of a namespace."""
        counted = self._engine.store.records.count([name], self._now)
        stored = sum(one.count for one in counted if not one.pieces)
        entries = self._entries.get(name, {}).values()
        before = sum(self._live(one.stored) is not None for one in entries)
        return stored - before + sum(one.now is not None for one in entries)

    def flush(self) -> None:
        """Write what has changed."""
        entries = [one for some in self._entries.values() for one in some.values() if one.changed]
        gone = [
            one.stored.key
            for one in entries
            if one.now is None and one.stored is not None and self._live(one.stored) is not None
        ]
        if gone:
            self._writer.records.delete(gone, self._now)
        added = [_draft(one.now) for one in entries if one.now is not None and one.stored is None]
        if added:
            self.additions.add(added)
        for one in entries:
            if one.now is not None and one.stored is not None:
                self._writer.records.put(_record(one.now))
        for name, last in self._taken.items():
            self.additions.take_ids(name, last)
        for some in (self._entries, self._taken, self._free):
            some.clear()

    def forget(self, name: str) -> None:
        """Write nothing of what was to change in a namespace."""
        for some in (self._entries, self._taken, self._free):
            some.pop(name, None)

    def is_redacted(self, name: str) -> bool:
        """Tell whether secrets are left out of what a namespace keeps."""
        if name not in self._redacts:
            settings = self._engine.workshop.settings(name, self._writer.spaces.settled())
            self._redacts[name] = settings.redacts
        return self._redacts[name]

    def _entry(self, name: str, record: str) -> _Entry:
        known = self._entries.setdefault(name, {})
        if record not in known:
            self.look_ahead(name, [record])
        return known[record]

    def _take_id(self, name: str) -> str:
        """Take an id from those that were looked up, more of them each time."""
        left = self._free.get(name)
        if not left:
            taken = self._taken.get(name)
            if taken is not None:
                self.additions.take_ids(name, taken)
            found = self.additions.free_ids(name, 1 if taken is None else _IDS_AT_ONCE)
            left = self._free[name] = found[::-1]
        self._taken[name] = left.pop()
        return self._taken[name]

    def _live(self, version: Version | None) -> Record | None:
        if version is None or version.deleted_at is not None or version.record.piece is not None:
            return None
        return None if is_expired(version.record, self._now) else version.record


_IDS_AT_ONCE = 256


def _refuse_piece(entry: _Entry) -> None:
    if entry.stored is not None and entry.stored.record.piece is not None:
        raise ReadOnly("this id is that of a piece of a note, which is changed there")


def _draft(now: Record | Draft) -> Draft:
    return now if isinstance(now, Draft) else make_draft(now)


def _record(now: Record | Draft) -> Record:
    return now.record() if isinstance(now, Draft) else now


class IndexChanges:
    """The indexes that one transaction changes as a whole. Used by one thread."""

    def __init__(
        self, writer: Writer, records: RecordChanges, now: int, directory: Directory
    ) -> None:
        self._writer = writer
        self._directory = directory
        self._records = records
        self._now = now
        self._indexes: dict[str, Index | None] = {}

    def find(self, name: str) -> Index | None:
        """Return an index as it stands now."""
        if name not in self._indexes:
            # Whoever changes an index of our own does it here: else it is as it was before.
            found = self._find_own(name) or find_index(self._writer.spaces.find(name))
            self._indexes[name] = None if found is None or is_over(found, self._now) else found
        return self._indexes[name]

    def _find_own(self, name: str) -> Index | None:
        return self._directory.find_own(name, self._writer.spaces.settled())

    def put(self, name: str, settings: IndexSettings) -> None:
        """Make an index, or set it anew; one that is over by now is dropped first."""
        if self.find(name) is None:
            self.drop_overdue(name)
            self._refuse_notes(name, settings)
        self._write(name, settings)

    def made(self) -> list[Index]:
        """List the indexes of our own that were looked at, or made, and are there now."""
        return [index for index in self._indexes.values() if index is not None and index.own]

    def drop(self, index: Index) -> None:
        """Remove an index with all its memories, for good; Conflict if it is not our own."""
        _require_own(index)
        self._erase(index.name)

    def drop_overdue(self, name: str) -> None:
        """Remove an index if its time is over."""
        if self.find(name) is None and find_index(self._writer.spaces.find(name)) is not None:
            self._erase(name)

    def rename(self, index: Index, target: str) -> None:
        """Give an index another name, in place of what has it."""
        _require_own(index)
        self._make_room(target, index.settings)
        self._records.flush()
        self._writer.spaces.move(index.name, target)
        source = self._writer.spaces.find(index.name)
        self._writer.spaces.put_settings(index.name, erase_index(source.settings))
        self._indexes[index.name] = None
        self._write(target, index.settings)

    def copy(self, index: Index, target: str) -> None:
        """Copy an index, in place of what has the other name."""
        self._make_room(target, index.settings)
        self._records.flush()
        self._writer.spaces.copy(index.name, target)
        self._write(target, index.settings)

    def _make_room(self, name: str, settings: IndexSettings) -> None:
        before = self.find(name)
        if before is not None:
            self.drop(before)
        self.drop_overdue(name)
        self._refuse_notes(name, settings)

    def _refuse_notes(self, name: str, settings: IndexSettings) -> None:
        if settings.mode.has_vectors and self._writer.spaces.find(name).has_vaults:
            raise Conflict("this namespace holds notes, whose vectors are not the client's")

    def _write(self, name: str, settings: IndexSettings) -> None:
        before = self._writer.spaces.find(name).settings
        self._writer.spaces.put_settings(name, write_index(before, settings))
        self._indexes[name] = Index(name, settings, own=True)

    def _erase(self, name: str) -> None:
        self._records.forget(name)
        self._writer.spaces.clear(name)
        space = self._writer.spaces.find(name)
        self._writer.spaces.put_settings(name, erase_index(space.settings))
        self._indexes[name] = None


def _require_own(index: Index) -> None:
    if not index.own:
        raise Conflict(
            f"{index.name!r} holds memories that were not stored over this protocol; it stays"
            " (winnow delete takes memories away)"
        )


@dataclass(frozen=True, slots=True)
class Changes:
    """What one transaction changes, at one time, which is in milliseconds."""

    records: RecordChanges
    indexes: IndexChanges
    now: int


def begin_changes(
    engine: Engine, writer: Writer, now: int, directory: Directory | None = None
) -> Changes:
    """Begin to change indexes; `records.flush` has to be called at the end."""
    records = RecordChanges(engine, writer, now)
    indexes = IndexChanges(writer, records, now, directory or Directory(engine))
    return Changes(records, indexes, now)
