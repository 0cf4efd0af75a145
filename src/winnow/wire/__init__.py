"""From and to the outside: names and types of arguments, answers and errors as JSON.

The only module that knows the codec. A request is a frozen dataclass; its names on the wire are
camelCase, and read in snake_case too.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    NoReturn,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from winnow.errors import Fault, InvalidRequest, PackError, WinnowError, unknown
from winnow.filter.raw import Raw, Untyped, show_key, show_raw
from winnow.values import Json, describe

if TYPE_CHECKING:  # imported where it is used: it would slow the start of every command
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Arg:
    """What is said of an argument in its annotation: one line of help, and other names.

    A `raw` one is for Python alone, and is not looked into: it may be a million objects.
    `spellings` are other names of it as an option of a command.
    """

    help: str
    aliases: tuple[str, ...] = ()
    raw: bool = False
    spellings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a request: its name in Python and on the wire, and what it takes."""

    name: str
    wire_name: str
    help: str
    aliases: tuple[str, ...]
    annotation: Any
    default: object
    required: bool
    raw: bool
    spellings: tuple[str, ...] = ()


AS_WRITTEN = frozenset({"memory_kind_vocab"})
"""Names that were settled elsewhere, and stand on the wire as they are here."""


@cache
def camel_case(name: str) -> str:
    """Return `orderBy` for `order_by`."""
    if name in AS_WRITTEN:
        return name
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


@cache
def arguments(request: Callable[..., object]) -> tuple[Argument, ...]:
    """List the arguments of a request, which is a dataclass."""
    hints = get_type_hints(request, include_extras=True)
    return tuple(_argument(hints[one.name], one) for one in fields(cast(Any, request)))


def _argument(annotation: Any, one: Any) -> Argument:
    arg = next(_args_in(annotation), Arg(""))
    required = one.default is MISSING and one.default_factory is MISSING
    default = None if required else one.default
    return Argument(
        name=one.name,
        wire_name=camel_case(one.name),
        help=arg.help,
        aliases=arg.aliases,
        annotation=annotation,
        default=default,
        required=required,
        raw=arg.raw,
        spellings=arg.spellings,
    )


def _args_in(annotation: Any) -> Iterator[Arg]:
    # `SchemaName | None` has its Arg one level down.
    for part in get_args(annotation):
        if isinstance(part, Arg):
            yield part
        else:
            yield from _args_in(part)


def decode(request: Callable[..., R], raw: Mapping[str, object]) -> tuple[R | None, list[Fault]]:
    """Read the arguments of a request.

    Faulty optional arguments are left out of the request that is returned, so that a caller can
    look for the faults of the rest; None if a required one is missing.
    """
    named, faults = _name_arguments(request, raw)
    read: dict[str, object] = {}
    complete = True
    for argument in arguments(request):
        if argument.name in named:
            try:
                read[argument.name] = _validate(argument, named[argument.name])
                continue
            except InvalidRequest as error:
                faults.extend(error.faults)
        elif argument.required:
            faults.append(Fault(pointer(argument.wire_name), "this argument is required"))
        complete = complete and not argument.required
    return (request(**read) if complete else None), faults


def _validate(argument: Argument, value: object) -> object:
    from pydantic import ValidationError

    if argument.raw:
        return value
    if isinstance(value, str) and value.lstrip().startswith("[") and _takes_texts(argument):
        value = _read_list(argument, value)
    try:
        return _adapter(argument).validate_python(value, strict=True)
    except ValidationError as error:
        details = error.errors(include_url=False)
        deep = [detail for detail in details if not detail["type"].endswith("_type")]
        # Else each branch of a union says what it takes: the one that got furthest is meant.
        told = deep or [max(details, key=lambda detail: len(_steps(detail)))]
        raise InvalidRequest(_fault(argument, detail) for detail in told) from None


def _read_list(argument: Argument, text: str) -> object:
    """Read a list that was sent as its JSON; any other text is what it is: a tag may be `[1]`."""
    try:
        found = json.loads(text)
        _adapter(argument).validate_python(found, strict=True)
    except (ValueError, RecursionError):  # ValidationError is a ValueError
        return text
    return found


@cache
def _takes_texts(argument: Argument) -> bool:
    """Tell whether an argument is a list of texts; JSON is read where other values are read."""
    lists = [one for one in _types_in(argument.annotation) if get_origin(one) is Sequence]
    return any(str in _types_in(get_args(one)[0]) for one in lists)


