"""Hits for people: the filter first, then what matches with its evidence, then what is open."""

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from winnow.filter.ops import OPERATORS
from winnow.operations.answers import EntityHit, ListAnswer, NearMiss, RecallAnswer, Undetermined
from winnow.surfaces.cli.page import Cell, Column, Page, level, styled
from winnow.surfaces.cli.render.memories import write_found, write_listed
from winnow.surfaces.cli.render.parts import (
    evidence,
    fields_of,
    value_text,
    write_dropped,
    write_filter,
    write_profile,
    write_warnings,
)

RANKED_INSIDE = "schema_typed_semantic"
EVIDENCE = (
    Column("id", whole=True),
    Column("field", whole=True),
    Column("value"),
    Column("confidence", whole=True),
    Column("evidence"),
)
RANKED = (
    Column("score", number=True),
    Column("id", whole=True),
    Column("text", long=True),
    Column("where"),
)
OVERVIEW = (Column("id", whole=True), Column("fields", long=True), Column("where"))
NEAR = (
    Column("near miss", whole=True),
    Column("test"),
    Column("actual"),
    Column("by", number=True),
)
OPEN = (Column("undetermined", whole=True), Column("now"), Column("because"))


def write_recall(answer: RecallAnswer, page: Page) -> None:
    """Write what was recalled."""
    if not answer.schema:
        write_found(answer, page)
        write_profile(answer.profile, page)
        return
    page.line(styled(_title(answer), "bold"), styled(f"  at {answer.confidence_minimum}", "dim"))
    write_filter("", answer.of_notes, page)
    if answer.query_type != RANKED_INSIDE:
        _write_hits(answer.entities, fields_of(answer.filters), page)
    elif answer.entities:
        page.table(RANKED, (_ranked_row(hit) for hit in answer.entities))
    write_dropped(answer.dropped, page)
    _write_near_misses(answer.near_misses or (), page)
    _write_undetermined(answer.undetermined, page)
    write_warnings(answer.warnings, page)
    for note in answer.source_notes or ():
        page.line(styled(f"{note.source}: ", "yellow"), note.note)
    open_ = f"{answer.undetermined.count} undetermined"
    counts = f"{answer.filtered_entities} of {answer.scanned_entities} match"
    page.line(f"{counts}, {answer.returned} shown, {open_}")
    _write_cursor(answer.cursor, page)
    write_profile(answer.profile, page)


def write_list(answer: ListAnswer, page: Page) -> None:
    """Write a page of entities, or of memories."""
    write_filter(answer.where, answer.of_notes, page)
    if answer.memories is None:
        _write_hits(answer.entities, fields_of(answer.filters), page)
    else:
        write_listed(answer.memories, page)
    write_warnings(answer.warnings, page)
    # A memory says what it says: nothing about it is open.
    open_ = f", {answer.undetermined} undetermined" if answer.memories is None else ""
    page.line(f"{answer.filtered_entities} match, {answer.returned} shown{open_}")
    _write_cursor(answer.cursor, page)


def _title(answer: RecallAnswer) -> str:
    if answer.query_type == RANKED_INSIDE:
        return f"{answer.schema} by {answer.query}"
    return f"{answer.schema} where {answer.where}" if answer.where else f"all {answer.schema}"


def _write_cursor(cursor: str | None, page: Page) -> None:
    if cursor is not None:
        page.line(styled(f"more with --cursor {cursor}", "dim"))


def _write_hits(hits: Sequence[EntityHit], fields: Sequence[str], page: Page) -> None:
    if hits and fields:
        page.table(EVIDENCE, (row for hit in hits for row in _evidence_rows(hit, fields)))
    elif hits:
        page.table(OVERVIEW, (_overview_row(hit) for hit in hits))


def _ranked_row(hit: EntityHit) -> Sequence[Cell]:
    name = hit.fields.get("title", hit.fields.get("name"))
    told = hit.snippet if name is None else f"{value_text(name)}: {hit.snippet}"
    return (f"{hit.score:.3f}", styled(hit.entity_id, "bold"), told, styled(hit.path, "cyan"))


def _overview_row(hit: EntityHit) -> Sequence[Cell]:
    told = ", ".join(f"{name} {value_text(value)}" for name, value in hit.fields.items())
    return (styled(hit.entity_id, "bold"), told, styled(hit.path, "cyan"))


def _evidence_rows(hit: EntityHit, fields: Sequence[str]) -> Iterator[Sequence[Cell]]:
    shown: Text | str = styled(hit.entity_id, "bold")
    for name in fields:
        for row in _field_rows(hit, name):
            yield (shown, name, *row)
            shown = ""


def _field_rows(hit: EntityHit, name: str) -> Iterator[Sequence[Cell]]:
    """Yield a row for the value of a field, or one for each of those in conflict."""
    if hit.conflicts and name in hit.conflicts:
        for one in hit.conflicts[name]:
            value = value_text(one.value)
            yield (value, level("AMBIGUOUS"), evidence(one.evidence))
        return
    found = (hit.field_confidence or {}).get(name)
    value = value_text(hit.fields.get(name))
    yield (value, level(found), evidence(hit.evidence.get(name)))


def _write_near_misses(misses: Sequence[NearMiss], page: Page) -> None:
    if misses:
        page.table(NEAR, (_near_row(miss) for miss in misses))


def _near_row(miss: NearMiss) -> Sequence[Cell]:
    symbol = OPERATORS[miss.op].symbol if miss.op in OPERATORS else miss.op
    test = f"{miss.field} {symbol} {value_text(miss.bound)}"
    return (styled(miss.entity_id, "bold"), test, value_text(miss.actual), value_text(miss.by))


def _write_undetermined(undetermined: Undetermined, page: Page) -> None:
    if not undetermined.sample:
        return
    rows = (
        (
            styled(one.entity_id, "bold"),
            NOW[one.matched],
            ", ".join(f"{field.field}: {field.reason}" for field in one.fields),
        )
        for one in undetermined.sample
    )
    page.table(OPEN, rows)


NOW: Mapping[bool, str] = {True: "in the answer", False: "not in the answer"}
