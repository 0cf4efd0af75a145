"""Storing memories and changing them, one at a time."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from winnow.errors import Conflict, Fault, InvalidRequest, NotFound, ReadOnly, settle
from winnow.kinds import read_kind
from winnow.memory.changes.anticipating import anticipate
from winnow.memory.changes.cleaning import clean_said
from winnow.memory.changes.finding import (
    check_id,
    find_live,
    hint_elsewhere,
    is_expired,
    locate,
)
from winnow.memory.changes.finishing import check_vector, finish
from winnow.memory.changes.saying import Said, begin, change, clear, read_clear, read_said
from winnow.memory.engine import Engine
from winnow.memory.times import milliseconds, show_time
from winnow.operations.changes import StoreRequest, UpdateRequest
from winnow.operations.memories import MemoryRecord
from winnow.operations.requests import GetRequest
from winnow.store.memories import Record, RecordLookup


def store(engine: Engine, request: StoreRequest, faults: list[Fault]) -> MemoryRecord:
    """Store a memory; one of that id is changed, and keeps what is not named.

    Many at once are stored by `admin.import_(objects=…)`.
    """
    namespace = engine.home(request.namespace, faults)
    said = read_said(engine, request, faults)
    check_id(request.id, faults)
    check_vector(engine, namespace, said.vector, faults)
    settle(faults)
    secrets = Counter[str]()
    said = clean_said(engine, namespace, said, secrets)
    early = _look_up(engine, engine.store.records, namespace, request)
    draft = early or begin(namespace, request.id or "", milliseconds(engine.clock()))
    ahead = anticipate(engine, draft, said, early)
    with engine.write() as writer:
        records = writer.records
        before = _look_up(engine, records, namespace, request)
        if before is None:
            name = request.id or records.new_id(namespace)
            fresh = begin(namespace, name, milliseconds(engine.clock()))
        else:
            fresh = _touch(engine, before)
        record = change(engine, fresh, said, ahead.given)
        _refuse_blank(record, before, said)
        key = records.put(finish(engine, record, records, said.vector, before, ahead.embedded))
        twins = [one for one in records.duplicates(namespace, record.text) if one != key]
        now = milliseconds(engine.clock())
        found = [one for one in records.read(twins) if one is not None]
        others = [one.id for one in found if not is_expired(one, now)]
    return replace(show_record(record, others or None), redacted=dict(secrets) or None)


def get(engine: Engine, request: GetRequest, faults: list[Fault]) -> MemoryRecord:
    """Read one memory, or a piece of a note."""
    namespace, name = locate(engine, request.namespace, request.id, faults)
    settle(faults)
    return show_record(require(engine, engine.store.records, namespace, name))


def update(engine: Engine, request: UpdateRequest, faults: list[Fault]) -> MemoryRecord:
    """Change a memory; what is not named stays as it is."""
    namespace, name = locate(engine, request.namespace, request.id, faults)
    said = read_said(engine, request, faults)
    emptied = read_clear(request.clear, faults)
    check_vector(engine, namespace, said.vector, faults)
    settle(faults)
    secrets = Counter[str]()
    said = clean_said(engine, namespace, said, secrets)
    early = require_own(engine, engine.store.records, namespace, name)
    ahead = anticipate(engine, clear(early, emptied), said, early).embedded
    with engine.write() as writer:
        before = require_own(engine, writer.records, namespace, name)
        record = _touch(engine, change(engine, clear(before, emptied), said))
        _refuse_blank(record, before, said)
        writer.records.put(finish(engine, record, writer.records, said.vector, before, ahead))
    return replace(show_record(record), redacted=dict(secrets) or None)


def show_record(record: Record, duplicates: Sequence[str] | None = None) -> MemoryRecord:
    """Show a record."""
    piece = record.piece
    return MemoryRecord(
        id=record.id,
        namespace=record.namespace,
        text=record.text,
        title=record.title or None,
        kind=read_kind(record.kind),
        kind_provenance=record.kind_provenance,
        entity=record.entity or None,
        memory_type=record.memory_type,
        tags=record.tags,
        importance=record.importance,
        source=record.source or None,
        metadata=record.metadata,
        created_at=show_time(record.created_at),
        updated_at=show_time(record.updated_at),
        expires_at=None if record.expires_at is None else show_time(record.expires_at),
        vault=piece.vault if piece else None,
        path=piece.path if piece else None,
        heading=piece.heading if piece else None,
        duplicates=duplicates,
    )


def require(engine: Engine, records: RecordLookup, namespace: str, name: str) -> Record:
    """Return a live memory, or a piece of a note; raise NotFound if there is none."""
    record = find_live(engine, records, namespace, name)
    if record is None:
        raise _missing(engine, namespace, name)
    return record


def require_own(engine: Engine, records: RecordLookup, namespace: str, name: str) -> Record:
    """Return a memory that is to be changed; raise ReadOnly for a piece of a note."""
    record = require(engine, records, namespace, name)
    _refuse_piece(record)
    return record


def _look_up(
    engine: Engine, records: RecordLookup, namespace: str, request: StoreRequest
) -> Record | None:
    """Return the memory that a store would change, None if it makes a new one."""
    found = find_live(engine, records, namespace, request.id) if request.id else None
    if found is None and request.if_missing == "error":
        raise _missing(engine, namespace, request.id or "")
    if found is not None and request.if_exists == "error":
        raise Conflict(f"there is a memory with the id {request.id!r} already")
    if found is not None:
        _refuse_piece(found)
    return found


def _missing(engine: Engine, namespace: str, name: str) -> NotFound:
    hint = hint_elsewhere(engine, namespace, name)
    return NotFound(f"no memory has the id {name!r} in namespace {namespace!r}{hint}")


def _refuse_blank(record: Record, before: Record | None, said: Said) -> None:
    """Refuse what would leave a memory without words; with a vector of the caller's it needs none.

    One that has none already, by an import or another protocol, can be changed all the same.
    """
    words = (record.text, record.title)
    if said.vector is not None or any(one.strip() for one in words):
        return
    if before is None or words != (before.text, before.title):
        raise InvalidRequest([Fault("/text", "it is blank: say what to remember, or give a title")])


def _refuse_piece(record: Record) -> None:
    if record.piece is not None:
        raise ReadOnly(f"{record.id!r} is a piece of the note {record.piece.path}; change the note")


def _touch(engine: Engine, record: Record) -> Record:
    return replace(record, updated_at=milliseconds(engine.clock()))
