"""Running a filter: who matches, who is not certain, and what the whole table lacks."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plan.known import known_value
from tests.plan.strategies import Case, any_cases
from tests.plan.worlds import NUMBER_OF_WORLDS, ROOT, Realm, make_realm

from winnow.columns.arrays import Rows
from winnow.columns.table import Table
from winnow.filter.rewrite import rewrite
from winnow.plan.columnar import Evaluation
from winnow.plan.matching import count_known, find_broken, run
from winnow.plan.reference import Judge
from winnow.records import Confidence

minimums = st.sampled_from(list(Confidence))
realms = st.integers(0, NUMBER_OF_WORLDS - 1).map(make_realm)


def ids(table: Table, rows: Rows) -> list[str]:
    return [table.id_of(row) for row in rows.tolist()]


@given(any_cases(), minimums)
@settings(max_examples=150)
def test_matching_and_open_rows_are_the_living_ones_that_the_judge_names(
    case: Case, minimum: Confidence
) -> None:
    realm = case.realm
    tables = realm.tables_in_parts
    table = tables[ROOT]
    matched = run("n", table, Evaluation(tables, minimum), rewrite(case.pred))
    judge = Judge(realm, minimum, realm.zone)
    verdicts = {one: judge.judge(case.pred, ROOT, one) for one in realm.entities[ROOT]}
    assert matched.selection.namespace == "n"
    found = ids(table, matched.selection.rows)
    assert sorted(found) == sorted(one for one, verdict in verdicts.items() if verdict.match)
    undecided = ids(table, matched.find_open(len(table)))
    assert sorted(undecided) == sorted(
        one for one, verdict in verdicts.items() if not verdict.decided
    )
    assert matched.selection.rows.tolist() == sorted(matched.selection.rows.tolist())


@given(realms, minimums)
def test_those_who_have_a_value_that_counts_are_counted(realm: Realm, minimum: Confidence) -> None:
    table = realm.tables_in_parts[ROOT]
    for field in table.schema.fields.values():
        values = [known_value(realm, ROOT, one, (field,), minimum) for one in realm.entities[ROOT]]
        assert count_known(table, field.name, minimum) == sum(one is not None for one in values)
    assert count_known(table, "nobody", minimum) == 0


@given(realms)
def test_broken_references_are_those_to_no_living_entity(realm: Realm) -> None:
    tables = realm.tables_in_parts
    for name in ("one", "many"):
        field = realm.schemas[ROOT].fields[name]
        expected: list[tuple[str, str]] = []
        for entity in realm.entities[ROOT]:
            value = known_value(realm, ROOT, entity, (field,), Confidence.AMBIGUOUS)
            named = value if isinstance(value, tuple) else (value,)
            there = realm.entities[field.target or ""]
            lost = (str(one) for one in named if one is not None and one not in there)
            expected += ((entity, one) for one in lost)
        found = list(find_broken(tables[ROOT], tables, field))
        assert sorted(found) == sorted(expected)
