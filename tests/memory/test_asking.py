"""Questions that can't be answered, and orders in place of ranking."""

from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any

import pytest
from tests.memory.remembering import (
    Clock,
    ids,
    set_namespace,
)

from winnow.access import Access, Scope
from winnow.errors import Forbidden, InvalidRequest
from winnow.memory import Memory

NEAR, FAR = [1.0, 0.0], [0.0, 1.0]


def at(text: str) -> int:
    """An instant as a record keeps it."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1_000)


def pointers(error: InvalidRequest) -> list[str]:
    return [fault.pointer for fault in error.faults]


def test_order_by_stands_in_place_of_ranking(memory: Memory) -> None:
    for name, importance in (("a", 0.2), ("b", 0.9), ("c", 0.2)):
        memory.store("zebra" if name == "a" else "text", id=name, importance=importance)
    answer = memory.recall("zebra", order_by="importance:desc")
    assert ids(answer) == ["b", "a", "c"]
    assert answer.order_by == [{"field": "importance", "direction": "desc"}]
    assert {hit.components for hit in answer.memories} == {None}
    first = memory.recall(order_by="importance", limit=2)
    assert ids(first) == ["a", "c"]
    assert ids(memory.recall(order_by="importance", limit=2, cursor=first.cursor)) == ["b"]


@pytest.mark.parametrize("order", ["tags", "@nonsense", "id:down", ""])
def test_f29b_a_sort_key_that_cannot_be_used_is_an_error(memory: Memory, order: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        memory.recall("text", order_by=[order])
    assert pointers(caught.value) == ["/orderBy/0"]


@pytest.mark.parametrize("name", ["vector", "min_score", "budget_tokens", "mmr"])
def test_what_only_ranks_is_an_error_beside_a_schema(memory: Memory, name: str) -> None:
    value = {"vector": [1.0], "min_score": 0.5, "budget_tokens": 5, "mmr": 0.5}[name]
    with pytest.raises(InvalidRequest) as caught:
        memory.recall(schema="legal.Matter", **{name: value})  # pyright: ignore[reportArgumentType]
    assert [name.replace("_", "")] == [
        one.removeprefix("/").lower() for one in pointers(caught.value)
    ]


def test_a_key_of_metadata_orders_and_one_that_nothing_has_is_doubted(memory: Memory) -> None:
    for name, number in (("a", 10), ("b", 9), ("c", None)):
        memory.store("text", id=name, metadata={"n": number} if number else {})
    assert ids(memory.recall("text", order_by="metadata.n")) == ["b", "a", "c"]
    assert ids(memory.recall("text", order_by="n:desc")) == ["a", "b", "c"]
    answer = memory.recall("text", order_by="metadata.nn")
    assert ids(answer) == ["a", "b", "c"]
    assert answer.warnings is not None


def test_f29b_relevance_is_the_ranking_with_a_schema_or_without(memory: Memory) -> None:
    for name, text in (("a", "text"), ("b", "zebra"), ("c", "a zebra in a text")):
        memory.store(text, id=name)
    ranked = memory.recall("zebra")
    orders: tuple[Any, ...] = ("relevance", "relevance:desc", [{"field": "relevance"}])
    for order in orders:
        answer = memory.recall("zebra", order_by=order, min_score=0)
        assert [one.score for one in answer.memories] == [one.score for one in ranked.memories]
        assert (ids(answer), answer.warnings) == (ids(ranked), ranked.warnings)
    for query, order in (("", "relevance"), ("zebra", "relevance:asc"), ("zebra", "relevance,id")):
        with pytest.raises(InvalidRequest) as caught:
            memory.recall(query, order_by=order)
        assert all(one.startswith("/orderBy") for one in pointers(caught.value))
    memory.store("text", id="d", metadata={"relevance": 5})
    assert ids(memory.recall("zebra", order_by="relevance:desc"))[0] == "d"


@pytest.mark.parametrize("method", ["recall", "list", "count", "aggregate"])
def test_f16_a_minimum_of_confidence_is_told_to_change_nothing_without_a_schema(
    memory: Memory, method: str
) -> None:
    ask = getattr(memory, method)
    assert not ask(confidence_minimum="EXTRACTED").warnings
    (told,) = ask(confidence_minimum="INFERRED").warnings
    assert told.startswith("confidenceMinimum is about values of entities")
    typed = ask(schema="legal.Matter", confidence_minimum="INFERRED").warnings
    assert not any("confidenceMinimum" in one for one in typed)


@pytest.mark.parametrize("method", ["recall", "list", "count", "aggregate"])
def test_f49_a_namespace_that_holds_nothing_is_told(memory: Memory, method: str) -> None:
    memory.store("text", namespace="firm")
    memory.admin.set_namespace("empty", language="german")
    ask = getattr(memory, method)
    assert list(ask(namespace="empty").warnings) == ["namespace 'empty' holds no memories"]
    assert not ask(namespace="firm", where="id = nobody").warnings
    assert not ask().warnings


@pytest.mark.parametrize("method", ["recall", "list", "count", "aggregate"])
@pytest.mark.parametrize("more", [{}, {"schema": "legal.Matter"}, {"sources": ["vault"]}])
def test_a_namespace_that_does_not_exist_is_told_with_the_nearest(
    memory: Memory, method: str, more: dict[str, Any]
) -> None:
    memory.store("text", namespace="firm")
    ask = getattr(memory, method)
    given = {name: value for name, value in more.items() if name == "schema" or method == "recall"}
    expected = "there is no namespace 'frim'; did you mean 'firm'?"
    assert list(ask(namespace="frim", **given).warnings) == [expected]
    assert list(ask(namespace="xyz", **given).warnings) == ["there is no namespace 'xyz'"]


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("delete", {"where": "id = a", "dry_run": True}),
        ("retype", {"where": "id = a", "kind": "decision", "dry_run": True}),
        ("check", {"topic": "text"}),
        ("schema", {}),
        ("admin.reembed", {}),
    ],
)
def test_every_operation_warns_of_a_namespace_that_does_not_exist(
    memory: Memory, method: str, given: dict[str, Any]
) -> None:
    memory.store("text", namespace="firm", id="a")
    ask = attrgetter(method)(memory)
    expected = "there is no namespace 'frim'; did you mean 'firm'?"
    assert expected in ask(namespace="frim", **given).warnings
    assert not ask(namespace="firm", **given).warnings


@pytest.mark.parametrize("since", ["30m", "30 minutes ago", timedelta(minutes=30)], ids=str)
def test_since_looks_back(memory: Memory, clock: Clock, since: Any) -> None:
    memory.store("text", id="old")
    clock.move(hours=1)
    memory.store("text", id="new")
    assert [one.id for one in memory.list(since=since).memories or ()] == ["new"]
    assert [one.id for one in memory.list(until=since).memories or ()] == ["old"]


def test_the_nearest_namespace_is_one_that_may_be_seen(memory: Memory) -> None:
    memory.store("text", namespace="secret1")
    own = memory.restricted(Access(frozenset({Scope.READ}), frozenset({"secret2"})))
    told = own.count(namespace="secret2").warnings
    assert list(told or ()) == ["namespace 'secret2' holds no memories"]
    several = memory.restricted(Access(frozenset({Scope.READ}), frozenset({"secret2", "mine"})))
    with pytest.raises(Forbidden, match="does not reach"):
        several.count(namespace="secret1")


def test_near_misses_are_of_entities(memory: Memory) -> None:
    with pytest.raises(InvalidRequest, match="name a schema") as caught:
        memory.recall("text", near_misses=1)
    assert pointers(caught.value) == ["/nearMisses"]


def test_a_vector_must_be_of_use_somewhere(memory: Memory) -> None:
    memory.store("text")
    with pytest.raises(InvalidRequest, match="takes vectors"):
        memory.recall("text", vector=[1.0])
    set_namespace(memory, "mine", embedder="external:2")
    memory.store("text", namespace="mine", vector=NEAR)
    set_namespace(memory, "wide", embedder="external:3")
    memory.store("text", namespace="wide", vector=[1, 0, 0])
    with pytest.raises(InvalidRequest, match="expected 2 or 3 numbers, got 1"):
        memory.recall(vector=[1.0])
    with pytest.raises(InvalidRequest, match="expected 2 numbers, got 3"):
        memory.recall(vector=[1.0, 0, 0], namespace="mine")
    answer = memory.recall("text", vector=NEAR)
    assert answer.returned == 3
    assert answer.warnings == ["the vector has 2 numbers: judged by keyword where vectors have 3"]
    told = memory.recall("text", namespace="mine").warnings
    assert told is not None
    assert "judged by keyword" in told[0]


def test_all_faults_of_a_question_are_told_at_once(memory: Memory) -> None:
    with pytest.raises(InvalidRequest) as caught:
        memory.recall(
            "half \ud800",
            namespace="",
            where="importance >",
            filters={"kind": "bogus"},
            tags=["\ud800"],
            entity="\ud800",
            memory_type="odd",
            since="soon",
            until="later",
            cursor="?",
            vector="x",
            limit=0,
            min_score=2,
            sources=["nowhere"],
            order_by="id:down",
            nonsense=1,  # pyright: ignore[reportCallIssue]
        )
    told = {f"/{one.split('/')[1]}" for one in pointers(caught.value)}
    wrong = ["query", "namespace", "where", "tags", "entity", "memoryType", "since", "until"]
    wrong += ["cursor", "vector", "limit", "minScore", "sources", "orderBy", "nonsense"]
    assert told >= {f"/{name}" for name in wrong}


def test_an_enum_is_checked_in_a_filter_as_ever(memory: Memory) -> None:
    with pytest.raises(InvalidRequest, match="observation"):
        memory.recall("text", filters={"kind": "bogus"})
