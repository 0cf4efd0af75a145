"""From a filter as written to a resolved one: names, operators and operands against a schema.

All faults of a filter are found in one pass.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo

from winnow.errors import Fault, InvalidRequest, unknown
from winnow.filter.ast import All, Any, Arg, Expr, Match, Not, Place, Pred, Test, tests
from winnow.filter.ops import OPERATORS, Operand, Operator, family_of, operators_of
from winnow.schema import Catalog, Field, IdRule, Reverse, Schema
from winnow.values import (
    LARGEST_NUMBER,
    NUMERIC,
    TEMPORAL,
    Json,
    Moment,
    Scalar,
    Type,
    UnreadableValue,
    describe,
    resolve_moment,
)

ENTITY_ID = Field("id", Type.STRING, aliases=("entityId",), description="The entity's own id.")


@dataclass(frozen=True, slots=True)
class Scope:
    """What a filter is read against: the schemas known, the zone of dates, and now."""

    catalog: Catalog
    zone: tzinfo
    now: datetime


@dataclass(frozen=True, slots=True)
class Checked:
    """A resolved filter, and what its writer should know about it."""

    pred: Pred
    warnings: tuple[str, ...]


def check(expr: Expr, schema: Schema, scope: Scope) -> Checked:
    """Resolve a filter against a schema; raise InvalidRequest with every fault that it has."""
    checker = _Checker(scope)
    pred = checker.resolve(expr, schema, None)
    if checker.faults:
        raise InvalidRequest(checker.faults)
    return Checked(pred, tuple(dict.fromkeys(checker.warnings)))


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
    faults: list[Fault] = field(default_factory=list[Fault])
    warnings: list[str] = field(default_factory=list[str])

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
        try:
            path, found = self._find(test, schema, item)
            if test.operand is None and test.op in ("eq", "ne"):
                return Match(path, found, "isNull", (test.op == "eq",))
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
        if test.name:
            return resolve_name(schema, test.name, self.scope.catalog)
        if item is None:
            raise UnreadableValue("a field's name is missing before the operator")
        return (), item

    def _resolve_plain(
        self, test: Test, operator: Operator, path: tuple[Field, ...], found: Field | Reverse
    ) -> Pred:
        operand = test.operand
        if isinstance(operand, (Test, Not, All, Any)):
            self._fault(test.at, f"{operator.name} takes {operator.operand.value}, not a filter")
            return All(())
        try:
            args = _OPERANDS[operator.operand](self, operator, found, operand)
        except UnreadableValue as error:
            for reason in dict.fromkeys(error.args):
                self._fault(test.at, f"{found.name or 'item'} {operator.symbol}: {reason}")
            return All(())
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

    # --- operands: one reader for each kind ---

    def one_value(self, operator: Operator, found: Field | Reverse, raw: Json) -> tuple[Arg, ...]:
        """Read the operand of eq, gt, has and their kin."""
        if isinstance(found, Field) and found.is_list and operator.name in ("eq", "ne"):
            return self._values(found, _listed(raw, "has"))
        if isinstance(raw, list):
            several = "any in" if operator.name == "has" else "in"
            raise UnreadableValue(f"expected one value, got a list (write {several} for several)")
        return (self._value(found, raw),)

    def value_list(self, operator: Operator, found: Field | Reverse, raw: Json) -> tuple[Arg, ...]:
        """Read the operand of in and not in."""
        return self._values(found, _listed(raw, "="))

    def value_pair(self, operator: Operator, found: Field | Reverse, raw: Json) -> tuple[Arg, ...]:
        """Read the operand of between."""
        items = _listed(raw, "=")
        if len(items) != 2:
            raise UnreadableValue(f"expected two values, got {len(items)}")
        low, high = self._values(found, items)
        if _is_above(low, high):
            name = found.name or "item"
            self.warnings.append(f"{name} between {items[0]} and {items[1]} holds for nothing")
        return low, high

    def some_text(self, operator: Operator, found: Field | Reverse, raw: Json) -> tuple[Arg, ...]:
        """Read the operand of contains, startsWith and endsWith."""
        if not isinstance(raw, str):
            raise UnreadableValue(f"expected text, got {describe(raw)}")
        return (raw,)

    def flag(self, operator: Operator, found: Field | Reverse, raw: Json) -> tuple[Arg, ...]:
        """Read the operand of isNull."""
        if not isinstance(raw, bool):
            raise UnreadableValue(f"expected true or false, got {describe(raw)}")
        return (raw,)

    def _values(self, found: Field | Reverse, items: Sequence[Json]) -> tuple[Scalar | Moment, ...]:
        """Read several values; the UnreadableValue has the reasons of all that are none."""
        values: list[Scalar | Moment] = []
        reasons: list[str] = []
        for item in items:
            try:
                values.append(self._value(found, item))
            except UnreadableValue as error:
                reasons.append(str(error))
        if reasons:
            raise UnreadableValue(*reasons)
        return tuple(values)

    def _value(self, found: Field | Reverse, raw: Json) -> Scalar | Moment:
        if not isinstance(found, Field):
            raise UnreadableValue("a reverse reference has no value of its own")
        if raw is None:
            raise UnreadableValue("null is not a value here (write is null)")
        if found.type in TEMPORAL:
            return self._moment(raw)
        value = _TYPED[found.type](found, raw)
        if found.unit == "percent" and not isinstance(value, str) and 0 < abs(value) < 1:
            name = found.name or "item"
            self.warnings.append(
                f"{name} is in percent: {value} means {value} %, not {value * 100:g} %"
            )
        return value

    def _moment(self, raw: Json) -> Moment:
        if isinstance(raw, int) and not isinstance(raw, bool) and 1000 <= raw <= 9999:
            raw = str(raw)
        if not isinstance(raw, str):
            raise UnreadableValue(f"expected a date, got {describe(raw)}")
        return resolve_moment(raw, self.scope.zone, self.scope.now)

    def _fault(self, at: Place, detail: str) -> None:
        self.faults.append(Fault(at.pointer, detail, at.position))


_NO_SCHEMA = Schema("a plain value", "", IdRule(""), {})

_OPERANDS: Mapping[
    Operand, Callable[[_Checker, Operator, Field | Reverse, Json], tuple[Arg, ...]]
] = {
    Operand.VALUE: _Checker.one_value,
    Operand.LIST: _Checker.value_list,
    Operand.PAIR: _Checker.value_pair,
    Operand.TEXT: _Checker.some_text,
    Operand.FLAG: _Checker.flag,
}


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


def _listed(raw: Json, single: str) -> list[Json]:
    if not isinstance(raw, list):
        raise UnreadableValue(
            f"expected a list, got {describe(raw)} (write {single} for one value)"
        )
    return raw


def _is_above(low: Scalar | Moment, high: Scalar | Moment) -> bool:
    if isinstance(low, Moment) and isinstance(high, Moment):
        return low.start >= high.end
    if isinstance(low, str) and isinstance(high, str):
        return low > high
    return isinstance(low, int | float) and isinstance(high, int | float) and low > high


def _typed_text(found: Field, raw: Json) -> str:
    if not isinstance(raw, str):
        raise UnreadableValue(f"expected text, got {describe(raw)}")
    return raw


def _typed_choice(found: Field, raw: Json) -> str:
    text = _typed_text(found, raw)
    if text not in found.choices:
        raise UnreadableValue(unknown("value", text, found.choices))
    return text


def _typed_number(found: Field, raw: Json) -> int | float:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        hint = f" (write {raw} without quotes)" if _looks_like_number(raw) else ""
        raise UnreadableValue(f"expected a number, got {describe(raw)}{hint}")
    if not abs(raw) <= LARGEST_NUMBER:  # nor is NaN
        raise UnreadableValue("the number is too large")
    return raw


def _looks_like_number(raw: Json) -> bool:
    return isinstance(raw, str) and re.fullmatch(r"[+-]?(0|[1-9]\d*)(\.\d+)?", raw) is not None


def _typed_boolean(found: Field, raw: Json) -> bool:
    if not isinstance(raw, bool):
        raise UnreadableValue(f"expected true or false, got {describe(raw)}")
    return raw


_TYPED: Mapping[Type, Callable[[Field, Json], Scalar]] = {
    Type.STRING: _typed_text,
    Type.REF: _typed_text,
    Type.ENUM: _typed_choice,
    Type.BOOLEAN: _typed_boolean,
    **dict.fromkeys(NUMERIC, _typed_number),
}
