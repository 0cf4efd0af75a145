"""What came in, for people: by reading notes, and by import."""

from winnow.operations.answers import ImportAnswer, IndexAnswer
from winnow.surfaces.cli.page import Page, styled
from winnow.surfaces.cli.render.parts import count_text, place, write_warnings

STEPS = ("added", "changed", "moved", "removed", "unchanged")


def write_index(answer: IndexAnswer, page: Page) -> None:
    """Write what reading a vault came to."""
    steps = ", ".join(f"{getattr(answer, step)} {step}" for step in STEPS)
    page.line(styled(answer.vault, "bold"), f": {answer.notes} notes ({steps})")
    page.line(f"entities: {count_text(answer.entities) or 'none'}")
    for problem in answer.problems:
        page.line(styled(place(problem.path, problem.line), "cyan"), f": {problem.detail}")
    write_warnings(answer.warnings, page)
    if answer.findings:
        page.line(styled(f"{answer.findings} findings; see winnow lint", "yellow"))


def write_import(answer: ImportAnswer, page: Page) -> None:
    """Write what an import came to, with what was refused."""
    page.line(f"{answer.added} added, {answer.changed} changed, {answer.unchanged} unchanged")
    if answer.memories.expired:
        page.line(f"{answer.memories.expired} left out: their time is over")
    write_warnings(answer.warnings, page)
    for fault in answer.errors:
        page.line(styled("refused ", "red"), str(fault))
    if answer.refused:
        page.line(styled(f"{answer.refused} refused", "red"))
