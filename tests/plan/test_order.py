"""An exact answer in order: missing last, ties by id and namespace, page after page."""

from datetime import tzinfo
from functools import cmp_to_key

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plan.known import known_value
from tests.plan.worlds import NUMBER_OF_WORLDS, ROOT, Realm, make_realm

from winnow.filter.check import ENTITY_ID
from winnow.plan.gather import Selection
from winnow.plan.order import Bound, SortKey, Spot, order
from winnow.records import Confidence
from winnow.schema import Field
from winnow.values import TEMPORAL, Moment, Scalar, read_moment

Place = tuple[str, str]
realms = st.integers(0, NUMBER_OF_WORLDS - 1).map(make_realm)
minimums = st.sampled_from(list(Confidence))


@st.composite
def sort_keys(draw: st.DrawFn, realm: Realm) -> list[SortKey]:
    schema = realm.schemas[ROOT]
    single = [ENTITY_ID, *(field for field in schema.fields.values() if not field.is_list)]
    one = schema.fields["one"]
    there = realm.schemas[one.target or ""].fields.values()
    paths = [(field,) for field in single] + [(one, field) for field in there if not field.is_list]
    keys = st.builds(SortKey, st.sampled_from(paths), st.booleans())
    return draw(st.lists(keys, max_size=2))


def sort_value(realm: Realm, entity: str, key: SortKey, minimum: Confidence) -> object:
    value = known_value(realm, ROOT, entity, key.steps, minimum)
    if value is not None and key.steps[-1].type in TEMPORAL:
        moment = read_moment(str(value), realm.zone)
        return (moment.start, moment.end)
    return value


def expected_order(
    realm: Realm, spaces: list[str], keys: list[SortKey], minimum: Confidence
) -> list[Place]:
    def compare(one: Place, other: Place) -> int:
        for key in keys:
            left, right = (sort_value(realm, place[0], key, minimum) for place in (one, other))
            if left != right:
                return order_of(left, right, descending=key.descending)
        return -1 if one < other else 1

    places = [(entity, space) for space in spaces for entity in realm.entities[ROOT]]
    return sorted(places, key=cmp_to_key(compare))


def order_of(left: object, right: object, *, descending: bool) -> int:
    if left is None or right is None:
        return 1 if left is None else -1
    return -1 if (left < right) is not descending else 1  # pyright: ignore[reportOperatorIssue]


def place_of(selections: list[Selection], spot: Spot) -> Place:
    one = selections[spot.selection]
    return one.table.id_of(spot.row), one.namespace


def bound(realm: Realm, place: Place, keys: list[SortKey], minimum: Confidence) -> Bound:
    entity, space = place
    values = (
        typed(known_value(realm, ROOT, entity, key.steps, minimum), key.steps[-1], realm.zone)
        for key in keys
    )
    return Bound(tuple(values), entity, space)


def typed(value: object, field: Field, zone: tzinfo) -> Scalar | Moment | None:
    assert not isinstance(value, tuple)
    if value is not None and field.type in TEMPORAL:
        return read_moment(str(value), zone)
    return value  # pyright: ignore[reportReturnType]


@pytest.mark.parametrize("spaces", [["a"], ["b", "a"]])
@given(realm=realms, data=st.data(), minimum=minimums)
def test_pages_follow_each_other_in_order(
    spaces: list[str], realm: Realm, data: st.DataObject, minimum: Confidence
) -> None:
    keys = data.draw(sort_keys(realm))
    limit = data.draw(st.sampled_from([1, 7, 100]))
    tables = realm.tables_in_parts if realm.seed % 2 else realm.tables
    rows = np.flatnonzero(tables[ROOT].alive_rows)
    selections = [Selection(space, tables[ROOT], tables, rows) for space in spaces]
    found: list[Place] = []
    after: Bound | None = None
    while page := order(selections, keys, minimum, limit, after):
        assert len(page) <= limit
        places = [place_of(selections, spot) for spot in page]
        assert places[0] not in found
        found += places
        after = bound(realm, found[-1], keys, minimum)
    assert found == expected_order(realm, spaces, keys, minimum)
