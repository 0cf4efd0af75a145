"""From a note to candidate values with evidence, by the rules of packs; pure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate

from winnow.errors import nearest
from winnow.records import Candidate, Confidence, Evidence, Finding, Method
from winnow.schema import Pack
from winnow.vault.agreement import find_disagreements
from winnow.vault.claims import Source
from winnow.vault.labels import read_label
from winnow.vault.machine import read_machine_values
from winnow.vault.note import Note
from winnow.vault.prose import Found, read_passage, split_passages
from winnow.vault.rules import Rules, prepare
from winnow.vault.statements import Form, Lines, by_line, read_key_lines, read_statements
from winnow.vault.subjects import Block, NumberedLine, Subject, find_subject

EXTRACTOR_VERSION = 1
"""Raised when the same note and pack give other values than before, so that notes are re-read."""
LONGEST_PROSE = 1_000_000
"""Characters of a note that are searched for values at most, which takes about two seconds."""
MOST_PLACES = 20
"""Candidates that are kept of one value of a field in one note, found in one way."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """An entity that a note is about, and the values that it gives, by field."""

    schema: str
    entity: str
    fields: Mapping[str, tuple[Candidate, ...]]


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that a note says of entities, and what a person should look at."""

    declarations: tuple[Declaration, ...]
    findings: tuple[Finding, ...]


def extract(note: Note, path: str, packs: Sequence[Pack]) -> Extraction:
    """Extract the entities of a note; `path` is relative to the vault, with `/`."""
    findings = [Finding("note_problem", path, one.line, one.detail) for one in note.problems]
    declarations: list[Declaration] = []
    lines = Lines(note)
    statements = read_statements(note, lines)
    for pack in packs:
        rules = prepare(pack)
        key_lines = list(read_key_lines(rules, note, lines))
        said = by_line([*statements, *key_lines]) if key_lines else statements
        source = Source(note, path, said)
        subject = find_subject(rules, source, findings)
        if subject is not None:
            declarations += _declare(subject, source, findings)
            findings += _unknown_keys(rules, source)
    return Extraction(tuple(declarations), tuple(findings))


@dataclass(slots=True)
class _Values:
    """The candidates of an entity, each value with the first places where it stands."""

    fields: dict[str, list[Candidate]] = field(default_factory=dict[str, list[Candidate]])
    seen: set[tuple[object, ...]] = field(default_factory=set[tuple[object, ...]])
    counts: Counter[tuple[object, ...]] = field(default_factory=Counter[tuple[object, ...]])

    def add(self, name: str, candidate: Candidate) -> None:
        """Keep a candidate, unless it says again what another one says in the same line."""
        said = (name, candidate.value, candidate.method)
        if self.is_new(*said, candidate.evidence and candidate.evidence.line):
            self.counts[said] += 1
            if self.counts[said] <= MOST_PLACES:
                self.fields.setdefault(name, []).append(candidate)

    def is_new(self, *key: object) -> bool:
        """Tell whether something is seen for the first time."""
        before = len(self.seen)
        self.seen.add(key)
        return len(self.seen) > before


def _declare(subject: Subject, source: Source, findings: list[Finding]) -> Iterator[Declaration]:
    """Read the blocks of each entity."""
    entities: dict[str, _Values] = {}
    prose = _prose_lines(source, findings)
    for block in subject.blocks:
        values = entities.setdefault(block.entity, _Values())
        for name, candidate in read_machine_values(subject.rules, block, source, findings):
            values.add(name, candidate)
        for found in _read_prose(subject, block, prose):
            _take(values, found, block, source.path, findings)
    schema = subject.rules.schema
    for entity, values in entities.items():
        known = values.fields
        fields = {name: tuple(known[name]) for name in schema.fields if name in known}
        findings += find_disagreements(schema, entity, fields, source.path)
        yield Declaration(schema.name, entity, fields)


def _prose_lines(source: Source, findings: list[Finding]) -> list[NumberedLine]:
    """List the lines that are prose and nothing else, up to where it gets too long."""
    taken = {one.line for one in source.statements if one.form is not Form.FRONTMATTER}
    lines = [one for one in source.note.visible_lines() if one[0] not in taken]
    if len(source.note.prose) <= LONGEST_PROSE:
        return lines
    sizes = accumulate(len(line) for _, line in lines)
    kept = [line for line, size in zip(lines, sizes, strict=True) if size <= LONGEST_PROSE]
    if len(kept) < len(lines):
        number = lines[len(kept)][0]
        detail = f"prose beyond {LONGEST_PROSE:,} characters was not searched for values"
        findings.append(Finding("note_problem", source.path, number, detail))
    return kept


def _read_prose(subject: Subject, block: Block, prose: Sequence[NumberedLine]) -> Iterator[Found]:
    lines = block.prose_of(prose)
    for number, line in lines:
        if ":" in line or "|" in line:
            yield from read_label(subject.rules, block.entity, number, line)
    for passage in split_passages(lines):
        yield from read_passage(subject.rules, block.entity, passage)


def _take(values: _Values, found: Found, block: Block, path: str, findings: list[Finding]) -> None:
    name = found.field.name
    if found.value is not None:
        evidence = Evidence(path, found.line, found.quote)
        confidence = min(block.cap, Confidence.INFERRED)
        values.add(name, Candidate(found.value, confidence, Method.PATTERN, evidence))
    elif found.fault and values.is_new(name, found.line, found.fault):
        detail = f"{name}: {found.fault}"
        findings.append(Finding("unreadable_value", path, found.line, detail, block.entity, name))


def _unknown_keys(rules: Rules, source: Source) -> Iterator[Finding]:
    """Name the key lines that mean nothing in the pack, which are often slips."""
    for statement in source.statements:
        if statement.form is Form.KEY_LINE and statement.key not in rules.known_keys:
            guess = _nearest_key(statement.bare_name, tuple(rules.pack.keys))
            prefix = statement.name.removesuffix(statement.bare_name)
            hint = f"; did you mean {prefix}{guess}?" if guess else ""
            detail = f"unknown key {statement.name}{hint}"
            yield Finding("unknown_key", source.path, statement.line, detail)


@lru_cache(maxsize=1024)  # the search is slow, and a slip often stands in many notes
def _nearest_key(name: str, keys: tuple[str, ...]) -> str | None:
    return nearest(name, keys)
