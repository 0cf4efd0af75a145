"""Order by relevance: the exact set that a filter describes, in the order of a query."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.importing import MATTER, put
from tests.memory.noting import about, entities, noted, read

from winnow.errors import InvalidRequest
from winnow.memory import Memory
from winnow.operations.answers import RecallAnswer

NOTES = {
    "a.md": about(2001, "Bread and cakes.", escrowPct=5),
    "b.md": about(2002, "Turbines.", escrowPct=15),
    "c.md": about(2003, "Turbines, turbines and turbines.", escrowPct=25),
    "d.md": about(2004, "Turbines turbines turbines turbines."),
}
EVERYTHING = ["MAT-2003", "MAT-2002", "MAT-2001", "MAT-2000", "MAT-2009"]


@pytest.fixture(scope="module")
def firm() -> Iterator[Memory]:
    """Matters in notes, one of them without an escrow, and two that were imported."""
    with noted(NOTES) as memory:
        put(memory, "MAT-2009", escrowPct=1)
        put(memory, "MAT-2000", escrowPct=1)
        yield memory


def ordered(memory: Memory, query: str = "turbines", **asked: Any) -> RecallAnswer:
    given: Mapping[str, Any] = {"where": "escrowPct > 0", "order_by": "relevance", **asked}
    return memory.recall(query, schema=MATTER, **given)


def test_relevance_orders_the_exact_set_by_the_query(firm: Memory) -> None:
    answer = ordered(firm)
    assert entities(answer) == list(answer.entity_ids) == EVERYTHING
    assert (answer.query_type, answer.index_used) == ("structured_predicate", "ontology")
    assert [hit.score for hit in answer.entities] == [1.0] * 5
    assert answer.order_by == [{"field": "relevance", "direction": "desc"}]
    assert list(ordered(firm, limit=1).entity_ids) == EVERYTHING
    assert entities(ordered(firm, "cakes", limit=1)) == ["MAT-2001"]


def test_each_hit_tells_what_its_place_comes_from(firm: Memory) -> None:
    parts = [hit.components for hit in ordered(firm).entities]
    assert parts[0] is not None
    assert parts[0].keyword == 1
    assert parts[3:] == [None, None]


@pytest.mark.parametrize(
    "order", ["relevance", "relevance:desc", ["relevance"], [{"field": "relevance"}]]
)
def test_the_best_comes_first_however_it_is_spelled(firm: Memory, order: Any) -> None:
    assert entities(ordered(firm, order_by=order)) == EVERYTHING


def test_turned_around_those_without_a_score_still_come_last(firm: Memory) -> None:
    """The two others stand in the order of their ids: nothing tells them apart."""
    answer = ordered(firm, order_by=[{"field": "relevance", "direction": "asc"}])
    assert entities(answer) == ["MAT-2001", "MAT-2002", "MAT-2003", "MAT-2000", "MAT-2009"]


def test_it_stands_beside_other_sort_keys(firm: Memory) -> None:
    answer = ordered(firm, order_by="relevance, escrowPct")
    assert entities(answer) == EVERYTHING
    answer = ordered(firm, where="everything", order_by="escrowPct:desc, relevance")
    expected = ["MAT-2003", "MAT-2002", "MAT-2001", "MAT-2000", "MAT-2009", "MAT-2004"]
    assert entities(answer) == expected


def test_what_has_no_notes_is_said_to_come_last(firm: Memory) -> None:
    told = "2 of 5 legal.Matter have no note to find words in, and come last"
    assert told in (ordered(firm).warnings or ())


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_pages_repeat_nothing_and_leave_nothing_out(firm: Memory, limit: int) -> None:
    answer = ordered(firm, limit=limit)
    found = entities(answer)
    while answer.cursor is not None:
        answer = ordered(firm, limit=limit, cursor=answer.cursor)
        assert list(answer.entity_ids) == EVERYTHING
        found += entities(answer)
    assert found == EVERYTHING


def test_a_page_belongs_to_its_query(firm: Memory) -> None:
    cursor = ordered(firm, limit=1).cursor
    with pytest.raises(InvalidRequest, match="another request"):
        ordered(firm, "bread", limit=1, cursor=cursor)
    with pytest.raises(InvalidRequest, match="another request"):
        ordered(firm, limit=1, fusion="rrf", cursor=cursor)


@pytest.mark.parametrize("query", ["", "  "])
def test_without_a_query_nothing_is_relevant(firm: Memory, query: str) -> None:
    with pytest.raises(InvalidRequest, match="/orderBy/1: relevance is to a query; give one"):
        ordered(firm, query, order_by="title,relevance")


def test_where_there_is_no_query_it_is_an_unknown_field(firm: Memory) -> None:
    """F29b, F32."""
    with pytest.raises(InvalidRequest, match="unknown field 'relevance'"):
        firm.list(schema=MATTER, order_by="relevance")


@pytest.mark.parametrize(
    "asked", [{"vector": [1.0]}, {"min_score": 0.5}, {"budget_tokens": 9}, {"mmr": 0.5}]
)
def test_an_exact_set_takes_no_option_of_ranking(firm: Memory, asked: Mapping[str, Any]) -> None:
    with pytest.raises(InvalidRequest, match="an exact set is not ranked"):
        ordered(firm, **asked)


def test_fusion_has_a_meaning_only_where_the_query_orders(firm: Memory) -> None:
    assert sorted(entities(ordered(firm, fusion="rrf"))) == sorted(EVERYTHING)
    with pytest.raises(InvalidRequest, match="/fusion: an exact set is not ranked"):
        ordered(firm, fusion="rrf", order_by="escrowPct")


def test_sources_that_an_exact_set_has_no_use_for_are_said(firm: Memory) -> None:
    answer = ordered(firm, sources=["vault", "memory", "vector"], max_depth=1)
    assert [one.source for one in answer.source_notes or ()] == ["memory", "vector", "links"]
    assert entities(answer) == EVERYTHING


def test_a_schema_that_has_such_a_field_keeps_it(memory: Memory, tmp_path: Path) -> None:
    pack = """
