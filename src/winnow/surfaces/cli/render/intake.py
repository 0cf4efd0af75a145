"""What came in, for people: by reading notes, and by import."""

from collections.abc import Mapping

from winnow.errors import counted
from winnow.operations.reports import ImportAnswer, IndexAnswer
from winnow.surfaces.cli.page import Page, styled
from winnow.surfaces.cli.render.parts import count_text, place, write_warnings

OWN_FORMAT = "winnow"
NO_ENTITY = "none, as no note fits a schema (winnow schema); docs/packs.md tells how to write one"
STEPS = ("added", "changed", "moved", "removed", "unchanged")


def write_index(answer: IndexAnswer, page: Page) -> None:
    """Write what reading a vault came to."""
    steps = ", ".join(f"{getattr(answer, step)} {step}" for step in STEPS)
    page.line(styled(answer.vault, "bold"), f": {counted(answer.notes, 'notes')} ({steps})")
    page.line(f"entities: {count_text(answer.entities) or NO_ENTITY}")
    for problem in answer.problems:
        page.line(styled(place(problem.path, problem.line), "cyan"), f": {problem.detail}")
    _write_secrets(answer.redacted, page)
    write_warnings(answer.warnings, page)
    if answer.findings:
        page.line(styled(f"{counted(answer.findings, 'findings')}; see winnow lint", "yellow"))


def write_import(answer: ImportAnswer, page: Page) -> None:
    """Write what an import came to, with what was refused."""
    counts = f"{answer.added} added, {answer.changed} changed, {answer.unchanged} unchanged"
    page.line(f"nothing was written; it would be {counts}" if answer.dry_run else counts)
    if answer.format != OWN_FORMAT:
        page.line(f"read as {answer.format}")
    if answer.skipped:
        page.line(f"{answer.skipped} left out on purpose")
    if answer.memories.expired:
        page.line(f"{answer.memories.expired} left out: their time is over")
    _write_secrets(answer.redacted, page)
    write_warnings(answer.warnings, page)
    for fault in answer.errors:
        page.line(styled("refused ", "red"), str(fault))
    if answer.refused:
        page.line(styled(f"{answer.refused} refused", "red"))


def _write_secrets(counts: Mapping[str, int] | None, page: Page) -> None:
    if counts:
        page.line(f"secrets not stored: {count_text(counts)}")
