"""Parts that several answers have: values, places, the filter, warnings."""

from collections.abc import Mapping, Sequence

from rich.text import Text

from winnow.operations.answers import OfNotes, Source, SourceNote
from winnow.operations.memories import Dropped, Profile
from winnow.surfaces.cli.lines.notes import describe_profile
from winnow.surfaces.cli.page import Column, Page, styled
from winnow.values import Json, Value

CONNECTIVES = frozenset({"and", "or", "not"})
STAGES = (Column("stage", whole=True), Column("ms", number=True))


def value_text(value: "Value | Json") -> str:
    """Return a value as people write it: items with commas, true and false as in a filter."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ", ".join(value_text(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {value_text(item)}" for name, item in value.items())
    return str(value)


def place(path: str, line: int | None) -> str:
    """Return `path:line`, which editors open."""
    return path if line is None else f"{path}:{line}"


def evidence(source: Source | None) -> Text:
    """Return where a value stands, and the words that it was read from."""
    if source is None:
        return Text()
    where = styled(place(source.path, source.line), "cyan")
    return Text.assemble(where, "  ", styled(source.quote, "dim")) if source.quote else where


def fields_of(filters: Json) -> list[str]:
    """Return the fields that an echoed filter names, in its order, each once."""
    if isinstance(filters, list):
        found = [name for part in filters for name in fields_of(part)]
    elif isinstance(filters, dict):
        found = [
            name
            for key, part in filters.items()
            for name in (fields_of(part) if key in CONNECTIVES else [key])
        ]
    else:
        found = []
    return list(dict.fromkeys(found))


def write_filter(where: str, of_notes: OfNotes | None, page: Page) -> None:
    """Write what was asked for: a filter, and what one note of an entity had to meet."""
    if where:
        page.line(styled(f"where {where}", "bold"))
    if of_notes is not None:
        page.line(styled(f"with a note where {of_notes.where}", "bold"))


def write_warnings(warnings: Sequence[str] | None, page: Page) -> None:
    """Write what a person should know of an answer."""
    for warning in warnings or ():
        page.line(styled("warning: ", "yellow"), warning)


def write_dropped(dropped: Sequence[Dropped] | None, page: Page) -> None:
    """Write which hits were left out for the budget of tokens."""
    for one in dropped or ():
        page.line(styled(f"{one.id} was left out: {one.reason}", "yellow"))


def write_source_notes(notes: Sequence[SourceNote] | None, page: Page) -> None:
    """Write what became of the sources that were asked for."""
    for note in notes or ():
        page.line(styled(f"{note.source}: ", "yellow"), note.note)


def count_text(counts: Mapping[str, int]) -> str:
    """Return counts by name in a row: `3 Matter, 2 Client`."""
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def write_profile(profile: Profile | None, page: Page) -> None:
    """Write how long each stage took, and what was read of vectors."""
    if profile is None:
        return
    rows = ((one.stage, f"{one.milliseconds:.3f}") for one in profile.stages)
    page.table(STAGES, rows)
    page.line(describe_profile(profile))
