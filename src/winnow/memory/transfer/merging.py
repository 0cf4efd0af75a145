"""What a line of a file makes of a memory, and of what is stored under its id."""

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from winnow.kinds import Provenance
from winnow.memory.changes.sweeping import RETENTION
from winnow.memory.transfer.archive import Told, make_record
from winnow.store.memories import Past, Record, Version


class Effect(Enum):
    """What a line comes to; the time of one that is `OVER` has passed, and it is left out."""

    ADDED = auto()
    CHANGED = auto()
    UNCHANGED = auto()
    OVER = auto()


@dataclass(frozen=True, slots=True)
class Merged:
    """A memory as a line leaves it. One that lacks terms has new words.

    `settled` is true if it lacks a vector and shall have none.
    """

    version: Version
    effect: Effect
    settled: bool = False


def merge(namespace: str, told: Told, stored: Version | None, now: int) -> Merged:
    """Return what a line makes of the version that is stored, None if there is none.

    A kind that nobody gives is left empty. `now` is in milliseconds.
    """
    if told.history is not None:
        return _restore(namespace, told, stored, now)
    return _say(namespace, told, stored, now)


def is_over(version: Version, now: int) -> bool:
    """Tell whether a memory has expired, or was deleted too long ago to be brought back."""
    expires_at, deleted_at = version.record.expires_at, version.deleted_at
    if expires_at is not None and expires_at <= now:
        return True
    return deleted_at is not None and deleted_at <= now - RETENTION


def _restore(namespace: str, told: Told, stored: Version | None, now: int) -> Merged:
    """Make all of a memory what a line says."""
    record = make_record(namespace, told.id, told.values)
    if stored is not None and _words(stored.record) == _words(record):
        before = stored.record
        record = replace(record, vector=before.vector, model=before.model, terms=before.terms)
    if told.vector is not None:
        record = replace(record, vector=told.vector.vector, model=told.vector.model)
    version = Version(record, told.deleted_at, told.history or ())
    return Merged(version, _judge(version, stored, now), settled=told.vector is not None)


def _say(namespace: str, told: Told, stored: Version | None, now: int) -> Merged:
    """Make of a memory what `store` would: what is not named stays."""
    if stored is None or stored.deleted_at is not None or is_over(stored, now):
        record = _begin(namespace, told, now)
        version = Version(record, None, _extend(stored, record.updated_at))
        return Merged(version, _judge(version, None, now))
    record = _change(stored.record, told)
    if repr(record) == repr(stored.record):
        return Merged(stored, Effect.UNCHANGED)
    if "updated_at" not in told.values:
        record = replace(record, updated_at=now)
    version = Version(record, None, _extend(stored, record.updated_at))
    return Merged(version, _judge(version, stored, now))


def _begin(namespace: str, told: Told, now: int) -> Record:
    """Return a memory of which there was nothing before."""
    values = {"kind": "", "created_at": now, "updated_at": now, **told.values}
    if told.vector is not None:
        values |= {"vector": told.vector.vector, "model": told.vector.model}
    if values["kind"]:
        values["kind_provenance"] = Provenance.DECLARED.value
    return make_record(namespace, told.id, values)


def _change(record: Record, told: Told) -> Record:
    """Return a memory with what is said of it; with other words it lacks terms and vector."""
    values: dict[str, Any] = dict(told.values)
    if "metadata" in values:
        values["metadata"] = {**record.metadata, **values["metadata"]}
    if "kind" in values:
        values["kind_provenance"] = Provenance.DECLARED.value
    changed = replace(record, **values)
    if _words(changed) != _words(record):
        changed = replace(changed, terms=b"", vector=None, model=None)
    if told.vector is not None:
        changed = replace(changed, vector=told.vector.vector, model=told.vector.model)
    return changed


def _extend(stored: Version | None, at: int) -> tuple[Past, ...]:
    """Return the history of what is stored, with a change that is made of it now."""
    if stored is None:
        return ()
    kept = replace(stored.record, vector=None, model=None, terms=b"")
    return (Past(at, kept if stored.deleted_at is None else None), *stored.history)


def _judge(version: Version, stored: Version | None, now: int) -> Effect:
    if is_over(version, now):
        return Effect.OVER
    if stored is None:
        return Effect.ADDED
    return Effect.UNCHANGED if _told(version) == _told(stored) else Effect.CHANGED


def _told(version: Version) -> str:
    """Return what is compared; its text tells 1 from True and 1.0, as equality would not."""
    record = replace(version.record, terms=b"")
    return repr((record, version.deleted_at, version.history))


def _words(record: Record) -> tuple[str, str]:
    return record.title, record.text
