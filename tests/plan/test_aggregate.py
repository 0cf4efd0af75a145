"""Figures over an exact set are those that one would count by hand, sums exact."""

from collections.abc import Sequence
from datetime import UTC
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plan.known import known_value
from tests.plan.worlds import NUMBER_OF_WORLDS, ROOT, Realm, make_realm

from winnow.columns.table import Changes, Table
from winnow.plan.aggregate import Group, Metric, aggregate
from winnow.plan.gather import Selection
from winnow.records import Confidence
from winnow.schema import Field, IdRule, Schema
from winnow.values import TEMPORAL, Json, Scalar, Type, Value, read_moment

realms = st.integers(0, NUMBER_OF_WORLDS - 1).map(make_realm)
minimums = st.sampled_from(list(Confidence))
Steps = tuple[Field, ...]


@st.composite
def group_keys(draw: st.DrawFn, realm: Realm) -> list[Steps]:
    schema = realm.schemas[ROOT]
    one = schema.fields["one"]
    there = realm.schemas[one.target or ""].fields.values()
    paths = [(field,) for field in schema.fields.values()] + [(one, field) for field in there]
    return draw(st.lists(st.sampled_from(paths), max_size=2))


Meaning = Scalar | tuple[int, int] | None


def meaning(field: Field, value: Scalar | None, realm: Realm) -> Meaning:
    """A date by the time that it means, however it is written."""
    if field.type not in TEMPORAL or value is None:
        return value
    moment = read_moment(str(value), realm.zone)
    return (moment.start, moment.end)


def keys_of(value: Value | None, field: Field, realm: Realm) -> Sequence[Meaning]:
    items = value if isinstance(value, tuple) else (value,)
    return list(dict.fromkeys(meaning(field, item, realm) for item in items)) or [None]


def whole_set(realm: Realm) -> Selection:
    tables = realm.tables_in_parts if realm.seed % 2 else realm.tables
    return Selection("", tables[ROOT], tables, np.flatnonzero(tables[ROOT].alive_rows))


@given(realms, st.data(), minimums)
def test_groups_have_the_entities_of_their_key(
    realm: Realm, data: st.DataObject, minimum: Confidence
) -> None:
    group_by = data.draw(group_keys(realm))
    fields = [steps[-1] for steps in group_by]
    expected: dict[tuple[Meaning, ...], list[str]] = {}
    for entity in realm.entities[ROOT]:
        values = [known_value(realm, ROOT, entity, steps, minimum) for steps in group_by]
        keys = (keys_of(*pair, realm) for pair in zip(values, fields, strict=True))
        for key in product(*keys):
            expected.setdefault(key, []).append(entity)
    groups = aggregate([whole_set(realm)], group_by, [Metric("count", "count")], minimum)
    found = [
        tuple(meaning(*pair, realm) for pair in zip(fields, group.key, strict=True))
        for group in groups
    ]
    assert len(found) == len(set(found))
    assert dict(zip(found, (group.count for group in groups), strict=True)) == {
        key: len(entities) for key, entities in expected.items()
    }
    assert all(group.metrics == {"count": group.count} for group in groups)
    assert [group.count for group in groups] == sorted(
        (group.count for group in groups), reverse=True
    )


@given(realms, st.data(), minimums, st.sampled_from([Type.INTEGER, Type.NUMBER]))
def test_figures_of_numbers_are_exact(
    realm: Realm, data: st.DataObject, minimum: Confidence, kind: Type
) -> None:
    field = realm.schemas[ROOT].fields[kind.value]
    found = figures(realm, (field,), minimum)
    numbers = [
        value
        for entity in realm.entities[ROOT]
        if isinstance(value := known_value(realm, ROOT, entity, (field,), minimum), int | float)
    ]
    assert numbers
    assert (found["min"], found["max"]) == (min(numbers), max(numbers))
    total = sum(map(Fraction, numbers), Fraction(0))
    whole = all(isinstance(number, int) for number in numbers)
    assert close(found["sum"], total, Fraction(0 if whole else 1, 10**15))
    assert close(found["avg"], total / len(numbers), Fraction(1, 10**15))


def close(found: Json, expected: Fraction, share: Fraction) -> bool:
    assert isinstance(found, int | float)
    return abs(Fraction(found) - expected) <= abs(expected) * share


@given(realms, minimums, st.sampled_from([Type.DATE, Type.STRING, Type.ENUM]))
def test_the_first_and_last_of_dates_and_texts(
    realm: Realm, minimum: Confidence, kind: Type
) -> None:
    field = realm.schemas[ROOT].fields[kind.value]

    def place(value: object) -> tuple[int | str, ...]:
        if kind in TEMPORAL:
            moment = read_moment(str(value), realm.zone)
            return (moment.start, moment.end)
        return (str(value),)

    values = [known_value(realm, ROOT, one, (field,), minimum) for one in realm.entities[ROOT]]
    places = sorted(place(value) for value in values if value is not None)
    found = figures(realm, (field,), minimum, ("min", "max"))
    assert [place(found["min"]), place(found["max"])] == [places[0], places[-1]]


