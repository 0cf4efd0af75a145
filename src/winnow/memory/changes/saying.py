"""What a request says of a memory: read, checked, and put into a record."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar, cast

from winnow.errors import Fault, InvalidRequest, unknown
from winnow.filter.decode import load_json
from winnow.filter.names import UnreadableName, split_name
from winnow.filter.plain import copy_plain
from winnow.kinds import Assigned, Provenance, assign, check_kind
from winnow.memories import DEFAULT_IMPORTANCE, METADATA, RECORDS, distinct_tags
from winnow.memory.engine import Engine
from winnow.memory.times import check_time, milliseconds, read_time, show_time
from winnow.operations.arguments import Numbers
from winnow.operations.changes import StoreRequest, UpdateRequest
from winnow.store.memories import Record
from winnow.values import Json

Name: TypeAlias = tuple[str, ...]
"""The name of a field, or `metadata` and the keys that lead into it."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a request says of a memory; None says nothing."""

    text: str | None
    title: str | None
    kind: str | None
    tags: tuple[str, ...] | None
    entity: str | None
    memory_type: str | None
    importance: float | None
    source: str | None
    metadata: Mapping[str, Json] | None
    expires_at: int | None
    vector: Numbers | str | None


def read_said(engine: Engine, request: StoreRequest | UpdateRequest, faults: list[Fault]) -> Said:
    """Read what a request says; what is wrong with it is added to `faults`."""
    for name in ("text", "title", "entity", "source"):
        faults.extend(copy_plain(getattr(request, name), f"/{name}")[1])
    return Said(
        text=request.text,
        title=request.title,
        kind=_read_kind(request.kind, faults),
        tags=None if request.tags is None else read_tags(request.tags, faults),
        entity=request.entity,
        memory_type=request.memory_type,
        importance=None if request.importance is None else float(request.importance),
        source=request.source,
        metadata=_read_metadata(request.metadata, faults),
        expires_at=_read_expiry(engine, request, faults),
        vector=request.vector,
    )


def begin(namespace: str, record: str, now: int) -> Record:
    """Return a memory that says nothing yet; `now` is in milliseconds, as its times are."""
    return Record(
        namespace=namespace,
        id=record,
        text="",
        title="",
        kind="",
        kind_provenance=None,
        entity=None,
        memory_type=None,
        tags=(),
        importance=DEFAULT_IMPORTANCE,
        source=None,
        metadata={},
        created_at=now,
        updated_at=now,
        expires_at=None,
    )


def change(engine: Engine, record: Record, said: Said, known: Assigned | None = None) -> Record:
    """Return a memory with what is said of it; an update never moves when it was created.

    `known` is the kind of a memory that has none yet, for which nothing then has to be found.
    """
    changed = replace(
        record,
        text=_or(said.text, record.text),
        title=_or(said.title, record.title),
        entity=_or(said.entity, record.entity),
        memory_type=_or(said.memory_type, record.memory_type),
        tags=_or(said.tags, record.tags),
        importance=_or(said.importance, record.importance),
        source=_or(said.source, record.source),
        metadata={**record.metadata, **(said.metadata or {})},
        expires_at=_or(said.expires_at, record.expires_at),
    )
    if said.kind is not None:
        return replace(changed, kind=said.kind, kind_provenance=Provenance.DECLARED.value)
    if record.kind:
        return changed
    policy = engine.workshop.settings(record.namespace).policy
    given = known or assign(None, changed.title, changed.text, policy)
    return replace(changed, kind=given.kind, kind_provenance=given.provenance.value)


def clear(record: Record, names: Sequence[Name]) -> Record:
    """Return a memory with some fields, and some keys of its metadata, empty."""
    for own, *keys in names:
        attribute, empty = _EMPTY[own]
        emptied = _without(record.metadata, keys) if keys else empty
        record = replace(record, **{attribute: emptied})
    return record


