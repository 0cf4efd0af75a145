"""Backups, and what was restored from one."""

from winnow.errors import counted
from winnow.operations.upkeep import BackupAnswer, RestoreAnswer
from winnow.surfaces.cli.page import Page, styled
from winnow.surfaces.cli.render.parts import write_warnings


def write_backup(answer: BackupAnswer, page: Page) -> None:
    """Write where a backup is, and what it holds."""
    sign = page.symbols.true
    page.line(styled(f"{sign} {answer.path}", "green"), f" is a whole backup, {_measure(answer)}")
    _write_contents(answer, page)


def write_restoration(answer: RestoreAnswer, page: Page) -> None:
    """Write what a store holds now, and where what it held is."""
    sign = page.symbols.true
    told = f" holds what {answer.path} held, {_measure(answer)}"
    page.line(styled(f"{sign} {answer.store}", "green"), told)
    _write_contents(answer, page)
    if answer.kept is not None:
        page.line("what it held before is in ", styled(answer.kept, "bold"))


def _measure(answer: BackupAnswer | RestoreAnswer) -> str:
    return f"{counted(answer.bytes, 'bytes')}, in {answer.seconds:.1f} s"


def _write_contents(answer: BackupAnswer | RestoreAnswer, page: Page) -> None:
    for name, counts in answer.namespaces.items():
        told = ", ".join(counted(count, what) for what, count in counts.items() if count)
        page.line(f"{name}: {told or 'empty'}")
    page.line(f"as of change {answer.as_of.change}, {answer.as_of.time}")
    write_warnings(answer.warnings, page)
