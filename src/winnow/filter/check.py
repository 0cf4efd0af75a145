"""From a filter as written to a resolved one: names, operators and operands against a schema.

All faults of a filter are found in one pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import cast

from winnow.deadlines import check as check_time
from winnow.errors import Fault, InvalidRequest, unknown
from winnow.filter.ast import All, Any, Expr, Match, Not, Place, Pred, Test, tests
from winnow.filter.keys import KnownKeys, doubt, doubt_words, find_key
from winnow.filter.open import as_asked
from winnow.filter.operands import OperandReader
from winnow.filter.ops import (
    LOOSE,
    OPERATORS,
    TRIPLES,
    Operand,
    Operator,
    family_of,
    operators_of,
)
from winnow.schema import Catalog, Field, IdRule, Reverse, Schema
from winnow.values import (
    Type,
    UnreadableValue,
)

MOST_GUESSED = 50
"""Names in a filter that the nearest known one is looked for: that takes long among many."""
ENTITY_ID = Field("id", Type.STRING, aliases=("entityId",), description="The entity's own id.")


@dataclass(frozen=True, slots=True)
class Scope:
    """What a filter is read against: the schemas known, the zone of dates, and now.

    `keys` are the keys of metadata that a caller may see, None if that is not known.
    """

    catalog: Catalog
    zone: tzinfo
    now: datetime
    keys: KnownKeys | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """A resolved filter, and what its writer should know about it.

    `unknown` are the keys of metadata that nothing has, as faults in case it is one to name them.
    """

    pred: Pred
    warnings: tuple[str, ...]
    unknown: tuple[Fault, ...] = ()


def check(expr: Expr, schema: Schema, scope: Scope) -> Checked:
    """Resolve a filter against a schema; raise InvalidRequest with every fault that it has."""
    checker = _Checker(scope)
    pred = checker.resolve(expr, schema, None)
    if checker.faults:
        raise InvalidRequest(checker.faults)
    return Checked(pred, tuple(dict.fromkeys(checker.warnings)), tuple(checker.unknown))


def find_field(schema: Schema, name: str) -> Field | Reverse | None:
    """Look up a field of an entity, its own `id` included."""
    found = schema.find(name)
    if found is None and name in (ENTITY_ID.name, *ENTITY_ID.aliases, "entity_id"):
        return ENTITY_ID
    return found


def resolve_name(
    schema: Schema, parts: Sequence[str], catalog: Catalog
) -> tuple[tuple[Field, ...], Field | Reverse]:
    """Follow a dotted name through references; raise UnreadableValue if it leads nowhere."""
    if schema.open:
        key = find_key(parts)
        return key.path, key.field
    path: list[Field] = []
    for index, part in enumerate(parts):
        found = find_field(schema, part)
        if found is None:
            names = [ENTITY_ID.name, *schema.names()]
            raise UnreadableValue(f"{unknown('field', part, names)} in {schema.name}")
        if index == len(parts) - 1:
            return tuple(path), found
        schema = _follow(found, catalog)
        path.append(found) if isinstance(found, Field) else None
    raise UnreadableValue("a field's name is missing")


def _follow(found: Field | Reverse, catalog: Catalog) -> Schema:
    many = isinstance(found, Reverse) or (found.is_list and found.type is Type.REF)
    if many:
        raise UnreadableValue(
            f"{found.name!r} leads to several entities; write {found.name} any (…), all or none"
        )
    target = catalog.get(found.target) if isinstance(found, Field) and found.target else None
    if target is None:
        raise UnreadableValue(f"{found.name!r} is not a reference, so no '.' can follow it")
    return target


@dataclass(slots=True)
class _Checker:
    scope: Scope
    operands: OperandReader = field(init=False)
    faults: list[Fault] = field(default_factory=list[Fault])
    warnings: list[str] = field(default_factory=list[str])
    unknown: list[Fault] = field(default_factory=list[Fault])
    doubted: set[tuple[tuple[str, ...], bool]] = field(
        default_factory=set[tuple[tuple[str, ...], bool]]
    )

    def __post_init__(self) -> None:
        self.operands = OperandReader(self.scope.zone, self.scope.now, self.warnings)

    def resolve(self, node: Expr, schema: Schema, item: Field | None) -> Pred:
        """Resolve a tree; `item` is what a test without a name speaks of."""
        if isinstance(node, Not):
            return Not(self.resolve(node.part, schema, item))
        if isinstance(node, All):
            return All(tuple(self.resolve(part, schema, item) for part in node.parts))
        if isinstance(node, Any):
            return Any(tuple(self.resolve(part, schema, item) for part in node.parts))
        return self._resolve_test(node, schema, item)

    def _resolve_test(self, test: Test, schema: Schema, item: Field | None) -> Pred:
        check_time("reading the filter")
        try:
            test = _translate(test, schema)
            path, found = self._find(test, schema, item)
            if test.operand is None and test.op in _EQUALITIES:
                return Match(path, found, "isNull", (_EQUALITIES[test.op],))
            found = as_asked(found, test)
            operator = _fitting_operator(test.op, found)
        except UnreadableValue as error:
            self._fault(test.at, str(error))
            return All(())
        if operator.operand is Operand.NESTED:
            return self._resolve_nested(test, path, found)
        return self._resolve_plain(test, operator, path, found)

    def _find(
        self, test: Test, schema: Schema, item: Field | None
    ) -> tuple[tuple[Field, ...], Field | Reverse]:
        if test.name and schema is _NO_SCHEMA:
            raise UnreadableValue(
                f"unknown field {'.'.join(test.name)!r}: the items are plain values and have none"
                " (write the operator alone)"
            )
        if test.name and schema.open:
            return self._find_key(test)
        if test.name:
            return resolve_name(schema, test.name, self.scope.catalog)
        if item is None:
            raise UnreadableValue("a field's name is missing before the operator")
        return (), item

    def _find_key(self, test: Test) -> tuple[tuple[Field, ...], Field]:
        loose = test.op in LOOSE
        found = find_key(test.name, loose=loose)
        keys, asked = self.scope.keys, (test.name, loose)
        if keys is not None and asked not in self.doubted:
            self.doubted.add(asked)
            guesses = len(self.doubted) <= MOST_GUESSED
            if warning := doubt(test.name, found, keys, loose=loose, guesses=guesses):
                self.warnings.append(warning)
                if found.key is not None and found.key not in keys:
                    self.unknown.append(Fault(test.at.pointer, warning, test.at.position))
        return found.path, found.field

    def _resolve_plain(
        self, test: Test, operator: Operator, path: tuple[Field, ...], found: Field | Reverse
    ) -> Pred:
        operand = test.operand
        if isinstance(operand, (Test, Not, All, Any)):
            self._fault(test.at, f"{operator.name} takes {operator.operand.value}, not a filter")
            return All(())
        try:
            args = self.operands.read(operator, found, operand)
        except UnreadableValue as error:
            for reason in dict.fromkeys(error.args):
                self._fault(test.at, f"{found.name or 'item'} {operator.symbol}: {reason}")
            return All(())
        if not path and operator.operand in (Operand.WORD, Operand.WORDS):
            self.warnings.extend(doubt_words(found.name, operator.name, cast(Sequence[str], args)))
        return Match(path, found, operator.name, args)

    def _resolve_nested(self, test: Test, path: tuple[Field, ...], found: Field | Reverse) -> Pred:
        inner = test.operand
        if not isinstance(inner, (Test, Not, All, Any)):
            self._fault(test.at, f"{found.name} {test.op} takes a filter")
            return All(())
        if isinstance(found, Reverse):
            schema, item = self.scope.catalog.get(found.source), ENTITY_ID
        else:
            schema = self.scope.catalog.get(found.target) if found.target else None
            item = replace(found, name="", is_list=False)
        if schema is None:
            schema = _NO_SCHEMA
        elif item.name == "" and _mixes_items(inner):
            self._fault(test.at, f"{found.name} {test.op}: test the ids or their fields, not both")
            return All(())
        return Match(path, found, test.op, (self.resolve(inner, schema, item),))

    def _fault(self, at: Place, detail: str) -> None:
        self.faults.append(Fault(at.pointer, detail, at.position))


_NO_SCHEMA = Schema("a plain value", "", IdRule(""), {})
_EQUALITIES: Mapping[str, bool] = {"eq": True, "~EQ": True, "ne": False, "~NE": False}


def _translate(test: Test, schema: Schema) -> Test:
    """Return a test of a triple as one of the language: loose on a memory, else typed."""
    typed, operand = TRIPLES.get(test.op), test.operand
    if typed is None:
        return test
    if schema.open:
        return replace(test, op=f"~{test.op}")
    if typed == "in" and isinstance(operand, str):
        operand = [*operand.split(",")]
    return replace(test, op=typed, operand=operand)


def _fitting_operator(name: str, found: Field | Reverse) -> Operator:
    operator = OPERATORS[name]
    family = family_of(found)
    if family not in operator.families:
        allowed = ", ".join(operators_of(found))
        raise UnreadableValue(
            f"operator {name!r} does not fit {found.name or 'the item'}, a {family} field"
            f" (allowed: {allowed})"
        )
    return operator


def _mixes_items(inner: Expr) -> bool:
    named = {bool(test.name) for test in tests(inner)}
    return len(named) == 2
