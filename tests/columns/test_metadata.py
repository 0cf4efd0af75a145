"""Columns of metadata hold what each memory says under a key, whatever its type."""

from datetime import UTC
from random import Random

import numpy as np
import pytest
from tests.plan.memories import SCALARS, make_object, make_value

from winnow.columns.arrays import IntegerValues, Mask, NumberValues, Rows
from winnow.columns.metadata import build_metadata, build_mixed
from winnow.columns.mixed import MixedValues
from winnow.values import Json

OBJECT = {"an": "object"}


def read_back(values: MixedValues) -> list[Json]:
    """What each row has, null where it has nothing; an object as OBJECT."""
    found: list[Json] = [None] * len(values)
    for one in (values.numbers, values.flags, values.texts):
        if one is not None:
            for row, place in places(one.length, one.rows, one.held):
                found[row] = one.values.get(place)
    if values.lists is not None:
        lists = values.lists.values
        items = read_back(lists.items)
        for row, place in places(len(values), values.lists.rows, values.lists.held):
            found[row] = items[lists.offsets[place] : lists.offsets[place + 1]]
    for row in values.others.tolist() if values.others is not None else ():
        found[row] = {**OBJECT}
    return found


def places(length: int, rows: Rows | None, held: Mask | None) -> list[tuple[int, int]]:
    """Each row that has a value, and the value's place."""
    if rows is not None:
        return [(row, place) for place, row in enumerate(rows.tolist())]
    full = range(length) if held is None else np.flatnonzero(held).tolist()
    return [(row, row) for row in full]


def plain(value: Json) -> Json:
    """What a column has of a value."""
    if isinstance(value, list):
        return [plain(item) for item in value if item is not None]
    return {**OBJECT} if isinstance(value, dict) else value


def typed(values: list[Json]) -> list[object]:
    """Tell true from 1, too, but not 1.0 from 1."""
    return [
        typed(value) if isinstance(value, list) else (value, isinstance(value, bool))
        for value in values
    ]


def look_up(value: Json, path: tuple[str, ...]) -> Json:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


@pytest.mark.parametrize("size", [1, 7, 30, 300])
@pytest.mark.parametrize("seed", range(10))
def test_each_path_of_keys_has_a_column_of_what_stands_there(seed: int, size: int) -> None:
    random = Random(seed)
    metadata = [make_object(random, 0) for _ in range(size)]
    columns = build_metadata(metadata, UTC)
    seen = dict[tuple[str, ...], int]()
    waiting: list[tuple[tuple[str, ...], Json]] = [((), one) for one in metadata]
    for path, value in waiting:
        if path and value is not None:
            seen[path] = seen.get(path, 0) + 1
        if isinstance(value, dict):
            waiting += [((*path, key), inner) for key, inner in value.items()]
    assert {*columns.named()} == seen.keys()
    for path in seen:
        expected = [plain(look_up(one, path)) for one in metadata]
        assert typed(read_back(columns[path])) == typed(expected)
        assert columns[path].present.tolist() == [value is not None for value in expected]


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 1])
def test_values_of_all_types_are_kept_however_many_rows_have_one(share: float) -> None:
    random = Random(5)
    rows = [row for row in range(500) if random.random() < share]
    values = [make_value(random) for _ in rows]
    known = [(row, one) for row, one in zip(rows, values, strict=True) if one is not None]
    built = build_mixed([one for _, one in known], [row for row, _ in known], 500, UTC)
    expected: list[Json] = [None] * 500
    for row, one in known:
        expected[row] = plain(one)
    assert typed(read_back(built)) == typed(expected)


def test_a_key_that_few_have_takes_memory_for_those_alone() -> None:
    metadata: list[dict[str, Json]] = [{"rare": n} if n % 100 == 0 else {} for n in range(10_000)]
    column = build_metadata(metadata, UTC)[("rare",)]
    assert column.numbers is not None
    assert len(column.numbers.values) == 100


def test_a_key_that_many_have_has_a_place_in_every_row() -> None:
    metadata: list[dict[str, Json]] = [{"often": n} if n % 3 else {} for n in range(1_000)]
    column = build_metadata(metadata, UTC)[("often",)]
    assert column.numbers is not None
    assert (len(column.numbers.values), column.numbers.rows) == (1_000, None)


def test_a_dot_in_a_key_is_not_a_path() -> None:
    columns = build_metadata([{"a": {"b": 1}, "a.b": 2}], UTC)
    assert read_back(columns[("a", "b")]) == [1]
    assert read_back(columns[("a.b",)]) == [2]


def test_whole_numbers_of_64_bits_need_no_exact_ones_beside_them() -> None:
    whole = build_mixed([2**63 - 1, -(2**63)], [0, 1], 2, UTC).numbers
    assert whole is not None
    assert isinstance(whole.values, IntegerValues)
    larger = build_mixed([2**63, 0.5], [0, 1], 2, UTC).numbers
    assert larger is not None
    assert isinstance(larger.values, NumberValues)
    assert larger.values.exact == {0: 2**63}


def test_metadata_may_be_nested_as_deep_as_anyone_likes() -> None:
    deep: Json = "x"
    for _ in range(900):
        deep = {"a": deep}
    assert isinstance(deep, dict)
    assert read_back(build_metadata([deep], UTC)[("a",) * 900]) == ["x"]
    lists: Json = "x"
    for _ in range(900):
        lists = [lists]
    assert build_mixed([lists], [0], 1, UTC).present.tolist() == [True]


def test_scalars_alone_are_kept_exactly() -> None:
    built = build_mixed(SCALARS, range(len(SCALARS)), len(SCALARS), UTC)
    assert typed(read_back(built)) == typed([*SCALARS])
