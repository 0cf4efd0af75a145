"""Arguments of an operation as options of a command, and back.

Options carry text, and no default: what is wrong with a value is found where every surface
finds it, together with all other faults.
"""

import json
import re
from collections.abc import Mapping, Sequence
from inspect import Parameter
from typing import Annotated, Any, Literal, NoReturn, cast, get_args, get_origin

import typer

from winnow.operations import Operation
from winnow.surfaces.texts import FLAG, PAIRS, Kind, kind_of, read_texts, types_of
from winnow.wire import Argument, arguments


def parameters(operation: Operation) -> list[Parameter]:
    """Return the arguments of an operation as parameters that typer makes options of."""
    return [_parameter(operation, argument) for argument in _taken(operation)]


def given(operation: Operation, values: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments that were given, as the operation takes them."""
    return {
        argument.name: _read(kind_of(argument), value)
        for argument in _taken(operation)
        if (value := values[argument.name]) is not None
    }


def _read(kind: Kind, value: object) -> object:
    """Read what the parser collected; what was given twice is a list, that nothing be dropped."""
    if isinstance(value, bool):
        return value
    texts = [value] if isinstance(value, str) else cast(Sequence[str], value)
    pairs = _read_pairs(texts) if kind is PAIRS else None
    return read_texts(kind, texts) if pairs is None else pairs


def _taken(operation: Operation) -> list[Argument]:
    return [argument for argument in arguments(operation.request) if not argument.raw]


def _parameter(operation: Operation, argument: Argument) -> Parameter:
    kind = kind_of(argument)
    taken: Any = bool if kind is FLAG else list[str]
    told = _help(argument, _ON_THE_COMMAND_LINE.get((operation.name, argument.name)))
    if argument.name in operation.positional:
        taken = str
        name = argument.name.upper()
        metavar = name if argument.required else f"[{name}]"
        info = typer.Argument(help=told, metavar=metavar, show_default=False)
    else:
        info = typer.Option(
            *_spellings(operation, argument, kind),
            help=told,
            metavar=_choices(argument) or kind.metavar,
            show_default=False,
        )
    annotation = Annotated[taken | None, info]
    return Parameter(argument.name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


_ON_THE_COMMAND_LINE: Mapping[tuple[str, str], str] = {
    ("store", "text"): "what to remember, - for standard input",
    ("update", "text"): "what to remember, - for standard input",
}
"""What is said of an argument that takes more on the command line than elsewhere."""


def _spellings(operation: Operation, argument: Argument, kind: Kind) -> list[str]:
    name = argument.name.replace("_", "-")
    if kind is FLAG:
        return [f"--{name}/--no-{name}"]
    others = {one.name for one in arguments(operation.request)}
    return [f"--{name}", *(f"--{one}" for one in argument.spellings if one not in others)]


def _help(argument: Argument, own: str | None) -> str:
    told = own or argument.help
    if argument.required:
        return f"{told} (required)"
    if argument.default in (None, "", False):
        return told
    return f"{told} (default: {_shown(argument.default)})"


def _shown(default: object) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default)


def _choices(argument: Argument) -> str | None:
    for part in types_of(argument.annotation):
        if get_origin(part) is Literal:
            return "|".join(map(str, get_args(part)))
    return None


def _read_pairs(texts: Sequence[str]) -> dict[str, object] | None:
    """Read texts such as `key=value`; None if one of them is none, or if a key stands twice."""
    found = [one for text in texts if (one := _PAIR.fullmatch(text))]
    pairs = {one[1]: _read_plain(one[2]) for one in found}
    return pairs if pairs and len(pairs) == len(texts) else None


def _read_plain(text: str) -> object:
    """Read the value of `key=value`: a number, true, false or null, else the text as it is."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except ValueError:
        return text
    return text if isinstance(value, str | list | dict) else value


def _refuse(name: str) -> NoReturn:
    """Refuse what Python takes for a number, and JSON does not."""
    raise ValueError(name)


# A key is no JSON: `{"a": "b=c"}` is an object.
_PAIR = re.compile(r"([^={\s][^=]*)=(.*)", re.DOTALL)
