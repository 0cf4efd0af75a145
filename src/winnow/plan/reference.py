"""The meaning of a filter, in the most obvious Python: one entity at a time, from plain dicts.

Every other evaluator agrees with this one, on what matches and on what is undetermined.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Protocol, TypeAlias

from winnow.filter.ast import All, Any, Match, Not, Pred, speaks_of_items
from winnow.filter.ops import OPERATORS, Operand
from winnow.filter.rewrite import joint_groups
from winnow.plan.comparisons import judge_scalar, same_set
from winnow.plan.verdicts import (
    Reason,
    Verdict,
    decide,
    every,
    every_of_some,
    known,
    negate,
    some,
    unknown,
)
from winnow.records import Candidate, Confidence, Resolved, resolve
from winnow.schema import Field, Reverse
from winnow.values import Scalar, Type, Value

Candidates: TypeAlias = Mapping[str, tuple[Candidate, ...]]


class World(Protocol):
    """The entities that references lead to."""

    def read(self, schema: str, entity: str) -> Candidates | None:
        """Return an entity's candidates, None if there is no such entity."""
        ...

    def referrers(self, reverse: Reverse, entity: str) -> Iterable[str]:
        """Return the ids of the entities that have a candidate naming `entity`."""
        ...


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges filters at one confidence minimum, with dates in one zone."""

    world: World
    minimum: Confidence
    zone: tzinfo

    def judge(self, pred: Pred, schema: str, entity: str) -> Verdict:
        """Judge a filter on one entity."""
        found = self.world.read(schema, entity)
        if found is None:
            return unknown(Reason.BROKEN_REFERENCE)
        return self.judge_candidates(pred, entity, found)

    def judge_candidates(self, pred: Pred, entity: str, candidates: Candidates) -> Verdict:
        """Judge a filter on an entity whose candidates are at hand."""
        match pred:
            case Match():
                return self.judge_tests((pred,), entity, candidates)
            case Not(part):
                return negate(self.judge_candidates(part, entity, candidates))
            case Any(parts):
                return some(self.judge_candidates(part, entity, candidates) for part in parts)
            case All():
                return every(
                    self.judge_tests(part, entity, candidates)
                    if isinstance(part, tuple)
                    else self.judge_candidates(part, entity, candidates)
                    for part in joint_groups(pred)
                )

    def judge_tests(self, tests: tuple[Match, ...], entity: str, candidates: Candidates) -> Verdict:
        """Judge tests of one field, which one value has to meet together."""
        first = tests[0]
        operator = OPERATORS[first.op]
        if operator.negates is not None:
            positive = Match(first.path, first.field, operator.negates, first.args)
            return negate(self.judge_tests((positive,), entity, candidates))
        if operator.operand is Operand.FLAG:
            present = self._judge_presence(first, entity, candidates)
            return present if first.args[0] is False else negate(present)
        if any(test.op == "in" and not test.args for test in tests):
            return known(False)
        if first.path:
            return self._judge_path(tests, candidates)
        if isinstance(first.field, Reverse):
            return self._judge_reverse(first, first.field, entity)
        return self._judge_field(tests, first.field, entity, candidates)

    def _judge_field(
        self, tests: tuple[Match, ...], field: Field, entity: str, candidates: Candidates
    ) -> Verdict:
        if field.name == "id":
            return every(self._judge_value(test, field, entity) for test in tests)
        resolved = self._resolve(field, candidates)
        if (reason := self._openness(resolved)) or resolved is None:
            return unknown(reason or Reason.MISSING)
        return some(
            every(self._judge_value(test, field, candidate.value) for test in tests)
            for candidate in resolved.best
        )

    def _resolve(self, field: Field, candidates: Candidates) -> Resolved | None:
        return field.weigh(candidates.get(field.name, ()), self.zone)

    def _openness(self, resolved: Resolved | None) -> Reason | None:
        if resolved is None:
            return Reason.MISSING
        if resolved.level >= self.minimum:
            return None
        return Reason.CONFLICT if resolved.conflict else Reason.BELOW_MINIMUM

    def _judge_value(self, test: Match, field: Field, value: Value) -> Verdict:
        if isinstance(value, tuple):
            return self._judge_list(test, field, value)
        return judge_scalar(test, field, value, self.zone)

    def _judge_list(self, test: Match, field: Field, items: tuple[Scalar, ...]) -> Verdict:
        if test.op in ("any", "all"):
            inner = _inner(test)
            verdicts = [self._judge_item(inner, field, item) for item in items]
            return some(verdicts) if test.op == "any" else every_of_some(verdicts)
        if test.op == "has":
            equal = Match((), field, "eq", test.args)
            return some(judge_scalar(equal, field, item, self.zone) for item in items)
        return known(same_set(test, field, items, self.zone))

    def _judge_item(self, inner: Pred, field: Field, item: Scalar) -> Verdict:
        if field.target is not None and not speaks_of_items(inner):
            return self.judge(inner, field.target, str(item))
        match inner:
            case Match():
                positive = OPERATORS[inner.op].negates
                if positive is not None:
                    return negate(self._judge_item(_replace_op(inner, positive), field, item))
                if inner.op == "isNull":
                    return known(inner.args[0] is False)
                return judge_scalar(inner, field, item, self.zone)
            case Not(part):
                return negate(self._judge_item(part, field, item))
            case All(parts):
                return every(self._judge_item(part, field, item) for part in parts)
            case Any(parts):
                return some(self._judge_item(part, field, item) for part in parts)

    # --- references ---

    def _judge_presence(self, test: Match, entity: str, candidates: Candidates) -> Verdict:
        if test.path:
            step, rest = test.path[0], Match(test.path[1:], test.field, "isNull", (False,))
            return self._through(step, candidates, rest, absent=known(False))
        if isinstance(test.field, Reverse):
            anything: Pred = All(())
            return self._judge_reverse(
                Match((), test.field, "any", (anything,)), test.field, entity
            )
        if test.field.name == "id":
            return known(True)
        resolved = self._resolve(test.field, candidates)
        if resolved is None:
            return known(False)
        if (reason := self._openness(resolved)) is not None:
            return unknown(reason)
        # A memory without tags has an empty list of them.
        return known(test.field.type is not Type.TAG or bool(resolved.best[0].value))

    def _judge_path(self, tests: tuple[Match, ...], candidates: Candidates) -> Verdict:
        step = tests[0].path[0]
        rest: Pred = All(
            tuple(Match(test.path[1:], test.field, test.op, test.args) for test in tests)
        )
        return self._through(step, candidates, rest, absent=unknown(Reason.MISSING))

    def _through(self, step: Field, candidates: Candidates, rest: Pred, absent: Verdict) -> Verdict:
        resolved = self._resolve(step, candidates)
        if resolved is None:
            return absent
        if (reason := self._openness(resolved)) is not None:
            return unknown(reason)
        return some(
            self.judge(rest, step.target or "", str(candidate.value)) for candidate in resolved.best
        )

    def _judge_reverse(self, test: Match, reverse: Reverse, entity: str) -> Verdict:
        inner = _inner(test)
        related, maybe = self._related(reverse, entity)
        held = [self.judge(inner, reverse.source, one) for one in related]
        open_ = [self.judge(inner, reverse.source, one) for one in maybe]
        doubt = next(iter(maybe.values()), None)
        if test.op == "any":
            settled, loose = some(held), some(open_)
            possible = settled.possible or loose.possible
            return decide(settled.match, settled.sure, possible, settled.reason or doubt)
        settled, loose = every(held), every(open_)
        return decide(
            bool(held) and settled.match,
            bool(held) and settled.sure and loose.sure,
            bool(held or open_) and settled.possible,
            settled.reason or doubt,
        )

    def _related(self, reverse: Reverse, entity: str) -> tuple[list[str], dict[str, Reason]]:
        """Return who names an entity, and who may, with the reason for the doubt."""
        related: list[str] = []
        maybe: dict[str, Reason] = {}
        for source in sorted(set(self.world.referrers(reverse, entity))):
            found = self.world.read(reverse.source, source) or {}
            resolved = resolve(Type.REF, found.get(reverse.via, ()))
            if resolved is None or not any(_names(one.value, entity) for one in resolved.best):
                continue
            if (reason := self._openness(resolved)) is None:
                related.append(source)
            else:
                maybe[source] = reason
        return related, maybe


def _inner(test: Match) -> Pred:
    inner = test.args[0]
    if not isinstance(inner, (Match, Not, All, Any)):
        raise TypeError(f"{test.op} without a filter")
    return inner


def _replace_op(test: Match, op: str) -> Match:
    return Match(test.path, test.field, op, test.args)


def _names(value: Value, entity: str) -> bool:
    return entity in value if isinstance(value, tuple) else value == entity
