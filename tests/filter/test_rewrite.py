"""The evaluators' form: negation at the leaves, constants folded, tests of a field together."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from tests.plan.strategies import Case, any_cases

from winnow.filter.ast import All, Any, Arg, Match, Not, Pred
from winnow.filter.ops import OPERATORS, Operand
from winnow.filter.rewrite import (
    PRESENT,
    Conjunction,
    Disjunction,
    Leaf,
    Plan,
    Probe,
    joint_groups,
    rewrite,
)
from winnow.schema import Field, Reverse
from winnow.values import Type

NUMBER, TEXT = Field("n", Type.INTEGER), Field("t", Type.STRING)
LIST = Field("l", Type.INTEGER, is_list=True)
OWNER = Field("owner", Type.REF, target="t.B")
FANS = Reverse("fans", "t.B", "idol")
EVERYWHERE, NOWHERE = Conjunction(()), Disjunction(())


def number(op: str, *args: Arg) -> Match:
    return Match((), NUMBER, op, args)


def text(op: str, *args: Arg) -> Match:
    return Match((), TEXT, op, args)


def plans(plan: Plan) -> Iterator[Plan]:
    """Yield all nodes of a plan, those of nested filters too."""
    yield plan
    if isinstance(plan, Leaf):
        for probe in plan.probes:
            for arg in probe.args:
                if isinstance(arg, Leaf | Conjunction | Disjunction):
                    yield from plans(arg)
    else:
        for part in plan.parts:
            yield from plans(part)


def leaf(plan: Plan) -> Leaf:
    assert isinstance(plan, Leaf)
    return plan


def summary(plan: Plan) -> object:
    """Write a plan as nested tuples: a leaf as its signed operators."""
    if isinstance(plan, Leaf):
        return ("not " if plan.negated else "") + " ".join(probe.op for probe in plan.probes)
    return (type(plan).__name__[0], *(summary(part) for part in plan.parts))


@given(any_cases())
@settings(max_examples=300)
def test_every_plan_has_the_form_that_evaluators_rely_on(case: Case) -> None:
    for joint in (True, False):
        for node in plans(rewrite(case.pred, joint=joint)):
            if isinstance(node, Leaf):
                assert node.probes
                assert len(node.probes) == len(node.matches)
                assert joint or len(node.probes) == 1
                assert all(OPERATORS[one.op].negates is None for one in positive(node))
                assert Probe("in", ()) not in node.probes
            else:
                assert len(node.parts) != 1
                assert not any(isinstance(part, type(node)) for part in node.parts)
                assert EVERYWHERE not in node.parts
                assert NOWHERE not in node.parts


def positive(node: Leaf) -> list[Probe]:
    return [probe for probe in node.probes if probe.op != PRESENT]


@pytest.mark.parametrize(
    ("op", "becomes"),
    [
        *((row.name, row.name) for row in OPERATORS.values() if row.negates is None),
        *((row.name, f"not {row.negates}") for row in OPERATORS.values() if row.negates),
    ],
)
def test_a_complement_is_its_operator_negated(op: str, becomes: str) -> None:
    args: dict[Operand, tuple[Arg, ...]] = {
        Operand.FLAG: (True,),
        Operand.NESTED: (number("eq", 1),),
        Operand.PAIR: (1, 2),
    }
    test = Match((), NUMBER, op, args.get(OPERATORS[op].operand, (1,)))
    expected = "not present" if op == "isNull" else becomes
    assert summary(rewrite(test)) == expected
    opposite = expected.removeprefix("not ") if "not" in expected else f"not {expected}"
    assert summary(rewrite(Not(test))) == opposite
    assert leaf(rewrite(test)).matches == (test,)


def test_is_null_asks_whether_a_value_is_present() -> None:
    assert summary(rewrite(number("isNull", True))) == "not present"
    assert summary(rewrite(number("isNull", False))) == "present"
    assert summary(rewrite(Not(number("isNull", False)))) == "not present"


def test_negation_turns_and_into_or() -> None:
    pred = Not(All((number("eq", 1), Any((text("eq", "a"), text("ne", "b"))))))
    assert summary(rewrite(pred)) == ("D", "not eq", ("C", "not eq", "eq"))


@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        (All(()), EVERYWHERE),
        (Any(()), NOWHERE),
        (Not(Any(())), EVERYWHERE),
        (number("in"), NOWHERE),
        (number("nin"), EVERYWHERE),
        (Not(number("in")), EVERYWHERE),
        (All((text("eq", "a"), number("in"))), NOWHERE),
        (Any((text("eq", "a"), number("nin"))), EVERYWHERE),
        (All((number("gte", 1), number("in"))), NOWHERE),
        (Not(All((number("gte", 1), number("in")))), EVERYWHERE),
        (All((All(()), Not(Any(())))), EVERYWHERE),
    ],
)
def test_f13_constants_are_folded(pred: Pred, expected: Plan) -> None:
    assert rewrite(pred) == expected


def test_a_constant_part_that_changes_nothing_is_left_out() -> None:
    assert summary(rewrite(All((All(()), text("eq", "a"))))) == "eq"
    either = Any((number("in"), text("eq", "a"), text("eq", "b")))
    assert summary(rewrite(either)) == ("D", "eq", "eq")


def test_f04_the_positive_tests_of_one_field_under_one_and_are_one_leaf() -> None:
    pred = All((number("gte", 1), text("eq", "a"), All((number("lte", 5),)), number("ne", 3)))
    assert summary(rewrite(pred)) == ("C", "gte lte", "eq", "not eq")
    assert summary(rewrite(Not(pred))) == ("D", "not gte lte", "not eq", "eq")
    assert summary(rewrite(pred, joint=False)) == ("C", "gte", "eq", "lte", "not eq")


def test_a_not_keeps_tests_apart() -> None:
    pred = All((number("gte", 1), Not(Not(number("lte", 5)))))
    assert summary(rewrite(pred)) == ("C", "gte", "lte")


def test_tests_of_one_name_behind_different_references_stay_apart() -> None:
    there = Match((OWNER,), NUMBER, "lte", (5,))
    again = Match((OWNER,), NUMBER, "gt", (2,))
    pred = All((number("gte", 1), there, again))
    assert summary(rewrite(pred)) == ("C", "gte", "lte gt")


def test_tests_of_a_reverse_are_never_joined() -> None:
    """Each may be met by another entity."""
    one, two = (Match((), FANS, "any", (number("eq", n),)) for n in (1, 2))
    assert list(joint_groups(All((one, two)))) == [one, two]
    assert summary(rewrite(All((one, two)))) == ("C", "any", "any")


def test_a_nested_filter_is_rewritten_too() -> None:
    inner = Not(All((number("gte", 1), number("ne", 5))))
    outer = leaf(rewrite(Match((), LIST, "none", (inner,))))
    assert outer.negated
    (probe,) = outer.probes
    (nested,) = probe.args
    assert probe.op == "any"
    assert isinstance(nested, Disjunction)
    assert summary(nested) == ("D", "not gte", "eq")
