"""A filter comes out by a few witnesses as by all that refer to an entity."""

from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plan.strategies import Case, any_cases
from tests.plan.worlds import ROOT, Realm

from winnow.filter.ast import EVERYTHING, NOTHING, All, Match, Not, Pred
from winnow.plan.columnar import Evaluation
from winnow.plan.reference import Candidates, Judge
from winnow.plan.witnesses import evaluate_tests, find_tests, find_witnesses
from winnow.records import Confidence
from winnow.schema import Reverse

minimums = st.sampled_from(list(Confidence))


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A realm in which only witnesses are heard."""

    realm: Realm
    pred: Pred
    evaluation: Evaluation

    def read(self, schema: str, entity: str) -> Candidates | None:
        return self.realm.read(schema, entity)

    def referrers(self, reverse: Reverse, entity: str) -> Iterable[str]:
        tables, minimum = self.evaluation.tables, self.evaluation.minimum
        source = tables.get(reverse.source)
        if source is None:
            return []
        target = tables[source.schema.fields[reverse.via].target or ""]
        row = target.row_of(entity)
        assert row is not None
        truths = evaluate_tests(self.pred, reverse, self.evaluation)
        return find_witnesses(source, reverse.via, target, row, truths, minimum)


@given(any_cases(), minimums)
@settings(max_examples=200)
def test_verdicts_and_reasons_are_the_same(case: Case, minimum: Confidence) -> None:
    realm = case.realm
    tables = realm.tables_in_parts if realm.seed % 2 else realm.tables
    narrowed = Narrowed(realm, case.pred, Evaluation(tables, minimum))
    by_all, by_few = (Judge(world, minimum, realm.zone) for world in (realm, narrowed))
    for entity in realm.entities[ROOT]:
        assert by_few.judge(case.pred, ROOT, entity) == by_all.judge(case.pred, ROOT, entity)


def test_the_tests_of_a_reverse_are_found_wherever_they_stand() -> None:
    back, other = Reverse("back", "t.A", "via"), Reverse("other", "t.A", "else")
    inner = Match((), other, "none", (NOTHING,))
    pred = Not(All((Match((), back, "any", (inner,)), Match((), back, "isNull", (True,)))))
    assert list(find_tests(pred, back)) == [inner, EVERYTHING]
    assert list(find_tests(pred, other)) == [NOTHING]
