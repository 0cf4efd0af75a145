"""What a person should look at: findings in notes, and the state of the store."""

from winnow.errors import counted
from winnow.operations.reports import LintAnswer
from winnow.operations.upkeep import DoctorAnswer
from winnow.store.problems import DAMAGED, Problem
from winnow.surfaces.cli.page import Page, styled
from winnow.surfaces.cli.render.parts import count_text, place


def write_lint(answer: LintAnswer, page: Page) -> None:
    """Write findings as `path:line: code detail`, then counts."""
    for finding in answer.findings:
        where = styled(place(finding.path, finding.line), "cyan")
        page.line(where, ": ", styled(finding.code, "yellow"), f" {finding.detail}")
    for schema, counts in answer.missing.items():
        missing = ", ".join(f"{name} in {count}" for name, count in counts.items() if count)
        if missing:
            page.line(styled(schema, "bold"), f" lacks {missing}")
    kinds = count_text(answer.counts)
    page.line(f"{counted(answer.total, 'findings')}{': ' if kinds else ''}{kinds}")


def write_doctor(answer: DoctorAnswer, page: Page) -> None:
    """Write whether the store is sound, and what it is made of."""
    sign = page.symbols.true if answer.sound else page.symbols.false
    told = "is sound" if answer.sound else "is not sound"
    page.line(styled(f"{sign} {answer.store} {told}", "green" if answer.sound else "red"))
    for problem in answer.repaired or ():
        page.line(styled(f"{page.symbols.true} mended ", "green"), _describe(problem))
    for problem in answer.problems:
        _write_problem(problem, page, repairing=answer.repaired is not None)
    if any(one.code == DAMAGED for one in answer.problems):
        if answer.repaired is not None:
            page.line("nothing was mended: what is damaged is left as it is")
        page.line("restore the last backup: winnow restore FILE --replace")
    if answer.as_of is not None:
        page.line(f"namespaces: {', '.join(answer.namespaces) or 'none'}")
        page.line(f"entities: {count_text(answer.entities) or 'none'}")
        page.line(f"vectors: {count_text(answer.models) or 'none'}")
    page.line(", ".join(f"{name} {version}" for name, version in answer.versions.items()))


def _write_problem(problem: Problem, page: Page, *, repairing: bool) -> None:
    sign = (
        styled(f"{page.symbols.false} ", "red") if problem.serious else styled("note: ", "yellow")
    )
    page.line(sign, _describe(problem))
    if problem.repair is not None and not repairing:
        page.line(styled(f"  doctor --repair would {problem.repair}", "dim"))


def _describe(problem: Problem) -> str:
    return f"{problem.where}: {problem.count} {problem.detail}"
