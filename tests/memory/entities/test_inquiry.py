"""Conditions of notes beside a schema: they decide which entities are in the question at all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.importing import MATTER, put
from tests.memory.noting import about, entities, noted, read
from tests.memory.remembering import Clock, open_at

from winnow.access import Access, Scope
from winnow.errors import InvalidRequest, OntologyDisabled
from winnow.memory import Memory
from winnow.wire import encode

NOTES = {
    "deal.md": about(
        2001, "A deal.", escrowPct=12, kind="decision", tags="[law/ip]", created="2026-01-05"
    ),
    "memo.md": about(2001, "A memo.", kind="event", tags="[food]", created="2025-06-01"),
    "bakery.md": about(
        2002, "Bread.", escrowPct=9, tags="[food]", entity="Baker", created="2025-01-05"
    ),
    "plan.md": about(2003, "Plan.", escrowPct="open", memoryType="semantic", created="2026-02-01"),
    "town.md": about([2004, 2005], "Two in one."),
}


@pytest.fixture(scope="module")
def firm() -> Iterator[Memory]:
    """Five matters in notes, and one that was imported."""
    with noted(NOTES) as memory:
        put(memory, "MAT-2006", escrowPct=30)
        yield memory


def found(memory: Memory, **asked: Any) -> list[int]:
    """The numbers of the matters that recall, count, list and aggregate agree on."""
    answer = memory.recall(schema=MATTER, **asked)
    numbers = [int(name.removeprefix("MAT-")) for name in answer.entity_ids]
    listed = memory.list(schema=MATTER, **asked, limit=100)
    figures = memory.aggregate(schema=MATTER, **asked)
    assert [hit.entity_id for hit in listed.entities] == list(answer.entity_ids)
    assert memory.count(schema=MATTER, **asked).count == len(numbers)
    assert figures.filtered_entities == answer.filtered_entities == len(numbers)
    assert listed.of_notes == figures.of_notes == answer.of_notes
    assert listed.warnings == figures.warnings == answer.warnings
    return numbers


# --- what is kept ------------------------------------------------------------------------------

KEPT: Sequence[tuple[Mapping[str, Any], Sequence[int]]] = [
    ({"kinds": "decision"}, [2001]),
    ({"kinds": ["decision", "event"]}, [2001]),
    ({"tags": "law"}, [2001]),
    ({"tags": ["FOOD", "none"]}, [2001, 2002]),
    ({"entity": "Baker"}, [2002]),
    ({"entity": "baker"}, []),
    ({"memory_type": "semantic"}, [2003]),
    ({"since": "2026-01-05", "until": "2026-01-05"}, [2001]),
    ({"until": "2025"}, [2001, 2002, 2004, 2005]),
    ({"since": "2026-02"}, [2003]),
]


@pytest.mark.parametrize(("asked", "expected"), KEPT)
def test_an_entity_is_kept_if_one_of_its_notes_meets_a_condition(
    firm: Memory, asked: Mapping[str, Any], expected: Sequence[int]
) -> None:
    """F19, F24: by recall, count, list and aggregate alike."""
    assert found(firm, **asked) == list(expected)


def test_all_conditions_are_about_one_and_the_same_note(firm: Memory) -> None:
    assert found(firm, kinds="decision", tags="law", since="2026") == [2001]
    assert found(firm, kinds="decision", tags="food") == []
    assert found(firm, tags="food", since="2026") == []


def test_a_filter_holds_beside_them(firm: Memory) -> None:
    assert found(firm, tags="food", where="escrowPct >= 10") == [2001]
    assert found(firm, tags="food", where="not escrowPct >= 10") == [2002]


def test_what_no_note_speaks_of_meets_none_and_that_is_said(firm: Memory) -> None:
    assert found(firm, where="escrowPct > 20") == [2006]
    assert found(firm, where="escrowPct > 20", since="1970") == []
    warnings = firm.recall(schema=MATTER, since="1970", kinds="observation").warnings
    told = "1 of 6 legal.Matter have no note, so they don't meet kinds, since"
    assert warnings is not None
    assert told in warnings


@pytest.mark.parametrize("kinds", [[], "", "all", "ALL"])
def test_a_condition_that_says_nothing_is_none(firm: Memory, kinds: Any) -> None:
    assert found(firm, kinds=kinds, tags=["", " "]) == [2001, 2002, 2003, 2004, 2005, 2006]
    assert firm.recall(schema=MATTER, kinds=kinds).of_notes is None


def test_unknown_kinds_are_named_and_never_widen_the_answer(firm: Memory) -> None:
    answer = firm.recall(schema=MATTER, kinds="decision,Event")
    assert list(answer.entity_ids) == ["MAT-2001"]
    assert any("did you mean 'event'" in told for told in answer.warnings or ())
    assert found(firm, kinds="bogus") == []


# --- what is told of it ------------------------------------------------------------------------


def test_the_counts_tell_what_was_in_scope_and_what_is_left(firm: Memory) -> None:
    answer = firm.recall(schema=MATTER, tags="food", where="escrowPct >= 10")
    assert (answer.scanned_entities, answer.filtered_entities, answer.returned) == (6, 1, 1)


def test_the_answer_repeats_the_conditions_apart_from_the_filter(firm: Memory) -> None:
    """F03."""
    answer = encode(firm.recall(schema=MATTER, where="escrowPct > 1", kinds="decision"))
    assert isinstance(answer, dict)
    assert answer["filters"] == {"escrowPct": {"gt": 1}}
    assert answer["where"] == "escrowPct > 1"
    assert answer["ofNotes"] == {
        "filters": {"kind": {"in": ["decision"]}},
        "where": 'kind in ("decision")',
    }
    plain = encode(firm.recall(schema=MATTER, where="escrowPct > 1"))
    assert isinstance(plain, dict)
    assert "ofNotes" not in plain


def test_what_the_conditions_keep_out_is_decided(firm: Memory) -> None:
    open_ = firm.recall(schema=MATTER, where="escrowPct >= 10").undetermined
    assert {one.entity_id for one in open_.sample} == {"MAT-2003", "MAT-2004", "MAT-2005"}
    some = firm.recall(schema=MATTER, where="escrowPct >= 10", memory_type="semantic").undetermined
    assert (some.count, [one.entity_id for one in some.sample]) == (1, ["MAT-2003"])
    assert firm.count(schema=MATTER, where="escrowPct >= 10", tags="food").undetermined == 0


def test_what_the_conditions_keep_out_is_no_near_miss(firm: Memory) -> None:
    asked: Mapping[str, Any] = {"schema": MATTER, "where": "escrowPct >= 50", "near_misses": 9}
    misses = firm.recall(**asked).near_misses or ()
    assert [one.entity_id for one in misses] == ["MAT-2006", "MAT-2001", "MAT-2002"]
    misses = firm.recall(**asked, tags="food").near_misses or ()
    assert [one.entity_id for one in misses] == ["MAT-2001", "MAT-2002"]


def test_pages_are_of_what_is_kept_and_belong_to_the_conditions(firm: Memory) -> None:
    asked: Mapping[str, Any] = {"schema": MATTER, "limit": 1}
    first = firm.recall(**asked, tags="food")
    second = firm.recall(**asked, tags="food", cursor=first.cursor)
    assert (entities(first), entities(second)) == (["MAT-2001"], ["MAT-2002"])
    assert second.cursor is None
    with pytest.raises(InvalidRequest, match="another request"):
        firm.recall(**asked, tags="law", cursor=first.cursor)


def test_all_faults_are_told_at_once(firm: Memory) -> None:
    with pytest.raises(InvalidRequest) as told:
        firm.recall(schema=MATTER, where="escrowPrct > 1", since="soon", entity="\ud800")
    pointers = {fault.pointer for fault in told.value.faults}
    assert pointers == {"/where", "/since", "/entity"}


@pytest.mark.parametrize("operation", ["recall", "count", "list", "aggregate"])
def test_a_wrong_condition_is_an_error_everywhere(firm: Memory, operation: str) -> None:
    with pytest.raises(InvalidRequest, match="since"):
        getattr(firm, operation)(schema=MATTER, since="soon")


def test_where_schemas_are_switched_off_nothing_falls_back(firm: Memory) -> None:
    off = Memory(replace(firm.engine, enabled=False))
    for asked in ({"kinds": "decision"}, {"query": "deal"}, {"where": "escrowPct > 1"}):
        with pytest.raises(OntologyDisabled):
            off.recall(schema=MATTER, **asked)  # pyright: ignore[reportArgumentType]


# --- namespaces --------------------------------------------------------------------------------


def test_only_notes_of_namespaces_that_may_be_seen_count(tmp_path: Any) -> None:
    """F31: the notes of one tenant say nothing of the entities of another."""
    with open_at(tmp_path / "w.db", Clock()) as memory:
        read(memory, tmp_path / "a", {"a.md": about(2001, tags="[mine]")}, "north")
        read(memory, tmp_path / "b", {"b.md": about(2001, tags="[yours]")}, "south")
        put(memory, "MAT-2001", namespace="west", status="Active")
        south = memory.restricted(Access(frozenset({Scope.READ}), frozenset({"south"})))
        assert found(south, tags="mine") == []
        assert south.recall(schema=MATTER, tags="mine").scanned_entities == 1
        answer = memory.recall(schema=MATTER, tags="yours")
        assert [hit.namespace for hit in answer.entities] == ["south"]
        assert found(memory, tags="mine", namespace="south") == []


# --- any notes and any conditions --------------------------------------------------------------

TAGS, KINDS, YEARS = ("a", "b"), ("decision", "event"), (2024, 2025)
NOTE = st.tuples(
    st.sets(st.sampled_from([2001, 2002, 2003]), min_size=1, max_size=1),
    st.sampled_from(KINDS),
    st.sets(st.sampled_from(TAGS)),
    st.sampled_from(YEARS),
)
ASKED = st.fixed_dictionaries(
    {},
    optional={
        "kinds": st.lists(st.sampled_from(KINDS), min_size=1, unique=True),
        "tags": st.lists(st.sampled_from(TAGS), min_size=1, unique=True),
        "since": st.sampled_from(["2024", "2025"]),
        "until": st.sampled_from(["2024", "2025"]),
    },
)


def meets(note: tuple[set[int], str, set[str], int], asked: Mapping[str, Any]) -> bool:
    _, kind, tags, year = note
    return (
        kind in asked.get("kinds", KINDS)
        and ("tags" not in asked or not tags.isdisjoint(asked["tags"]))
        and int(asked.get("since", 0)) <= year <= int(asked.get("until", 9999))
    )


@settings(max_examples=20, deadline=None)
@given(st.lists(NOTE, min_size=1, max_size=6), st.lists(ASKED, min_size=1, max_size=6))
def test_an_entity_is_kept_exactly_if_a_note_meets_all(
    notes: list[tuple[set[int], str, set[str], int]], every: list[Mapping[str, Any]]
) -> None:
    texts = {
        f"{number}.md": about(min(ids), kind=kind, tags=sorted(tags), created=f"{year}-03-01")
        for number, (ids, kind, tags, year) in enumerate(notes)
    }
    with noted(texts) as memory:
        for asked in every:
            kept = {min(note[0]) for note in notes if meets(note, asked)}
            assert found(memory, **asked) == sorted(kept)
