"""Types of arguments and of answers, in words."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, Le

from winnow.values import Value


def list_parts(answers: Iterable[type]) -> Iterator[type]:
    """Yield what answers are made of, each type once, in the order of first use."""
    waiting: list[Any] = [hint for answer in answers for hint in get_type_hints(answer).values()]
    seen: set[object] = set()
    for hint in waiting:
        if _is_part(hint) and hint not in seen:
            seen.add(hint)
            yield hint
            waiting += get_type_hints(hint).values()
        waiting += get_args(hint)


def name_type(hint: Any) -> str:
    """Say what type an annotation means; a part of an answer links to its heading."""
    if _is_part(hint):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _name_choices([one.name for one in hint])
    name = _PLAIN.get(hint)
    return name if name else _GENERIC[get_origin(hint)](get_args(hint))


def is_optional(hint: Any) -> bool:
    """Tell whether a part of an answer may be left out."""
    kinds = get_args(hint)
    return type(None) in kinds and not _is_json(kinds)


def _is_part(hint: Any) -> bool:
    ours = isinstance(hint, type) and hint.__module__.startswith("winnow.")
    return ours and not issubclass(hint, Enum)


def _name_choices(choices: Sequence[Any]) -> str:
    return "one of " + ", ".join(f"`{choice}`" for choice in choices)


def _name_items(kind: Any) -> str:
    name = name_type(kind)
    return f"({name})" if " or " in name else name


def _name_union(kinds: Sequence[Any]) -> str:
    if _is_json(kinds):
        return "JSON"
    return " or ".join(name_type(kind) for kind in kinds if kind is not type(None))


def _is_json(kinds: Sequence[Any]) -> bool:
    return any(get_origin(kind) is dict for kind in kinds)  # which nothing else of ours has


def _name_annotated(kind_and_rest: Sequence[Any]) -> str:
    kind, *rest = kind_and_rest
    low = next((one.ge for one in rest if isinstance(one, Ge)), None)
    high = next((one.le for one in rest if isinstance(one, Le)), None)
    return name_type(kind) if high is None else f"{name_type(kind)}, {low} to {high:,}"


_PLAIN: Mapping[Any, str] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    object: "JSON",
    Value: "value or list of values",
}
_GENERIC: Mapping[Any, Callable[[Sequence[Any]], str]] = {
    Literal: _name_choices,
    Union: _name_union,
    UnionType: _name_union,
    Annotated: _name_annotated,
    Mapping: lambda kinds: f"object of {_name_items(kinds[1])}".removesuffix(" of JSON"),
    Sequence: lambda kinds: f"list of {_name_items(kinds[0])}",
    Iterable: lambda kinds: f"iterable of {_name_items(kinds[0])}",
}
