"""A pack made ready for reading notes: its names as tables, its expressions compiled."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from winnow.expressions import Expression, compile_foreign, compile_own
from winnow.packs import builtin_packs
from winnow.packs.expressions import check_expression
from winnow.quantities import QUANTITIES
from winnow.schema import Field, IdRule, IdSource, Pack, Pattern, Schema, plain
from winnow.values import NUMERIC, TEMPORAL, Type

MOST_PACKS = 32
"""Packs that are kept ready; more are a sign of a test, and start anew."""


@dataclass(frozen=True, slots=True)
class Label:
    """A field that lines of prose name; `quantity` is what a value must be.

    With `states_unit` the name says the unit, so that a bare number will do.
    """

    field: Field
    quantity: str
    states_unit: bool


@dataclass(frozen=True, slots=True)
class ProseRule:
    """A pattern of a field; its expression is compiled when first needed."""

    field: Field
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Gate:
    """Prose rules that can match only where lower-case text holds an anchor and a mark.

    All of them find the same `kind` of quantity, each of which holds one of the `marks`.
    """

    kind: str
    marks: tuple[str, ...]
    anchors: tuple[str, ...]
    rules: tuple[ProseRule, ...]

    def opens(self, lowered: str) -> bool:
        """Tell whether a rule may match; written out, since it runs for each sentence."""
        for mark in self.marks:
            if mark in lowered:
                break
        else:
            if self.marks:
                return False
        for anchor in self.anchors:
            if anchor in lowered:
                return True
        return not self.anchors


@dataclass(frozen=True)
class SchemaRules:
    """What of a schema counts in notes; names are in their plain spelling.

    `fields` lists references first: they take only a value that is an id. `targets` are the
    id rules of the schemas that references name. `source` is where the pack comes from; one that
    is `trusted` ships with Winnow.
    """

    schema: Schema
    fields: Mapping[str, tuple[Field, ...]]
    labels: Mapping[str, tuple[Label, ...]]
    id_keys: frozenset[str]
    gates: tuple[Gate, ...]
    targets: Mapping[str, IdRule]
    source: str = ""
    trusted: bool = False

    @cached_property
    def id_anchors(self) -> tuple[str, ...]:
        """Give the lower-case texts of which each id holds one."""
        return check_expression(self.schema.id.pattern)

    @cached_property
    def id_finder(self) -> Expression:
        """Find an id inside a text, whatever its case; its parts are never taken for one."""
        form = self.schema.id.pattern
        return self.compile(rf"(?<![^\W_])(?:{form})(?![^\W_])")

    @cached_property
    def mentions(self) -> tuple[Expression, ...]:
        """Find the texts that declare an entity in prose."""
        return tuple(self.compile(text) for text in self.schema.id.mentions)

    @cached_property
    def has_id_form(self) -> bool:
        """Tell whether ids are found by their form."""
        return self.schema.id.source is IdSource.PATTERN

    def compile(self, expression: str) -> Expression:
        """Compile an expression of the pack, once; one that others wrote has its time bounded."""
        if self.trusted:
            return compile_own(expression)
        return compile_foreign(expression, self.source)

    def find_ids(self, text: str) -> dict[str, int]:
        """Map the ids that a text holds to where each first stands, in order."""
        if not self.has_id_form:
            return {}
        lowered = text.lower()
        for word in self.id_anchors:
            if word in lowered:
                break
        else:
            if self.id_anchors:
                return {}
        found: dict[str, int] = {}
        for match in self.id_finder.finditer(text):
            entity = self.schema.id.fit(match[0])
            if entity is not None:
                found.setdefault(entity, match.start())
        return found


@dataclass(frozen=True, slots=True)
class Rules:
    """A pack made ready; `schemas` are in the order of precedence, by their full names.

    `known_keys` are the names that key lines may have, `id_keys` those that hold ids and of
    which schemas, in their plain spelling. `needles` begin the names of key lines, `key_value`
    finds one in the lines of a body, with the groups `prefix`, `name` and `value`.
    """

    pack: Pack
    known_keys: frozenset[str]
    schemas: Mapping[str, SchemaRules]
    id_keys: Mapping[str, tuple[SchemaRules, ...]]
    needles: tuple[str, ...]
    key_value: re.Pattern[str] | None


_ready: dict[str, Rules] = {}


def prepare(pack: Pack) -> Rules:
    """Return the rules of a pack, made once for each content."""
    rules = _ready.get(pack.fingerprint)
    if rules is None:
        if len(_ready) >= MOST_PACKS:
            _ready.clear()
        rules = _ready[pack.fingerprint] = _prepare(pack)
    return rules


def key_line(prefixes: Iterable[str]) -> re.Pattern[str] | None:
    """Match lines such as `CLAWQL_ESCROW_PCT=12` from their beginning, None without prefixes."""
    finder = _key_value(prefixes)
    return re.compile(rf"\A{BEFORE_KEY.pattern}{finder.pattern}") if finder else None


BEFORE_KEY = re.compile(r"[ \t>]*(?:[-*+][ \t]+)?`?(?:export[ \t]+)?")
"""What may stand in a line before the name of a key line."""


def _key_value(prefixes: Iterable[str]) -> re.Pattern[str] | None:
    known = "|".join(re.escape(prefix) for prefix in prefixes)
    if not known:
        return None
    value = r"[ \t]*=[ \t]*(?P<value>[^\n]*)"
    return re.compile(rf"(?P<prefix>{known})_(?P<name>[A-Z0-9_]+){value}")


def _prepare(pack: Pack) -> Rules:
    schemas = {name: _prepare_schema(pack, pack.schemas[name]) for name in pack.precedence}
    id_keys: dict[str, tuple[SchemaRules, ...]] = {}
    for rules in schemas.values():
        for key in rules.id_keys if rules.has_id_form else ():
            id_keys[key] = (*id_keys.get(key, ()), rules)
    return Rules(
        pack=pack,
        known_keys=frozenset(plain(name) for name in pack.keys),
        schemas=schemas,
        id_keys=id_keys,
        needles=tuple(f"{prefix}_" for prefix in pack.key_prefixes),
        key_value=_key_value(pack.key_prefixes),
    )


def _prepare_schema(pack: Pack, schema: Schema) -> SchemaRules:
    fields = schema.fields.values()
    rule = schema.id
    return SchemaRules(
        schema=schema,
        fields=_by_name((field, (field.name, *field.aliases, *field.keys)) for field in fields),
        labels=_prepare_labels(fields),
        id_keys=frozenset(plain(key) for key in rule.keys),
        gates=_prepare_gates(fields),
        targets={field.target: pack.schemas[field.target].id for field in fields if field.target},
        source=pack.source,
        trusted=any(pack.text == one.text for one in builtin_packs()),
    )


def _prepare_labels(fields: Collection[Field]) -> dict[str, tuple[Label, ...]]:
    names = ((one, (one.name, *one.aliases, *one.keys, *one.labels)) for one in fields)
    return {
        name: tuple(Label(one, _quantity(one), _states_unit(one, name)) for one in named)
        for name, named in _by_name(names).items()
    }


def _prepare_gates(fields: Iterable[Field]) -> tuple[Gate, ...]:
    gates: dict[tuple[str, tuple[str, ...]], list[ProseRule]] = {}
    for field in fields:
        for pattern in field.patterns:
            key = (pattern.quantity, check_expression(pattern.frame))
            gates.setdefault(key, []).append(ProseRule(field, pattern))
    return tuple(
        Gate(kind, QUANTITIES[kind].marks, anchors, tuple(rules))
        for (kind, anchors), rules in gates.items()
    )


def _by_name(named: Iterable[tuple[Field, Iterable[str]]]) -> dict[str, tuple[Field, ...]]:
    found: dict[str, list[Field]] = {}
    for field, names in named:
        for name in dict.fromkeys(plain(name) for name in names):
            found.setdefault(name, []).append(field)
    return {
        name: tuple(sorted(fields, key=lambda field: field.type is not Type.REF))
        for name, fields in found.items()
    }


_UNIT_QUANTITIES: Mapping[str, str] = {"percent": "percent", "months": "months", "USD": "money"}
_UNIT_WORDS: Mapping[str, tuple[str, ...]] = {
    "percent": ("pct", "percent", "%"),
    "months": ("months",),
    "USD": ("usd",),
    "hours": ("hours",),
}


def _quantity(field: Field) -> str:
    if field.type in NUMERIC:
        return _UNIT_QUANTITIES.get(field.unit or "", "number")
    return "date" if field.type in TEMPORAL else "words"


def _states_unit(field: Field, label: str) -> bool:
    return any(word in label for word in _UNIT_WORDS.get(field.unit or "", ()))
