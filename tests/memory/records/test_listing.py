"""Counts, lists and figures of memories: the same set as recall's, whatever comes and goes."""

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import Clock, ids, store_all, temporary_memory

from winnow.access import Access, Scope
from winnow.errors import Forbidden, InvalidRequest
from winnow.memory import Memory
from winnow.operations.answers import ListAnswer
from winnow.wire import encode_text


def listed(answer: ListAnswer) -> list[str]:
    assert answer.memories is not None
    return [record.id for record in answer.memories]


def pages(memory: Memory, limit: int, **asked: Any) -> Iterator[list[str]]:
    cursor = None
    while True:
        answer = memory.list(limit=limit, cursor=cursor, **asked)
        yield listed(answer)
        cursor = answer.cursor
        assert answer.truncated is (cursor is not None)
        if cursor is None:
            return


@pytest.fixture(scope="module")
def mixed() -> Iterator[Memory]:
    """24 memories in two namespaces, of which no two conditions choose the same."""
    with temporary_memory() as opened:
        kinds = itertools.cycle(("claim", "goal", "observation"))
        day = 86_400_000
        rows = [
            {
                "id": f"r{n}",
                "text": f"river {n % 5}",
                "kind": next(kinds),
                "tags": ("a", "B/c", "b")[n % 3 : n % 3 + 1],
                "entity": "chopper" if n % 4 else None,
                "memory_type": ("semantic", "episodic", None)[n % 3],
                "importance": n / 20,
                "created_at": n * day,
                "updated_at": (n * 7 % 20) * day,
                "metadata": {"n": n % 6} if n % 2 else {"n": str(n), "deep": {"er": n}},
            }
            for n in range(20)
        ]
        store_all(opened, [*rows, *({**row, "namespace": "other"} for row in rows[:4])])
        yield opened


CONDITIONS: list[dict[str, Any]] = [
    {},
    {"kinds": "claim"},
    {"kinds": ["claim", "goal"], "tags": ["b"]},
    {"tags": "a"},
    {"entity": "chopper"},
    {"memory_type": "semantic"},
    {"since": "1970-01-05", "until": "1970-01-12"},
    {"namespace": "other"},
    {"where": "metadata.n >= 3"},
    {"filters": {"importance": {"gt": 0.5}}, "where": "not (n = 1)"},
    {"filters": [{"field": "n", "op": "GTE", "value": "3"}]},
    {"kinds": "bogus"},
    {"kinds": "all", "tags": ["", " "], "where": "importance >= 0"},
]


@pytest.mark.parametrize("asked", CONDITIONS)
def test_count_list_and_aggregate_see_what_recall_sees(
    mixed: Memory, asked: dict[str, Any]
) -> None:
    found = mixed.recall("river", limit=1_000, **asked)
    every = mixed.list(limit=1_000, **asked)
    assert sorted(listed(every)) == sorted(ids(found))
    assert every.filtered_entities == every.returned == found.filtered_entities
    counted, figures = mixed.count(**asked), mixed.aggregate(**asked)
    assert counted.count == figures.filtered_entities == found.filtered_entities
    for answer in (every, counted, figures):
        assert (answer.filters, answer.where) == (found.filters, found.where)
        assert (answer.undetermined, list(answer.warnings or ())) == (
            *(0, list(found.warnings or ())),
        )


@pytest.mark.parametrize("name", ["count", "list", "aggregate"])
def test_what_is_wrong_is_told_all_at_once(mixed: Memory, name: str) -> None:
    asked: dict[str, Any] = {"where": "kind = bogus", "since": "soon", "namespace": "", "tags": "a"}
    with pytest.raises(InvalidRequest) as caught:
        getattr(mixed, name)(**asked)
    assert {fault.pointer for fault in caught.value.faults} == {"/where", "/since", "/namespace"}


