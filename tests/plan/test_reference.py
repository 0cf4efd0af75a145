"""The meaning of filters: complements, three-valued knowledge, and what a missing value is."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plan.strategies import Case, any_cases
from tests.plan.worlds import ROOT, Realm

from winnow.filter.ast import All, Any, Arg, Match, Not, Pred
from winnow.plan.reference import Candidates, Judge
from winnow.plan.verdicts import Reason, Verdict
from winnow.records import Candidate, Confidence
from winnow.schema import Field, Reverse
from winnow.values import Type, Value

EXTRACTED, INFERRED, AMBIGUOUS = Confidence.EXTRACTED, Confidence.INFERRED, Confidence.AMBIGUOUS
minimums = st.sampled_from(list(Confidence))


def verdicts(realm: Realm, pred: Pred, minimum: Confidence) -> dict[str, Verdict]:
    judge = Judge(realm, minimum, realm.zone)
    return {entity: judge.judge(pred, ROOT, entity) for entity in realm.entities[ROOT]}


def facts(realm: Realm, pred: Pred, minimum: Confidence) -> dict[str, tuple[bool, bool, bool]]:
    found = verdicts(realm, pred, minimum)
    return {entity: (one.match, one.sure, one.possible) for entity, one in found.items()}


# --- the laws of two-valued logic ---


@given(any_cases(), minimums)
@settings(max_examples=300)
def test_f10_a_filter_and_its_negation_share_out_all_entities(
    case: Case, minimum: Confidence
) -> None:
    held = facts(case.realm, case.pred, minimum)
    negated = facts(case.realm, Not(case.pred), minimum)
    assert negated == {
        entity: (not match, not possible, not sure)
        for entity, (match, sure, possible) in held.items()
    }


@given(any_cases(), minimums)
@settings(max_examples=200)
def test_what_is_sure_holds_and_what_holds_is_possible(case: Case, minimum: Confidence) -> None:
    for verdict in verdicts(case.realm, case.pred, minimum).values():
        assert verdict.sure <= verdict.match <= verdict.possible
        assert verdict.decided == (verdict.reason is None)


@given(any_cases(), minimums)
@settings(max_examples=200)
def test_a_double_negation_changes_nothing(case: Case, minimum: Confidence) -> None:
    held = facts(case.realm, case.pred, minimum)
    assert facts(case.realm, Not(Not(case.pred)), minimum) == held


@given(any_cases(), st.data(), minimums)
@settings(max_examples=200)
def test_de_morgan_holds_for_or(case: Case, data: st.DataObject, minimum: Confidence) -> None:
    other = data.draw(any_cases(case.realm)).pred
    left = facts(case.realm, Not(Any((case.pred, other))), minimum)
    assert left == facts(case.realm, All((Not(case.pred), Not(other))), minimum)


@given(any_cases(), st.data(), st.sampled_from([EXTRACTED, INFERRED]))
@settings(max_examples=200)
def test_de_morgan_holds_for_and_where_no_conflict_counts(
    case: Case, data: st.DataObject, minimum: Confidence
) -> None:
    """At AMBIGUOUS an `and` asks one candidate of a field to meet all its tests: see F04."""
    other = data.draw(any_cases(case.realm)).pred
    left = facts(case.realm, Not(All((case.pred, other))), minimum)
    assert left == facts(case.realm, Any((Not(case.pred), Not(other))), minimum)


# --- one entity at a time ---

NUMBER, TEXT = Field("n", Type.INTEGER), Field("t", Type.STRING)
NUMBERS = Field("ns", Type.INTEGER, is_list=True)
DAY = Field("d", Type.DATE)
FRIEND = Field("friend", Type.REF, target="t.B")
FRIENDS = Field("friends", Type.REF, is_list=True, target="t.B")
FANS = Reverse("fans", "t.B", "idol")


def number(op: str, *args: Arg) -> Match:
    return Match((), NUMBER, op, args)


Given = Value | tuple[Candidate, ...]


def holds(pred: Pred, minimum: Confidence = EXTRACTED, /, **fields: Given) -> Verdict:
    """Judge a filter on an entity of these fields."""
    return in_world({}, pred, minimum, **fields)


def in_world(
    others: Mapping[str, Mapping[str, Given]],
    pred: Pred,
    minimum: Confidence = EXTRACTED,
    /,
    **fields: Given,
) -> Verdict:
    """Judge a filter where there are other entities, to refer to and be referred to by."""
    entities = {name: weigh(values) for name, values in others.items()}
    world = World({"t.B": entities})
    return Judge(world, minimum, UTC).judge_candidates(pred, "A-1", weigh(fields))


def weigh(fields: Mapping[str, Given]) -> Candidates:
    return {name: tuple(candidates(given)) for name, given in fields.items()}


def candidates(given: Given) -> Iterator[Candidate]:
    several = given if isinstance(given, tuple) else ()
    weighed = [one for one in several if isinstance(one, Candidate)]
    if weighed:
        yield from weighed
    else:
        yield Candidate(cast(Value, given))


@dataclass(frozen=True, slots=True)
class World:
    entities: Mapping[str, Mapping[str, Candidates]]

    def read(self, schema: str, entity: str) -> Candidates | None:
        return self.entities.get(schema, {}).get(entity)

    def referrers(self, reverse: Reverse, entity: str) -> list[str]:
        return list(self.entities[reverse.source])


CONFLICT = (Candidate(0), Candidate(9))
LOW = (Candidate(3, INFERRED),)


def test_f04_the_operators_of_one_field_are_met_by_one_value() -> None:
    """`and: [{p: {gte: 1}}, {p: {lte: 5}}]` is `p: {gte: 1, lte: 5}`, however it is nested."""
    at_least, at_most = number("gte", 1), number("lte", 5)
    for pred in (
        All((at_least, at_most)),
        All((All((at_least,)), All((at_most, All(()))))),
        All((at_most, Match((), TEXT, "eq", ("x",)), at_least)),
    ):
        assert not holds(pred, AMBIGUOUS, n=CONFLICT, t="x").match
        assert holds(pred, AMBIGUOUS, n=(*CONFLICT, Candidate(3)), t="x").match
        assert holds(pred, n=3, t="x").match
        assert not holds(pred, n=9, t="x").match
    assert holds(Any((at_least, at_most)), AMBIGUOUS, n=CONFLICT).match


def test_not_is_the_complement_of_some_candidate_at_ambiguous() -> None:
    assert holds(number("eq", 9), AMBIGUOUS, n=CONFLICT).match
    assert not holds(number("ne", 9), AMBIGUOUS, n=CONFLICT).match
    assert not holds(Not(number("eq", 9)), AMBIGUOUS, n=CONFLICT).match
    assert holds(number("ne", 9), EXTRACTED, n=CONFLICT).match


@pytest.mark.parametrize(
    ("value", "reason"),
    [(None, Reason.MISSING), (LOW, Reason.BELOW_MINIMUM), (CONFLICT, Reason.CONFLICT)],
)
def test_a_value_that_does_not_count_fails_the_test_and_is_open(
    value: Given | None, reason: Reason
) -> None:
    fields: dict[str, Given] = {} if value is None else {"n": value}
    for op in ("eq", "gt", "gte", "lt", "lte"):
        assert holds(number(op, 3), **fields) == Verdict(False, False, True, reason)
    assert holds(number("ne", 3), **fields) == Verdict(True, False, True, reason)
    assert holds(number("nin", 3), **fields) == Verdict(True, False, True, reason)


def test_known_false_and_missing_is_decided() -> None:
    known_false, missing = Match((), TEXT, "eq", ("x",)), number("gt", 3)
    assert holds(All((known_false, missing)), t="y").decided
    assert holds(Any((Not(known_false), missing)), t="y").decided
    assert not holds(All((Not(known_false), missing)), t="y").decided


def test_the_minimum_is_judged_for_each_field_that_is_named() -> None:
    pred = Match((), TEXT, "eq", ("x",))
    assert holds(pred, n=LOW, t="x") == Verdict(True, True, True)
    assert not holds(All((pred, number("eq", 3))), n=LOW, t="x").match
    assert holds(All((pred, number("eq", 3))), INFERRED, n=LOW, t="x").match


def test_is_null_on_what_is_truly_absent_is_decided() -> None:
    is_null = number("isNull", True)
    assert holds(is_null) == Verdict(True, True, True)
    assert holds(is_null, n=3) == Verdict(False, False, False)
    assert holds(is_null, n=LOW) == Verdict(True, False, True, Reason.BELOW_MINIMUM)
    assert holds(number("isNull", False), n=CONFLICT) == Verdict(
        False, False, True, Reason.CONFLICT
    )


def test_f13_in_of_nothing_holds_nowhere_and_its_complement_everywhere() -> None:
    alternatives: tuple[dict[str, Given], ...] = ({}, {"n": 3})
    for fields in alternatives:
        assert holds(number("in"), **fields) == Verdict(False, False, False)
        assert holds(number("nin"), **fields) == Verdict(True, True, True)
    assert holds(All(())).match
    assert not holds(Any(())).match


@pytest.mark.parametrize("items", [None, ()])
def test_on_no_items_any_has_and_all_fail_and_none_holds(items: tuple[int, ...] | None) -> None:
    fields: dict[str, Given] = {} if items is None else {"ns": items}
    inner = Match((), replace(NUMBERS, name="", is_list=False), "gt", (0,))
    for op, expected in (("any", False), ("all", False), ("none", True)):
        verdict = holds(Match((), NUMBERS, op, (inner,)), **fields)
        assert verdict.match is expected
        assert verdict.decided is (items is not None)
    assert not holds(Match((), NUMBERS, "has", (3,)), **fields).match


def test_an_item_is_never_null() -> None:
    item = replace(NUMBERS, name="", is_list=False)
    for flag, expected in ((True, False), (False, True)):
        inner = Match((), item, "isNull", (flag,))
        assert holds(Match((), NUMBERS, "any", (inner,)), ns=(1,)).match is expected


def test_lists_are_equal_as_sets() -> None:
    assert holds(Match((), NUMBERS, "eq", (1, 2)), ns=(2, 1, 2)).match
    assert not holds(Match((), NUMBERS, "eq", (1, 2)), ns=(1,)).match
    assert not holds(Match((), NUMBERS, "eq", (1,)), ns=(1, 2)).match
    assert holds(Match((), NUMBERS, "eq", ()), ns=()).match


def test_a_broken_reference_is_open() -> None:
    path = Match((FRIEND,), NUMBER, "eq", (3,))
    broken = Verdict(False, False, True, Reason.BROKEN_REFERENCE)
    assert in_world({}, path, friend="B-1") == broken
    assert in_world({"B-1": {"n": 3}}, path, friend="B-1").match
    assert in_world({"B-1": {"n": 4}}, path, friend="B-1") == Verdict(False, False, False)
    assert in_world({"B-1": {}}, path, friend="B-1").reason is Reason.MISSING
    assert in_world({}, path).reason is Reason.MISSING


def test_is_null_behind_an_absent_reference_is_decided_and_behind_a_broken_one_open() -> None:
    pred = Match((FRIEND,), NUMBER, "isNull", (True,))
    assert in_world({}, pred) == Verdict(True, True, True)
    assert in_world({}, pred, friend="B-1").reason is Reason.BROKEN_REFERENCE
    assert in_world({"B-1": {}}, pred, friend="B-1") == Verdict(True, True, True)


def test_a_list_of_references_is_tested_by_id_or_by_fields() -> None:
    by_id = Match((), replace(FRIENDS, name="", is_list=False), "eq", ("B-1",))
    by_field = Match((), NUMBER, "eq", (3,))
    world = {"B-1": {"n": 3}, "B-2": {"n": 4}}
    friends = ("B-1", "B-2", "B-9")
    for inner in (by_id, by_field):
        assert in_world(world, Match((), FRIENDS, "any", (inner,)), friends=friends).match
        assert not in_world(world, Match((), FRIENDS, "all", (inner,)), friends=friends).match
        assert not in_world(world, Match((), FRIENDS, "none", (inner,)), friends=friends).match
    of_broken = in_world(world, Match((), FRIENDS, "none", (by_field,)), friends=("B-9",))
    assert of_broken == Verdict(True, False, True, Reason.BROKEN_REFERENCE)
    assert in_world(world, Match((), FRIENDS, "none", (by_id,)), friends=("B-9",)).decided


def test_a_reverse_counts_who_surely_refers_and_keeps_open_who_may() -> None:
    older = Match((), NUMBER, "gt", (1,))
    sure, low = {"idol": "A-1", "n": 3}, {"idol": (Candidate("A-1", INFERRED),), "n": 3}
    other = {"idol": "A-2", "n": 3}
    any_, all_ = Match((), FANS, "any", (older,)), Match((), FANS, "all", (older,))
    assert in_world({"B-1": sure}, any_) == Verdict(True, True, True)
    assert not in_world({"B-1": other}, any_).possible
    assert in_world({"B-1": low}, any_) == Verdict(False, False, True, Reason.BELOW_MINIMUM)
    torn = {"idol": (Candidate("A-1"), Candidate("A-2")), "n": 3}
    assert in_world({"B-1": torn}, any_) == Verdict(False, False, True, Reason.CONFLICT)
    assert in_world({"B-1": low}, all_) == Verdict(False, False, True, Reason.BELOW_MINIMUM)
    assert in_world({"B-1": low}, any_, INFERRED).match
    mixed = {"B-1": sure, "B-2": {**low, "n": 0}}
    verdict = in_world(mixed, all_)
    assert (verdict.match, verdict.sure, verdict.possible) == (True, False, True)
    assert in_world({}, Match((), FANS, "isNull", (True,))) == Verdict(True, True, True)
