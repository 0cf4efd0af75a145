"""Bringing deleted memories back: one by its id, or several in one step."""

from collections.abc import Sequence
from typing import Final, Protocol, cast, overload

from winnow.errors import Fault, NotFound, settle
from winnow.memory.changes.deleting import MOST_IDS
from winnow.memory.changes.finding import check_id, hint_deleted, locate
from winnow.memory.changes.keeping import require, show_record
from winnow.memory.changes.sweeping import RETENTION
from winnow.memory.engine import Engine
from winnow.memory.times import milliseconds, read_past_time
from winnow.operations.arguments import Past
from winnow.operations.changes import UndeleteRequest
from winnow.operations.memories import MemoryRecord, UndeleteAnswer
from winnow.store.memories import RecordLookup

_ONE_OF_THREE: Final = "give one of id, ids and deletedSince"


class Undelete(Protocol):
    """The method for it: which answer it gives follows from what it is asked for."""

    @overload
    def __call__(self, id: str, *, namespace: str | None = None) -> MemoryRecord: ...
    @overload
    def __call__(
        self, *, ids: Sequence[str] | str, namespace: str | None = None
    ) -> UndeleteAnswer: ...
    @overload
    def __call__(self, *, deleted_since: Past, namespace: str | None = None) -> UndeleteAnswer: ...


def undelete(
    engine: Engine, request: UndeleteRequest, faults: list[Fault]
) -> MemoryRecord | UndeleteAnswer:
    """Bring a deleted memory back as it was, or several, all of them or none."""
    namespace = engine.home(request.namespace, faults)
    given = {"id": request.id, "ids": request.ids, "deletedSince": request.deleted_since}
    named = [name for name, value in given.items() if value is not None]
    if not named:
        faults.append(Fault("/id", _ONE_OF_THREE))
    faults.extend(Fault(f"/{name}", f"{_ONE_OF_THREE}, no more") for name in named[1:])
    if request.deleted_since is not None:
        since = cast(str, request.deleted_since)
        return _undelete_since(engine, namespace, since, faults)
    if request.ids is not None:
        return _undelete_named(engine, namespace, _list_ids(request.ids, faults), faults)
    return _undelete_one(engine, *locate(engine, request.namespace, request.id, faults), faults)


def _undelete_one(engine: Engine, namespace: str, name: str, faults: list[Fault]) -> MemoryRecord:
    settle(faults)
    now = milliseconds(engine.clock())
    with engine.write() as writer:
        writer.records.undelete(_find(engine, writer.records, namespace, [name], now), now)
        # One that has expired meanwhile stays deleted: nothing could be seen of it.
        return show_record(require(engine, writer.records, namespace, name))


def _undelete_named(
    engine: Engine, namespace: str, names: Sequence[str], faults: list[Fault]
) -> UndeleteAnswer:
    settle(faults)
    now = milliseconds(engine.clock())
    with engine.write() as writer:
        keys = _find(engine, writer.records, namespace, names, now)
        writer.records.undelete(keys, now)
        for name in names:
            require(engine, writer.records, namespace, name)
    return UndeleteAnswer(len(names), sorted(names)[:MOST_IDS], engine.as_of())


def _undelete_since(
    engine: Engine, namespace: str, since: str, faults: list[Fault]
) -> UndeleteAnswer:
    begin = read_past_time(since, engine.zone, engine.clock(), "/deletedSince", faults)
    settle(faults)
    now = milliseconds(engine.clock())
    with engine.write() as writer:
        first = max(begin or 0, now - RETENTION + 1)
        found = writer.records.deleted([namespace], first, now)
        writer.records.undelete([one.key for one in found], now)
    ids = sorted(one.id for one in found)
    warnings = [] if ids else engine.doubts(namespace)
    return UndeleteAnswer(len(ids), ids[:MOST_IDS], engine.as_of(), warnings or None)


def _list_ids(given: Sequence[str] | str, faults: list[Fault]) -> list[str]:
    """Return each id once, in order."""
    names = given.split(",") if isinstance(given, str) else given
    for place, name in enumerate(names):
        wrong: list[Fault] = []
        check_id(name, wrong)
        faults.extend(Fault(f"/ids/{place}", one.detail) for one in wrong)
    if not names:
        faults.append(Fault("/ids", "no id is in it"))
    stripped = (name.strip() for name in names) if isinstance(given, str) else names
    return list(dict.fromkeys(stripped))


def _find(
    engine: Engine, records: RecordLookup, namespace: str, names: Sequence[str], now: int
) -> list[int]:
    """Return the keys of deleted memories; raise NotFound if any of them is none."""
    found = records.find_versions(namespace, names)
    begin = now - RETENTION
    keys = {
        name: one.key
        for name, one in found.items()
        if one.deleted_at is not None and one.deleted_at > begin
    }
    if wrong := [name for name in names if name not in keys]:
        listed = ", ".join(map(repr, wrong))
        hint = hint_deleted(engine, namespace, wrong[0]) if len(wrong) == 1 else ""
        raise NotFound(f"no deleted memory has the id {listed} in {namespace!r}{hint}")
    return list(keys.values())
