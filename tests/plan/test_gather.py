"""The values behind a name, for some rows: what one would read entity by entity."""

from hypothesis import given
from hypothesis import strategies as st
from tests.plan.known import known_value
from tests.plan.worlds import NUMBER_OF_WORLDS, ROOT, Realm, make_realm

from winnow.columns.arrays import Rows
from winnow.columns.table import Table
from winnow.filter.check import ENTITY_ID
from winnow.plan.backward import find_referrers
from winnow.plan.gather import Selection, gather, gather_one
from winnow.records import Confidence
from winnow.schema import Field
from winnow.values import Value

realms = st.integers(0, NUMBER_OF_WORLDS - 1).map(make_realm)
minimums = st.sampled_from(list(Confidence))


@st.composite
def names(draw: st.DrawFn, realm: Realm) -> tuple[Field, ...]:
    """Fields to follow, and one to read."""
    steps: list[Field] = []
    schema = realm.schemas[ROOT]
    for _ in range(draw(st.integers(0, 2))):
        steps.append(schema.fields["one"])
        schema = realm.schemas[steps[-1].target or ""]
    return (*steps, draw(st.sampled_from([ENTITY_ID, *schema.fields.values()])))


def rows_of(table: Table, entities: list[str]) -> Rows:
    rows = [table.row_of(entity) for entity in entities]
    return table.alive_rows.nonzero()[0][:0] if not rows else sorted_array(rows)


def sorted_array(rows: list[int | None]) -> Rows:
    import numpy as np

    return np.array(sorted(row for row in rows if row is not None), np.int64)


@given(realms, st.data(), minimums)
def test_values_are_those_of_the_entities_one_by_one(
    realm: Realm, data: st.DataObject, minimum: Confidence
) -> None:
    steps = data.draw(names(realm))
    tables = realm.tables_in_parts
    table = tables[ROOT]
    chosen = data.draw(st.lists(st.sampled_from(sorted(realm.entities[ROOT])), unique=True))
    selection = Selection("", table, tables, rows_of(table, chosen))
    vector = gather([selection, selection], steps, minimum)
    entities = [table.id_of(row) for row in selection.rows.tolist()] * 2
    expected = [known_value(realm, ROOT, entity, steps, minimum) for entity in entities]
    assert vector.known.tolist() == [value is not None for value in expected]
    found: list[Value] = []
    if vector.values is not None:
        found = [vector.values.get(place) for place in range(len(vector.values))]
    assert found == [value for value in expected if value is not None]
    for row, value in zip(selection.rows.tolist(), expected, strict=False):
        assert gather_one(selection, steps, minimum, row) == value


@given(realms, st.data())
def test_referrers_are_all_whose_best_values_name_an_entity(
    realm: Realm, data: st.DataObject
) -> None:
    reverse = data.draw(st.sampled_from(list(realm.schemas[ROOT].reverses.values())))
    entity = data.draw(st.sampled_from([*realm.entities[ROOT], "X-404"]))
    table = realm.tables_in_parts.get(reverse.source)
    via = realm.schemas[reverse.source].fields[reverse.via]
    naming: list[str] = []
    for source, fields in realm.entities[reverse.source].items():
        resolved = via.weigh(fields.get(via.name, ()), realm.zone)
        for one in resolved.best if resolved else ():
            named = one.value if isinstance(one.value, tuple) else (one.value,)
            if entity in named:
                naming.append(source)
    found = [] if table is None else find_referrers(table, reverse.via, entity)
    assert found == sorted(set(naming))
