"""Storing memories and changing them, one at a time."""

from collections.abc import Sequence
from dataclasses import replace

from winnow.errors import Conflict, Fault, NotFound, ReadOnly, settle
from winnow.filter.plain import copy_plain
from winnow.memory.engine import Engine
from winnow.memory.finishing import check_vector, finish
from winnow.memory.saying import begin, change, clear, read_clear, read_said
from winnow.memory.times import milliseconds, show_time
from winnow.operations.changes import (
    DeleteRequest,
    StoreRequest,
    UndeleteRequest,
    UpdateRequest,
)
from winnow.operations.memories import DeleteAnswer, MemoryRecord
from winnow.operations.requests import GetRequest
from winnow.store.memories import Record, RecordLookup


def store(engine: Engine, request: StoreRequest, faults: list[Fault]) -> MemoryRecord:
    """Store a memory; one of that id is changed, and keeps what is not named."""
    namespace = engine.home(request.namespace, faults)
    said = read_said(engine, request, faults)
    _check_id(request.id, faults)
    check_vector(engine, namespace, said.vector, faults)
    settle(faults)
    with engine.store.write() as writer:
        records = writer.records
        before = _find(engine, records, namespace, request.id) if request.id else None
        _check_presence(request, before)
        fresh = before or begin(engine, namespace, request.id or records.new_id(namespace))
        _refuse_piece(fresh)
        record = _touch(engine, change(engine, fresh, said))
        key = records.put(finish(engine, record, records, said.vector, before))
        twins = [one for one in records.duplicates(namespace, record.text) if one != key]
        others = [one.id for one in records.read(twins) if one is not None]
    return show_record(record, others or None)


def get(engine: Engine, request: GetRequest, faults: list[Fault]) -> MemoryRecord:
    """Read one memory, or a piece of a note."""
    namespace = engine.home(request.namespace, faults)
    _check_id(request.id, faults)
    settle(faults)
    return show_record(_require(engine, engine.store.records, namespace, request.id))


def update(engine: Engine, request: UpdateRequest, faults: list[Fault]) -> MemoryRecord:
    """Change a memory; what is not named stays as it is."""
    namespace = engine.home(request.namespace, faults)
    said = read_said(engine, request, faults)
    emptied = read_clear(request.clear, faults)
    _check_id(request.id, faults)
    check_vector(engine, namespace, said.vector, faults)
    settle(faults)
    with engine.store.write() as writer:
        before = _require(engine, writer.records, namespace, request.id)
        _refuse_piece(before)
        record = _touch(engine, change(engine, clear(before, emptied), said))
        writer.records.put(finish(engine, record, writer.records, said.vector, before))
    return show_record(record)


def delete(engine: Engine, request: DeleteRequest, faults: list[Fault]) -> DeleteAnswer:
    """Delete a memory; it can be brought back until it is purged."""
    namespace = engine.home(request.namespace, faults)
    if request.id is None:
        faults.append(Fault("/id", "this argument is required"))
    _check_id(request.id, faults)
    settle(faults)
    with engine.store.write() as writer:
        record = _require(engine, writer.records, namespace, request.id or "")
        _refuse_piece(record)
        keys = _keys(writer.records, record)
        if request.purge:
            count = writer.records.purge(keys)
        else:
            count = writer.records.delete(keys, milliseconds(engine.clock()))
    return DeleteAnswer(
        matched=1,
        deleted=count,
        read_only=None,
        dry_run=None,
        filters=None,
        where=None,
        warnings=None,
        as_of=engine.as_of(),
    )


def undelete(engine: Engine, request: UndeleteRequest, faults: list[Fault]) -> MemoryRecord:
    """Bring a deleted memory back as it was."""
    namespace = engine.home(request.namespace, faults)
    _check_id(request.id, faults)
    settle(faults)
    with engine.store.write() as writer:
        key = writer.records.find(namespace, request.id, deleted=True)
        if key is None:
            raise NotFound(f"no deleted memory has the id {request.id!r} in {namespace!r}")
        writer.records.undelete([key], milliseconds(engine.clock()))
        # One that has expired meanwhile stays deleted: nothing could be seen of it.
        return show_record(_require(engine, writer.records, namespace, request.id))


def show_record(record: Record, duplicates: Sequence[str] | None = None) -> MemoryRecord:
    """Show a record."""
    piece = record.piece
    return MemoryRecord(
        id=record.id,
        namespace=record.namespace,
        text=record.text,
        title=record.title or None,
        kind=record.kind,
        kind_provenance=record.kind_provenance,
        entity=record.entity,
        memory_type=record.memory_type,
        tags=record.tags,
        importance=record.importance,
        source=record.source,
        metadata=record.metadata,
        created_at=show_time(record.created_at),
        updated_at=show_time(record.updated_at),
        expires_at=None if record.expires_at is None else show_time(record.expires_at),
        vault=piece.vault if piece else None,
        path=piece.path if piece else None,
        heading=piece.heading if piece else None,
        duplicates=duplicates,
    )


def is_expired(record: Record, now: int) -> bool:
    """Tell whether a record's time is over: it is then invisible everywhere."""
    return record.expires_at is not None and record.expires_at <= now


def _check_id(name: str | None, faults: list[Fault]) -> None:
    if name is None:
        return
    if not name.strip():
        faults.append(Fault("/id", "an id is not blank"))
    faults.extend(copy_plain(name, "/id")[1])


def _find(engine: Engine, records: RecordLookup, namespace: str, name: str) -> Record | None:
    key = records.find(namespace, name)
    record = records.read([key])[0] if key is not None else None
    if record is None or is_expired(record, milliseconds(engine.clock())):
        return None
    return record


def _require(engine: Engine, records: RecordLookup, namespace: str, name: str) -> Record:
    record = _find(engine, records, namespace, name)
    if record is None:
        raise NotFound(f"no memory has the id {name!r} in namespace {namespace!r}")
    return record


def _keys(records: RecordLookup, record: Record) -> list[int]:
    key = records.find(record.namespace, record.id)
    return [] if key is None else [key]


def _check_presence(request: StoreRequest, before: Record | None) -> None:
    if before is not None and request.if_exists == "error":
        raise Conflict(f"there is a memory with the id {request.id!r} already")
    if before is None and request.if_missing == "error":
        raise NotFound(f"no memory has the id {request.id!r}")


def _refuse_piece(record: Record) -> None:
    if record.piece is not None:
        raise ReadOnly(f"{record.id!r} is a piece of the note {record.piece.path}; change the note")


def _touch(engine: Engine, record: Record) -> Record:
    return replace(record, updated_at=milliseconds(engine.clock()))
