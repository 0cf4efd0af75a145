"""What must fit together in a pack: names that are free and mean one thing, targets that exist."""

from collections.abc import Iterable, Iterator, Mapping

from winnow.errors import unknown
from winnow.packs.nodes import NAME_RULE, Node, is_name
from winnow.schema import Field, Reverse, Schema, plain
from winnow.values import Type

_LANGUAGE = (
    "and or not in between contains startsWith endsWith has any all none is null true false"
    " eq ne nin gt gte lt lte isNull"
)
WORDS = frozenset([*_LANGUAGE.split(), "id"])
"""Words of the filter language, and `id`, in whatever case; no field may be called so."""

_PLAIN_WORDS: Mapping[str, str] = {plain(word): word for word in WORDS}


def check_names(names: Mapping[str, Node]) -> None:
    """Check names that are keys of the file: identifiers, and none but for its spelling."""
    seen: dict[str, str] = {}
    for name, node in names.items():
        if not is_name(name):
            node.wrong(f"{name!r} is not a name: {NAME_RULE}")
        twin = seen.setdefault(plain(name), name)
        if twin != name:
            node.wrong(f"{name!r} can't be told from {twin!r}")


def check_schema(schema: Schema, places: Mapping[str, Node]) -> None:
    """Check that each name of a schema is free and means one field; `places` are the fields'."""
    owners: dict[str, str] = {}
    for name, node in places.items():
        for spelling in (name, *schema.fields[name].aliases):
            _check_word(spelling, node)
            owner = owners.setdefault(plain(spelling), name)
            if owner != name:
                node.wrong(f"{spelling!r} already means the field {owner!r}")
    _check_keys(schema, places, owners)


def check_reverse(reverse: Reverse, target: Schema, node: Node) -> None:
    """Check that the name of a reverse is free in the schema that it leads from."""
    if not is_name(reverse.name):
        node.wrong(f"{reverse.name!r} is not a name: {NAME_RULE}")
    _check_word(reverse.name, node)
    for taken, what in _names_of(target):
        if plain(taken) == plain(reverse.name):
            node.wrong(f"the reverse {reverse.name!r} is already {what} of {target.label}")


def check_targets(schemas: Iterable[tuple[Schema, Mapping[str, Node]]], known: list[str]) -> None:
    """Check that each reference names a schema of the pack."""
    for schema, places in schemas:
        for name, field in schema.fields.items():
            if field.target is not None and field.target not in known:
                places[name].wrong(unknown("schema", field.target, known))


def _check_word(name: str, node: Node) -> None:
    word = _PLAIN_WORDS.get(plain(name))
    if word == "id":
        node.wrong(f"{name!r} can't be a name: it is the entity's own id")
    elif word is not None:
        node.wrong(f"{name!r} can't be a name: {word!r} is a word of the filter language")


def _check_keys(schema: Schema, places: Mapping[str, Node], owners: Mapping[str, str]) -> None:
    """Check that a name in notes means one field, or a reference and the text of what it names."""
    for what in ("keys", "labels"):
        taken = dict(owners)
        for name, node in places.items():
            for key in getattr(schema.fields[name], what):
                owner = taken.setdefault(plain(key), name)
                if owner != name and not _told_apart(schema.fields[owner], schema.fields[name]):
                    node.wrong(f"{key!r} already means the field {owner!r}")


def _told_apart(one: Field, other: Field) -> bool:
    return {one.type, other.type} == {Type.REF, Type.STRING}


def _names_of(schema: Schema) -> Iterator[tuple[str, str]]:
    for name, field in schema.fields.items():
        yield name, "a field"
        for alias in field.aliases:
            yield alias, f"an alias of {name!r}"
    for name in schema.reverses:
        yield name, "a reverse"
