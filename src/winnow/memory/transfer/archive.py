"""Memories as lines of an export: what a line says of one, written and read by one table.

A line with `history` says all there is of a memory, so that it comes back as it was; what it
leaves out is empty. One without says what `store` would be told.
"""

import json
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import repeat, starmap
from typing import Any, Final, NamedTuple, TypeAlias, cast

from winnow.embed.external import is_array, list_numbers
from winnow.embed.floats import is_finite
from winnow.errors import InvalidRequest, unknown
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
from winnow.memory.transfer.usual import are_texts
from winnow.store.memories import Past, Record, Version
from winnow.values import Json, describe

Shown: TypeAlias = dict[str, Json]

OTHERS: Final = ("namespace", "id", "vector", "deletedAt", "history")
"""What a line may have beside the fields of a record."""
KEYS: Final = (*OTHERS[:2], *SLOTS, *OTHERS[2:])
ONLY_WHOLE: Final = ("kindProvenance", "deletedAt")
REQUIRED: Final = ("id", "text", "kind", "createdAt", "updatedAt")


class Vectorized(NamedTuple):
    """A vector and what made it, as a record has them; a line may lack each of the two."""

    vector: bytes | None
    model: str | None


class Told(NamedTuple):
    """What a line says of a memory: values by the attribute of a Record.

    `history` is None where the line does not say all there is.
    """

    id: str
    values: Mapping[str, Any]
    vector: Vectorized | None = None
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


def read_alike(
    namespace: str, lines: Sequence[Line], spots: Sequence[Spot], model: str | None
) -> list[Told]:
    """Read lines that all have the same keys; what is wrong is added to the faults of a spot.

    `model` is what made a vector that does not say it.
    """
    keys = lines[0].keys()
    whole = "history" in keys
    for name, detail in _check_keys(keys, whole=whole):
        for spot in spots:
            spot.refuse(name, detail)
    columns = {key: [line[key] for line in lines] for key in keys}
    named = _read_names(columns.get("id"), lines, spots, whole=whole)
    read: dict[str, Sequence[object]] = {
        slot.attribute: slot.read_all(columns[name], name, spots, whole=whole)
        for name, slot in SLOTS.items()
        if name in columns
    }
    values = (dict(zip(read, row, strict=True)) for row in zip(*read.values(), strict=True))
    vectors: Iterable[Vectorized | None] = repeat(None)
    if "vector" in columns:
        pairs = zip(columns["vector"], spots, strict=True)
        if whole:
            vectors = (_read_whole_vector(raw, spot) for raw, spot in pairs)
        else:
            vectors = (Vectorized(_read_vector(raw, spot), model) for raw, spot in pairs)
    rows = zip(named, values, vectors, strict=False)
    if not whole:
        said = [*starmap(Told, rows)]
        _refuse_blank(said, spots)
        return said
    return [
        Told(*row, *_read_past(namespace, row[0], line, spot))
        for row, line, spot in zip(rows, lines, spots, strict=True)
    ]


def name_line(line: Line) -> str:
    """Return the id of a line that gives none: equal contents have the same."""
    said = {key: value for key, value in line.items() if key not in ("id", "namespace")}
    if is_array(said.get("vector")):
        with suppress(InvalidRequest):  # what is wrong with it is told where it is read
            said["vector"] = list_numbers(said["vector"])
    text = json.dumps(said, sort_keys=True, default=str)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def make_record(namespace: str, name: str, values: Mapping[str, Any]) -> Record:
    """Return a record of which nothing but these values is not empty."""
    return Record(namespace=namespace, id=name, **{**EMPTY, **values})


def _check_keys(keys: Collection[str], *, whole: bool) -> Iterator[tuple[str, str]]:
    """Yield the keys that lines lack, or can't have, and what is wrong with each."""
    for name in keys:
        if name not in _NAMES:
            yield name, unknown("key", name, KEYS)
    for name in REQUIRED if whole else ("text",):
        if name not in keys:
            yield name, "this key is required" + " beside history" * whole
    for name in ONLY_WHOLE:
        if name in keys and not whole:
            yield name, "it stands only beside history, in a line that says everything"


def _read_names(
    given: Sequence[object] | None, lines: Sequence[Line], spots: Sequence[Spot], *, whole: bool
) -> Sequence[str]:
    """Return the ids of lines, those that are given or else those that their contents make."""
    if given is None:
        return [*map(name_line, lines)]
    if are_texts(given):
        named = cast("Sequence[str]", given)
    else:
        named = [read_text(raw, "id", spot) for raw, spot in zip(given, spots, strict=True)]
    if not whole and not all(map(str.strip, named)):
        for spot in (spot for name, spot in zip(named, spots, strict=True) if not name.strip()):
            spot.refuse("id", "an id is not blank")
    return named


def _read_past(
    namespace: str, name: str, line: Line, spot: Spot
) -> tuple[int | None, tuple[Past, ...]]:
    """Return when a memory was deleted, if it is, and its history; of a faulty one, nothing."""
    deleted, history = line.get("deletedAt"), line["history"]
    if spot.faults or (deleted is None and type(history) is list and not history):
        return None, ()
    deleted_at = None if deleted is None else read_instant(deleted, "deletedAt", spot)
    return deleted_at, tuple(_read_history(namespace, name, line, spot.under("history")))


def _read_values(line: Line, spot: Spot, *, whole: bool) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in [name for name in SLOTS if name in line]:
        slot = SLOTS[name]
        read = slot.read if whole else slot.take
        values[slot.attribute] = read(line[name], name, spot)
    return values


def _refuse_blank(said: Sequence[Told], spots: Sequence[Spot]) -> None:
    """Refuse memories that say nothing, as `store` does; a vector without words says something."""
    for one, spot in zip(said, spots, strict=True):
        text, title = one.values.get("text"), one.values.get("title")
        if text and not text.isspace():
            continue
        if not (title or "").strip() and one.vector is None and not spot.faults:
            spot.refuse("text", "it is blank: say what to remember, or give a title")


def _read_vector(raw: object, spot: Spot) -> bytes | None:
    """Read a vector that a caller gives."""
    given = as_line(raw)
    if given is None:
        return read_numbers(raw, "vector", spot)
    blob = _read_blob(given, ("base64",), spot.under("vector"))
    if blob is not None and not is_finite(blob):
        spot.refuse("vector", "one of its numbers is not finite")
    return blob


def _read_whole_vector(raw: object, spot: Spot) -> Vectorized | None:
    """Read a vector that a store has written."""
    given = as_line(raw)
    if given is None:
        spot.refuse("vector", f"beside history it is an object, got {describe(raw)}")
        return None
    here = spot.under("vector")
    blob = _read_blob(given, ("model", "base64"), here)
    model = read_legible(given["model"], "model", here) if "model" in given else None
    return Vectorized(blob, model)


def _read_blob(given: Line, allowed: Sequence[str], spot: Spot) -> bytes | None:
    for name in given:
        if name not in allowed:
            spot.refuse(name, unknown("key", name, allowed))
    return read_blob(given["base64"], "base64", spot) if "base64" in given else None


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
