"""A folder of Markdown, file by file: what each one says, and what of it can be a memory."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from winnow.kinds import KINDS
from winnow.memory.transfer.foreign.decoding import Decoder
from winnow.memory.transfer.foreign.origin import join, name_origin
from winnow.memory.transfer.foreign.report import Report
from winnow.memory.transfer.foreign.source import Source
from winnow.memory.transfer.lines import Raw
from winnow.values import Type, UnreadableValue, read_value
from winnow.vault.contents import read_file
from winnow.vault.folder import SeenNote, explain, list_folder
from winnow.vault.markdown import read_note
from winnow.vault.note import Note
from winnow.vault.paths import stem_of
from winnow.vault.pieces import read_declared
from winnow.vault.reading import CREATED_KEYS, read_metadata
from winnow.vault.roots import find_root

UPDATED_KEYS: Final = ("updated", "modified")
"""Frontmatter keys that say when a note was last changed, the first before the second."""


@dataclass(frozen=True, slots=True)
class FoundNote:
    """A note of a folder, and where it lies in it."""

    path: str
    note: Note


Adopt: TypeAlias = Callable[[FoundNote, Report], tuple[str, Mapping[str, object]]]
"""Gives a note the name that its system knows it by, and metadata beside its own."""


def read_folder(source: Source, report: Report, system: str, adopt: Adopt) -> Iterator[Raw]:
    """Yield a memory for each note of a folder, in the order of their paths."""
    listing = list_folder(find_root(source.folder))
    for skip in listing.skips:
        report.skip(skip.path, skip.reason)
    for seen in listing.notes:
        try:
            note = read_note(_read_text(seen))
        except UnreadableValue as error:
            yield seen.path, error
            continue
        for problem in note.problems:
            report.remark(f"{seen.path}:{problem.line}: {problem.detail}")
        said = _say(seen, note, report)
        if not str(said["text"]).strip():
            report.skip(seen.path, "it is empty")
            continue
        name, more = adopt(FoundNote(seen.path, note), report)
        metadata = join(system, read_metadata(note), {"file": seen.path, **more})
        origin = {"id": name_origin(system, name), "metadata": metadata}
        yield seen.path, {"source": system, **said, **origin}


def _read_text(seen: SeenNote) -> str:
    try:
        data = read_file(seen.place).data
    except OSError as error:
        raise UnreadableValue(f"can't be read: {explain(error)}") from error
    decoder = Decoder([data])
    text = "".join(decoder)
    wrong = decoder.complain()
    if wrong is not None:
        raise wrong
    return text


def _say(seen: SeenNote, note: Note, report: Report) -> dict[str, object]:
    """Return what a note says in the fields of a memory."""
    title = note.title or (note.headings[0].text if note.headings else "") or stem_of(seen.path)
    body = note.body.strip("\n")
    return {
        "text": body if body.strip() or not note.frontmatter else title,
        "title": title,
        "tags": list(note.tags),
        "createdAt": _find_time(note, CREATED_KEYS, seen, report),
        "updatedAt": _find_time(note, UPDATED_KEYS, seen, report),
        **_declare(note, seen, report),
    }


def _declare(note: Note, seen: SeenNote, report: Report) -> dict[str, object]:
    """Return the fields that a frontmatter declares as a note of a vault does."""
    declared, findings = read_declared(note, seen.path)
    for finding in findings:
        report.remark(f"{seen.path}:{finding.line}: {finding.detail}; it is kept as metadata")
    said: dict[str, object] = {
        "entity": declared.entity,
        "memoryType": declared.memory_type,
        "importance": declared.importance,
        "source": declared.source,
    }
    if declared.kind_provenance == "declared" and declared.kind in KINDS:
        said["kind"] = declared.kind
    return {name: value for name, value in said.items() if value is not None}


def _find_time(note: Note, keys: tuple[str, ...], seen: SeenNote, report: Report) -> str | None:
    """Return the time that a frontmatter has under one of these keys, else that of the file."""
    named = {key.casefold(): key for key in reversed([*note.frontmatter])}
    for key in (named[wanted] for wanted in keys if wanted in named):
        value = note.frontmatter[key]
        if value is None or value == "":
            continue
        try:
            return str(read_value(Type.DATETIME, value))
        except UnreadableValue as error:
            report.remark(f"{seen.path}:{note.lines[key,]}: {key}: {error}")
    try:
        return (_EPOCH + timedelta(microseconds=seen.mtime_ns // 1_000)).isoformat()
    except OverflowError:  # a time that no calendar has
        return None


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
