"""Memories by the keys of their metadata: what is gathered, ordered and grouped by one of them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cmp_to_key

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plan.asking import Memories, under
from tests.plan.memories import KEYS, NUMBER_OF_WORLDS, Memory, Past, metadata, remember

from winnow.columns.table import Table
from winnow.filter.raw import Untyped, read_number
from winnow.memories import METADATA, RECORDS
from winnow.plan.aggregate import Metric, aggregate
from winnow.plan.gather import Selection, count_others, gather, gather_one
from winnow.plan.order import Bound, SortKey, order, refine, spell_steps
from winnow.records import Confidence
from winnow.schema import Field
from winnow.values import Json, Scalar, Type, fold

SURE = Confidence.EXTRACTED
Steps = tuple[Field, ...]
pasts = st.integers(0, NUMBER_OF_WORLDS - 1).map(remember)
paths = st.lists(st.sampled_from(KEYS), min_size=1, max_size=2)


def number(value: Json) -> Scalar | None:
    """What a value is as a number; a text without a type may be one."""
    if isinstance(value, Untyped):
        return read_number(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


KINDS: Mapping[Type, Callable[[Json], Scalar | None]] = {
    Type.NUMBER: number,
    Type.STRING: lambda value: value if isinstance(value, str) else None,
    Type.BOOLEAN: lambda value: value if isinstance(value, bool) else None,
}


def steps_to(path: list[str], kind: Type = Type.OPEN) -> Steps:
    *objects, last = path
    return (METADATA, *(Field(key, Type.OPEN) for key in objects), Field(last, kind))


def find(memory: Memory, path: list[str]) -> Json:
    value: Json = metadata(memory)
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def scalar(value: Json) -> Scalar | None:
    return value if isinstance(value, bool | int | float | str) else None


def everything(table: Table) -> Selection:
    return Selection("", table, {}, np.flatnonzero(table.alive_rows))


def tables(past: Past) -> list[Table]:
    return [past.table, past.table_in_parts]


@given(pasts, paths)
def test_the_values_of_one_type_are_gathered_from_all_parts(past: Past, path: list[str]) -> None:
    by_id = {str(memory["id"]): memory for memory in past.memories}
    for table in tables(past):
        chosen = everything(table)
        for kind, read in KINDS.items():
            vector = gather([chosen, chosen], steps_to(path, kind), SURE)
            values = [find(by_id[table.id_of(row)], path) for row in chosen.rows.tolist()] * 2
            fitting = [read(value) for value in values]
            assert vector.known.tolist() == [value is not None for value in fitting]
            found = vector.values
            shown = [found.get(place) for place in range(len(found))] if found else []
            assert shown == [value for value in fitting if value is not None]
            mine = values[: len(chosen.rows)]
            others = [one is not None and read(one) is None for one in mine]
            assert count_others(chosen, steps_to(path, kind)) == sum(others)


sort_keys = st.lists(st.tuples(paths, st.booleans()), min_size=1, max_size=2)


def compare(keys: list[tuple[list[str], bool]], one: Memory, other: Memory) -> int:
    """Numbers, then texts, then true and false, then what has none of them; then by id."""
    for path, descending in keys:
        for read in KINDS.values():
            left, right = (read(value) for value in (find(one, path), find(other, path)))
            if left == right:
                continue
            if left is None or right is None:
                return 1 if left is None else -1
            return -1 if (left < right) is not descending else 1  # pyright: ignore[reportOperatorIssue]
    return -1 if str(one["id"]) < str(other["id"]) else 1


@given(pasts, sort_keys, st.integers(1, 35), st.data())
def test_pages_follow_each_other_in_the_order_of_the_keys(
    past: Past, asked: list[tuple[list[str], bool]], limit: int, data: st.DataObject
) -> None:
    keys = [SortKey(steps_to(path), descending) for path, descending in asked]
    ordered = sorted(past.memories, key=cmp_to_key(lambda one, other: compare(asked, one, other)))
    expected = [str(memory["id"]) for memory in ordered]
    for table in tables(past):
        chosen = everything(table)
        spots = order([chosen], keys, SURE, limit)
        assert [table.id_of(spot.row) for spot in spots] == expected[:limit]
        last = data.draw(st.sampled_from(expected))
        after = bound(chosen, keys, last)
        behind = expected[expected.index(last) + 1 :]
        rest = order([chosen], keys, SURE, limit, after)
        assert [table.id_of(spot.row) for spot in rest] == behind[:limit]


def bound(chosen: Selection, keys: list[SortKey], name: str) -> Bound:
    row = chosen.table.row_of(name)
    assert row is not None
    values = [gather_one(chosen, key.steps, SURE, row) for key in refine(keys)]
    space = gather_one(chosen, (RECORDS.fields["namespace"],), SURE, row)
    return Bound(tuple(one for one in values if not isinstance(one, tuple)), name, str(space))


@pytest.mark.parametrize("descending", [False, True])
def test_what_has_no_value_comes_last_in_both_directions(descending: bool) -> None:
    memories = under("n", None, 2, "b", True, 10, "a", [1], {"n": 1}, False)
    keys = [SortKey(steps_to(["n"]), descending)]
    spots = order([everything(memories.table)], keys, SURE, 9)
    found = [memories.table.id_of(spot.row) for spot in spots]
    up = ["m1", "m4", "m5", "m2", "m8", "m3"]
    down = ["m4", "m1", "m2", "m5", "m3", "m8"]
    assert found == [*(down if descending else up), "m0", "m6", "m7"]


def test_equal_ids_are_told_apart_by_their_namespace() -> None:
    memories = Memories(*({"id": "a", "namespace": space} for space in ("b", "c", "a")))
    spots = order([everything(memories.table)], [], SURE, 9)
    spaces = memories.table.parts[0].columns["namespace"]
    assert [spaces.get(spot.row) for spot in spots] == ["a", "b", "c"]
    rest = order([everything(memories.table)], [], SURE, 9, Bound((), "a", "a"))
    assert [spaces.get(spot.row) for spot in rest] == ["b", "c"]


@pytest.mark.parametrize(
    ("path", "spelled"),
    [(["n"], "metadata.n"), (["a.b"], 'metadata."a.b"'), (["a", "or"], "metadata.a.or")],
)
def test_a_key_is_spelled_as_a_filter_names_it(path: list[str], spelled: str) -> None:
    assert spell_steps(steps_to(path)) == spelled
    assert spell_steps((RECORDS.fields["kind"],)) == "kind"


# --- groups ------------------------------------------------------------------------------------


def items(value: Json) -> Iterator[Scalar | None]:
    """Yield what a memory counts for: each item of a list once, None if there is nothing."""
    found = [scalar(item) for item in value] if isinstance(value, list) else [scalar(value)]
    distinct = {marked(item): item for item in found if item is not None}
    yield from distinct.values() if distinct else [None]


def marked(value: Scalar | None) -> tuple[bool, Scalar | None]:
    """True is not 1."""
    return isinstance(value, bool), value


@given(pasts, paths)
def test_groups_have_the_memories_of_their_key(past: Past, path: list[str]) -> None:
    counts = Counter(marked(item) for memory in past.memories for item in items(find(memory, path)))
    for table in tables(past):
        groups = aggregate([everything(table)], [steps_to(path)], [Metric("count", "count")], SURE)
        assert {marked(group.key[0]): group.count for group in groups} == counts
        sizes = [group.count for group in groups]
        assert sizes == sorted(sizes, reverse=True)


def test_true_is_not_1_and_a_text_is_no_number() -> None:
    memories = under("n", 1, 1.0, True, "1", ["1", 1, "1"], None, {})
    chosen = everything(memories.table)
    groups = aggregate([chosen], [steps_to(["n"])], [Metric("count", "count")], SURE)
    found = [(group.key[0], group.count) for group in groups]
    assert [(type(key), key, count) for key, count in found] == [
        *((int, 1, 3), (str, "1", 2), (type(None), None, 2), (bool, True, 1)),
    ]


def tags_of(memory: Memory) -> list[str]:
    tags = memory["tags"]
    return [str(tag) for tag in tags] if isinstance(tags, list) else []


@given(pasts)
def test_f53_tags_that_differ_by_case_are_one_group(past: Past) -> None:
    every = [{fold(tag) for tag in tags_of(memory)} for memory in past.memories]
    counts = Counter(tag for tags in every for tag in tags or {None})
    for table in tables(past):
        groups = aggregate([everything(table)], [(RECORDS.fields["tags"],)], [], SURE)
        keys = [group.key[0] for group in groups]
        shown = {
            None if key is None else fold(str(key)): group
            for key, group in zip(keys, groups, strict=True)
        }
        assert {key: group.count for key, group in shown.items()} == counts


def test_a_group_of_tags_is_spelled_as_the_first_that_is_in_use() -> None:
    memories = Memories({"tags": ["law"]}, {"tags": ["Law", "LAW"]}, {"tags": ["LAW"]})
    tags = (RECORDS.fields["tags"],)
    (every,) = aggregate([everything(memories.table)], [tags], [], SURE)
    assert (every.key, every.count) == (("LAW",), 3)
    (one,) = aggregate([Selection("", memories.table, {}, np.array([0]))], [tags], [], SURE)
    assert (one.key, one.count) == (("law",), 1)


def test_figures_are_of_numbers_alone_and_exact() -> None:
    memories = under("n", 2**53 + 1, 2**70, 0.5, "7", True, [3], None)
    steps = steps_to(["n"], Type.NUMBER)
    metrics = [Metric(name, name, steps) for name in ("sum", "min", "max")]
    (group,) = aggregate([everything(memories.table)], [], metrics, SURE)
    assert group.metrics["min"] == 0.5
    assert group.metrics["max"] == 2**70
    assert group.metrics["sum"] == float(2**53 + 1 + 2**70 + 0.5)


def test_texts_without_a_type_are_measured_and_ordered_as_the_numbers_that_they_are() -> None:
    memories = under("n", Untyped("80"), 9, Untyped("100"), "7", Untyped("x"), Untyped("0.5"))
    chosen = everything(memories.table)
    steps = steps_to(["n"], Type.NUMBER)
    metrics = [Metric("sum", "sum(n)", steps), Metric("max", "max(n)", steps)]
    (group,) = aggregate([chosen], [], metrics, SURE)
    assert group.metrics == {"sum(n)": 189.5, "max(n)": 100}
    assert count_others(chosen, steps) == 2
    spots = order([chosen], [SortKey(steps_to(["n"]), descending=False)], SURE, 6)
    by_id = {str(one["id"]): find(one, ["n"]) for one in memories.all}
    shown = [by_id[chosen.table.id_of(one.row)] for one in spots]
    assert shown == ["0.5", 9, "80", "100", "7", "x"]
