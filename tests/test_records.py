"""What several candidates for one field come to."""

from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.records import Candidate, Confidence, Evidence, Method, resolve
from winnow.values import Type, Value

EXTRACTED, INFERRED, AMBIGUOUS = Confidence.EXTRACTED, Confidence.INFERRED, Confidence.AMBIGUOUS


def weigh(*candidates: tuple[Value, Confidence], kind: Type = Type.INTEGER) -> object:
    resolved = resolve(kind, [Candidate(value, level) for value, level in candidates])
    return resolved and (resolved.level, [one.value for one in resolved.best], resolved.conflict)


def test_levels_are_ordered() -> None:
    assert EXTRACTED > INFERRED > AMBIGUOUS > 0


def test_nothing_comes_to_nothing() -> None:
    assert weigh() is None


def test_the_best_level_counts_and_lower_ones_do_not_contradict_it() -> None:
    assert weigh((1, INFERRED), (2, EXTRACTED), (3, AMBIGUOUS)) == (EXTRACTED, [2], False)
    assert weigh((1, INFERRED), (3, AMBIGUOUS)) == (INFERRED, [1], False)


def test_values_in_conflict_at_the_best_level_are_ambiguous() -> None:
    assert weigh((1, EXTRACTED), (2, EXTRACTED)) == (AMBIGUOUS, [1, 2], True)
    assert weigh((1, INFERRED), (2, INFERRED), (2, AMBIGUOUS)) == (AMBIGUOUS, [1, 2], True)


def test_a_value_said_twice_is_no_conflict() -> None:
    assert weigh((1, EXTRACTED), (1, EXTRACTED)) == (EXTRACTED, [1], False)


@pytest.mark.parametrize(
    ("kind", "left", "right"),
    [
        (Type.NUMBER, 2, 2.0),
        (Type.DATETIME, "2015-07-23T22:44:08-07:00", "2015-07-24T05:44:08Z"),
        (Type.STRING, ("a", "b"), ("b", "a", "a")),
    ],
)
def test_one_value_in_two_spellings_is_no_conflict(kind: Type, left: Value, right: Value) -> None:
    assert weigh((left, EXTRACTED), (right, EXTRACTED), kind=kind) == (EXTRACTED, [left], False)


@pytest.mark.parametrize(
    ("kind", "left", "right"),
    [
        (Type.STRING, "Acme", "ACME"),
        (Type.NUMBER, 2**53, 2**53 + 1),
        (Type.DATE, "2026-03", "2026-03-05"),
        (Type.STRING, ("a",), ("a", "b")),
    ],
)
def test_values_that_differ_are_a_conflict(kind: Type, left: Value, right: Value) -> None:
    assert weigh((left, EXTRACTED), (right, EXTRACTED), kind=kind) == (
        *(AMBIGUOUS, [left, right], True),
    )


def test_instants_without_an_offset_are_weighed_in_the_zone() -> None:
    both = [Candidate("2026-03-05T10:00:00"), Candidate("2026-03-05T09:00:00Z")]
    here = resolve(Type.DATETIME, both, ZoneInfo("Europe/Berlin"))
    there = resolve(Type.DATETIME, both)
    assert here is not None
    assert there is not None
    assert (here.level, there.level) == (EXTRACTED, AMBIGUOUS)


def test_the_first_candidate_of_a_value_speaks_for_it() -> None:
    first = Candidate(1, EXTRACTED, Method.PATTERN, Evidence("a.md", 3, "one"))
    resolved = resolve(Type.INTEGER, [first, Candidate(1), Candidate(2)])
    assert resolved is not None
    assert resolved.best == (first, Candidate(2))


candidates = st.lists(
    st.builds(Candidate, st.integers(0, 3), st.sampled_from(list(Confidence))), min_size=1
)


@given(candidates)
def test_the_best_are_the_distinct_values_of_the_top_level(weighed: list[Candidate]) -> None:
    resolved = resolve(Type.INTEGER, weighed)
    assert resolved is not None
    top = max(one.confidence for one in weighed)
    values = {one.value for one in weighed if one.confidence == top}
    assert {one.value for one in resolved.best} == values
    assert len(resolved.best) == len(values)
    assert resolved.level == (top if len(values) == 1 else AMBIGUOUS)