def _types_in(annotation: Any) -> list[Any]:
    if get_origin(annotation) is Annotated:
        return _types_in(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [one for part in get_args(annotation) for one in _types_in(part)]
    return [annotation]


def _name_arguments(
    request: Callable[..., object], raw: Mapping[str, object]
) -> tuple[dict[str, object], list[Fault]]:
    spellings = _spellings(request)
    named: dict[str, object] = {}
    written: dict[str, str] = {}
    faults: list[Fault] = []
    for key, value in raw.items():
        name = spellings.get(key)
        if name is None:
            known = arguments(request)
            meant = next((one.wire_name for one in known if _may_mean(key, one)), None)
            names = [one.wire_name for one in known]
            faults.append(Fault(pointer(key), unknown("argument", key, names, meant)))
        elif value is None:
            continue
        elif name in named:
            faults.append(
                Fault(pointer(key), f"{written[name]!r} and {key!r} are the same argument")
            )
        else:
            named[name], written[name] = value, key
    return named, faults


def _may_mean(key: str, argument: Argument) -> bool:
    """Tell whether a wrong name is what others call an argument."""
    return key in argument.spellings or key.casefold() in _ELSEWHERE.get(argument.name, ())


_ELSEWHERE: Mapping[str, Collection[str]] = {
    "text": {"content", "memory", "message", "body", "value", "data", "fact"},
    "topic": {"query", "q", "question", "text", "content"},
    "query": {"topic", "text", "question", "search", "input", "prompt"},
    "limit": {"k", "n", "top_k", "topk", "max_results", "maxresults", "count", "size", "top"},
    "id": {"memory_id", "memoryid", "key", "uid", "entity_id", "entityid"},
    "entity_id": {"entity", "key"},
    "namespace": {"user_id", "userid", "collection", "space", "scope", "project", "workspace"},
    "path": {"folder", "directory", "file", "vault", "dir"},
    "schema": {"type", "entity_type", "entitytype", "table"},
    "order_by": {"sort", "order", "sort_by", "sortby"},
    "min_similarity": {"threshold", "min_score", "minscore", "similarity"},
    "min_score": {"threshold", "min_similarity", "minsimilarity"},
    "filters": {"filter", "conditions", "criteria"},
    "kind": {"type", "category"},
    "memory_type": {"type"},
    "expires_at": {"expires", "expiry"},
    "ttl_seconds": {"expires_in", "expiresin"},
}
"""Names that models and other memories give to arguments, in small letters."""


@cache
def _spellings(request: Callable[..., object]) -> Mapping[str, str]:
    spellings: dict[str, str] = {}
    for one in arguments(request):
        for spelling in (one.name, one.wire_name, *one.aliases):
            spellings[spelling] = one.name
    return spellings


@cache
def _adapter(argument: Argument) -> "TypeAdapter[object]":
    from pydantic import TypeAdapter

    return TypeAdapter(argument.annotation)


def _fault(argument: Argument, detail: "ErrorDetails") -> Fault:
    place = _steps(detail)
    value = detail["input"]
    context = detail.get("ctx", {})
    if detail["type"] == "literal_error" and isinstance(value, str):
        allowed = re.findall(r"'([^']*)'", str(context.get("expected")))
        return Fault(pointer(argument.wire_name, *place), unknown("value", value, allowed))
    if detail["type"] == "missing":
        return Fault(pointer(argument.wire_name, *place), "this key is required")
    if detail["type"] == "extra_forbidden":
        key = str(detail["loc"][-1])  # may look like a branch
        steps = place if place[-1:] == [key] else [*place, key]
        told = unknown("key", key, _keys_in(argument.annotation))
        return Fault(pointer(argument.wire_name, *steps), told)
    wanted = detail["msg"].removeprefix("Input should be ")
    wanted = _PHRASES.get(wanted, wanted)
    return Fault(pointer(argument.wire_name, *place), f"expected {wanted}, got {describe(value)}")


def _steps(detail: "ErrorDetails") -> list[str]:
    # In the middle of a location stand the names of a union's branches, such as `str`.
    return [str(step) for step in detail["loc"] if not _BRANCH.fullmatch(str(step))]


_PHRASES: Mapping[str, str] = {
    "a valid string": "text",
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid boolean": "true or false",
    "a valid dictionary": "an object",
    "an instance of Sequence": "a list",
    "an instance of Mapping": "an object",
    "'str' instances are not allowed as a Sequence value": "a list",
}
_BRANCH = re.compile(r"[A-Z].*|str|int|float|bool|.*\[.*")


def _keys_in(annotation: Any) -> Iterator[str]:
    """Name the keys of the objects that an argument takes."""
    for part in _types_in(annotation):
        if hasattr(part, "__required_keys__"):
            yield from part.__annotations__
        else:
            for inner in get_args(part):
                yield from _keys_in(inner)


def pointer(*steps: str) -> str:
    """Return the JSON pointer of a path."""
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


def encode(answer: object) -> Json:
    """Return an answer as JSON: names in camelCase, absent parts left out."""
    kind = type(answer)
    return cast(Json, answer) if kind in _SCALARS else _encoder(kind)(answer)


def encode_text(answer: object, *, indent: int | None = None) -> str:
    """Return an answer as JSON text; the same answer gives the same bytes."""
    return json.dumps(encode(answer), ensure_ascii=False, allow_nan=False, indent=indent)


def to_json(answer: object, *, indent: int | None = None) -> str:
    """Return an answer, or a part of one, as JSON text: the same as from the HTTP API.

    Half of a surrogate pair, as in the path of a vault, becomes the escape that JSON has for it.
    """
    return encode_text(answer, indent=indent).encode("utf-8", "backslashreplace").decode()


def encode_error(error: WinnowError) -> dict[str, Json]:
    """Return an error as JSON: its code, its message, and each fault with its place."""
    payload: dict[str, Json] = {"code": error.code, "message": str(error)}
    if isinstance(error, InvalidRequest):
        payload["errors"] = [encode(fault) for fault in error.faults]
    if isinstance(error, PackError):
        payload["errors"] = [
            {"source": one.source, "line": line, "detail": detail}
            for one in (error, *error.others)
            for line, detail in one.mistakes
        ]
    return payload


@cache
def _encoder(kind: type) -> Callable[[Any], Json]:
    """Return what encodes the instances of a type: looked up once, for most are met again."""
    if not is_dataclass(kind):
        return next((encoder for base, encoder in _ENCODERS if issubclass(kind, base)), _refuse)
    if hasattr(kind, "wire_parts"):
        return _encode_parts
    names = [one.name for one in fields(kind)]
    return partial(_encode_fields, [camel_case(name) for name in names], attrgetter(*names))


def _encode_fields(names: Sequence[str], read: Callable[[Any], Any], answer: object) -> Json:
    values = read(answer) if len(names) > 1 else (read(answer),)
    return {
        name: value if type(value) in _SCALARS else encode(value)
        for name, value in zip(names, values, strict=True)
        if value is not None
    }


def _encode_parts(answer: Any) -> Json:
    """Encode an answer that says itself which of its parts are there: `wire_parts` yields them.

    Then its class says too, for the schema of it: `wire_names` has pairs of a field and the name
    that it is written under, `wire_sometimes` the fields that are not there always.
    """
    parts: Iterable[tuple[str, object]] = answer.wire_parts()
    return {camel_case(name): encode(value) for name, value in parts if value is not None}


def _encode_items(answer: Iterable[object]) -> Json:
    return [encode(item) for item in answer]


def _encode_mapping(answer: Mapping[object, object]) -> Json:
    return {
        show_key(key) if isinstance(key, Raw) else str(key): encode(value)
        for key, value in answer.items()
    }


def _encode_enum(answer: Enum) -> Json:
    return answer.name if isinstance(answer, int) else str(answer.value)


def _keep(answer: Json) -> Json:
    return answer


def _refuse(answer: object) -> NoReturn:
    raise TypeError(f"{type(answer).__name__} is not part of an answer")


_SCALARS = frozenset({str, int, float, bool, NoneType})  # but no enum
_ENCODERS: Sequence[tuple[type | tuple[type, ...], Callable[[Any], Json]]] = (
    ((list, tuple), _encode_items),
    (Mapping, _encode_mapping),
    (Enum, _encode_enum),
    ((Raw, Untyped), show_raw),
    ((int, float, str), _keep),
)
