"""How a pack describes the fields of a schema."""

from collections.abc import Mapping
from typing import TypeAlias

from winnow.errors import unknown
from winnow.packs.expressions import BadExpression, read_pattern
from winnow.packs.nodes import Node
from winnow.schema import Field, Pattern, plain, snake_case, spell_choices
from winnow.values import NUMERIC, PACK_TYPES, Type

FIELD_KEYS: Mapping[str, str] = {
    "type": "string, integer, number, boolean, date, datetime, enum or ref, or 'list of' one",
    "unit": "percent, USD, months, hours or another word",
    "range": "[lowest, highest]",
    "values": "of an enum, each with its other spellings",
    "to": "the schema that a ref names",
    "reverse": "the name of a ref's other side",
    "aliases": "other names, in filters and notes",
    "keys": "other names, in notes only",
    "labels": "how a line of prose such as `Escrow: 12%` names it",
    "patterns": "how prose says its value",
    "description": "what it means, for those who write filters",
}

Spellings: TypeAlias = dict[str, tuple[str, ...]]


_LIST_OF = "list of "
_KNOWN_TYPES = [*map(str, PACK_TYPES), *(f"{_LIST_OF}{kind}" for kind in PACK_TYPES)]
_QUANTITIES_OF: Mapping[Type, frozenset[str]] = {
    **dict.fromkeys(NUMERIC, frozenset({"number", "percent", "money", "months"})),
    **dict.fromkeys((Type.DATE, Type.DATETIME), frozenset({"date"})),
    **dict.fromkeys((Type.STRING, Type.ENUM), frozenset({"words"})),
    Type.REF: frozenset({"id"}),
    Type.BOOLEAN: frozenset(),
}


def read_field(name: str, node: Node, namespace: str, pieces: Mapping[str, str]) -> Field:
    """Read a field; `namespace` is the pack's name and a dot."""
    if isinstance(node.value, str):
        node = Node({"type": node.value}, node.path, node.mistakes)
    options = node.options(FIELD_KEYS)
    kind, is_list = _read_type(node, options.get("type"))
    low, high = _read_range(options.get("range"), kind)
    choices = _read_choices(node, options.get("values"), kind)
    texts = {key: options[key].texts() for key in ("keys", "labels") if key in options}
    return Field(
        name=name,
        type=kind,
        is_list=is_list,
        unit=_read_unit(options.get("unit"), kind),
        minimum=low,
        maximum=high,
        choices=tuple(choices),
        choice_aliases=spell_choices(choices),
        target=_read_target(node, options, kind, namespace),
        aliases=_read_aliases(name, options.get("aliases")),
        description=options["description"].text() if "description" in options else "",
        patterns=_read_patterns(options.get("patterns"), kind, pieces),
        keys=texts.get("keys", ()),
        labels=texts.get("labels", ()),
    )


def _read_type(owner: Node, node: Node | None) -> tuple[Type, bool]:
    if node is None:
        if owner.value is None or isinstance(owner.value, dict):
            owner.wrong(
                f"a field needs a type (allowed: {', '.join(PACK_TYPES)}, or 'list of' one)"
            )
        return Type.STRING, False
    text = " ".join(node.text().split())
    if text not in _KNOWN_TYPES:
        node.wrong(unknown("type", text, _KNOWN_TYPES))
        return Type.STRING, False
    return Type(text.removeprefix(_LIST_OF)), text.startswith(_LIST_OF)


def _read_unit(node: Node | None, kind: Type) -> str | None:
    if node is None:
        return None
    if kind not in NUMERIC:
        node.wrong(f"only numbers have a unit, this field is a {kind}")
    return node.text() or None


def _read_range(node: Node | None, kind: Type) -> tuple[int | float | None, int | float | None]:
    if node is None:
        return None, None
    if kind not in NUMERIC:
        node.wrong(f"only numbers have a range, this field is a {kind}")
    bounds = node.items()
    if not isinstance(node.value, list) or len(bounds) != 2:
        node.wrong("expected [lowest, highest]; null leaves a side open")
        return None, None
    low, high = bounds[0].number(), bounds[1].number()
    if low is not None and high is not None and low > high:
        node.wrong(f"the lowest value {low} is above the highest, {high}")
    return low, high


def _read_choices(owner: Node, node: Node | None, kind: Type) -> Spellings:
    if node is None:
        if kind is Type.ENUM:
            owner.wrong("an enum needs its values")
        return {}
    if kind is not Type.ENUM:
        node.wrong(f"only an enum has values, this field is a {kind}")
    choices: Spellings = {}
    spelled: dict[str, str] = {}
    for choice, spellings in node.pairs():
        choices[choice] = spellings.texts()
        for spelling in (choice, *choices[choice]):
            other = spelled.setdefault(plain(spelling), spelling)
            if other is not spelling:
                spellings.wrong(f"{spelling!r} stands twice among the values, also as {other!r}")
    if not choices:
        node.wrong("an enum needs at least one value")
    return choices


def _read_target(
    owner: Node, options: Mapping[str, Node], kind: Type, namespace: str
) -> str | None:
    for key in ("to", "reverse"):
        if key in options and kind is not Type.REF:
            options[key].wrong(f"only a ref has {key!r}, this field is a {kind}")
    if kind is not Type.REF:
        return None
    if "to" not in options:
        owner.wrong("a ref needs `to`, the schema that it names")
        return None
    target = options["to"].text()
    return target if target.startswith(namespace) else f"{namespace}{target}"


def _read_aliases(name: str, node: Node | None) -> tuple[str, ...]:
    aliases: list[str] = []
    for alias in node.items() if node else []:
        text = alias.name()
        twin = next((one for one in (name, *aliases) if snake_case(one) == snake_case(text)), None)
        if text and twin is not None:
            alias.wrong(f"{text!r} says the same as {twin!r}")
        elif text:
            aliases.append(text)
    return tuple(aliases)


def _read_patterns(node: Node | None, kind: Type, pieces: Mapping[str, str]) -> tuple[Pattern, ...]:
    patterns: list[Pattern] = []
    for one in node.items() if node else []:
        try:
            pattern = read_pattern(one.text(), pieces, tried=one.tried)
        except BadExpression as error:
            one.wrong(str(error))
            continue
        if pattern.quantity not in _QUANTITIES_OF[kind]:
            fitting = ", ".join(f"{{{name}}}" for name in sorted(_QUANTITIES_OF[kind])) or "none"
            one.wrong(f"{{{pattern.quantity}}} is no value of a {kind} (allowed: {fitting})")
        patterns.append(pattern)
    return tuple(patterns)
