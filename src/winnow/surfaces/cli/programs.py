"""Commands that are more than one operation: each a row, with what it takes and what it does."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

from winnow.surfaces.cli.session import Session


@dataclass(frozen=True, slots=True)
class Program:
    """A command of its own. `run` gets the session and what was given for each parameter.

    It imports what it needs when it runs: no other command should wait for that.
    """

    name: str
    help: str
    parameters: tuple[Parameter, ...]
    run: Callable[..., None]


def argument(name: str, help_: str, *, required: bool = False) -> Parameter:
    """Return a parameter that is given by its place; None if it is not given."""
    metavar = name.upper() if required else f"[{name.upper()}]"
    info = typer.Argument(metavar=metavar, help=help_, show_default=False)
    return _parameter(name, str if required else str | None, info, ... if required else None)


def option(
    name: str, help_: str, *, metavar: str = "TEXT", default: str | None = None
) -> Parameter:
    """Return a parameter that is given by its name."""
    told = help_ if default is None else f"{help_} (default: {default})"
    info = typer.Option(_spell(name), metavar=metavar, help=told, show_default=False)
    return _parameter(name, str | None, info, default)


def flag(name: str, help_: str) -> Parameter:
    """Return a parameter that is given, or not."""
    return _parameter(name, bool, typer.Option(_spell(name), help=help_), False)


def _spell(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parameter(name: str, taken: Any, info: object, default: object) -> Parameter:
    annotation = Annotated[taken, info]
    kind = Parameter.KEYWORD_ONLY
    if default is ...:
        return Parameter(name, kind, annotation=annotation)
    return Parameter(name, kind, default=default, annotation=annotation)


def _demo(session: Session, folder: str | None) -> None:
    from rich.console import Console

    from winnow.demo import run_demo

    console = Console(highlight=False, quiet=session.as_json)
    answer = run_demo(console, Path(folder) if folder else None, store=session.store)
    if session.as_json:
        session.show(answer)


PROGRAMS: tuple[Program, ...] = (
    Program(
        "demo",
        "Show on twelve notes what an exact answer is.",
        (argument("folder", "where to put the notes (default: a new folder)"),),
        _demo,
    ),
)
