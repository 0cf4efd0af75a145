"""Ranked recall inside a schema: a hit for each entity, by the words in its notes."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.importing import CLIENT, MATTER, put
from tests.memory.noting import about, entities, noted, read
from tests.memory.remembering import set_namespace

from winnow.errors import InvalidRequest
from winnow.memory import Memory
from winnow.operations.answers import RecallAnswer
from winnow.wire import encode, encode_text

NOTES = {
    "aero.md": about(2001, "The buyer makes turbines for aircraft.", title="Aerospace", tags="[a]"),
    "bakery.md": about(2002, "Bread and cakes.", title="Bakery", escrowPct=9, tags="[b]"),
    "chem.md": about(2003, "Solvents, and pipes.\n\n# Annex\n\nA turbine drives the pump."),
    "memo.md": about(2003, "Nothing but turbines: turbines, turbines.", tags="[b]"),
    "tower.md": about([2004, 2005], "Both own a tower."),
    "client.md": "---\nid: CLT-0001\nname: Turbine Works\n---\nMakes turbines, turbines only.\n",
    "free.md": "Turbines are machines. This note is about no matter.\n",
}


@pytest.fixture(scope="module")
def firm() -> Iterator[Memory]:
    """Five matters in notes, one client, and notes and memories about neither."""
    with noted(NOTES) as memory:
        memory.store("turbines turbines turbines", id="m1")
        yield memory


def inside(memory: Memory, query: str = "turbines", **asked: Any) -> RecallAnswer:
    return memory.recall(query, schema=MATTER, **asked)


def scores(answer: RecallAnswer) -> dict[str, float]:
    return {hit.entity_id: hit.score for hit in answer.entities}


# --- what is found -----------------------------------------------------------------------------


def test_a_query_beside_a_schema_finds_its_entities_by_their_notes(firm: Memory) -> None:
    answer = inside(firm)
    assert (answer.query_type, answer.index_used) == ("schema_typed_semantic", "hybrid")
    assert (answer.schema, answer.query, answer.filters) == (MATTER, "turbines", {})
    assert entities(answer)[:2] == ["MAT-2003", "MAT-2001"]
    assert sorted(entities(answer)) == [f"MAT-{number}" for number in range(2001, 2006)]
    assert (answer.scanned_entities, answer.filtered_entities, answer.returned) == (5, 5, 5)
    assert entities(firm.recall("bread", schema=CLIENT)) == ["CLT-0001"]


def test_a_hit_shows_the_entity_and_the_best_piece_of_its_notes(firm: Memory) -> None:
    best = inside(firm, limit=1).entities[0]
    assert (best.path, best.paths) == ("memo.md", ["chem.md", "memo.md"])
    assert (best.vault, best.entity_type) == ("vault", "Matter")
    assert best.snippet.startswith("Nothing but turbines")
    assert best.components is not None
    assert best.components.keyword == 1
    bakery = inside(firm, "cakes", limit=1).entities[0]
    assert bakery.fields == {"title": "Bakery", "escrowPct": 9}
    assert (bakery.field_confidence or {})["escrowPct"].name == "EXTRACTED"
    plain = inside(firm, "cakes", limit=1, include_confidence_tags=False).entities[0]
    assert (plain.field_confidence, plain.confidence, plain.fields) == (None, None, bakery.fields)


def test_scores_lie_between_0_and_1_and_fall(firm: Memory) -> None:
    """F89."""
    found = [hit.score for hit in inside(firm).entities]
    assert found == sorted(found, reverse=True)
    assert all(0 <= one <= 1 for one in found)


def test_an_entity_comes_once_before_the_limit_is_applied(firm: Memory) -> None:
    """F21: the matter with two notes takes one place."""
    assert entities(inside(firm, limit=2)) == ["MAT-2003", "MAT-2001"]


def test_each_entity_of_a_note_has_all_of_the_note(firm: Memory) -> None:
    answer = inside(firm, "tower", limit=2)
    assert entities(answer) == ["MAT-2004", "MAT-2005"]
    assert answer.entities[0].score == answer.entities[1].score


def test_what_is_written_has_the_keys_of_its_kind(firm: Memory) -> None:
    answer = encode(inside(firm, limit=1))
    assert isinstance(answer, dict)
    assert answer.keys() >= {"hits", "schema", "confidenceMinimum", "scannedEntities", "cursor"}
    assert answer.keys().isdisjoint({"entityIds", "memories", "entityIdsTruncated"})
    exact = encode(firm.recall(schema=MATTER, limit=1))
    assert isinstance(exact, dict)
    assert "components" not in str(exact["hits"])


def test_the_same_question_gives_the_same_bytes(firm: Memory) -> None:
    first = encode_text(inside(firm))
    firm.store("another memory changes no score", id="m2", namespace="elsewhere")
    second = encode_text(inside(firm, namespace="default"))
    assert first.split('"asOf"')[0] == second.split('"asOf"')[0]


def test_with_a_filter_the_set_is_exact_and_the_query_does_not_rank_it(firm: Memory) -> None:
    answer = inside(firm, "cakes", filters={})
    assert answer.query_type == "structured_predicate"
    assert [hit.score for hit in answer.entities] == [1.0] * 5
    assert list(answer.entity_ids) == entities(answer) == sorted(entities(answer))


# --- conditions --------------------------------------------------------------------------------


def test_conditions_of_notes_decide_before_anything_is_scored(firm: Memory) -> None:
    """F20, F56: the words are looked for in the notes that meet them, and in no others."""
    answer = inside(firm, tags="b")
    assert entities(answer) == ["MAT-2003", "MAT-2002"]
    assert (answer.scanned_entities, answer.filtered_entities) == (5, 2)
    assert answer.of_notes is not None
    (hit,) = inside(firm, "turbines aircraft", tags="b", limit=1).entities
    assert (hit.entity_id, hit.path) == ("MAT-2003", "memo.md")
    assert entities(inside(firm, kinds="bogus")) == []


def test_one_that_meets_the_condition_is_found_however_far_it_is_from_the_query() -> None:
    """F20, F22: among 300 that answer the query better, at any limit."""
    notes = {f"{n}.md": about(3000 + n, f"turbines and more turbines {n}") for n in range(300)}
    notes["far.md"] = about(2000, "Bread.", tags="[rare]", kind="goal", created="1999-01-01")
    with noted(notes) as memory:
        for asked in ({"tags": "rare"}, {"kinds": "goal"}, {"until": "1999"}):
            for limit in (1, 10):
                answer = inside(memory, limit=limit, **asked)
                assert entities(answer) == ["MAT-2000"]
                assert answer.filtered_entities == 1
        assert inside(memory, limit=1000).returned == 301


# --- what has no notes -------------------------------------------------------------------------


def test_what_no_note_speaks_of_comes_last_and_that_is_said() -> None:
    with noted({"a.md": about(2005, "Bread.")}) as memory:
        put(memory, "MAT-2001", title="Turbines")
        put(memory, "MAT-2009", title="Bread")
        answer = inside(memory, "bread")
        assert entities(answer) == ["MAT-2005", "MAT-2001", "MAT-2009"]
        assert [hit.components is None for hit in answer.entities] == [False, True, True]
        last = answer.entities[1]
        assert (last.score, last.snippet, last.path) == (
            0.0,
            "Turbines",
            "winnow://legal.Matter/MAT-2001",
        )
        told = "2 of 3 legal.Matter have no note to find words in, and come last"
        assert told in (answer.warnings or ())
        assert entities(inside(memory, "bread", min_score=0)) == entities(answer)
        found = inside(memory, "bread", min_score=0.01)
        assert entities(found) == ["MAT-2005"]
        assert any("left out by minScore" in told for told in found.warnings or ())
        assert entities(inside(memory, "bread", limit=2)) == ["MAT-2005", "MAT-2001"]


def test_a_store_of_imports_alone_answers_in_the_order_of_ids(memory: Memory) -> None:
    for number in (2003, 2001, 2002):
        put(memory, f"MAT-{number}")
    answer = inside(memory)
    assert entities(answer) == ["MAT-2001", "MAT-2002", "MAT-2003"]
    assert answer.warnings is not None


# --- options -----------------------------------------------------------------------------------


def test_too_low_scores_are_left_out_before_the_limit(firm: Memory) -> None:
    """F21."""
    second = inside(firm).entities[1].score
    answer = inside(firm, min_score=second)
    assert entities(answer) == ["MAT-2003", "MAT-2001"]
    assert entities(inside(firm, min_score=second + 1e-6)) == ["MAT-2003"]
    assert (answer.filtered_entities, answer.truncated) == (5, False)


def test_the_budget_takes_whole_hits_and_says_which_it_left_out(firm: Memory) -> None:
    everything = inside(firm)
    answer = inside(firm, budget_tokens=30)
    dropped = [one.id for one in answer.dropped or ()]
    assert dropped
    assert sorted([*entities(answer), *dropped]) == sorted(entities(everything))
    assert inside(firm, budget_tokens=100_000).entities == everything.entities


def test_words_and_meaning_can_be_fused_by_rank_and_hits_be_spread(firm: Memory) -> None:
    ranked = inside(firm, fusion="rrf")
    assert entities(ranked)[0] == "MAT-2003"
    assert scores(ranked) != scores(inside(firm))
    spread = inside(firm, mmr=0.2)
    assert sorted(entities(spread)) == sorted(entities(inside(firm)))
    assert entities(inside(firm, mmr=1)) == entities(inside(firm))


def test_the_callers_vector_finds_where_vectors_are_external(memory: Memory, tmp_path: Any) -> None:
    set_namespace(memory, "default", embedder="external:2")
    read(memory, tmp_path / "vault", {"a.md": about(2001, "Bread."), "b.md": about(2002, "Cake.")})
    answer = inside(memory, "cake", vector=[1, 0])
    assert entities(answer) == ["MAT-2002", "MAT-2001"]
    with pytest.raises(InvalidRequest, match="expected 2 numbers"):
        inside(memory, "cake", vector=[1, 0, 0])


def test_without_an_embedder_words_alone_rank(memory: Memory, tmp_path: Any) -> None:
    set_namespace(memory, "default", embedder="none")
    read(memory, tmp_path / "vault", {"a.md": about(2001, "Bread."), "b.md": about(2002, "Cake.")})
    answer = inside(memory, "cake")
    assert (entities(answer)[0], answer.index_used) == ("MAT-2002", "vault")


def test_sources_that_are_not_notes_are_said_not_to_be_used(firm: Memory) -> None:
    answer = inside(firm, sources=["vault", "memory", "onyx"], max_depth=2)
    assert [note.source for note in answer.source_notes or ()] == ["memory", "onyx", "links"]
    assert answer.index_used == "vault"
    assert inside(firm, sources="vector").index_used == "vector"
    assert inside(firm).source_notes is None
    with pytest.raises(InvalidRequest, match="sources"):
        inside(firm, sources=["valt"])


@pytest.mark.parametrize("query", ["don't", '"', "C++", "*", "NEAR(", "?!", "设备", "🦀", "the"])
def test_no_query_is_an_error(firm: Memory, query: str) -> None:
    """F82."""
    assert inside(firm, query).returned == 5


def test_a_lone_surrogate_is_one(firm: Memory) -> None:
    with pytest.raises(InvalidRequest, match="query"):
        inside(firm, "\ud800")
    with pytest.raises(InvalidRequest, match="query"):
        inside(firm, "\ud800", where="escrowPct > 1")


# --- order -------------------------------------------------------------------------------------


def test_an_order_stands_in_place_of_ranking(firm: Memory) -> None:
    answer = inside(firm, order_by="title:desc")
    assert entities(answer) == ["MAT-2002", "MAT-2001", "MAT-2003", "MAT-2004", "MAT-2005"]
    assert answer.query_type == "schema_typed_semantic"
    assert answer.entities[0].components is None
    first = inside(firm, order_by="title:desc", limit=2)
    rest = inside(firm, order_by="title:desc", limit=2, cursor=first.cursor)
    assert entities(rest) == ["MAT-2003", "MAT-2004"]
    with pytest.raises(InvalidRequest, match="in place of ranking") as told:
        inside(firm, order_by="title", min_score=0.5, mmr=0.5)
    assert [fault.pointer for fault in told.value.faults] == ["/minScore", "/mmr"]


def test_an_order_by_relevance_is_the_ranking(firm: Memory) -> None:
    ranked = inside(firm)
    assert inside(firm, order_by="relevance").entities == ranked.entities
    turned = inside(firm, order_by="relevance:asc")
    best = [hit.score for hit in ranked.entities]
    assert [hit.score for hit in turned.entities] == best[::-1]
    mixed = inside(firm, order_by=["relevance", "title"])
    assert scores(mixed) == scores(ranked)


def test_pages_never_repeat_a_hit_and_leave_none_out(firm: Memory) -> None:
    everything = entities(inside(firm))
    found: list[str] = []
    cursor = None
    while len(found) < 5:
        answer = inside(firm, limit=2, cursor=cursor)
        found += entities(answer)
        cursor = answer.cursor
        assert answer.truncated == (cursor is not None) == (len(found) < 5)
    assert found == everything
    with pytest.raises(InvalidRequest, match="another request"):
        inside(firm, "bread", limit=2, cursor=inside(firm, limit=2).cursor)


def test_near_misses_and_open_values_are_matters_of_a_filter(firm: Memory) -> None:
    answer = inside(firm, near_misses=3)
    assert (answer.near_misses, answer.undetermined.count) == ([], 0)


# --- namespaces --------------------------------------------------------------------------------


def test_notes_of_another_namespace_never_change_a_score(tmp_path: Any, memory: Memory) -> None:
    """F17, F31."""
    read(memory, tmp_path / "a", {"a.md": about(2001, "turbines"), "b.md": about(2002, "bread")})
    before = inside(memory, namespace="default")
    read(memory, tmp_path / "b", {"c.md": about(2001, "turbines " * 50)}, "other")
    after = inside(memory, namespace="default")
    assert after.entities == before.entities
    both = inside(memory)
    homes = [(hit.namespace, hit.entity_id) for hit in both.entities]
    assert homes.count(("other", "MAT-2001")) == 1
    assert both.returned == 3


# --- any notes ---------------------------------------------------------------------------------

WORDS = ("turbine", "bread", "tower", "pump")
NOTE = st.tuples(
    st.integers(2001, 2004), st.lists(st.sampled_from(WORDS), max_size=4), st.booleans()
)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(NOTE, min_size=1, max_size=7),
    st.sets(st.integers(2003, 2006)),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=2),
    st.integers(1, 5),
)
def test_hits_are_of_the_set_and_as_many_as_there_can_be(
    notes: list[tuple[int, list[str], bool]], imported: set[int], words: list[str], limit: int
) -> None:
    """F20, F56: whatever is asked, the ids are of those that meet it; pages show each once."""
    texts = {
        f"{number}.md": about(matter, " ".join(said), tags="[rare]" if rare else "[]")
        for number, (matter, said, rare) in enumerate(notes)
    }
    with noted(texts) as memory:
        for number in sorted(imported):
            put(memory, f"MAT-{number}")
        rare = {matter for matter, _, tagged in notes if tagged}
        everything = {matter for matter, _, _ in notes} | imported
        cases: list[tuple[Mapping[str, Any], set[int]]] = [
            ({}, everything),
            ({"tags": "rare"}, rare),
        ]
        for asked, expected in cases:
            whole = inside(memory, " ".join(words), **asked, limit=100)
            names = {f"MAT-{number}" for number in expected}
            assert sorted(entities(whole)) == sorted(names)
            answer = inside(memory, " ".join(words), **asked, limit=limit)
            assert answer.returned == min(limit, len(names)) == len(answer.entities)
            assert answer.entities == whole.entities[:limit]
            assert answer.filtered_entities == len(names)
            seen = entities(answer)
            while answer.cursor is not None:
                answer = inside(memory, " ".join(words), **asked, limit=limit, cursor=answer.cursor)
                seen += entities(answer)
            assert seen == entities(whole)


def test_a_store_that_has_switched_schemas_off_still_answers_without_one(firm: Memory) -> None:
    off = Memory(replace(firm.engine, enabled=False))
    assert off.recall("turbines").query_type == "semantic"
