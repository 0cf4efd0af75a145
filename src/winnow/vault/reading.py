"""From the bytes of a note's file to what the store keeps of it; pure."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TypeAlias

from winnow.filter.raw import Untyped
from winnow.records import Finding
from winnow.redaction import redact
from winnow.schema import Pack
from winnow.store.base import Contribution, NoteRow
from winnow.store.memories import Record
from winnow.values import Json, Type, UnreadableValue, read_value
from winnow.vault import rules
from winnow.vault.contents import Content, decode_text
from winnow.vault.extract import extract
from winnow.vault.folder import SeenNote
from winnow.vault.markdown import read_note, snippet
from winnow.vault.note import Link, Note, Problem
from winnow.vault.paths import is_text, stem_of
from winnow.vault.pieces import (
    Declared,
    Home,
    are_light,
    build_pieces,
    read_declared,
    strip_pieces,
)
from winnow.vault.sections import cut_note, cut_text

READER_VERSION = 5
"""Raised when the same note gives another row or other pieces, so that notes are re-read."""
MOST_FINDINGS = 1_000
"""Findings that are kept of one note."""
CREATED_KEYS = ("created", "date")
"""Frontmatter keys that say when a note was made, the first before the second."""

_HOME = Home()


Counts: TypeAlias = tuple[tuple[str, int], ...]
"""How many secrets of each kind were replaced."""


@dataclass(frozen=True, slots=True)
class BuiltNote:
    """A note as it is to be stored: its row, and its pieces, of which there is at least one.

    `redacted` counts the secrets that were taken out of it, by kind.
    """

    row: NoteRow
    pieces: tuple[Record, ...]
    redacted: Counts = ()


def build_note(
    seen: SeenNote, content: Content, packs: Sequence[Pack], home: Home = _HOME
) -> BuiltNote:
    """Build a note: what it is called, what stands in it, and what it says of entities."""
    path = seen.path
    text, undecodable, redacted = _read_text(content, home)
    note = read_note(text)
    found = extract(note, path, packs)
    created_at, unreadable = _created(note, path, content.mtime_ns)
    declared, invalid = read_declared(note, path)
    findings = [*_file_findings(seen, undecodable), *unreadable, *invalid, *found.findings]
    row = NoteRow(
        path=path,
        size=content.size,
        mtime_ns=content.known_mtime,
        digest=content.digest,
        title=_title(note, path),
        text=note.head + note.body,
        snippet=snippet(note.body, _key_line(tuple(_prefixes(packs)))),
        created_at=created_at,
        tags=note.tags,
        metadata=read_metadata(note),
        links=[_link(one) for one in note.links],
        findings=tuple(_limited(findings, path)),
        contributions=tuple(
            Contribution(one.schema, one.entity, one.fields) for one in found.declarations
        ),
    )
    updated_at = _milliseconds(content.mtime_ns)
    pieces = build_pieces(row, cut_note(note, row.title), declared, home, updated_at)
    if are_light(pieces):
        finding = Finding("note_problem", path, None, _TOO_MUCH)
        row = replace(row, findings=(*row.findings, finding))
    return BuiltNote(row, pieces, redacted)


def build_plain_note(path: str, content: Content, reason: str, home: Home = _HOME) -> BuiltNote:
    """Build a note that can't be understood: its text alone, and the reason."""
    text, _, redacted = _read_text(content, home)
    row = NoteRow(
        path=path,
        size=content.size,
        mtime_ns=content.known_mtime,
        digest=content.digest,
        title="",
        text=text,
        snippet="",
        created_at=_iso(content.mtime_ns),
        tags=(),
        metadata={},
        links=(),
        findings=(),
        contributions=(),
    )
    updated_at = _milliseconds(content.mtime_ns)
    pieces = build_pieces(row, cut_text(""), Declared(), home, updated_at)
    return strip_note(BuiltNote(row, pieces, redacted), reason)


def strip_note(note: BuiltNote, reason: str) -> BuiltNote:
    """Leave of a note the text alone, and say why the rest can't be kept."""
    detail = f"only the text of this note could be read: {reason}"
    row = replace(
        note.row,
        title=stem_of(note.row.path),
        snippet=snippet(note.row.text, None),
        tags=(),
        metadata={},
        links=(),
        findings=(Finding("not_understood", note.row.path, None, detail),),
        contributions=(),
    )
    pieces = strip_pieces(note.pieces[0], row, cut_text(row.text))
    return BuiltNote(row, pieces, note.redacted)


