"""Which lines of a note are about which entity."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from winnow.records import Confidence, Finding
from winnow.vault.claims import Claim, Source, collect_claims, report_misfits
from winnow.vault.note import Heading, Note
from winnow.vault.prose import split_passages
from winnow.vault.rules import Rules, SchemaRules
from winnow.vault.statements import Statement

NumberedLine: TypeAlias = tuple[int, str]

END = 1 << 60
"""A line behind every note."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a note that are about one entity: `start <= line < end`, prose up to `prose_end`.

    `only` are the lines of prose that count, if not all do. No value is trusted beyond `cap`.
    """

    entity: str
    start: int = 1
    end: int = END
    prose_end: int = END
    cap: Confidence = Confidence.EXTRACTED
    only: frozenset[int] | None = None

    def statements_of(self, statements: Sequence[Statement]) -> Sequence[Statement]:
        """Choose what is said of the entity for machines, from statements in order."""
        first = bisect_left(statements, self.start, key=lambda one: one.line)
        return statements[first : bisect_left(statements, self.end, key=lambda one: one.line)]

    def prose_of(self, lines: Sequence[NumberedLine]) -> Sequence[NumberedLine]:
        """Choose the prose that is about the entity, from lines in order."""
        if self.only is None:
            first = bisect_left(lines, (self.start, ""))
            return lines[first : bisect_left(lines, (self.prose_end, ""))]
        places = (bisect_left(lines, (number, "")) for number in sorted(self.only))
        return [lines[at] for at in places if at < len(lines) and lines[at][0] in self.only]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a note is about: entities of one schema, one block each or more."""

    rules: SchemaRules
    blocks: Sequence[Block]


def find_subject(rules: Rules, source: Source, findings: list[Finding]) -> Subject | None:
    """Decide by a pack's rules what a note is about, None if about nothing that it knows."""
    claims, misfits = collect_claims(rules, source, findings)
    winner = next((name for name in rules.schemas if name in claims), None)
    subject = (
        _subject(rules.schemas[winner], claims[winner], source, findings)
        if winner
        else _subject_by_mention(rules, source)
    )
    if misfits:
        findings += report_misfits(misfits, subject.rules if subject else None, source.path)
    return subject


def _subject(schema: SchemaRules, claim: Claim, source: Source, findings: list[Finding]) -> Subject:
    ids = list(dict.fromkeys(entity for entity, _ in claim.lines))
    if len(ids) <= 1:
        return Subject(schema, [Block(ids[0] if ids else claim.named or "")])
    starts: dict[int, list[str]] = {}
    for entity, line in sorted(claim.lines, key=lambda one: one[1]):
        starts.setdefault(line, []).append(entity)
    blocks = list(_blocks(schema, starts, source.note.headings))
    for line, entities in starts.items():
        if len(set(entities)) > 1:
            detail = f"{', '.join(entities)} begin here; the fields of this part belong to none"
            findings.append(Finding("note_problem", source.path, line, detail))
    return Subject(schema, blocks)


def _blocks(
    schema: SchemaRules, starts: Mapping[int, list[str]], headings: Sequence[Heading]
) -> Iterator[Block]:
    """Cut a note at the lines where ids stand; a part with several of them is about none."""
    begins = [_begin(schema, line, entities[0], headings) for line, entities in starts.items()]
    ends = [*begins[1:], END]
    for (line, entities), start, end in zip(starts.items(), begins, ends, strict=True):
        for entity in dict.fromkeys(entities):
            if len(set(entities)) > 1:
                yield Block(entity, line, line, line)
            else:
                yield Block(entity, start, end, _section_end(line, end, headings))


def _begin(schema: SchemaRules, line: int, entity: str, headings: Sequence[Heading]) -> int:
    """Begin at the heading above if it names the same id."""
    above = headings[: _headings_before(line, headings)][-1:]
    return above[0].line if above and entity in schema.find_ids(above[0].text) else line


def _section_end(line: int, end: int, headings: Sequence[Heading]) -> int:
    """End prose with its section: what stands under the next heading may be about another."""
    at = _headings_before(line, headings)
    level = headings[at - 1].level if at else 6
    for heading in headings[at:]:
        if heading.line >= end:
            break
        if heading.line > line and heading.level <= level:
            return heading.line
    return end


def _headings_before(line: int, headings: Sequence[Heading]) -> int:
    return bisect_left(headings, line, key=lambda heading: heading.line)


# --- declared by prose only ----------------------------------------------------------------------


def _subject_by_mention(rules: Rules, source: Source) -> Subject | None:
    for schema in rules.schemas.values():
        ids = _mentioned(schema, source.note.prose)
        if len(ids) == 1:
            return Subject(schema, [Block(ids[0], cap=Confidence.INFERRED)])
        if ids:
            return Subject(schema, list(_scattered(schema, ids, source.note)))
    return None


def _mentioned(schema: SchemaRules, prose: str) -> list[str]:
    if not schema.mentions or not schema.find_ids(prose):
        return []
    found = (
        schema.schema.id.fit(match["id"])
        for mention in schema.mentions
        for match in mention.finditer(prose)
    )
    return [entity for entity in dict.fromkeys(found) if entity]


def _scattered(schema: SchemaRules, ids: Sequence[str], note: Note) -> Iterator[Block]:
    """Give each id the paragraphs and list items that name it and no other of its schema."""
    lines: dict[str, set[int]] = {entity: set() for entity in ids}
    for passage in split_passages(note.visible_lines()):
        named = list(schema.find_ids(passage.text))
        if len(named) == 1 and named[0] in lines:
            last = passage.line + passage.text.count("\n")
            lines[named[0]].update(range(passage.line, last + 1))
    for entity, own in lines.items():
        yield Block(entity, END, END, END, Confidence.INFERRED, frozenset(own))