@pytest.mark.parametrize("name", ["recall", "count", "list", "aggregate", "delete"])
def test_f58_an_argument_that_is_none_is_an_error_with_what_is_allowed(
    mixed: Memory, name: str
) -> None:
    for wrong, hint in (("memory_typ", "did you mean 'memoryType'"), ("type", "memoryType")):
        with pytest.raises(InvalidRequest) as caught:
            getattr(mixed, name)(**{wrong: "semantic", "where": "id is not null"})
        fault = next(one for one in caught.value.faults if one.pointer == f"/{wrong}")
        assert hint in fault.detail


def test_f68_one_id_in_several_places_is_never_taken_for_another(memory: Memory) -> None:
    for number, space in enumerate(("a", "b", "c")):
        memory.store(f"text of {space}", id="m1", namespace=space, importance=number / 2)
    memory.admin.import_(objects=[{"schema": "legal.Matter", "id": "m1", "fields": {}}])
    found = memory.list(order_by="importance:desc").memories
    assert found is not None
    assert [(one.namespace, one.text) for one in found] == [
        (space, f"text of {space}") for space in ("c", "b", "a")
    ]
    memory.delete("m1", namespace="b")
    assert [group["key"] for group in memory.aggregate(group_by="namespace").groups] == ["a", "c"]


def test_f90_totals_are_exact_whatever_the_page(mixed: Memory) -> None:
    for limit in (1, 7, 24, 1_000):
        answer = mixed.list(limit=limit)
        assert (answer.filtered_entities, answer.returned) == (24, min(limit, 24))
        assert answer.truncated is (limit < 24)


# --- lists -------------------------------------------------------------------------------------


def test_the_last_changed_come_first_then_by_id_and_namespace(memory: Memory, clock: Clock) -> None:
    for name, space in (("b", "x"), ("a", "y"), ("a", "x")):
        memory.store("text", id=name, namespace=space)
    clock.move(seconds=1)
    memory.update("b", namespace="x", importance=1)
    found = memory.list().memories
    assert found is not None
    assert [(one.id, one.namespace) for one in found] == [("b", "x"), ("a", "x"), ("a", "y")]
    assert found[0] == memory.get("b", namespace="x")


def test_a_list_on_the_wire_has_its_memories_as_items(memory: Memory) -> None:
    memory.store("the river bank", kind="claim")
    payload = json.loads(encode_text(memory.list(kinds="claim")))
    assert list(payload) == [
        *("items", "filters", "where", "filteredEntities", "undetermined", "returned"),
        *("truncated", "asOf"),
    ]
    assert payload["items"][0]["text"] == "the river bank"


@given(
    limit=st.integers(1, 9),
    asked=st.fixed_dictionaries(
        {},
        optional={
            "kinds": st.sampled_from(["claim", "claim,goal"]),
            "namespace": st.sampled_from(["default", "other"]),
            "order_by": st.sampled_from(
                [
                    *("importance:desc", "createdAt", "kind,updatedAt:desc", "entity:desc"),
                    *("n", "metadata.n:desc,id:desc", "deep.er", "@created_at:desc", "nobody"),
                ]
            ),
        },
    ),
)
@settings(max_examples=60)
def test_pages_follow_each_other_and_cover_all(
    mixed: Memory, limit: int, asked: dict[str, Any]
) -> None:
    whole = mixed.list(limit=1_000, **asked)
    found = list(pages(mixed, limit, **asked))
    assert [name for page in found for name in page] == listed(whole)
    assert all(len(page) == limit for page in found[:-1])


def test_a_page_goes_on_behind_the_last_though_memories_come_and_go(memory: Memory) -> None:
    store_all(
        memory, ({"id": f"r{n}", "text": "river", "metadata": {"n": n}} for n in range(0, 20, 2))
    )
    first = memory.list(order_by="n", limit=4)
    assert listed(first) == ["r0", "r2", "r4", "r6"]
    for gone in ("r0", "r6", "r8"):
        memory.delete(gone)
    for n in (1, 7, 13):
        memory.store("river", id=f"r{n}", metadata={"n": n})
    memory.update("r10", metadata={"n": 3})  # it has moved before the place
    rest = memory.list(order_by="n", limit=20, cursor=first.cursor)
    assert listed(rest) == ["r7", "r12", "r13", "r14", "r16", "r18"]