def read_clear(raw: Sequence[str] | str | None, faults: list[Fault]) -> list[Name]:
    """Read the names of what to empty, as filters do: a dot leads into an object."""
    given = [one.strip() for one in raw.split(",")] if isinstance(raw, str) else list(raw or ())
    names: list[Name] = []
    for index, text in enumerate(given):
        name = _read_name(text)
        if name is None:
            detail = unknown("field", text, [*_EMPTY, "metadata.KEY"])
            faults.append(Fault(f"/clear/{index}", detail))
        else:
            names.append(name)
    return names


def _read_name(text: str) -> Name | None:
    """Read the name of a field, or of a key of metadata; None if nothing there can be emptied."""
    try:
        first, *keys = split_name(text)
    except UnreadableName:
        return None
    own = RECORDS.spellings.get(first, first)
    return (own, *keys) if own in _EMPTY and (not keys or own == METADATA.name) else None


def _without(members: Mapping[str, Json], keys: Sequence[str]) -> dict[str, Json]:
    """Copy an object without what the keys lead to, if they lead to anything."""
    first, *rest = keys
    kept, inner = dict(members), members.get(first)
    if not rest:
        kept.pop(first, None)
    elif isinstance(inner, dict):
        kept[first] = _without(inner, rest)
    return kept


_EMPTY: Mapping[str, tuple[str, object]] = {
    "title": ("title", ""),
    "tags": ("tags", ()),
    "entity": ("entity", None),
    "memoryType": ("memory_type", None),
    "importance": ("importance", DEFAULT_IMPORTANCE),
    "source": ("source", None),
    "metadata": ("metadata", {}),
    "expiresAt": ("expires_at", None),
}


_T = TypeVar("_T")


def _or(said: _T | None, before: _T) -> _T:
    return before if said is None else said


def _read_kind(raw: str | None, faults: list[Fault]) -> str | None:
    if raw is None:
        return None
    try:
        return check_kind(raw)
    except InvalidRequest as error:
        faults.extend(error.faults)
        return None


def read_tags(raw: Collection[str] | str, faults: list[Fault]) -> tuple[str, ...]:
    """Read tags, as a list or text with commas: blank ones are dropped, and one stands once."""
    items = raw.split(",") if isinstance(raw, str) else raw
    for index, item in enumerate(items):
        faults.extend(copy_plain(item, f"/tags/{index}")[1])
    return distinct_tags(items)


_NO_OBJECT = "expected an object of keys and values in JSON (or KEY=VALUE on the command line)"


def _read_metadata(
    raw: Mapping[str, object] | str | None, faults: list[Fault]
) -> Mapping[str, Json] | None:
    if raw is None:
        return None
    try:
        given = load_json(raw, "/metadata") if isinstance(raw, str) else dict(raw)
    except InvalidRequest as error:
        bare = isinstance(raw, str) and "{" not in raw
        faults.extend([Fault("/metadata", f"{_NO_OBJECT}, got {raw!r}")] if bare else error.faults)
        return {}
    if not isinstance(given, dict):
        faults.append(Fault("/metadata", _NO_OBJECT))
        return {}
    plain, wrong = copy_plain(cast(object, given), "/metadata")
    faults.extend(wrong)
    return cast(Mapping[str, Json], plain) if not wrong else {}


def _read_expiry(
    engine: Engine, request: StoreRequest | UpdateRequest, faults: list[Fault]
) -> int | None:
    if request.ttl_seconds is not None and request.expires_at is not None:
        faults.append(Fault("/expiresAt", "give ttlSeconds or expiresAt, not both"))
        return None
    if request.ttl_seconds is not None:
        ends = milliseconds(engine.clock()) + cast(int, request.ttl_seconds) * 1_000
        return check_time(ends, "/ttlSeconds", faults)
    if request.expires_at is None:
        return None
    now, given = engine.clock(), cast(str, request.expires_at)
    ends = read_time(given, engine.zone, now, "/expiresAt", faults)
    if ends is not None and ends <= milliseconds(now):
        detail = f"{show_time(ends)} is over: the memory would be gone at once"
        faults.append(Fault("/expiresAt", detail))
    return ends
