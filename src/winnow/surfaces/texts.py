"""Arguments that a surface gets as text: a command line, the query of an address.

What is wrong with a text stays in it: the operation says so, together with all other faults.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from winnow.wire import Argument


@dataclass(frozen=True, slots=True)
class Kind:
    """How values of a type are written, and what `read` makes of each text.

    Those that are `listed` make a list even if there is one alone.
    """

    metavar: str | None
    read: Callable[[str], object]
    listed: bool = False


def kind_of(argument: Argument) -> Kind:
    """Return how the values of an argument are written."""
    found = {get_origin(part) or part for part in types_of(argument.annotation)}
    if Mapping in found and Sequence not in found:
        return PAIRS
    if Sequence in found:
        return TEXT if str in found else TEXTS
    return next((kind for type_, kind in KINDS.items() if type_ in found), TEXT)


def read_texts(kind: Kind, texts: Sequence[str]) -> object:
    """Read what was given for an argument; if it was given twice, a list: nothing is dropped."""
    found = [kind.read(text) for text in texts]
    return found[0] if len(found) == 1 and not kind.listed else found


def types_of(annotation: Any) -> Iterator[Any]:
    """Yield the types that an annotation allows."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from types_of(get_args(annotation)[0])
    elif origin in (Union, UnionType):
        for part in get_args(annotation):
            yield from types_of(part)
    else:
        yield annotation


def _read_flag(text: str) -> object:
    return {"true": True, "false": False}.get(text, text)


def _read_whole(text: str) -> object:
    try:
        return int(text) if _WHOLE.fullmatch(text) else text
    except ValueError:  # too many digits
        return text


def _read_number(text: str) -> object:
    """Read a number; one that is written as a whole one stays one, as in JSON."""
    whole = _read_whole(text)
    return float(text) if isinstance(whole, str) and _NUMBER.fullmatch(text) else whole


_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


TEXT = Kind("TEXT", str)
TEXTS = Kind("TEXT", str, listed=True)
PAIRS = Kind("JSON or KEY=VALUE", str)
FLAG = Kind(None, _read_flag)
KINDS: Mapping[type, Kind] = {
    bool: FLAG,
    # before int: where both are taken, both are read
    float: Kind("X", _read_number),
    int: Kind("N", _read_whole),
}
