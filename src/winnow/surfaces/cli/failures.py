"""What goes wrong, as one line and an exit code."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import typer

from winnow.errors import InvalidRequest, WinnowError
from winnow.surfaces.cli.plain import in_one_line

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


@dataclass(frozen=True, slots=True)
class Failure:
    """What to say of an error, and what to exit with."""

    line: str
    code: int


def describe(error: Exception) -> Failure:
    """Say what went wrong, in one line."""
    for kind, code, message in _ROWS:
        if isinstance(error, kind):
            return Failure(f"winnow: {in_one_line(message(error).strip())}", code)
    if os.environ.get("WINNOW_DEBUG"):
        raise error
    shown = in_one_line(f"{type(error).__name__}: {error}")
    return Failure(f"winnow: internal error: {shown} (run with WINNOW_DEBUG=1 for details)", FAILED)


def respell(message: str) -> str:
    """Name arguments that a message advises as the options that they are here; places stay."""
    return _ARGUMENTS.sub(lambda found: _OPTIONS[found[0]], message)


def _usage(error: Exception) -> str:
    found = cast(typer.TyperException, error)
    near = cast("Sequence[str]", getattr(error, "possibilities", None) or ())
    text = re.sub(r"\.$", "", found.message if near else found.format_message())
    told = text[:1].lower() + text[1:]
    if told.startswith(_EXTRA):
        told = f"{told}; put words that belong together in quotes"
    if near:
        return f"{told} (did you mean {near[0]}?)"
    command = getattr(getattr(error, "ctx", None), "command_path", None)
    return f"{told} (see {command} --help)" if command and "Did you mean" not in told else told


def _system(error: Exception) -> str:
    found = cast(OSError, error)
    reason = found.strerror or str(found)
    return f"{found.filename}: {reason}" if found.filename else reason


_OPTIONS: Mapping[str, str] = {
    "dryRun, expectedCount and all": "--dry-run, --expected-count and --all",
    "dryRun": "--dry-run",
    "expectedCount": "--expected-count",
}
_ARGUMENTS = re.compile(rf"(?<!/)\b(?:{'|'.join(_OPTIONS)})\b")
_EXTRA = "got unexpected extra argument"
_ROWS: tuple[tuple[type, int, Callable[[Exception], str]], ...] = (
    (InvalidRequest, BAD_INPUT, lambda error: respell(str(error))),
    (WinnowError, FAILED, str),
    (typer.TyperException, BAD_INPUT, _usage),
    (OSError, FAILED, _system),
)