def figures(
    realm: Realm,
    steps: Steps,
    minimum: Confidence,
    names: Sequence[str] = ("min", "max", "sum", "avg"),
) -> dict[str, Json]:
    metrics = [Metric(name, name, steps) for name in names]
    (group,) = aggregate([whole_set(realm)], [], metrics, minimum)
    return dict(group.metrics)


NUMBER = Field("n", Type.NUMBER)


def rows_with(field: Field, values: Sequence[Value]) -> Selection:
    schema = Schema("t.A", "A", IdRule(""), {field.name: field})
    count = len(values)
    rows = [{field.name: value} for value in values]
    ids = [f"A-{n:03}" for n in range(count)]
    table = Table(schema, UTC).changed(Changes(range(count), ids, [True] * count, rows))
    return Selection("", table, {"t.A": table}, np.arange(count))


def of_numbers(numbers: Sequence[float], *metrics: Metric) -> Group:
    (group,) = aggregate([rows_with(NUMBER, numbers)], [], metrics, Confidence.EXTRACTED)
    return group


def keys_by(field: Field, values: Sequence[Value]) -> list[Scalar | None]:
    groups = aggregate([rows_with(field, values)], [(field,)], [], Confidence.EXTRACTED)
    return [group.key[0] for group in groups]


def test_groups_of_one_size_are_in_the_order_of_their_values() -> None:
    assert keys_by(NUMBER, [10, 9.5, 9, 100, 2**60 + 1, 2**60]) == [
        *(9, 9.5, 10, 100),
        *(2**60, 2**60 + 1),
    ]
    assert keys_by(Field("b", Type.BOOLEAN), [True, False]) == [False, True]


def test_one_instant_is_one_group_however_it_is_written() -> None:
    """F71."""
    same = ["2015-07-23T22:44:08-07:00", "2015-07-24T05:44:08Z", "2015-07-24T05:44:08"]
    assert keys_by(Field("t", Type.DATETIME), same) == same[:1]
    assert keys_by(Field("d", Type.DATE), ["2024-03", "2024-03-01"]) == ["2024-03", "2024-03-01"]


def test_no_entity_is_in_no_group() -> None:
    assert keys_by(NUMBER, []) == []
    tags = Field("l", Type.STRING, is_list=True)
    assert keys_by(tags, [("a", "b", "a"), (), ("b",)]) == ["b", "a", None]


def metric(name: str, bins: int = 0) -> Metric:
    return Metric(name, name, (NUMBER,), bins)


def test_sums_are_not_cut_to_64_bits() -> None:
    group = of_numbers([2**63 - 1, 2**63 - 1, 1], metric("sum"), metric("avg"))
    assert group.metrics["sum"] == 2**64 - 1
    assert of_numbers([2**53, 1, 1], metric("sum")).metrics["sum"] == 2**53 + 2


def test_whole_numbers_are_not_rounded_beside_fractions() -> None:
    assert of_numbers([2**53, 1, 1, 0.5, 1.5], metric("sum")).metrics["sum"] == 2**53 + 4


def test_fractions_add_up_without_drift() -> None:
    assert of_numbers([0.1] * 10, metric("sum")).metrics["sum"] == 1


def test_numbers_at_the_end_of_what_a_float_holds_have_figures_too() -> None:
    group = of_numbers(
        [1.5e308, 1.5e308, -1.5e308, 0.5],
        *(metric("sum"), metric("avg"), metric("histogram", 2)),
    )
    assert group.metrics["sum"] == pytest.approx(1.5e308)
    assert group.metrics["avg"] == pytest.approx(0.375e308)


def test_a_sum_too_large_for_a_float_is_told_as_a_whole_number() -> None:
    total = of_numbers([1.5e308, 1.5e308, 0.5], metric("sum")).metrics["sum"]
    assert isinstance(total, int)
    assert total == 2 * int(1.5e308)


def test_a_histogram_counts_every_value_once() -> None:
    (histogram,) = of_numbers([0, 1, 2, 3, 4], metric("histogram", 2)).metrics.values()
    assert histogram == [{"from": 0, "to": 2, "count": 2}, {"from": 2, "to": 4, "count": 3}]


def test_without_entities_there_is_one_group_without_figures() -> None:
    group = of_numbers([], Metric("count", "count"), metric("max"))
    assert (group.key, group.count, group.metrics) == ((), 0, {"count": 0, "max": None})
