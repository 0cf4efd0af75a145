"""The command line: it parses, runs one command, and says in one line what went wrong."""

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from io import BytesIO, TextIOWrapper
from typing import Any, TextIO, cast

import typer
from typer.main import get_command

from winnow.surfaces.cli.commands import add_commands
from winnow.surfaces.cli.examples import EXAMPLES
from winnow.surfaces.cli.failures import FAILED, INTERRUPTED, describe
from winnow.surfaces.cli.help import CHAPTERS
from winnow.surfaces.cli.parsing import Group
from winnow.surfaces.cli.session import begin, reconfigure, with_options

SUMMARY = "Typed memory for AI agents: filters decide, ranking only orders."


class CommandLine(Group):
    """All commands. Whatever happens, it ends with an exit code and at most one line of error."""

    chapters = CHAPTERS

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> None:
        """Run a command and exit."""
        given = list(sys.argv[1:] if args is None else args)
        _prepare_streams()
        sys.exit(_guard(lambda: self._run(given)))

    def _run(self, args: list[str]) -> None:
        with self.make_context("winnow", args) as context:
            self.invoke(context)


def make_app() -> typer.Typer:
    """Return the command with all its commands."""
    made = typer.Typer(
        cls=CommandLine,
        help=SUMMARY,
        epilog=EXAMPLES[""],
        context_settings={"help_option_names": ["-h", "--help"]},
        add_completion=False,
        rich_markup_mode=None,  # else each help and each error would load rich
    )
    made.callback()(with_options(begin))
    add_commands(made)
    return made


def main() -> None:
    """Run the command with the arguments of the process."""
    get_command(make_app()).main()


def _guard(run: Callable[[], None]) -> int:
    """Run, and return the exit code."""
    try:
        code = _run_to_exit(run)
        sys.stdout.flush()
        return code
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return FAILED
    except Exception as error:  # noqa: BLE001  # the last place: a person gets a line, not a trace
        failure = describe(error)
        typer.echo(failure.line, err=True)
        return failure.code


def _run_to_exit(run: Callable[[], None]) -> int:
    try:
        run()
    except typer.Exit as stop:
        return stop.exit_code
    return 0


def _prepare_streams() -> None:
    """Write what an encoding has no sign for as escapes, and nowhere if a stream is closed."""
    sys.stdout = cast("TextIO | None", sys.stdout) or TextIOWrapper(BytesIO())
    sys.stderr = cast("TextIO | None", sys.stderr) or TextIOWrapper(BytesIO())
    reconfigure(sys.stdout, errors="backslashreplace")


def _drop_output() -> None:
    """Let nothing more be written to a pipe that nobody reads, not even at the end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
