"""Taking memories away: one by its id, or all that conditions describe."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from winnow.errors import Fault, settle
from winnow.memory.changes.confirming import (
    check_count,
    check_meant,
    read_confirmation,
    warn_of_refusal,
)
from winnow.memory.changes.finding import locate
from winnow.memory.changes.keeping import require_own
from winnow.memory.engine import Engine
from winnow.memory.records.selecting import Wanted, select, split, want
from winnow.memory.times import milliseconds
from winnow.operations.changes import DeleteRequest
from winnow.operations.memories import DeleteAnswer
from winnow.store.memories import RecordLookup, RecordWriter

MOST_IDS: Final = 1_000
"""Ids that an answer lists."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Which memories were meant, up to a thousand of them, how many, and how many were deleted.

    `pieces` counts what matched and is a part of a note.
    """

    ids: Sequence[str]
    matched: int
    deleted: int = 0
    pieces: int | None = None


def delete(engine: Engine, request: DeleteRequest, faults: list[Fault]) -> DeleteAnswer:
    """Delete a memory, or all that match; they can be brought back until they are purged."""
    if read_confirmation(request, faults, counts_everything=True):
        return _delete_matching(engine, request, faults)
    return _delete_one(engine, request, faults)


def _delete_one(engine: Engine, request: DeleteRequest, faults: list[Fault]) -> DeleteAnswer:
    namespace, name = locate(engine, request.namespace, request.id, faults)
    settle(faults)
    request = replace(request, id=name)
    if request.dry_run:
        _find_one(engine, request, engine.store.records, namespace)
        return _answer(engine, request, Taken([name], 1))
    with engine.write() as writer:
        keys = _find_one(engine, request, writer.records, namespace)
        count = _remove(engine, request, writer.records, keys)
    return _answer(engine, request, Taken([name], 1, count))


def _delete_matching(engine: Engine, request: DeleteRequest, faults: list[Fault]) -> DeleteAnswer:
    if request.schema is not None:
        detail = "memories are deleted; entities come from notes and imports, and stay"
        faults.append(Fault("/schema", detail))
    home = replace(request, namespace=engine.home(request.namespace, faults))
    wanted = want(engine, home, engine.shelf().keys, faults)
    check_meant(request, wanted.asked, faults)
    settle(faults)
    wanted = replace(wanted, warnings=(*wanted.warnings, *engine.doubts(request.namespace)))
    if request.dry_run:
        keys, pieces = _find(engine, wanted)
        refusal = warn_of_refusal(len(keys), wanted.unknown)
        wanted = replace(wanted, warnings=(*wanted.warnings, *refusal))
        taken = Taken(_name(engine.store.records, keys), len(keys), 0, pieces)
        return _answer(engine, request, taken, wanted)
    with engine.write() as writer:
        # Nobody else writes now, so that what is read is what the transaction sees.
        keys, pieces = _find(engine, wanted)
        check_count(request, len(keys), wanted.unknown)
        names = _name(writer.records, keys)
        count = _remove(engine, request, writer.records, keys)
    return _answer(engine, request, Taken(names, len(keys), count, pieces), wanted)


def _find(engine: Engine, wanted: Wanted) -> tuple[list[int], int]:
    """Return the keys of the memories that match, and how many pieces of notes do."""
    return split(select(wanted, engine.shelf()))


def _name(records: RecordLookup, keys: list[int]) -> list[str]:
    """Return the ids of these memories, in order, or of the first of them."""
    some = records.in_order(keys[:MOST_IDS])
    return [record.id for record in records.read(some) if record is not None]


def _find_one(
    engine: Engine, request: DeleteRequest, records: RecordLookup, namespace: str
) -> list[int]:
    """Return the key of the one memory that is meant; one that is deleted can still be purged."""
    name = request.id or ""
    key = records.find(namespace, name, deleted=True) if request.purge else None
    if key is None:
        require_own(engine, records, namespace, name)
        key = records.find(namespace, name)
    return [] if key is None else [key]


def _remove(engine: Engine, request: DeleteRequest, records: RecordWriter, keys: list[int]) -> int:
    if request.purge:
        return records.purge(keys)
    return records.delete(keys, milliseconds(engine.clock()))


def _answer(
    engine: Engine,
    request: DeleteRequest,
    taken: Taken,
    wanted: Wanted | None = None,
) -> DeleteAnswer:
    return DeleteAnswer(
        matched=taken.matched,
        deleted=taken.deleted,
        read_only=taken.pieces,
        dry_run=request.dry_run or None,
        filters=wanted.filters if wanted else None,
        where=wanted.where if wanted else None,
        warnings=(wanted.warnings or None) if wanted else None,
        as_of=engine.as_of(),
        ids=taken.ids,
    )
