"""The fields of a memory as lines of an export have them: how each is written, and read."""

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import Any, Final, NamedTuple, TypeAlias, cast

from winnow.embed.external import MOST_DIMENSIONS, encode_numbers, is_array
from winnow.embed.floats import SIZE
from winnow.errors import Fault, InvalidRequest, unknown
from winnow.filter.plain import copy_plain, find_surrogate, pointer_to
from winnow.filter.raw import (
    KEY_MARK,
    Untyped,
    from_bytes,
    is_broken,
    show_raw,
    to_bytes,
)
from winnow.kinds import check_kind
from winnow.memories import DEFAULT_IMPORTANCE, MEMORY_TYPES
from winnow.memory.changes.saying import read_tags
from winnow.memory.times import check_time, milliseconds, show_time
from winnow.memory.transfer.usual import are_flat, are_kinds, are_memory_types, are_texts
from winnow.values import Json, UnreadableValue, describe, read_moment


class Spot(NamedTuple):
    """An object in a file: where it stands, and what was wrong with it so far.

    `zone` is that of dates without an offset.
    """

    place: str
    zone: tzinfo
    faults: list[Fault]

    def under(self, step: str | int) -> "Spot":
        """Return the spot of what stands inside."""
        return Spot(pointer_to(self.place, str(step)), self.zone, self.faults)

    def refuse(self, name: str, detail: str) -> None:
        """Note what is wrong with a key, or with the object itself, which has no name."""
        place = pointer_to(self.place, name) if name else self.place
        self.faults.append(Fault(place, detail))


Line: TypeAlias = Mapping[str, object]
"""An object whose keys are spelled as they are written, none of them null."""

Read: TypeAlias = Callable[[object, str, Spot], object]
"""Reads what stands under a name; what is wrong is added to the faults of the spot."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One field: the attribute of a Record, and how it is read and written.

    `read` takes what a store has written, `take` what anybody says; of values that are all
    `usual`, both return what they are given. What is `empty` is left out.
    """

    attribute: str
    read: Read
    take: Read
    empty: object = None
    show: Callable[[Any], Json] = lambda value: value
    usual: Callable[[Sequence[object]], bool] = lambda _: False

    def read_all(
        self, values: Sequence[object], name: str, spots: Sequence[Spot], *, whole: bool
    ) -> Sequence[object]:
        """Read the values that lines have under a name, those of a store if they are whole."""
        if self.usual(values):
            return values
        read = self.read if whole else self.take
        return [read(value, name, spot) for value, spot in zip(values, spots, strict=True)]


def as_line(raw: object) -> Line | None:
    """Return an object, None for anything else."""
    # The first question is quicker by far, and its answer is nearly always yes.
    return cast(Line, raw) if type(raw) is dict or isinstance(raw, Mapping) else None


def show_text(text: object) -> Json:
    """Return a text, or the bytes that it stands for."""
    return show_raw(cast(str, text))


def read_text(raw: object, name: str, spot: Spot) -> str:
    """Read a text, also one that is written as bytes."""
    if isinstance(raw, str):
        if not raw.isascii() and find_surrogate(raw) is not None:
            spot.refuse(name, f"{describe(raw)} has half a surrogate pair, which is not text")
        return raw
    line = as_line(raw)
    if line is not None and set(line) == {"base64"}:
        return _read_bytes_as_text(line["base64"], name, spot)
    spot.refuse(name, f"expected text, got {describe(raw)}")
    return ""


def read_legible(raw: object, name: str, spot: Spot) -> str:
    """Read a text that can't be just any bytes."""
    text = read_text(raw, name, spot)
    if is_broken(text):
        spot.refuse(name, "these bytes are not UTF-8")
        return ""
    return text


def read_instant(raw: object, name: str, spot: Spot) -> int:
    """Read a time as milliseconds; a date of Python is read too."""
    if isinstance(raw, date):
        raw = raw.isoformat()
    if not isinstance(raw, str):
        spot.refuse(name, f"expected a time as text (ISO 8601), got {describe(raw)}")
        return 0
    if len(raw) == _SPELLED and raw.endswith("Z"):  # as an export has it: much the quickest
        try:
            return milliseconds(datetime.fromisoformat(raw))
        except ValueError:
            pass
    place = pointer_to(spot.place, name)
    try:  # nothing like `yesterday`: tomorrow the same file would say something else
        instant = read_moment(raw, spot.zone).start // 1_000
    except UnreadableValue as error:
        spot.faults.append(Fault(place, str(error)))
        return 0
    return check_time(instant, place, spot.faults) or 0


