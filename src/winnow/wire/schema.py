"""JSON Schema of arguments and answers, from the same types that the codec reads and writes."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeAlias,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from annotated_types import Ge, Le
from typing_extensions import is_typeddict

from winnow.filter.raw import MaybeBytes
from winnow.values import Json
from winnow.wire import Argument, arguments, camel_case

JsonSchema: TypeAlias = dict[str, Json]
Choices: TypeAlias = Mapping[str, Sequence[str]]

_HERE = "#/$defs/"


def input_schema(
    request: Callable[..., object],
    *,
    choices: Choices | None = None,
    required: Collection[str] = (),
    nulls: bool = False,
) -> JsonSchema:
    """Return the schema of a request's arguments: an object of these, and no others.

    `choices` are the values that an argument of text may have just now, by its name in Python;
    `required` names arguments to ask for that a request can do without. With `nulls` an optional
    argument may be null too, as the codec allows.
    """
    known = choices or {}
    asked = [one for one in arguments(request) if not one.raw]
    properties = {
        one.wire_name: argument_schema(one, known.get(one.name, ()), nulls=nulls) for one in asked
    }
    for one in asked:
        if one.name in required:
            properties[one.wire_name].pop("default", None)
    schema: JsonSchema = {"type": "object", "properties": {**properties}}
    if needed := [one.wire_name for one in asked if one.required or one.name in required]:
        schema["required"] = [*needed]
    return {**schema, "additionalProperties": False}


def argument_schema(
    argument: Argument, choices: Sequence[str] = (), *, nulls: bool = False
) -> JsonSchema:
    """Return the schema of one argument, with what is said of it and its default."""
    schema = {**_schema_of(argument.annotation)}
    if choices:
        schema = JsonSchema(type="string", enum=[*choices])
    if nulls and not argument.required:
        schema = _with_null(schema)
    if argument.help:
        schema["description"] = argument.help
    if argument.default is not None:
        schema["default"] = cast(Json, argument.default)
    return schema


@cache
def output_schema(answer: type) -> JsonSchema:
    """Return the schema of an answer as it is encoded, with its parts under `$defs`."""
    known = definitions([answer])
    schema = known.pop(answer.__name__)
    return {**schema, "$defs": cast(Json, known)} if known else schema


def definitions(answers: Iterable[type], refs: str = _HERE) -> dict[str, JsonSchema]:
    """Return the schemas of answers and of their parts by name; `refs` stands before a name."""
    writer = _Writer(refs, dict.fromkeys(answers))
    made: dict[str, JsonSchema] = {}
    while len(made) < len(writer.parts):
        part = list(writer.parts)[len(made)]
        made[part.__name__] = writer.describe_part(part)
    return made


@cache
def _schema_of(hint: Any) -> JsonSchema:
    return _Writer(_HERE).describe(hint)


@dataclass(slots=True)
class _Writer:
    """Writes the schemas of types; `parts` are the dataclasses that it has referred to."""

    refs: str
    parts: dict[type, None] = field(default_factory=dict[type, None])

    def describe(self, hint: Any) -> JsonSchema:
        """Return the schema of a type; null is never a part of it."""
        if isinstance(hint, type) and not get_args(hint):
            return self._describe_class(hint)
        origin = get_origin(hint)
        if origin is Annotated:
            inner, *rest = get_args(hint)
            return {**self.describe(inner), **_bounds(rest)}
        if origin is Literal:
            return {"type": "string", "enum": [*get_args(hint)]}
        if origin in (Union, UnionType):
            return self._describe_union(get_args(hint))
        return self._describe_many(cast(type, origin), get_args(hint))

    def _describe_class(self, hint: type[Any]) -> JsonSchema:
        if hint in _PLAIN:
            return {**_PLAIN[hint]}
        if is_typeddict(hint):
            return self._describe_keys(hint)
        if issubclass(hint, Enum):
            names = (one.name if isinstance(one, int) else str(one.value) for one in hint)
            return {"type": "string", "enum": [*names]}
        self.parts.setdefault(hint)
        return {"$ref": self.refs + hint.__name__}

    def _describe_keys(self, hint: Any) -> JsonSchema:
        types = get_type_hints(hint)
        return {
            "type": "object",
            "properties": {name: self.describe(one) for name, one in types.items()},
            "required": [name for name in types if name in hint.__required_keys__],
            "additionalProperties": False,
        }

    def _describe_many(self, origin: type, kinds: Sequence[Any]) -> JsonSchema:
        if issubclass(origin, Mapping):
            inner = self.describe(kinds[1])
            return {"type": "object", **({"additionalProperties": inner} if inner else {})}
        inner = self.describe(kinds[0])
        return {"type": "array", **({"items": inner} if inner else {})}

    def _describe_union(self, kinds: Sequence[Any]) -> JsonSchema:
        if _is_json(kinds):
            return {}
        return _either([self.describe(kind) for kind in kinds if kind is not NoneType])

    def describe_part(self, part: type) -> JsonSchema:
        """Return the schema of a dataclass as it is encoded."""
        hints = get_type_hints(part, include_extras=True)
        properties: dict[str, Json] = {}
        required: list[Json] = []
        for name, sources in names_on_wire(part).items():
            properties[name] = _either([self.describe(hints[source]) for source in sources])
            if len(sources) > 1 or not _may_be_left_out(part, sources[0], hints[sources[0]]):
                required.append(name)
        return {"type": "object", "properties": properties, "required": required}


def names_on_wire(part: Any) -> Mapping[str, Sequence[str]]:
    """Return for each name on the wire the fields that it may stand for."""
    if not is_dataclass(part):
        raise TypeError(f"{part!r} is not part of an answer")
    others = dict[str, str](getattr(part, "wire_names", ()))
    names: dict[str, list[str]] = {}
    for one in fields(part):
        names.setdefault(camel_case(others.get(one.name, one.name)), []).append(one.name)
    return names


def _may_be_left_out(part: type, name: str, hint: Any) -> bool:
    sometimes: Collection[str] = getattr(part, "wire_sometimes", ())
    return name in sometimes or NoneType in get_args(hint)


def _is_json(kinds: Sequence[Any]) -> bool:
    return any(get_origin(kind) is dict for kind in kinds)  # which nothing else of ours has


def _bounds(annotations: Sequence[object]) -> JsonSchema:
    found: JsonSchema = {}
    for one in annotations:
        if isinstance(one, Ge):
            found["minimum"] = cast(Json, one.ge)
        elif isinstance(one, Le):
            found["maximum"] = cast(Json, one.le)
        elif isinstance(one, MaybeBytes):
            found["type"] = ["string", "object"]
    return found


def _either(schemas: Sequence[JsonSchema]) -> JsonSchema:
    """Return the schema of what meets any of some schemas, as one with several types if it can.

    What JSON Schema says of an object holds for objects alone, and so on: the keywords of
    different types don't meet. Only `enum` speaks of all.
    """
    known = list({repr(one): one for one in schemas}.values())
    if {"type": "number"} in known:
        known = [one for one in known if one != {"type": "integer"}]
    if len(known) == 1:
        return known[0]
    known.sort(key=lambda one: _ORDER.get(str(one.get("type")), len(_ORDER)))
    types = [one.get("type") for one in known]
    mixed = any("enum" in one or not isinstance(one.get("type"), str) for one in known)
    if mixed or len(set(map(str, types))) < len(types):
        return {"anyOf": [*known]}
    merged: JsonSchema = {}
    for one in known:
        merged.update(one)
    return {**merged, "type": [*types]}


def _with_null(schema: JsonSchema) -> JsonSchema:
    if "enum" in schema:
        values = cast(list[Json], schema["enum"])
        return {**schema, "type": [schema["type"], "null"], "enum": [*values, None]}
    if "anyOf" in schema:
        return {**schema, "anyOf": [*cast(list[Json], schema["anyOf"]), {"type": "null"}]}
    kinds = schema.get("type")
    if kinds is None:  # anything at all
        return schema
    listed = kinds if isinstance(kinds, list) else [kinds]
    return {**schema, "type": [*listed, "null"]}


_PLAIN: Mapping[type, JsonSchema] = {
    object: {},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
}
# What has parts comes first: it is what most callers should write.
_ORDER: Mapping[str, int] = {"object": 0, "array": 1}
