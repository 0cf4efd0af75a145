"""Makes docs/reference.md out of `reference.template.md` and the code; `make docs` runs it."""

import inspect
import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, cast, get_type_hints

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from tools.types import is_optional, list_parts, name_type
from winnow.errors import WinnowError
from winnow.filter.ops import OPERATORS, Family
from winnow.operations import OPERATIONS, Operation
from winnow.surfaces.cli.failures import describe
from winnow.surfaces.cli.main import make_app
from winnow.wire import arguments, camel_case
from winnow.wire.schema import names_on_wire

REFERENCE = Path(__file__).parents[1] / "docs" / "reference.md"
_TEMPLATE = Path(__file__).with_name("reference.template.md")
_SHARED = ("store", "json", "plain", "version")
_Row = tuple[str, ...]
_Options = dict[str, tuple[list[str], str]]


def list_commands(group: TyperGroup, before: str = "") -> Iterator[tuple[str, TyperCommand]]:
    """Yield the name of each command, those of groups too (`namespace set`), and the command."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from list_commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", cast(TyperCommand, command)


_COMMANDS = dict(list_commands(cast(TyperGroup, get_command(make_app()))))


def make_reference() -> str:
    """Return the text of docs/reference.md."""
    operations = OPERATIONS.values()
    made = {
        "commands": _table(("command", "in Python", ""), _commands()),
        "operations": "\n\n".join(map(_operation, operations)),
        "parts": "\n\n".join(map(_part, list_parts(_answers(operations)))),
        "operators": _table(("in JSON", "in text", "takes", "fields"), _operators()),
        "errors": _table(("code", "in Python", "exit code", ""), _errors()),
    }
    text = _TEMPLATE.read_text(encoding="utf-8")
    return re.sub(r"<!-- (\w+) -->", lambda mark: made[mark[1]], text)


def _table(head: _Row, rows: Iterable[_Row]) -> str:
    lines = [head, ("---",) * len(head)]
    lines += [tuple(cell.replace("|", "\\|") for cell in row) for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _code(*texts: object) -> str:
    return ", ".join(f"`{text}`" for text in texts)


# --- operations ----------------------------------------------------------------------------------


def _commands() -> Iterator[_Row]:
    for name, command in _COMMANDS.items():
        shown, operation = _code(f"winnow {name}"), OPERATIONS.get(name)
        method = _code(f"memory.{operation.method}") if operation else ""
        yield (
            f"[{shown}](#{name.replace(' ', '-')})" if operation else shown,
            method,
            command.help or "",
        )


def _operation(operation: Operation) -> str:
    options = _options(operation.name)
    usage = ["winnow", operation.name, "[OPTIONS]"]
    usage += [options[name][0][0] for name in operation.positional]
    head = ("argument", "command line", "type", "default", "")
    rows = list(_arguments(operation, options))
    parts = (
        f"### {operation.name}",
        operation.summary,
        f"```text\n{' '.join(usage)}\n{_call(operation)}\n```",
        _table(head, rows) if rows else "It takes no arguments.",
        f"The answer (`{operation.answer.__name__}`): {_fields(operation.answer)}",
        *_of_several(operation),
    )
    return "\n\n".join(parts)


def _of_several(operation: Operation) -> Iterator[str]:
    if operation.several is not None:
        told = f"The answer of several (`{operation.several.__name__}`)"
        yield f"{told}: {_fields(operation.several)}"


def _answers(operations: Iterable[Operation]) -> Iterator[type]:
    for one in operations:
        yield one.answer
        if one.several is not None:
            yield one.several


def _options(command: str) -> _Options:
    """Return for each argument of a command how it is spelled there, and its help."""
    options: _Options = {}
    for one in _COMMANDS[command].params:
        if isinstance(one, TyperArgument):
            options[one.name] = [one.metavar or ""], one.help or ""
        elif isinstance(one, TyperOption) and one.name not in _SHARED:
            options[one.name] = [*one.opts, *one.secondary_opts], one.help or ""
    return options


def _call(operation: Operation) -> str:
    signature = inspect.signature(operation.request)
    plain = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    shown = str(signature.replace(parameters=plain, return_annotation=signature.empty))
    call = f"memory.{operation.method}{shown}".replace("'", '"')
    return textwrap.fill(call, 96, subsequent_indent="    ")


def _arguments(operation: Operation, options: _Options) -> Iterator[_Row]:
    positional = operation.positional
    taken = sorted(arguments(operation.request), key=lambda one: one.name not in positional)
    known = {one.name: one for one in taken}
    for one in known.values():
        names = _code(one.wire_name, *one.aliases)
        spelled = _code(*options[one.name][0]) if one.name in options else "only in Python"
        default = "" if one.default is None else _code(json.dumps(one.default))
        kind = name_type(one.annotation)
        yield names, spelled, kind, "required" if one.required else default, one.help
    for name, (spelled, help_) in options.items():
        if name not in known:
            yield "", _code(*spelled), "", "", help_


# --- answers -------------------------------------------------------------------------------------


def _part(part: type) -> str:
    return f"### {part.__name__}\n\n{_fields(part)}"


def _fields(answer: type) -> str:
    told = re.sub(r"`(\w+)`", lambda name: _code(camel_case(name[1])), inspect.getdoc(answer) or "")
    hints = get_type_hints(answer)
    keys = {camel_case(name): [name] for name in hints}
    names = names_on_wire(answer) if is_dataclass(answer) else keys
    rows = (
        (_code(name), _types([hints[source] for source in sources]))
        for name, sources in names.items()
    )
    return f"{told}\n\n{_table(('field', 'type'), rows)}"


def _types(hints: Sequence[Any]) -> str:
    """Name the types of the fields that stand under one name, of which an answer has one."""
    told = " or ".join(map(name_type, hints))
    return f"{told}, if any" if len(hints) == 1 and is_optional(hints[0]) else told


# --- operators and errors ------------------------------------------------------------------------


def _operators() -> Iterator[_Row]:
    for one in OPERATORS.values():
        families = [family for family in Family if family in one.families]
        fields = "every" if len(families) == len(Family) else ", ".join(families)
        yield _code(one.name), _code(one.symbol), one.operand.value, fields


def _errors() -> Iterator[_Row]:
    kinds = (kind for kind in WinnowError.__subclasses__() if kind.__module__ == "winnow.errors")
    for kind in kinds:
        exit_code = describe(kind.__new__(kind)).code
        told = inspect.getdoc(kind) or ""
        yield _code(kind.code), _code(kind.__name__), str(exit_code), told.splitlines()[0]


if __name__ == "__main__":
    REFERENCE.write_text(make_reference(), encoding="utf-8")