def read_blob(raw: object, name: str, spot: Spot) -> bytes | None:
    """Read a vector as base64 of float32 in little-endian bytes."""
    blob = _read_bytes(raw, name, spot)
    if blob is not None and not (0 < len(blob) <= SIZE * MOST_DIMENSIONS and len(blob) % SIZE == 0):
        wanted = f"expected 1 to {MOST_DIMENSIONS} numbers of {SIZE} bytes"
        spot.refuse(name, f"{wanted}, got {len(blob)} bytes")
    return blob


def read_numbers(raw: object, name: str, spot: Spot) -> bytes | None:
    """Read a vector as a list of numbers, or as an array of Python."""
    if isinstance(raw, tuple):
        raw = [*cast("tuple[object, ...]", raw)]
    if not isinstance(raw, list) and not is_array(raw):
        wanted = "expected an object {base64} or a list of numbers"
        spot.refuse(name, f"{wanted}, got {describe(raw)}")
        return None
    try:
        return encode_numbers(cast(object, raw))
    except ValueError as error:
        spot.refuse(name, str(error))
        return None


def _read_bytes_as_text(raw: object, name: str, spot: Spot) -> str:
    return from_bytes(_read_bytes(raw, name, spot) or b"")


def _read_bytes(raw: object, name: str, spot: Spot) -> bytes | None:
    try:
        return b64decode(cast(str, raw), validate=True)
    except (NotBase64, TypeError, ValueError):
        spot.refuse(name, f"expected bytes as base64, got {describe(raw)}")
        return None


def _read_importance(raw: object, name: str, spot: Spot) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= 1:
        spot.refuse(name, f"expected a number from 0 to 1, got {describe(raw)}")
        return DEFAULT_IMPORTANCE
    return float(raw)


def _read_metadata(raw: object, name: str, spot: Spot) -> Mapping[str, Json]:
    """Read metadata as `_show_metadata` writes it."""
    line = as_line(raw) or {}
    wrapped = {key for key, value in line.items() if _wrapping(value) is not None}
    if not wrapped and not any(map(_is_marked, line)):
        return _take_metadata(raw, name, spot)
    bare = {key: value for key, value in line.items() if key not in wrapped}
    plain = _take_metadata(raw if as_line(raw) is None else bare, name, spot)
    here = spot.under(name)
    return {
        _read_key(key): _unwrap(key, value, here) if key in wrapped else plain[key]
        for key, value in line.items()
        if key in wrapped or key in plain
    }


def _take_metadata(raw: object, name: str, spot: Spot) -> Mapping[str, Json]:
    """Read metadata as they are: whatever keys an object has, it is one."""
    line = as_line(raw)
    if line is None:
        spot.refuse(name, f"expected an object of keys and values, got {describe(raw)}")
        return {}
    try:
        plain, wrong = copy_plain(dict(line), pointer_to(spot.place, name))
    except InvalidRequest as error:
        plain, wrong = {}, error.faults
    spot.faults.extend(wrong)
    return cast(Mapping[str, Json], plain)


# --- metadata: texts without a type, and bytes, stand in objects of one key ---------------------


def _show_metadata(metadata: Mapping[str, Json]) -> Json:
    return {_show_key(key): _wrap(value) for key, value in metadata.items()}


def _show_key(key: str) -> str:
    """Return a key, as the bytes that it stands for where it could be taken for others."""
    if not is_broken(key) and not key.startswith(KEY_MARK):
        return key
    return KEY_MARK + b64encode(to_bytes(key)).decode()


def _wrap(value: Json) -> Json:
    if isinstance(value, Untyped):
        shown = show_raw(value)
        return shown if isinstance(shown, dict) else {_UNTYPED: shown}
    return {_OBJECT: value} if _wrapping(value) is not None else value