def test_a_cursor_belongs_to_its_question(memory: Memory) -> None:
    store_all(memory, ({"id": f"r{n}", "text": "river"} for n in range(6)))
    cursor = memory.list(limit=2).cursor
    assert memory.list(limit=3, cursor=cursor).returned == 3
    others: list[dict[str, Any]] = [
        *({"kinds": "claim"}, {"order_by": "id"}, {"tags": "a"}, {"since": "2020"}),
        *({"filters": {"n": 1}}, {"namespace": "default"}),
    ]
    for asked in others:
        with pytest.raises(InvalidRequest, match="another request"):
            memory.list(cursor=cursor, **asked)
    for wrong in ("", "?", "e30", "W10", "\ud800", memory.recall("river", limit=2).cursor):
        with pytest.raises(InvalidRequest, match="cursor"):
            memory.list(cursor=wrong)


@pytest.mark.parametrize(
    ("order", "detail"),
    [
        ("tags", "may have several values"),
        ("@bogus", "unknown field '@bogus'"),
        ("n:up", "unknown direction 'up'"),
        ("metadata", "write metadata.key"),
        ("text.x", "no object"),
        ('"n', "never closed"),
    ],
)
def test_an_order_that_can_not_be_is_an_error(mixed: Memory, order: str, detail: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        mixed.list(order_by=order)
    (fault,) = caught.value.faults
    assert fault.pointer == "/orderBy/0"
    assert detail in fault.detail


def test_a_key_that_no_memory_has_gets_a_warning(mixed: Memory) -> None:
    told = mixed.list(order_by="nn").warnings, mixed.aggregate(group_by="nn").warnings
    for warnings in told:
        assert warnings is not None
        assert "no memory has the key nn" in warnings[0]
        assert "did you mean n?" in warnings[0]


# --- figures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["kind", "namespace", "entity", "memory_type", "source"])
def test_groups_count_the_memories_of_each_value(mixed: Memory, field: str) -> None:
    every = mixed.list(limit=1_000).memories
    assert every is not None
    found = mixed.aggregate(group_by=field).groups
    counts = Counter(getattr(record, field) for record in every)
    assert {group["key"]: group["count"] for group in found} == counts


def test_what_may_have_several_values_can_be_grouped_by_and_not_measured(mixed: Memory) -> None:
    assert mixed.aggregate(group_by="tags").groups
    with pytest.raises(InvalidRequest) as caught:
        mixed.aggregate(metrics="avg(tags)")
    told = "/metrics/0: 'tags' may have several values, so nothing can measure it"
    assert str(caught.value).startswith(told)


def test_figures_are_those_of_the_set(mixed: Memory) -> None:
    asked = ["count", "min(createdAt)", "max(importance)", "sum(n)", "avg(@created_at)"]
    answer = mixed.aggregate(metrics=[*asked, "histogram(metadata.n, 2)"], namespace="default")
    (group,) = answer.groups
    assert group["metrics"] == {
        "count": 20,
        "min(createdAt)": "1970-01-01T00:00:00.000Z",
        "max(importance)": 0.95,
        "sum(metadata.n)": sum(n % 6 for n in range(1, 20, 2)),
        "avg(@created_at)": 86_400_000 * 9.5,
        "histogram(metadata.n, 2)": [
            {"from": 1.0, "to": 3.0, "count": 4},
            {"from": 3.0, "to": 5.0, "count": 6},
        ],
    }
    assert answer.warnings is not None
    assert "10 of the memories that match have something else there" in answer.warnings[0]


def test_a_memory_counts_for_each_of_its_tags(memory: Memory) -> None:
    memory.store("text", tags=["law/ip", "x"])
    memory.store("text", tags=["Law/IP"])
    memory.store("text")
    groups = memory.aggregate(group_by="tags").groups
    assert [(group["key"], group["count"]) for group in groups] == [
        *(("Law/IP", 2), ("x", 1), (None, 1)),
    ]


def test_several_fields_make_an_object_of_the_key(mixed: Memory) -> None:
    groups = mixed.aggregate(group_by="kind,metadata.n", where="n = 1 or n = 3").groups
    assert [(group["key"], group["count"]) for group in groups] == [
        ({"kind": "goal", "metadata.n": 1}, 5),
        ({"kind": "claim", "metadata.n": 3}, 4),
    ]


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"metrics": "sum(kind)"}, "/metrics/0"),
        ({"metrics": "max(tags)"}, "/metrics/0"),
        ({"metrics": "sum(createdAt)"}, "/metrics/0"),
        ({"metrics": ["count", "median(n)"]}, "/metrics/1"),
        ({"group_by": ["kind", "metadata"]}, "/groupBy/1"),
        ({"group_by": "@nobody"}, "/groupBy/0"),
    ],
)
def test_a_figure_that_can_not_be_is_an_error(
    mixed: Memory, asked: Mapping[str, Any], pointer: str
) -> None:
    with pytest.raises(InvalidRequest) as caught:
        mixed.aggregate(**asked)
    assert [fault.pointer for fault in caught.value.faults] == [pointer]


