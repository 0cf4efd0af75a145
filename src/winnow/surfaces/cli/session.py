"""What all commands share: the store, and how to answer."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Annotated, Any, TextIO, TypeAlias, cast

import typer

from winnow import __version__
from winnow.errors import Fault, InvalidRequest
from winnow.operations.reports import ImportAnswer, IndexAnswer
from winnow.operations.upkeep import DoctorAnswer
from winnow.surfaces.cli.failures import FAILED
from winnow.surfaces.cli.plain import in_json
from winnow.wire import encode_text

Run: TypeAlias = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Session:
    """The options that stand before or after the name of every command."""

    store: str | None = None
    as_json: bool = False
    as_lines: bool = False
    durability: str | None = None
    program: Any = None
    """The command with all its commands, as the parser has it."""

    @property
    def for_people(self) -> bool:
        """Whether answers are for people; else a program reads them."""
        return not (self.as_json or self.as_lines)

    def show(self, answer: object) -> None:
        """Write an answer: as one JSON document, as plain lines, or for people."""
        if self.as_json:
            write_json(encode_text(answer))
        elif self.as_lines:
            from winnow.surfaces.cli.lines import write_lines

            write_lines(answer)
        else:
            from winnow.surfaces.cli.render import render  # brings rich

            render(answer)

    def finish(self, answer: object) -> None:
        """Write an answer; one that tells of a failure ends the command as an error does."""
        self.show(answer)
        if _tells_of_failure(answer):
            raise typer.Exit(FAILED)


def with_options(run: Run, own: Iterable[Parameter] = ()) -> Run:
    """Give a function the signature that typer reads: its own options, then the shared ones."""
    context = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    shared = (
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (default, annotation) in _SHARED.items()
    )
    cast(Any, run).__signature__ = Signature([context, *own, *shared])
    return run


def begin(**values: object) -> None:
    """Keep what was given before the name of a command for it."""
    cast(typer.Context, values["context"]).obj = read_session(values)


def read_session(values: Mapping[str, object]) -> Session:
    """Return what was given before the command's name and after it; the latter wins."""
    context = cast(typer.Context, values["context"])
    before = context.obj
    first = before if isinstance(before, Session) else Session()
    store = cast("str | None", values["store"])
    durability = cast("str | None", values["durability"]) or first.durability
    as_json = first.as_json or bool(values["json"])
    as_lines = first.as_lines or bool(values["plain"])
    if as_json and as_lines:
        raise InvalidRequest([Fault("/plain", "can't be given together with json")])
    store = first.store if store is None else store
    return Session(store, as_json, as_lines, durability, context.find_root().command)


def write_json(text: str) -> None:
    """Write a JSON document as UTF-8, whatever the terminal's encoding is."""
    # Half of a surrogate pair, as in the path of a vault, becomes the escape that JSON has for it.
    typer.echo(in_json(text).encode("utf-8", "backslashreplace"))


def reconfigure(stream: TextIO, **settings: str) -> None:
    """Change how a stream of the process reads or writes; a test may have put another there."""
    change = getattr(stream, "reconfigure", None)
    if change is not None:
        change(**settings)


def _tells_of_failure(answer: object) -> bool:
    if isinstance(answer, ImportAnswer):
        return answer.refused > 0
    if isinstance(answer, IndexAnswer):
        return answer.kept > 0 or any(one.code == "unreadable" for one in answer.problems)
    return isinstance(answer, DoctorAnswer) and not answer.sound


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"winnow {__version__}")
        raise typer.Exit


_STORE = typer.Option(
    "--store", metavar="FILE", help="the store (default: $WINNOW_STORE, or one in your data folder)"
)
_DURABILITY = typer.Option(
    "--durability",
    metavar="normal|full",
    help="full: each write waits for the disk (default: $WINNOW_DURABILITY, or normal)",
)
_JSON = typer.Option("--json", help="answer with one JSON document")
_PLAIN = typer.Option("--plain", help="answer with lines for scripts, a tab between columns")
_VERSION = typer.Option("--version", help="show the version", is_eager=True, callback=_show_version)
_SHARED: Mapping[str, tuple[object, object]] = {
    "store": (None, Annotated[str | None, _STORE]),
    "durability": (None, Annotated[str | None, _DURABILITY]),
    "json": (False, Annotated[bool, _JSON]),
    "plain": (False, Annotated[bool, _PLAIN]),
    "version": (False, Annotated[bool, _VERSION]),
}