def _wrapping(value: object) -> str | None:
    """Return the key of an object of one key that says how something is to be read."""
    line = as_line(value)
    key = next(iter(line)) if line and len(line) == 1 else None
    return key if key in (_UNTYPED, _BASE64, _OBJECT) else None


def _unwrap(name: str, raw: object, spot: Spot) -> Json:
    line = as_line(raw) or {}
    how = next(iter(line))
    if how == _OBJECT:
        plain, wrong = copy_plain(line[how], pointer_to(spot.place, name))
        spot.faults.extend(wrong)
        return plain
    if how == _UNTYPED:
        return Untyped(read_text(line[how], how, spot.under(name)))
    return Untyped(from_bytes(_read_bytes(line[how], how, spot.under(name)) or b""))


def _is_marked(key: object) -> bool:
    return isinstance(key, str) and key.startswith(KEY_MARK)


def _read_key(key: str) -> str:
    if not _is_marked(key):
        return key
    try:
        return from_bytes(b64decode(key.removeprefix(KEY_MARK), validate=True))
    except (NotBase64, ValueError):
        return key


_UNTYPED: Final = "untyped"
_BASE64: Final = "base64"
_OBJECT: Final = "object"


def _read_tags(raw: object, name: str, spot: Spot) -> tuple[str, ...]:
    if not isinstance(raw, list | tuple):
        spot.refuse(name, f"expected a list of tags, got {describe(raw)}")
        return ()
    here = spot.under(name)
    tags = enumerate(cast(Sequence[object], raw))
    return tuple(read_legible(tag, str(place), here) for place, tag in tags)


def _take_tags(raw: object, name: str, spot: Spot) -> tuple[str, ...]:
    found: list[Fault] = []
    given = raw if isinstance(raw, str) else _read_tags(raw, name, spot)
    tags = read_tags(given, found)
    if isinstance(raw, str):  # of a list, each item was looked at
        spot.faults.extend(Fault(spot.place + one.pointer, one.detail) for one in found)
    return tags


def _read_kind(raw: object, name: str, spot: Spot) -> str:
    """Read a kind, which may be one of a newer version."""
    kind = read_legible(raw, name, spot)
    if not kind:
        spot.refuse(name, "a kind is not blank")
    return kind


def _take_kind(raw: object, name: str, spot: Spot) -> str:
    try:
        return check_kind(raw, pointer_to(spot.place, name))
    except InvalidRequest as error:
        spot.faults.extend(error.faults)
        return ""


def _take_memory_type(raw: object, name: str, spot: Spot) -> str:
    given = read_legible(raw, name, spot)
    if isinstance(raw, str) and given not in MEMORY_TYPES:
        spot.refuse(name, unknown("memory type", given, MEMORY_TYPES))
    return given


_SPELLED: Final = len("2026-03-05T12:00:00.500Z")

SLOTS: Final[Mapping[str, Slot]] = {
    "text": Slot("text", read_text, read_text, show=show_text, usual=are_texts),
    "title": Slot("title", read_text, read_text, "", show_text, are_texts),
    "kind": Slot("kind", _read_kind, _take_kind, usual=are_kinds),
    "kindProvenance": Slot("kind_provenance", read_legible, read_legible, usual=are_texts),
    "entity": Slot("entity", read_text, read_text, show=show_text, usual=are_texts),
    "memoryType": Slot("memory_type", read_legible, _take_memory_type, usual=are_memory_types),
    "tags": Slot("tags", _read_tags, _take_tags, (), list),
    "importance": Slot("importance", _read_importance, _read_importance),
    "source": Slot("source", read_text, read_text, show=show_text, usual=are_texts),
    "metadata": Slot("metadata", _read_metadata, _take_metadata, {}, _show_metadata, are_flat),
    "createdAt": Slot("created_at", read_instant, read_instant, show=show_time),
    "updatedAt": Slot("updated_at", read_instant, read_instant, show=show_time),
    "expiresAt": Slot("expires_at", read_instant, read_instant, show=show_time),
}
"""Each field by its name in a line, in the order of a line."""

EMPTY: Final[Mapping[str, Any]] = {
    **{slot.attribute: slot.empty for slot in SLOTS.values()},
    "importance": DEFAULT_IMPORTANCE,
}
"""What a record has of which a line says nothing; text, kind and times it has to say."""