# --- what must not be seen -----------------------------------------------------------------------


def test_f63_f81_what_is_deleted_or_expired_is_in_no_count_list_or_figure(
    memory: Memory, clock: Clock
) -> None:
    memory.store("text", id="stays", tags=["a"])
    memory.store("text", id="passes", tags=["gone"], metadata={"over": 1}, ttl_seconds=60)
    memory.store("text", id="goes", tags=["gone"])
    memory.delete("goes")
    clock.move(seconds=60)
    assert memory.count().count == 1
    assert listed(memory.list()) == ["stays"]
    assert [group["key"] for group in memory.aggregate(group_by="tags").groups] == ["a"]
    assert memory.count(tags="gone").count == 0
    told = memory.count(where="over = 1").warnings
    assert told is not None
    assert "no memory has the key over" in told[0]


def test_a_key_sees_its_namespaces_alone(memory: Memory) -> None:
    memory.store("text", namespace="mine", metadata={"n": 1})
    memory.store("text", namespace="theirs", metadata={"secret": 1}, tags=["x"])
    seen = memory.restricted(Access(frozenset(Scope), frozenset({"mine"})))
    assert (seen.count().count, listed(seen.list())) == (1, ["m1"])
    assert [group["key"] for group in seen.aggregate(group_by="namespace").groups] == ["mine"]
    assert [group["key"] for group in seen.aggregate(group_by="tags").groups] == [None]
    for ask in (
        lambda: seen.count(where="secrets = 1"),
        lambda: seen.list(order_by="secrets"),
        lambda: seen.aggregate(group_by="secrets"),
    ):
        told = ask().warnings
        assert told == ["no memory has the key secrets in its metadata"]
    assert seen.count(where="n = 1").warnings is None
    for name in ("theirs", "nowhere"):
        with pytest.raises(Forbidden):
            seen.count(namespace=name)


def test_pieces_of_notes_are_counted_and_listed_too(memory: Memory, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "note.md").write_text("---\nkind: claim\n---\n# A note\n\nText.\n", encoding="utf-8")
    memory.admin.index(str(vault))
    memory.store("text", kind="claim")
    assert memory.count(kinds="claim").count == 2
    found = memory.list(where="path is not null").memories
    assert found is not None
    assert [record.path for record in found] == ["note.md"]
    assert memory.count(where="path is null").count == 1
