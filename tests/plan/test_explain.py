"""A filter taken apart on one entity: the parts have the verdicts that make the whole."""

from collections.abc import Iterator
from datetime import UTC

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plan.strategies import Case, any_cases
from tests.plan.worlds import ROOT, make_realm

from winnow.filter.ast import All, Any, Match, Not
from winnow.plan.explain import Explained, explain, open_fields
from winnow.plan.reference import Judge
from winnow.plan.verdicts import Reason
from winnow.records import Candidate, Confidence
from winnow.schema import Field
from winnow.values import Type, read_moment

minimums = st.sampled_from(list(Confidence))


def explained(case: Case, minimum: Confidence) -> Iterator[Explained]:
    judge = Judge(case.realm, minimum, case.realm.zone)
    for entity, candidates in case.realm.entities[ROOT].items():
        yield explain(case.pred, judge, entity, candidates)


@given(any_cases(), minimums)
@settings(max_examples=200)
def test_what_is_open_has_a_field_and_a_reason_and_what_is_decided_none(
    case: Case, minimum: Confidence
) -> None:
    for one in explained(case, minimum):
        found = list(open_fields(one))
        assert bool(found) is not one.verdict.decided
        assert all(name and isinstance(reason, Reason) for name, reason in found)


def test_tests_that_are_met_by_different_values_of_a_conflict_leave_their_field_open() -> None:
    """Each bound holds for sure by one candidate, but perhaps none meets both."""
    day = Field("d", Type.DATE)
    low, high = (read_moment(one, UTC) for one in ("2026-03-15", "2026-05-15"))
    pred = All((Match((), day, "gte", (low,)), Match((), day, "lte", (high,))))
    stored = {"d": (Candidate("2026-03"), Candidate("2026-05"))}
    judge = Judge(make_realm(0), Confidence.AMBIGUOUS, UTC)
    one = explain(pred, judge, "A-1", stored)
    assert not one.verdict.decided
    assert all(part.verdict.decided for part in one.parts)
    assert list(open_fields(one)) == [("d", Reason.PARTIAL_DATE)]


@given(any_cases(), minimums)
@settings(max_examples=200)
def test_the_verdict_on_the_whole_is_that_of_the_judge(case: Case, minimum: Confidence) -> None:
    judge = Judge(case.realm, minimum, case.realm.zone)
    entities = case.realm.entities[ROOT].items()
    for one, (entity, candidates) in zip(explained(case, minimum), entities, strict=True):
        verdict = judge.judge_candidates(case.pred, entity, candidates)
        assert (one.verdict.match, one.verdict.sure, one.verdict.possible) == (
            verdict.match,
            verdict.sure,
            verdict.possible,
        )


@given(any_cases(), minimums)
@settings(max_examples=100)
def test_the_parts_are_those_of_the_filter_each_with_its_verdict(
    case: Case, minimum: Confidence
) -> None:
    for one in explained(case, minimum):
        check(one)


def check(one: Explained) -> None:
    holds = [part.verdict.match for part in one.parts]
    match one.pred:
        case Match():
            assert one.parts == ()
        case Not(part):
            assert one.parts[0].pred == part
            assert holds == [not one.verdict.match]
        case Any(parts):
            assert tuple(part.pred for part in one.parts) == parts
            assert any(holds) is one.verdict.match
        case All(parts):
            assert tuple(part.pred for part in one.parts) == parts
            assert all(holds) or not one.verdict.match
    for part in one.parts:
        check(part)
