"""Listing the memories that were deleted and can still be brought back."""

from dataclasses import fields, replace
from typing import Final

from winnow.errors import Fault, InvalidRequest, settle
from winnow.memory.changes.keeping import show_record
from winnow.memory.changes.sweeping import RETENTION
from winnow.memory.cursors import Fingerprint, bind, fingerprint, read_cursor, write_cursor
from winnow.memory.engine import Engine
from winnow.memory.times import milliseconds, show_time
from winnow.operations.answers import ListAnswer
from winnow.operations.memories import MemoryRecord
from winnow.operations.requests import ListRequest
from winnow.plan.order import SortKey
from winnow.schema import Field
from winnow.store.memories import Deleted, Version
from winnow.values import Type
from winnow.wire import camel_case

_ORDER: Final = [SortKey((Field("deletedAt", Type.INTEGER),), descending=True)]
_TAKEN: Final = ("namespace", "limit", "cursor", "deleted")
_NOT_TAKEN: Final = {one.name: one.default for one in fields(ListRequest) if one.name not in _TAKEN}


def list_deleted(engine: Engine, request: ListRequest, faults: list[Fault]) -> ListAnswer:
    """List deleted memories, the last one first, page by page."""
    namespaces = _namespaces(engine, request.namespace, faults)
    detail = "deleted memories are listed all, the last first; leave it out, or deleted"
    for name, default in _NOT_TAKEN.items():
        if getattr(request, name) != default:
            faults.append(Fault(f"/{camel_case(name)}", detail))
    own = bind(fingerprint("deleted", request.namespace), engine.access)
    after = _read_cursor(engine, request.cursor, own, faults)
    settle(faults)
    now = milliseconds(engine.clock())
    found = engine.store.records.deleted(namespaces, now - RETENTION + 1, now)
    left = [one for one in found if after is None or _place(one) > _place(after)]
    page = left[: request.limit]
    versions = engine.store.records.read_versions([one.key for one in page])
    more = len(left) > len(page)
    return ListAnswer(
        entities=(),
        memories=[_show(one) for one in versions if one is not None],
        filters={},
        where="",
        filtered_entities=len(found),
        undetermined=0,
        returned=len(page),
        truncated=more,
        cursor=_write_cursor(own, page[-1]) if more else None,
        warnings=(None if found else engine.doubts(request.namespace)) or None,
        as_of=engine.as_of(),
    )


def _namespaces(engine: Engine, asked: str | None, faults: list[Fault]) -> list[str]:
    """Return the namespaces to look in, also those that hold nothing any more."""
    if asked is not None:
        return engine.namespaces(asked, faults)
    return engine.access.visible(row.name for row in engine.store.records.namespaces())


def _show(version: Version) -> MemoryRecord:
    shown = show_record(version.record)
    at = version.deleted_at
    return shown if at is None else replace(shown, deleted_at=show_time(at))


def _place(one: Deleted) -> tuple[int, str, str]:
    return (-one.at, one.namespace, one.id)


def _write_cursor(own: Fingerprint, last: Deleted) -> str:
    return write_cursor(own, [last.at], last.id, last.namespace)


def _read_cursor(
    engine: Engine, cursor: str | None, own: Fingerprint, faults: list[Fault]
) -> Deleted | None:
    """Return what a page ended with."""
    if cursor is None:
        return None
    try:
        bound = read_cursor(cursor, own, _ORDER, engine.zone)
    except InvalidRequest as error:
        faults.extend(error.faults)
        return None
    (at,) = bound.values
    return Deleted(bound.namespace, bound.id, at if isinstance(at, int) else 0)