def _read_text(content: Content, home: Home) -> tuple[str, Problem | None, Counts]:
    """Return the text of a note, what is wrong with its bytes, and what was taken out of it."""
    text, problem = decode_text(content.data)
    counts = Counter[str]()
    return (redact(text, counts) if home.redacts else text), problem, tuple(counts.items())


_TOO_MUCH = "this note says so much that only its first piece carries its tags and metadata"


def _file_findings(seen: SeenNote, undecodable: Problem | None) -> Iterator[Finding]:
    if "\\x" in seen.path and not is_text(seen.place):
        detail = "the name of this file is not UTF-8; its other bytes are shown as \\x.."
        yield Finding("bad_name", seen.path, None, detail)
    if undecodable is not None:
        yield Finding("not_utf8", seen.path, undecodable.line, undecodable.detail)


def _title(note: Note, path: str) -> str:
    return note.title or (note.headings[0].text if note.headings else "") or stem_of(path)


def _prefixes(packs: Sequence[Pack]) -> Iterator[str]:
    for pack in packs:
        yield from pack.key_prefixes


@cache
def _key_line(prefixes: tuple[str, ...]) -> re.Pattern[str] | None:
    """Match the key lines of any of the packs."""
    return rules.key_line(prefixes)


# --- metadata ------------------------------------------------------------------------------------


def read_metadata(note: Note) -> dict[str, Json]:
    """Join frontmatter and inline fields; what is named more than once is a list, as in Dataview.

    An empty inline field says nothing, and what another says has no type: nobody wrote quotes.
    Aliases are a list, whichever way they are written.
    """
    found: dict[str, Json] = {
        key: _finite(note, value, (key,)) for key, value in note.frontmatter.items()
    }
    if note.aliases:
        found["aliases"] = list(note.aliases)
    for field in note.fields:
        if not field.value:
            continue
        before, value = found.get(field.key), Untyped(field.value)
        if before is None:
            found[field.key] = value
        else:
            found[field.key] = [*(before if isinstance(before, list) else [before]), value]
    return found


def _finite(note: Note, value: Json, path: tuple[str | int, ...]) -> Json:
    """Keep infinities and what is no number as they are written; JSON has no such numbers."""
    if isinstance(value, list):
        return [_finite(note, item, (*path, step)) for step, item in enumerate(value)]
    if isinstance(value, dict):
        return {key: _finite(note, item, (*path, key)) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return note.texts.get(path, str(value))
    return value


def _link(link: Link) -> Json:
    """Return a link without what it doesn't have."""
    return {part: value for part in _LINK_PARTS if (value := getattr(link, part))}


_LINK_PARTS = tuple(part.name for part in fields(Link))


def _limited(findings: Sequence[Finding], path: str) -> Iterator[Finding]:
    yield from findings[:MOST_FINDINGS]
    more = len(findings) - MOST_FINDINGS
    if more > 0:
        yield Finding("note_problem", path, None, f"{more:,} more findings are not listed")


# --- times ---------------------------------------------------------------------------------------


def _created(note: Note, path: str, mtime_ns: int) -> tuple[str, list[Finding]]:
    """Return when a note was made: by its frontmatter, else by the time of its file."""
    findings: list[Finding] = []
    named = {key.casefold(): key for key in reversed([*note.frontmatter])}
    for key in (named[wanted] for wanted in CREATED_KEYS if wanted in named):
        value = note.frontmatter[key]
        if value is None or value == "":
            continue
        try:
            return str(read_value(Type.DATETIME, value)), findings
        except UnreadableValue as error:
            findings.append(Finding("unreadable_value", path, note.lines[key,], f"{key}: {error}"))
    return _iso(mtime_ns), findings


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _iso(mtime_ns: int) -> str:
    """Return a file's time as ISO 8601 UTC."""
    return _moment(mtime_ns).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _milliseconds(mtime_ns: int) -> int:
    return (_moment(mtime_ns) - _EPOCH) // timedelta(milliseconds=1)


def _moment(mtime_ns: int) -> datetime:
    """Return a file's time, the epoch if no calendar has it."""
    try:
        return _EPOCH + timedelta(microseconds=mtime_ns // 1000)
    except OverflowError:
        return _EPOCH
