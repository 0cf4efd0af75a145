"""Ranked recall: the order, and what is told of it."""

import itertools
import json
import math
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import (
    Clock,
    find,
    ids,
    open_at,
    scores,
    set_namespace,
    store_all,
    temporary_memory,
)

from winnow.errors import InvalidRequest
from winnow.memory import Memory
from winnow.operations.answers import RecallAnswer
from winnow.wire import encode, encode_text

NEAR, FAR = [1.0, 0.0], [0.0, 1.0]


def at(text: str) -> int:
    """An instant as a record keeps it."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1_000)


def pointers(error: InvalidRequest) -> list[str]:
    return [fault.pointer for fault in error.faults]


# --- the formula -------------------------------------------------------------------------------


def test_the_score_is_the_one_that_is_computed_by_hand(memory: Memory, clock: Clock) -> None:
    set_namespace(memory, "mine", embedder="external:2")
    for name, text, vector, importance in (
        ("a", "alpha", [2, 0], 0),
        ("b", "alpha beta beta", [3, 4], 1),
        ("c", "gamma", [0, 0.5], 0.5),
    ):
        memory.store(text, id=name, namespace="mine", vector=vector, importance=importance)
        clock.move(days=7)
    answer = memory.recall("alpha", namespace="mine", vector=[5, 0])
    average = 5 / 3
    bm25 = {size: 2.2 / (1 + 1.2 * (0.25 + 0.75 * size / average)) for size in (1, 3)}
    mean = (1 + 0.6 + 0) / 3
    fusions = {
        "a": 0.6 * 1 + 0.4 * 1,
        "b": 0.6 * bm25[3] / bm25[1] + 0.4 * (0.6 - mean) / (1 - mean),
        "c": 0.0,
    }
    recency, importance = {"a": 0.25, "b": 0.5, "c": 1}, {"a": 0, "b": 1, "c": 0.5}
    for name, fusion in fusions.items():
        score = 0.9 * fusion + 0.05 * recency[name] + 0.05 * importance[name]
        hit = find(answer.memories, name)
        assert hit.components is not None
        assert math.isclose(hit.score, score, abs_tol=1e-6)
        assert hit.components.recency == recency[name]
    assert ids(answer) == ["a", "b", "c"]
    assert answer.index_used == "hybrid"


def test_words_alone_count_in_full_where_nothing_has_a_vector(memory: Memory) -> None:
    set_namespace(memory, "plain", embedder="none")
    memory.store("alpha", namespace="plain", importance=1)
    answer = memory.recall("alpha", namespace="plain")
    assert (answer.memories[0].score, answer.index_used) == (1.0, "vault")


def test_a_vector_alone_counts_in_full(memory: Memory) -> None:
    set_namespace(memory, "mine", embedder="external:2")
    memory.store("alpha", namespace="mine", vector=NEAR, importance=1)
    memory.store("beta", namespace="mine", vector=FAR, importance=1)
    answer = memory.recall(namespace="mine", vector=NEAR)
    assert scores(answer) == {"mine/m1": 1.0, "mine/m2": 0.1}
    assert answer.index_used == "vector"


def test_a_memory_without_a_vector_is_judged_by_its_words(memory: Memory) -> None:
    set_namespace(memory, "mine", embedder="external:2")
    memory.store("alpha", id="bare", namespace="mine")
    memory.store("beta", id="near", namespace="mine", vector=NEAR)
    memory.store("gamma", id="far", namespace="mine", vector=FAR)
    answer = memory.recall("alpha", namespace="mine", vector=NEAR)
    bare = find(answer.memories, "bare")
    assert bare.components is not None
    assert (bare.components.keyword, bare.components.vector) == (1.0, None)
    assert ids(answer) == ["bare", "near", "far"]


def test_an_empty_text_has_no_vector_and_is_still_in_the_running(memory: Memory) -> None:
    store_all(memory, [{"text": "", "id": "empty"}])
    memory.store("zebra", id="zebra")
    answer = memory.recall("zebra")
    assert ids(answer) == ["zebra", "empty"]
    parts = find(answer.memories, "empty").components
    assert parts is not None
    assert parts.vector is None


def test_the_same_question_gives_the_same_bytes_an_hour_later(memory: Memory, clock: Clock) -> None:
    for text in ("the river bank", "a bank of money", "zebra"):
        memory.store(text)
        clock.move(days=1)
    first = encode_text(memory.recall("bank"))
    clock.move(hours=1)
    assert encode_text(memory.recall("bank")) == first


def test_a_filter_that_matches_everything_changes_no_byte_of_the_hits(memory: Memory) -> None:
    for text in ("the river bank", "a bank of money", "zebra"):
        memory.store(text)
    plain, filtered = memory.recall("bank"), memory.recall("bank", where="importance >= 0")
    assert encode(plain.memories) == encode(filtered.memories)


def test_equal_scores_are_ordered_by_id_then_namespace(memory: Memory) -> None:
    names = ["m10", "m2", "b", "a", "B"]
    store_all(memory, ({"id": name, "text": "same"} for name in names))
    store_all(memory, [{"id": "a", "text": "same", "namespace": "another"}])
    answer = memory.recall("same")
    order = [(hit.id, hit.namespace) for hit in answer.memories]
    assert len(set(scores(answer).values())) == 1
    assert order == sorted([*((name, "default") for name in names), ("a", "another")])


def test_without_a_query_the_last_changed_comes_first(memory: Memory, clock: Clock) -> None:
    for name in "bac":
        memory.store("text", id=name)
    clock.move(seconds=1)
    memory.update("b", importance=1)
    assert ids(memory.recall()) == ["b", "a", "c"]
    assert memory.recall().memories[0].components is None


def test_another_namespaces_memories_never_move_a_score(memory: Memory, clock: Clock) -> None:
    for text in ("the river bank", "a bank of money", "zebra"):
        memory.store(text, namespace="mine")
    before = memory.recall("bank", namespace="mine").memories
    clock.move(days=30)
    for number in range(20):
        memory.store(f"bank bank bank {number}", namespace="theirs")
    assert memory.recall("bank", namespace="mine").memories == before


def test_fusion_by_rank_and_spreading_order_the_same_set(memory: Memory) -> None:
    texts = ("the river bank", "a bank of money", "zebra", "")
    store_all(memory, [{"text": text, "id": f"m{at}"} for at, text in enumerate(texts, 1)])
    for options in ({"fusion": "rrf"}, {"mmr": 0.5}, {"mmr": 1}, {"mmr": 0}):
        answer = memory.recall("bank", **options)  # pyright: ignore[reportArgumentType]
        assert sorted(ids(answer)) == ["m1", "m2", "m3", "m4"]
        assert all(0 <= hit.score <= 1 for hit in answer.memories)
    assert ids(memory.recall("bank", mmr=1)) == ids(memory.recall("bank"))


def test_spreading_puts_what_is_unlike_before_what_is_said_already(memory: Memory) -> None:
    set_namespace(memory, "mine", embedder="external:2")
    for name, vector in (("a", [1, 0]), ("b", [1, 0.01]), ("c", [0, 1])):
        memory.store("text", id=name, namespace="mine", vector=vector)
    assert ids(memory.recall(namespace="mine", vector=[1, 0.1])) == ["b", "a", "c"]
    spread = memory.recall(namespace="mine", vector=[1, 0.1], mmr=0.5)
    assert ids(spread) == ["b", "c", "a"]


# --- pages, budget, wire -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def mixed() -> Iterator[Memory]:
    """23 memories in two namespaces, some alike."""
    with temporary_memory() as opened:
        kinds = itertools.cycle(("claim", "goal", "observation"))
        rows = [
            {"id": f"r{n}", "text": f"river {n % 5}", "kind": next(kinds), "tags": ("abc"[n % 3],)}
            for n in range(20)
        ]
        store_all(opened, [*rows, *({**row, "namespace": "other"} for row in rows[:3])])
        yield opened


@given(
    query=st.sampled_from(["river", "river 3", "", "zebra"]),
    limit=st.integers(1, 9),
    asked=st.fixed_dictionaries(
        {},
        optional={
            "kinds": st.sampled_from(["claim", "claim,goal"]),
            "tags": st.sampled_from(["a", "b"]),
            "namespace": st.sampled_from(["default", "other"]),
            "mmr": st.sampled_from([0.3, 1]),
            "fusion": st.just("rrf"),
            "order_by": st.just("kind:desc"),
        },
    ).filter(lambda asked: not {"mmr", "order_by"} <= set(asked)),
)
@settings(max_examples=40)
def test_pages_never_repeat_and_cover_all(
    mixed: Memory, query: str, limit: int, asked: dict[str, Any]
) -> None:
    seen: list[tuple[str, str]] = []
    cursor = None
    while True:
        answer: RecallAnswer = mixed.recall(query, limit=limit, cursor=cursor, **asked)
        assert answer.returned == min(limit, answer.filtered_entities - len(seen))
        seen += [(hit.namespace, hit.id) for hit in answer.memories]
        cursor = answer.cursor
        assert answer.truncated is (cursor is not None)
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == answer.filtered_entities
    if "mmr" not in asked:
        whole = mixed.recall(query, limit=1_000, **asked)
        assert [(hit.namespace, hit.id) for hit in whole.memories] == seen


def test_a_ranked_page_repeats_nothing_while_memories_come_and_go(memory: Memory) -> None:
    store_all(memory, ({"id": f"r{n}", "text": "river"} for n in range(6)))
    first = memory.recall("river", limit=2)
    memory.delete("r1")
    memory.delete("r2")
    memory.store("river", id="r0a")
    rest = memory.recall("river", limit=10, cursor=first.cursor)
    assert not set(ids(rest)) & set(ids(first))
    assert set(ids(rest)) == {"r0a", "r3", "r4", "r5"}


def test_a_cursor_belongs_to_its_question(memory: Memory) -> None:
    store_all(memory, ({"id": f"r{n}", "text": "river"} for n in range(6)))
    cursor = memory.recall("river", limit=2).cursor
    assert memory.recall("river", limit=3, cursor=cursor).returned == 3
    others: list[dict[str, Any]] = [{"query": "bank"}, {"query": "river", "kinds": "claim"}]
    for asked in others:
        with pytest.raises(InvalidRequest, match="another request"):
            memory.recall(cursor=cursor, **asked)
    for wrong in ("", "?", "e30", "W10", "WzEsMl0", "\ud800"):
        with pytest.raises(InvalidRequest, match="not a cursor"):
            memory.recall("river", cursor=wrong)


def test_a_budget_keeps_whole_hits_and_says_what_it_drops(memory: Memory) -> None:
    memory.store("river " * 10, id="a")
    memory.store("river " * 100, id="b")
    memory.store("a river", id="c")
    answer = memory.recall("river", budget_tokens=20)
    assert set(ids(answer)) == {"a", "c"}
    assert {hit.text for hit in answer.memories} == {"river " * 10, "a river"}
    assert answer.dropped is not None
    ((name, reason),) = [(one.id, one.reason) for one in answer.dropped]
    assert name == "b"
    assert "150 tokens" in reason
    assert memory.recall("river", budget_tokens=1_000).dropped is None
    assert answer.returned == 2


def test_on_the_wire_memories_are_the_hits(memory: Memory) -> None:
    memory.store("the river bank", kind="claim", tags=["a"])
    payload = json.loads(encode_text(memory.recall("river", kinds="claim")))
    assert list(payload) == [
        *("hits", "query", "queryType", "indexUsed", "filters", "where", "scannedEntities"),
        *("filteredEntities", "returned", "truncated", "asOf"),
    ]
    assert (payload["queryType"], payload["indexUsed"]) == ("semantic", "hybrid")
    assert (payload["filters"], payload["where"]) == (
        *({"kind": {"in": ["claim"]}}, 'kind in ("claim")'),
    )
    (hit,) = payload["hits"]
    assert list(hit) == [
        *("path", "score", "snippet", "namespace", "id", "text", "kind", "kindProvenance"),
        *("tags", "importance", "metadata", "createdAt", "updatedAt", "components"),
    ]
    assert hit["path"] == "winnow://default/m1"
    assert list(hit["components"]) == ["keyword", "vector", "recency", "importance"]


def test_an_exact_set_on_the_wire_has_no_part_of_memories(memory: Memory) -> None:
    payload = encode(memory.recall(schema="legal.Matter"))
    assert isinstance(payload, dict)
    assert "memories" not in payload
    assert {"hits", "schema", "entityIds", "undetermined", "confidenceMinimum"} <= set(payload)
    assert payload["hits"] == []


def test_f90_totals_are_exact_whatever_is_shown(mixed: Memory) -> None:
    for where, count in (("importance >= 0", 23), ('kind = "claim"', 8), ("importance > 1", 0)):
        for asked in ({"limit": 1}, {"limit": 1_000}, {"min_score": 0.9}, {"budget_tokens": 1}):
            answer = mixed.recall("river 3", where=where, **asked)  # pyright: ignore[reportArgumentType]
            assert (answer.filtered_entities, answer.scanned_entities) == (count, 23)
            assert answer.returned == len(answer.memories)


def test_the_same_store_answers_the_same_however_it_came_about(
    tmp_path: Path, memory: Memory, clock: Clock
) -> None:
    texts = ("the river bank", "a bank of money", "zebra", "bank", "river river")
    for number, text in enumerate(texts * 3):
        memory.store(f"{text} {number % 7}", id=f"r{number}")
        memory.recall("bank")  # so that each stands in a part of its own for a while
    memory.delete("r4", purge=True)
    with open_at(tmp_path / "winnow.db", clock) as again:
        for asked in ({}, {"fusion": "rrf"}, {"mmr": 0.5}, {"kinds": "observation"}):
            one, other = (of.recall("river bank 3", **asked) for of in (memory, again))  # pyright: ignore[reportArgumentType]
            assert encode_text(one) == encode_text(other)
        assert encode_text(memory.check("bank")) == encode_text(again.check("bank"))


def test_spreading_looks_at_the_vectors_of_every_model(memory: Memory) -> None:
    set_namespace(memory, "given", embedder="external:2")
    memory.store("made by the other model", id="made")
    for name, vector in (("a", [1, 0]), ("b", [1, 0.01]), ("c", [0, 1])):
        memory.store("text", id=name, namespace="given", vector=vector)
    plain = ids(memory.recall("text", vector=[1, 0.1]))
    assert [name for name in plain if name != "made"] == ["b", "a", "c"]
    spread = ids(memory.recall("text", vector=[1, 0.1], mmr=0.5))
    assert [name for name in spread if name != "made"] == ["b", "c", "a"]


def test_an_empty_store_answers_with_nothing(memory: Memory) -> None:
    for answer in (memory.recall("text"), memory.recall(), memory.recall("a", namespace="never")):
        assert (answer.returned, answer.scanned_entities, answer.truncated) == (0, 0, False)
