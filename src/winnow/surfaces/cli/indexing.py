"""What takes long at a terminal: with a progress bar; a vault also after every change."""

import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from winnow.errors import InvalidRequest, WinnowError
from winnow.operations.reports import ImportAnswer, IndexAnswer
from winnow.operations.settings import ReembedAnswer
from winnow.surfaces.cli.failures import describe
from winnow.surfaces.cli.session import Session
from winnow.vault.paths import PACK_FOLDER, is_hidden

if TYPE_CHECKING:
    from watchfiles import Change

    from winnow.memory import Memory

SETTLED = 100
"""Milliseconds until a watch is surely set up, so that the first pass may start."""


def index(memory: "Memory", given: Mapping[str, Any]) -> IndexAnswer:
    """Read a vault, with a progress bar if somebody looks at standard error."""
    if not sys.stderr.isatty():
        return memory.admin.index(**given)
    with progress_bar() as report:
        return memory.admin.index_with_progress(**given, progress=report)


def reembed(memory: "Memory", given: Mapping[str, Any]) -> ReembedAnswer:
    """Make vectors again, with a progress bar if somebody looks at standard error."""
    if not sys.stderr.isatty():
        return memory.admin.reembed(**given)
    with progress_bar() as report:
        return memory.admin.reembed_with_progress(**given, progress=report)


def import_(memory: "Memory", given: Mapping[str, Any]) -> ImportAnswer:
    """Import, with a progress bar if somebody looks at standard error."""
    if not sys.stderr.isatty():
        return memory.admin.import_(**given)
    with progress_bar() as report:
        return memory.admin.import_with_progress(**given, progress=report)


def watch_vault(memory: "Memory", given: Mapping[str, Any], session: Session) -> None:
    """Read a vault now and after every change, until Ctrl-C; a pass that fails is reported."""
    from watchfiles import watch

    root = Path(str(given.get("path"))).expanduser().resolve()
    if not root.is_dir():  # let the operation say what is wrong with it
        return session.finish(index(memory, given))
    # The watch stands before the first pass, so that no change falls between the two.
    changes = watch(
        root,
        watch_filter=_concern(root, memory.engine.label),
        rust_timeout=SETTLED,
        yield_on_timeout=True,
    )
    waiting = True
    try:
        for changed in changes:
            if waiting or changed:
                waiting = False
                _pass(memory, given, session)
                given = {**given, "forget_pack": None}  # once is enough
    except KeyboardInterrupt:
        if waiting:  # nothing was read yet
            raise
    return None


def _pass(memory: "Memory", given: Mapping[str, Any], session: Session) -> None:
    try:
        answer = index(memory, given)
    except KeyboardInterrupt:  # it was not read to the end, unlike where a watch ends
        raise typer.Abort from None
    except InvalidRequest:
        raise  # it would be as wrong the next time
    except WinnowError as error:
        typer.echo(describe(error).line, err=True)
    else:
        session.show(answer)
        sys.stdout.flush()


def _concern(root: Path, store: str) -> "Callable[[Change, str], bool]":
    """Return which changes matter: not those of hidden files, packs aside, nor of the store."""
    written = os.path.realpath(store)

    def concerns(_: "Change", path: str) -> bool:
        if path.startswith(written):
            return False
        steps = Path(path).relative_to(root).parts
        return steps[:1] == (PACK_FOLDER,) or not any(map(is_hidden, steps))

    return concerns


@contextmanager
def progress_bar() -> Generator[Callable[[int, int, str], None]]:
    """Show a bar on standard error; yield what is told how many of how many are done, and what."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    bar = Progress(console=console, transient=True, disable=console.is_dumb_terminal)
    with bar as progress:
        task = progress.add_task("", total=None)

        def report(done: int, total: int, stage: str) -> None:
            progress.update(task, completed=done, total=total or None, description=stage)

        yield report
