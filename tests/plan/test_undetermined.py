"""What is decided stays so, whatever the unknown values turn out to be."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plan.strategies import Case, any_cases
from tests.plan.worlds import ROOT, Realm, values_of

from winnow.filter.ast import All, Any, Match, Not, Pred
from winnow.plan.reference import Candidates, Judge
from winnow.plan.verdicts import Verdict
from winnow.records import Candidate, Confidence, Resolved, resolve
from winnow.schema import Field, Reverse
from winnow.values import TEMPORAL, Scalar, Value, read_moment


def walk(pred: Pred) -> Iterable[Match]:
    """Yield the tests of a filter, nested ones too."""
    match pred:
        case Match():
            yield pred
            for arg in pred.args:
                if isinstance(arg, Match | Not | All | Any):
                    yield from walk(arg)
        case Not(part):
            yield from walk(part)
        case All(parts) | Any(parts):
            for part in parts:
                yield from walk(part)


@dataclass(frozen=True, slots=True)
class Revelation:
    """Gives every value that does not count one that does, at random.

    Some things are decided on purpose though they could turn out otherwise, and stay: what is
    truly absent where `is null` is asked, who may refer to an entity that nobody is known to
    name, and the set of a list of dates.
    """

    realm: Realm
    minimum: Confidence
    random: Random
    asks_null: bool
    asks_reverse: bool
    asks_sets: bool

    def reveal(self) -> Realm:
        entities = {
            name: {one: self.entity(name, fields) for one, fields in group.items()}
            for name, group in self.realm.entities.items()
        }
        for name, group in entities.items():
            group["X-404"] = self.entity(name, {}, new=True)
        return Realm(self.realm.schemas, entities, self.realm.zone, self.realm.seed)

    def entity(self, name: str, fields: Candidates, *, new: bool = False) -> Candidates:
        revealed: dict[str, tuple[Candidate, ...]] = {}
        for field in self.realm.schemas[name].fields.values():
            if new and field.target is not None and self.asks_reverse:
                continue
            found = self.field(field, fields.get(field.name, ()), new=new)
            if found:
                revealed[field.name] = found
        return revealed

    def field(
        self, field: Field, stored: tuple[Candidate, ...], *, new: bool
    ) -> tuple[Candidate, ...]:
        resolved = resolve(field.type, stored, self.realm.zone)
        if resolved is None and not new and (self.asks_null or self.keeps(field)):
            return ()
        if resolved is not None and resolved.level >= self.minimum:
            best = resolved.best
            return tuple(replace(one, value=self.sharpen(field, one.value)) for one in best)
        if resolved is not None and self.keeps(field):
            return self.one_of(resolved)
        return (Candidate(self.some_value(field)),)

    def keeps(self, field: Field) -> bool:
        return field.target is not None and self.asks_reverse

    def one_of(self, resolved: Resolved) -> tuple[Candidate, ...]:
        """Confirm one of the candidates, or drop them all."""
        confirmed = [(Candidate(one.value),) for one in resolved.best]
        return self.random.choice([*confirmed, ()] if not self.asks_null else confirmed)

    def some_value(self, field: Field) -> Value:
        pool = values_of(field, self.realm.entities)
        if not field.is_list:
            return self.random.choice(pool)
        return tuple(self.random.choice(pool) for _ in range(self.random.randint(0, 3)))

    def sharpen(self, field: Field, value: Value) -> Value:
        if field.type not in TEMPORAL or (field.is_list and self.asks_sets):
            return value
        if isinstance(value, tuple):
            return tuple(self.sharpen_date(item) for item in value)
        return self.sharpen_date(value)

    def sharpen_date(self, value: Scalar) -> str:
        moment = read_moment(str(value), self.realm.zone)
        instant = self.random.randrange(moment.start, moment.end)
        try:
            found = datetime(1970, 1, 1) + timedelta(microseconds=instant)
        except OverflowError:  # near the ends of the calendar
            return str(value)
        return f"{found.isoformat()}Z"


@given(any_cases(), st.sampled_from(list(Confidence)), st.integers(0, 2**32))
@settings(max_examples=400)
def test_no_value_that_is_made_known_changes_what_was_decided(
    case: Case, minimum: Confidence, seed: int
) -> None:
    tests = list(walk(case.pred))
    revelation = Revelation(
        case.realm,
        minimum,
        Random(seed),
        asks_null=any(test.op == "isNull" for test in tests),
        asks_reverse=any(isinstance(test.field, Reverse) for test in tests),
        asks_sets=any(
            test.op in ("eq", "ne") and getattr(test.field, "is_list", False) for test in tests
        ),
    )
    before = verdicts(case.realm, case.pred, minimum)
    after = verdicts(revelation.reveal(), case.pred, minimum)
    for entity, verdict in before.items():
        if verdict.decided:
            assert (entity, after[entity].match) == (entity, verdict.match)
            assert after[entity].decided


def verdicts(realm: Realm, pred: Pred, minimum: Confidence) -> dict[str, Verdict]:
    judge = Judge(realm, minimum, realm.zone)
    return {entity: judge.judge(pred, ROOT, entity) for entity in realm.entities[ROOT]}
