"""Memories as lines of an export: what a line says of one, written and read by one table.

A line with `history` says all there is of a memory, so that it comes back as it was; what it
leaves out is empty. One without says what `store` would be told.
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, TypeAlias, cast

from winnow.errors import unknown
from winnow.memory.times import show_time
from winnow.memory.transfer.slots import (
    EMPTY,
    SLOTS,
    Line,
    Spot,
    as_line,
    read_blob,
    read_instant,
    read_legible,
    read_numbers,
    read_text,
    show_text,
)
from winnow.store.memories import Past, Record, Version
from winnow.values import Json, describe

Shown: TypeAlias = dict[str, Json]

OTHERS: Final = ("namespace", "id", "vector", "deletedAt", "history")
"""What a line may have beside the fields of a record."""
KEYS: Final = (*OTHERS[:2], *SLOTS, *OTHERS[2:])
ONLY_WHOLE: Final = ("kindProvenance", "deletedAt")
REQUIRED: Final = ("id", "text", "kind", "createdAt", "updatedAt")


@dataclass(frozen=True, slots=True)
class GivenVector:
    """A vector of float32 in bytes, and what made it; a line may lack each of them."""

    vector: bytes | None
    model: str | None


@dataclass(frozen=True, slots=True)
class Told:
    """What a line says of a memory: values by the attribute of a Record.

    `history` is None where the line does not say all there is.
    """

    id: str
    values: Mapping[str, Any]
    vector: GivenVector | None = None
    deleted_at: int | None = None
    history: tuple[Past, ...] | None = None


# --- writing -----------------------------------------------------------------------------------


def show_version(version: Version, *, vectors: bool = True) -> Shown:
    """Return a memory as a line has it: all there is of it."""
    record = version.record
    shown: Shown = {"namespace": record.namespace, "id": show_text(record.id), **_show(record)}
    if vectors:
        shown["vector"] = _show_vector(record)
    if version.deleted_at is not None:
        shown["deletedAt"] = show_time(version.deleted_at)
    shown["history"] = list(_show_history(version))
    return shown


def _show(record: Record) -> Shown:
    shown: Shown = {}
    for name, slot in SLOTS.items():
        value = getattr(record, slot.attribute)
        if value != slot.empty:
            shown[name] = slot.show(value)
    return shown


def _show_vector(record: Record) -> Shown:
    shown: Shown = {}
    if record.model is not None:
        shown["model"] = record.model
    if record.vector is not None:
        shown["base64"] = b64encode(record.vector).decode()
    return shown


def _show_history(version: Version) -> Iterator[Shown]:
    """Yield each change, the last one first: what was different before it."""
    after = _show(version.record)
    for past in version.history:
        at = show_time(past.at)
        if past.before is None:
            yield {"at": at, "deleted": True}
            continue
        before = _show(past.before)
        # Their text tells 1 from True and 1.0, as equality would not.
        names = [name for name in SLOTS if repr(before.get(name)) != repr(after.get(name))]
        yield {"at": at, "before": {name: before.get(name) for name in names}}
        after = before


# --- reading -----------------------------------------------------------------------------------


def read_told(namespace: str, line: Line, spot: Spot) -> Told:
    """Read a line; what is wrong with it is added to the faults of its spot."""
    whole = "history" in line
    if not _NAMES.issuperset(line):
        for name in (name for name in line if name not in _NAMES):
            spot.refuse(name, unknown("key", name, KEYS))
    missing = REQUIRED if whole else ("text",)
    for name in [name for name in missing if name not in line]:
        spot.refuse(name, "this key is required" + " beside history" * whole)
    for name in [name for name in ONLY_WHOLE if name in line and not whole]:
        spot.refuse(name, "it stands only beside history, in a line that says everything")
    named = read_text(line["id"], "id", spot) if "id" in line else name_line(line)
    if not named.strip() and not whole:
        spot.refuse("id", "an id is not blank")
    values = _read_values(line, spot, whole=whole)
    vector = _read_vector(line["vector"], spot, whole=whole) if "vector" in line else None
    if not whole or spot.faults:
        return Told(named, values, vector)
    deleted = line.get("deletedAt")
    deleted_at = None if deleted is None else read_instant(deleted, "deletedAt", spot)
    history = tuple(_read_history(namespace, named, line, spot.under("history")))
    return Told(named, values, vector, deleted_at, history)


def name_line(line: Line) -> str:
    """Return the id of a line that gives none: equal contents have the same."""
    said = {key: value for key, value in line.items() if key not in ("id", "namespace")}
    text = json.dumps(said, sort_keys=True, default=str)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def make_record(namespace: str, name: str, values: Mapping[str, Any]) -> Record:
    """Return a record of which nothing but these values is not empty."""
    return Record(namespace=namespace, id=name, **{**EMPTY, **values})


def _read_values(line: Line, spot: Spot, *, whole: bool) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in [name for name in SLOTS if name in line]:
        slot = SLOTS[name]
        read = slot.read if whole else slot.take
        values[slot.attribute] = read(line[name], name, spot)
    return values


def _read_vector(raw: object, spot: Spot, *, whole: bool) -> GivenVector | None:
    given = as_line(raw)
    if given is None and whole:
        spot.refuse("vector", f"beside history it is an object, got {describe(raw)}")
        return None
    if given is None:
        return GivenVector(read_numbers(raw, "vector", spot), None)
    allowed = ("model", "base64") if whole else ("base64",)
    here = spot.under("vector")
    for name in given:
        if name not in allowed:
            here.refuse(name, unknown("key", name, allowed))
    model = read_legible(given["model"], "model", here) if "model" in given else None
    blob = read_blob(given["base64"], "base64", here) if "base64" in given else None
    return GivenVector(blob, model)


def _read_history(namespace: str, name: str, line: Line, spot: Spot) -> Iterator[Past]:
    """Read the changes of a memory, each from what was different before it."""
    items = line["history"]
    if not isinstance(items, list | tuple):
        spot.refuse("", f"expected a list of changes, got {describe(items)}")
        return
    state: dict[str, object] = {key: value for key, value in line.items() if key in SLOTS}
    for place, item in enumerate(cast(Sequence[object], items)):
        here = spot.under(place)
        change = as_line(item) or {}
        before = as_line(change.get("before"))
        if set(change) == {"at", "deleted"} and change["deleted"] is True:
            yield Past(read_instant(change["at"], "at", here), None)
        elif set(change) == {"at", "before"} and before is not None:
            at = read_instant(change["at"], "at", here)
            state |= before
            yield Past(at, _read_before(namespace, name, state, here.under("before")))
        else:
            detail = "a change is an object {at, before: {…}} or {at, deleted: true}"
            here.refuse("", f"{detail}, got {describe(item)}")
            return


def _read_before(namespace: str, name: str, state: Line, spot: Spot) -> Record:
    for key in (key for key in state if key not in SLOTS):
        spot.refuse(key, unknown("key", key, SLOTS))
    said = {key: value for key, value in state.items() if value is not None}
    return make_record(namespace, name, {**_TIMELESS, **_read_values(said, spot, whole=True)})


_NAMES: Final = frozenset(KEYS)
_TIMELESS: Final[Mapping[str, int]] = {"created_at": 0, "updated_at": 0}
