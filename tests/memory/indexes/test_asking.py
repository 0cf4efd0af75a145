"""Answers of an index, and what they cost nobody."""

import pytest
from tests.memory.remembering import store_all, temporary_memory

from winnow.memory import Memory
from winnow.memory.indexes.asking import Asking, Query, TooManyVectors
from winnow.memory.indexes.settings import Index, read_index
from winnow.plan.holdings import Fused
from winnow.rank.klyro.scores import Fusion, Weights

FUSED = Fused(Weights(), 60.0, Fusion.LINEAR, 500, 0)


def filled(memory: Memory) -> tuple[Asking, Index]:
    memory.admin.set_namespace("k", embedder="external:2")
    rows = [
        {"namespace": "k", "id": name, "text": text, "given": vector}
        for name, text, vector in (
            ("a", "alpha beta", [1.0, 0.0]),
            ("b", "beta beta", [0.0, 1.0]),
            ("c", "gamma", None),
        )
    ]
    store_all(memory, rows)
    settings = memory.engine.store.spaces.find("k").settings
    return Asking(memory.engine, lambda: 1_024), read_index("k", settings)


def query(text: bytes | None = None, vector: bytes | None = None) -> Query:
    return Query(text, vector, (), 10)


def test_an_index_tells_what_it_holds() -> None:
    with temporary_memory() as memory:
        asking, index = filled(memory)
        held = asking.describe(index)
        assert (held.records, held.vectors, held.words) == (3, 2, 3)
        assert held.length == pytest.approx(5 / 3)
        assert asking.describe(index) is held  # nothing has changed


def test_words_that_came_just_now_are_found() -> None:
    with temporary_memory() as memory:
        asking, index = filled(memory)
        assert [hit.record.id for hit in asking.search_words(index, query(b"beta"))] == ["b", "a"]
        memory.store(text="delta", namespace="k", id="d")
        assert [hit.record.id for hit in asking.search_words(index, query(b"DELTA"))] == ["d"]


def test_more_vectors_than_allowed_are_not_compared() -> None:
    near = b"\0\0\x80?\0\0\0\0"
    with temporary_memory() as memory:
        asking, index = filled(memory)
        assert len(asking.search_vectors(index, query(vector=near), 2)) == 2
        for ask in (
            lambda: asking.search_vectors(index, query(vector=near), 1),
            lambda: asking.search_both(index, query(b"beta", near), FUSED, 1),
        ):
            with pytest.raises(TooManyVectors) as caught:
                ask()
            assert caught.value.count == 2
        assert asking.search_both(index, query(b"beta"), FUSED, 0)
