"""Memories for people: one, or those that a query has found."""

from collections.abc import Iterator, Sequence

from winnow.operations.answers import RecallAnswer
from winnow.operations.memories import (
    CheckAnswer,
    DeleteAnswer,
    MemoryHit,
    MemoryRecord,
    OtherHit,
    RetypeAnswer,
    UndeleteAnswer,
)
from winnow.surfaces.cli.lines.notes import describe_pieces
from winnow.surfaces.cli.page import Cell, Column, Page, styled
from winnow.surfaces.cli.render.parts import (
    count_text,
    write_dropped,
    write_source_notes,
    write_warnings,
)

LONGEST = 280  # characters of a text in a row of a table
SHOWN_IDS = 100
FOUND = (
    Column("score", number=True),
    Column("id", whole=True),
    Column("kind", whole=True),
    Column("text", long=True),
    Column("where"),
)
OTHERS = (
    Column("score", number=True),
    Column("source", whole=True),
    Column("title"),
    Column("text", long=True),
    Column("where"),
)
LISTED = (
    Column("id", whole=True),
    Column("kind", whole=True),
    Column("text", long=True),
    Column("tags"),
    Column("changed", whole=True),
    Column("where"),
)
DELETED = tuple(Column("deleted", True) if one.title == "changed" else one for one in LISTED)
RETYPED = (
    Column("id", whole=True),
    Column("before", whole=True),
    Column("kind", whole=True),
    Column("how", whole=True),
)


def write_found(answer: RecallAnswer, page: Page) -> None:
    """Write what a query has found, the best first."""
    if answer.where:
        page.line(styled(f"where {answer.where}", "bold"))
    if answer.memories:
        page.table(FOUND, (_row(hit) for hit in answer.memories))
    if answer.others:
        page.table(OTHERS, (_other_row(hit) for hit in answer.others))
    write_dropped(answer.dropped, page)
    write_warnings(answer.warnings, page)
    write_source_notes(answer.source_notes, page)
    counts = f"{answer.filtered_entities} of {answer.scanned_entities} match"
    page.line(f"{counts}, {answer.returned} shown")
    if answer.cursor is not None:
        page.line(styled(f"more with --cursor {answer.cursor}", "dim"))


def write_listed(memories: Sequence[MemoryRecord], page: Page) -> None:
    """Write memories in their order, a row for each."""
    if memories:
        columns = DELETED if memories[0].deleted_at else LISTED
        page.table(columns, (_listed_row(record) for record in memories))


def write_memory(record: MemoryRecord, page: Page) -> None:
    """Write one memory."""
    page.line(styled(record.id, "bold"), f"  {record.kind}  in {record.namespace}")
    if record.title:
        page.line(styled(record.title, "bold"))
    page.line(record.text)
    for name, value in _details(record):
        page.line(styled(f"{name}: ", "dim"), value)


def write_deletion(answer: DeleteAnswer, page: Page) -> None:
    """Write how many memories were deleted, or would be."""
    _write_conditions(answer, page)
    told = "match; nothing was deleted" if answer.dry_run else f"match, {answer.deleted} deleted"
    page.line(f"{answer.matched} {told}")
    _write_ids(answer.ids, answer.matched, page)
    _write_read_only(answer.read_only, page)


def write_return(answer: UndeleteAnswer, page: Page) -> None:
    """Write which memories were brought back."""
    page.line(f"{answer.undeleted} brought back")
    _write_ids(answer.ids, answer.undeleted, page)
    write_warnings(answer.warnings, page)


def write_retyping(answer: RetypeAnswer, page: Page) -> None:
    """Write which memories got another kind, or would get one."""
    _write_conditions(answer, page)
    if answer.sample:
        rows = ((one.id, one.before, one.kind, one.kind_provenance) for one in answer.sample)
        page.table(RETYPED, rows)
    told = "would change" if answer.dry_run else "changed"
    page.line(f"{answer.matched} match, {answer.changed} {told}")
    _write_read_only(answer.read_only, page)


def write_check(answer: CheckAnswer, page: Page) -> None:
    """Write the answer of a check as the text that it is."""
    for line in answer.text.splitlines():
        page.line(line)
    write_warnings(answer.warnings, page)


def _write_conditions(answer: DeleteAnswer | RetypeAnswer, page: Page) -> None:
    if answer.where:
        page.line(styled(f"where {answer.where}", "bold"))
    write_warnings(answer.warnings, page)


def _write_ids(ids: Sequence[str], count: int, page: Page) -> None:
    """Write ids, so that what was done can be undone for them."""
    if ids:
        rest = count - min(len(ids), SHOWN_IDS)
        more = f" and {rest} more (--json has up to 1,000)" if rest else ""
        page.line(styled("ids: ", "dim"), ", ".join(ids[:SHOWN_IDS]), more)


def _write_read_only(count: int | None, page: Page) -> None:
    if count:
        page.line(styled(describe_pieces(count), "yellow"))


def _details(record: MemoryRecord) -> Iterator[tuple[str, str]]:
    tags = ", ".join(record.tags)
    metadata = ", ".join(f"{name} {value}" for name, value in record.metadata.items())
    twins = ", ".join(record.duplicates or ())
    for name, value in (
        ("tags", tags),
        ("entity", record.entity),
        ("type", record.memory_type),
        ("importance", str(record.importance)),
        ("source", record.source),
        ("metadata", metadata),
        ("path", record.path),
        ("stored", record.created_at),
        ("changed", record.updated_at),
        ("forgotten", record.expires_at),
        ("deleted", record.deleted_at),
        ("same text as", twins),
        ("secrets not stored", count_text(record.redacted or {})),
    ):
        if value:
            yield name, value


def _listed_row(record: MemoryRecord) -> Sequence[Cell]:
    title = record.title or ""
    # A note begins with its title as often as not.
    begins = record.text.lstrip("# ").startswith(title)
    said = record.text if begins else f"{title}: {record.text}"
    text = said if len(said) <= LONGEST else said[:LONGEST] + "…"
    changed = (record.deleted_at or record.updated_at)[:19].replace("T", " ")
    where = record.path or record.namespace
    tags = ", ".join(record.tags)
    return (styled(record.id, "bold"), record.kind, text, tags, changed, styled(where, "cyan"))


def _row(hit: MemoryHit) -> Sequence[Cell]:
    links = "" if hit.depth is None else f" (links away: {hit.depth})"
    where = styled(f"{hit.path}{links}", "cyan")
    return (f"{hit.score:.3f}", styled(hit.id, "bold"), hit.kind, hit.snippet, where)


def _other_row(hit: OtherHit) -> Sequence[str]:
    score = "" if hit.score is None else f"{hit.score:.3f}"
    return (score, hit.source, hit.title, hit.snippet, hit.path or "")
