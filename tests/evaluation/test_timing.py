"""`bench` asks what the store itself suggests, counts right, and leaves the store as it is."""

import random
from collections.abc import Generator
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

import winnow
from winnow.demo.notes import write_firm
from winnow.errors import InvalidRequest
from winnow.evaluation.sampling import (
    SHARES,
    Sampled,
    choose,
    read_values,
    sample_filters,
    sample_queries,
    sample_records,
)
from winnow.evaluation.timing import MEMORIES, bench, find_percentile
from winnow.memory import Memory
from winnow.values import Json

STORED = 400
ODD: dict[str, Json] = {'a "b".c': "ü\nx", "": "empty", "n": 2**60, "deep": {"er": [1]}, "no": None}


def lines(count: int) -> Generator[dict[str, object]]:
    pick = random.Random(3)
    words = ["river", "bank", "boat", "garden", "meeting", "ship", "tests", "deploy"]
    for number in range(count):
        yield {
            "id": f"r{number}",
            "text": " ".join(pick.choices(words, k=12)),
            "tags": [f"t{number % 40}"],
            "metadata": {"bucket": number % 100, "ok": number % 2 == 0, **(ODD if number else {})},
        }


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Generator[Memory]:
    folder = tmp_path_factory.mktemp("timing")
    write_firm(folder / "firm")
    with winnow.open(folder / "w.db") as memory:
        memory.admin.index(str(folder / "firm"))
        memory.admin.import_(objects=lines(STORED))
        memory.store("alone", namespace="other")
        memory.admin.set_namespace("given", embedder="external:2")
        memory.store("with a vector", namespace="given", vector=[3.0, 4.0])
        yield memory


def test_every_subject_is_asked_each_operation_at_every_share_that_it_has(memory: Memory) -> None:
    answer = bench(memory, None, 2)
    assert answer.totals.keys() == {MEMORIES, "legal.Matter", "legal.Client"}
    assert answer.totals["legal.Matter"] == 12
    asked = {(one.of, one.operation, one.where == []) for one in answer.figures}
    operations = ("recall", "list", "count")
    assert {(of, one, True) for of in answer.totals for one in operations} <= asked
    for one in answer.figures:
        assert 0 < one.candidates <= answer.totals[one.of]
        assert one.share == pytest.approx(one.candidates / answer.totals[one.of], rel=0.01)
        assert 0 < one.p50_ms <= one.p95_ms
        assert one.answer_bytes > 0
        schema = None if one.of == MEMORIES else one.of
        counts = [memory.count(schema=schema, where=where).count for where in one.where]
        assert one.candidates == int(median(counts or [answer.totals[one.of]]))


def test_filters_are_found_for_small_shares_too(memory: Memory) -> None:
    found = [one for one in bench(memory, "default", 1).figures if one.of == MEMORIES]
    assert {round(1 / one.share) for one in found} >= {1}
    assert min(one.share for one in found) < 0.02
    assert 0.05 < sorted({one.share for one in found})[-2] < 0.4


def test_the_store_is_as_it_was(memory: Memory, tmp_path: Path) -> None:
    def export(name: str) -> bytes:
        memory.admin.export(str(tmp_path / name))
        return (tmp_path / name).read_bytes()

    before, change = export("before"), memory.count().as_of
    bench(memory, None, 1)
    assert (export("after"), memory.count().as_of) == (before, change)


def test_a_namespace_alone_is_asked_of(memory: Memory) -> None:
    answer = bench(memory, "other", 1)
    assert answer.totals == {MEMORIES: 1}
    assert {record.namespace for record in sample_records(memory, "other", 10)} == {"other"}


def test_where_there_is_nothing_to_ask_about_that_is_told(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="none has nothing to ask about yet"):
        bench(memory, "none", 1)
    with (
        winnow.open(tmp_path / "empty.db") as empty,
        pytest.raises(InvalidRequest, match="the store has nothing"),
    ):
        bench(empty, None, 1)


def test_the_same_store_gets_the_same_questions(memory: Memory) -> None:
    first, second = ([one.where for one in bench(memory, None, 1).figures] for _ in range(2))
    assert first == second


def test_queries_are_words_of_texts_with_a_vector_where_the_caller_gives_them(
    memory: Memory,
) -> None:
    records = sample_records(memory, None, STORED)
    queries = sample_queries(memory, records, STORED)
    texts = [" ".join(record.text.split()) for record in records]
    assert any(query.text in text for query in queries for text in texts)
    assert [query.vector for query in queries if query.vector] == [[3.0, 4.0]]
    assert all(len(query.text.split()) <= 5 for query in queries)


def test_what_an_item_has_is_what_its_filters_find(memory: Memory) -> None:
    (record,) = memory.engine.store.records.fetch("default", ["r7"])
    assert record is not None

    def count(filters: dict[str, Json]) -> object:
        found = memory.list(filters=filters, namespace="default", limit=STORED)
        assert any(one.id == "r7" for one in found.memories or ()), filters
        return memory.count(filters=filters, namespace="default")

    sampled = list(sample_filters([read_values(record)], count))  # pyright: ignore[reportArgumentType]
    assert len(sampled) > 12
    assert len({one.where for one in sampled}) == len(sampled)
    assert 'metadata."a \\"b\\".c" = "ü\\nx"' in {one.where for one in sampled}


@given(st.lists(st.integers(1, 9_999), max_size=50))
def test_the_filters_of_a_share_are_near_to_it(counts: list[int]) -> None:
    total = 10_000
    chosen = choose([Sampled({}, str(place), n) for place, n in enumerate(counts)], total)
    assert chosen[1.0] == [Sampled({}, "", total)]
    for share in SHARES[1:]:
        near = [n for n in counts if 0.32 < n / total / share < 3.16]
        picked = [one.matched for one in chosen.get(share, [])]
        assert len(picked) >= min(len(near), 3)
        assert all(0.3 < n / total / share < 3.3 for n in picked)


@given(st.lists(st.floats(0, 100), min_size=1), st.integers(1, 100))
def test_a_percentile_is_not_exceeded_by_so_many(values: list[float], percent: int) -> None:
    found = find_percentile(values, percent)
    assert found in values
    assert sum(one <= found for one in values) >= len(values) * percent / 100
    assert sum(one < found for one in values) < len(values) * percent / 100
