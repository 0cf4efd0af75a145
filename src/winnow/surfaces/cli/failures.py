"""What goes wrong, as one line and an exit code."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
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
    options = _options()
    told = _LIST.sub(lambda found: _respell_list(found[0], options), message)
    return _WORD.sub(lambda found: _respell_word(found[0], options), told)


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


@cache
def _options() -> Mapping[str, str]:
    """Return the option of each argument; what stands without one somewhere is left out."""
    from winnow.operations import OPERATIONS
    from winnow.wire import arguments

    rows = [(row, one) for row in OPERATIONS.values() for one in arguments(row.request)]
    bare = {one.wire_name for row, one in rows if one.name in row.positional}
    options = {one.wire_name: f"--{one.name.replace('_', '-')}" for _, one in rows}
    return {name: option for name, option in options.items() if name not in bare}


def _respell_list(told: str, options: Mapping[str, str]) -> str:
    """Respell all names of a list if one is surely an argument's: `all` is a word, too."""
    names = re.findall(r"\w+", told)
    if all(_respell_word(one, options) == one for one in names if _CAMEL.fullmatch(one)):
        return told
    return re.sub(r"\w+", lambda one: options.get(one[0], one[0]), told)


def _respell_word(told: str, options: Mapping[str, str]) -> str:
    """Respell a name, unless a field has it, too, such as `memoryType`."""
    from winnow.memories import RECORDS

    return told if told in RECORDS.fields else options.get(told, told)


_CAMEL = re.compile(r"[a-z]+(?:[A-Z][a-z]+)+")
_WORD = re.compile(rf"(?<![/'\"\w.-]){_CAMEL.pattern}(?!['\"\w])")  # what is quoted was given
_LIST = re.compile(r"(?<![/'\"\w.-])[A-Za-z]+(?:, [A-Za-z]+)* (?:and|or) [A-Za-z]+(?!['\"\w])")
_EXTRA = "got unexpected extra argument"
_ROWS: tuple[tuple[type, int, Callable[[Exception], str]], ...] = (
    (InvalidRequest, BAD_INPUT, lambda error: respell(str(error))),
    (WinnowError, FAILED, str),
    (typer.TyperException, BAD_INPUT, _usage),
    (OSError, FAILED, _system),
)
