"""From a resolved filter to the form that the evaluators run.

Negation stands at the leaves, the complements (`ne`, `nin`, `none`, `isNull`) are negated
positive tests, `in ()` is a constant, and the positive tests of one field under one `and` are
one leaf, since one candidate value has to meet them all.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from winnow.filter.ast import All, Any, Arg, Match, Not, Pred
from winnow.filter.ops import OPERATORS, Operand
from winnow.schema import Field, Reverse
from winnow.values import Type

PRESENT = "present"


@dataclass(frozen=True, slots=True)
class Probe:
    """One positive test of a leaf: an operator that negates nothing, or `present`."""

    op: str
    args: "tuple[Arg | Plan, ...]"


@dataclass(frozen=True, slots=True)
class Leaf:
    """Tests that one value has to meet together; `negated` asks for the complement.

    `matches` are the tests as they were asked, for telling about them.
    """

    path: tuple[Field, ...]
    field: Field | Reverse
    probes: tuple[Probe, ...]
    negated: bool
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Holds where every part does; without parts, everywhere."""

    parts: "tuple[Plan, ...]"


@dataclass(frozen=True, slots=True)
class Disjunction:
    """Holds where some part does; without parts, nowhere."""

    parts: "tuple[Plan, ...]"


Plan: TypeAlias = Leaf | Conjunction | Disjunction


def rewrite(pred: Pred, *, joint: bool = True) -> Plan:
    """Bring a filter into the evaluators' form; without `joint`, every test is its own leaf."""
    return _rewrite(pred, False, joint)


def joint_groups(conjunction: All[Match]) -> Iterator[tuple[Match, ...] | Pred]:
    """Yield the parts of an `and`: the positive tests of one field together, all else alone.

    An `and` right inside an `and` is one with it; a `not` between them keeps them apart.
    """
    groups: dict[object, list[Match]] = {}
    others: list[Pred] = []
    for part in _flatten_parts(conjunction):
        if isinstance(part, Match) and _is_joint(part):
            groups.setdefault(_about(part), []).append(part)
        else:
            others.append(part)
    yield from (tuple(group) for group in groups.values())
    yield from others


def _flatten_parts(conjunction: All[Match]) -> Iterator[Pred]:
    for part in conjunction.parts:
        if isinstance(part, All):
            yield from _flatten_parts(part)
        else:
            yield part


def _about(match: Match) -> object:
    """Return what tests of one field share; triples see a memory's own field in their own way."""
    is_open = isinstance(match.field, Field) and match.field.type is Type.OPEN
    return (*(step.name for step in match.path), match.field.name, is_open)


def _is_joint(match: Match) -> bool:
    operator = OPERATORS[match.op]
    positive = operator.negates is None and operator.operand is not Operand.FLAG
    return positive and isinstance(match.field, Field)


def _rewrite(node: Pred, negated: bool, joint: bool) -> Plan:
    match node:
        case Match():
            return _rewrite_match(node, negated, joint)
        case Not(part):
            return _rewrite(part, not negated, joint)
        case All():
            return _combine(_rewrite_all(node, negated, joint), not negated)
        case Any(parts):
            return _combine([_rewrite(part, negated, joint) for part in parts], negated)


def _rewrite_all(node: All[Match], negated: bool, joint: bool) -> list[Plan]:
    if not joint:
        return [_rewrite(part, negated, joint) for part in node.parts]
    return [
        _joint_leaf(part, negated) if isinstance(part, tuple) else _rewrite(part, negated, joint)
        for part in joint_groups(node)
    ]


def _combine(parts: list[Plan], conjoin: bool) -> Plan:
    kind, other = (Conjunction, Disjunction) if conjoin else (Disjunction, Conjunction)
    flat = list(_flatten(kind, parts))
    if any(isinstance(part, other) and not part.parts for part in flat):
        return other(())
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def _flatten(kind: type[Conjunction] | type[Disjunction], parts: list[Plan]) -> Iterator[Plan]:
    for part in parts:
        if isinstance(part, kind):
            yield from part.parts
        else:
            yield part


def _rewrite_match(match: Match, negated: bool, joint: bool) -> Plan:
    operator = OPERATORS[match.op]
    if operator.negates is not None:
        return _leaf(replace(match, op=operator.negates), match, not negated, joint)
    if operator.operand is Operand.FLAG:
        return _leaf(match, match, negated is not (match.args[0] is True), joint)
    return _leaf(match, match, negated, joint)


def _leaf(positive: Match, asked: Match, negated: bool, joint: bool) -> Plan:
    if positive.op == "in" and not positive.args:
        return Conjunction(()) if negated else Disjunction(())
    probes = (_probe(positive, joint),)
    return Leaf(positive.path, positive.field, probes, negated, (asked,))


def _joint_leaf(group: tuple[Match, ...], negated: bool) -> Plan:
    if any(match.op == "in" and not match.args for match in group):
        return Conjunction(()) if negated else Disjunction(())
    probes = tuple(_probe(match, True) for match in group)
    return Leaf(group[0].path, group[0].field, probes, negated, group)


def _probe(match: Match, joint: bool) -> Probe:
    operand = OPERATORS[match.op].operand
    if operand is Operand.FLAG:
        return Probe(PRESENT, ())
    inner = match.args[0] if operand is Operand.NESTED else None
    if isinstance(inner, (Match, Not, All, Any)):
        return Probe(match.op, (_rewrite(inner, False, joint),))
    return Probe(match.op, match.args)