pack: works
schemas:
  Work:
    description: A work.
    id: {pattern: 'WRK-[0-9]+', keys: [id]}
    fields:
      relevance: {type: integer}
"""
    folder = tmp_path / "vault"
    (folder / ".winnow").mkdir(parents=True)
    (folder / ".winnow" / "works.yaml").write_text(pack)
    notes = {f"{n}.md": f"---\nid: WRK-{n}\nrelevance: {9 - n}\n---\nx\n" for n in (1, 2)}
    read(memory, folder, notes)
    answer = memory.recall("x", schema="works.Work", filters={}, order_by="relevance")
    assert entities(answer) == ["WRK-2", "WRK-1"]
    assert answer.order_by == [{"field": "relevance", "direction": "asc"}]


WORDS = ("turbine", "bread", "tower")
NOTE = st.tuples(st.integers(2001, 2005), st.lists(st.sampled_from(WORDS), max_size=3))


@settings(max_examples=15, deadline=None)
@given(
    st.lists(NOTE, min_size=1, max_size=7),
    st.sets(st.integers(2004, 2007)),
    st.sampled_from(WORDS),
    st.integers(1, 4),
)
def test_the_order_is_that_of_the_ranking_inside_the_schema(
    notes: list[tuple[int, list[str]]], imported: set[int], query: str, limit: int
) -> None:
    texts = {f"{n}.md": about(one, " ".join(said)) for n, (one, said) in enumerate(notes)}
    with noted(texts) as memory:
        for number in sorted(imported):
            put(memory, f"MAT-{number}")
        ranked = memory.recall(query, schema=MATTER, limit=100)
        answer = memory.recall(query, schema=MATTER, filters={}, order_by="relevance", limit=limit)
        assert list(answer.entity_ids) == entities(ranked)
        assert entities(answer) == entities(ranked)[:limit]
