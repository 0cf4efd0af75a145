"""The pieces of a note: records that can be searched, made of its passages and its frontmatter.

A piece's id comes from its text alone, so that it stays when the note moves, when a heading over
it is changed, and when anything else of the note is. Of equal texts in one note the second, third
and so on count that in; those of several notes are told apart where they are stored.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from hashlib import blake2b

from winnow.errors import InvalidRequest
from winnow.kinds import DEFAULT_KIND, Provenance, check_kind
from winnow.memories import DEFAULT_IMPORTANCE, MEMORY_TYPES
from winnow.records import Finding
from winnow.store.base import DEFAULT_NAMESPACE, NoteRow
from winnow.store.memories import Piece, Record
from winnow.values import Json, Type, UnreadableValue, read_moment, read_value
from winnow.vault.note import Note
from winnow.vault.sections import Passage

MOST_CARRIED = 10_000_000
"""Characters of title, tags and metadata that all pieces of one note may carry together."""
LONGEST_TITLE = 200
"""Characters of the title on a piece that can't carry all that its note says."""


@dataclass(frozen=True, slots=True)
class Home:
    """Where notes are: the namespace of their pieces, and the zone of dates without one.

    With `redacts` their secrets are not stored.
    """

    namespace: str = DEFAULT_NAMESPACE
    zone: tzinfo = UTC
    redacts: bool = False


@dataclass(frozen=True, slots=True)
class Declared:
    """What a note's frontmatter says of its pieces, as far as it is valid."""

    kind: str = DEFAULT_KIND
    kind_provenance: str = Provenance.CHANNEL_DERIVED.value
    entity: str | None = None
    memory_type: str | None = None
    importance: float = DEFAULT_IMPORTANCE
    source: str | None = None


def read_declared(note: Note, path: str) -> tuple[Declared, list[Finding]]:
    """Read the fields of records in a frontmatter; a kind that is none is a finding.

    Any other field that no record can have so is none of the record's: it is metadata alone.
    """
    keys = {_KEYS[key.casefold()]: key for key in reversed([*note.frontmatter]) if _is_field(key)}
    if not keys:
        return Declared(), []
    kind, findings = _kind(note, path, keys.get("kind"))
    declared = Declared(
        kind=kind or DEFAULT_KIND,
        kind_provenance=(Provenance.DECLARED if kind else Provenance.CHANNEL_DERIVED).value,
        entity=_text(note, keys.get("entity")),
        memory_type=_memory_type(note, keys.get("memory_type")),
        importance=_importance(note, keys.get("importance")),
        source=_text(note, keys.get("source")),
    )
    return declared, findings


def build_pieces(
    row: NoteRow, passages: Sequence[Passage], declared: Declared, home: Home, updated_at: int
) -> tuple[Record, ...]:
    """Build the pieces of a note, in its order; `updated_at` is in milliseconds.

    Where they can't carry all of the metadata, the first one does.
    """
    full = Record(
        namespace=home.namespace,
        id="",
        text="",
        title=row.title,
        kind=declared.kind,
        kind_provenance=declared.kind_provenance,
        entity=declared.entity,
        memory_type=declared.memory_type,
        tags=row.tags,
        importance=declared.importance,
        source=declared.source,
        metadata=row.metadata,
        created_at=_milliseconds(row.created_at, home.zone),
        updated_at=updated_at,
        expires_at=None,
    )
    rest = _light(full) if _is_too_much(full, len(passages)) else full
    return tuple(_fill([full, *[rest] * (len(passages) - 1)], passages, row.path))


def are_light(pieces: Sequence[Record]) -> bool:
    """Tell whether the first of a note's pieces alone carries what the note says of itself."""
    return pieces[-1].metadata is not pieces[0].metadata


def strip_pieces(piece: Record, row: NoteRow, passages: Sequence[Passage]) -> tuple[Record, ...]:
    """Build pieces of the text alone, for a note of which `piece` is one; `row` is stripped."""
    bare = Declared()
    plain = replace(
        piece,
        title=row.title,
        kind=bare.kind,
        kind_provenance=bare.kind_provenance,
        entity=None,
        memory_type=None,
        tags=(),
        importance=bare.importance,
        source=None,
        metadata={},
    )
    return tuple(_fill([plain] * len(passages), passages, row.path))


def _is_too_much(full: Record, count: int) -> bool:
    if count == 1:
        return False
    said = (full.title, full.tags, full.metadata)
    return count * len(json.dumps(said, ensure_ascii=False)) > MOST_CARRIED


def _light(full: Record) -> Record:
    title = full.title[:LONGEST_TITLE]
    return replace(full, title=title, tags=(), metadata={}, entity=None, source=None)


def _fill(records: Sequence[Record], passages: Sequence[Passage], path: str) -> Iterator[Record]:
    """Put passages into records that have all the rest."""
    turns: dict[str, int] = {}
    for record, passage in zip(records, passages, strict=True):
        turn = turns[passage.text] = turns.get(passage.text, 0) + 1
        yield _with_passage(record, passage, _identify(passage.text, turn), path)


def _with_passage(record: Record, passage: Passage, name: str, path: str) -> Record:
    """Do as `dataclasses.replace`, in a quarter of its time."""
    return Record(
        namespace=record.namespace,
        id=name,
        text=passage.text,
        title=record.title,
        kind=record.kind,
        kind_provenance=record.kind_provenance,
        entity=record.entity,
        memory_type=record.memory_type,
        tags=record.tags,
        importance=record.importance,
        source=record.source,
        metadata=record.metadata,
        created_at=record.created_at,
        updated_at=record.updated_at,
        expires_at=record.expires_at,
        piece=Piece("", path, passage.heading, passage.line),
    )


def _identify(text: str, turn: int) -> str:
    content = text if turn == 1 else f"{turn}\0{text}"
    return "p" + blake2b(content.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


# --- frontmatter -----------------------------------------------------------------------------

_KEYS: Mapping[str, str] = {
    "kind": "kind",
    "entity": "entity",
    "memorytype": "memory_type",
    "memory_type": "memory_type",
    "importance": "importance",
    "source": "source",
}


def _is_field(key: str) -> bool:
    return key.casefold() in _KEYS


def _value(note: Note, key: str | None) -> Json:
    return None if key is None else note.frontmatter[key]


def _kind(note: Note, path: str, key: str | None) -> tuple[str | None, list[Finding]]:
    value = _value(note, key)
    if key is None or value is None:
        return None, []
    try:
        return check_kind(value), []
    except InvalidRequest as error:
        line = note.lines[key,]
        return None, [Finding("invalid_kind", path, line, one.detail) for one in error.faults]


def _text(note: Note, key: str | None) -> str | None:
    """Return a text or a number as it is written."""
    value = _value(note, key)
    if key is None or isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return note.texts.get((key,), str(value)).strip() or None


def _memory_type(note: Note, key: str | None) -> str | None:
    value = _value(note, key)
    return value if isinstance(value, str) and value in MEMORY_TYPES else None


def _importance(note: Note, key: str | None) -> float:
    try:
        number = read_value(Type.NUMBER, _value(note, key))
    except UnreadableValue:
        return DEFAULT_IMPORTANCE
    return float(number) if 0 <= float(number) <= 1 else DEFAULT_IMPORTANCE


# --- times -----------------------------------------------------------------------------------

_FIRST, _LAST = -62_135_596_800_000, 253_402_300_799_999
"""The first and the last millisecond that the calendar has."""


def _milliseconds(text: str, zone: tzinfo) -> int:
    """Return the millisecond at which a date begins."""
    return min(max(read_moment(text, zone).start // 1_000, _FIRST), _LAST)
