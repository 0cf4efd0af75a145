"""Notes that links lead to: which are added, in which order, and that all conditions hold."""

import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import Clock, open_at, store_all
from tests.vault.making import make_vault

from winnow.access import Access, Scope
from winnow.memory import Memory
from winnow.memory.state.links import LinkMap
from winnow.operations.answers import RecallAnswer
from winnow.operations.memories import MemoryHit
from winnow.wire import encode, encode_text

TOP = "zebra quagga"


def note(text: str, links: Iterable[str] = (), **frontmatter: str) -> str:
    lines = "".join(f"{name}: {value}\n" for name, value in frontmatter.items())
    return f"---\n{lines}---\n{text} {' '.join(f'[[{one}]]' for one in links)}\n"


@contextmanager
def indexed(notes: Mapping[str, str], clock: Clock | None = None) -> Generator[Memory]:
    """A store of the notes of one vault."""
    with tempfile.TemporaryDirectory() as name:
        folder = make_vault(Path(name) / "vault", {f"{one}.md": notes[one] for one in notes})
        with open_at(Path(name) / "winnow.db", clock or Clock()) as opened:
            opened.admin.index(str(folder))
            yield opened


def path(hit: MemoryHit) -> str:
    return hit.path.removesuffix(".md")


def direct(answer: RecallAnswer) -> list[str]:
    return [path(hit) for hit in answer.memories if hit.depth is None]


def added(answer: RecallAnswer) -> list[tuple[int, str]]:
    return [(hit.depth, path(hit)) for hit in answer.memories if hit.depth is not None]


# --- which are added ---------------------------------------------------------------------------

# d → a → b → c, and e → f; only `a` has the words of the query.
WEB = {
    "a": note(TOP, "b", tags="top"),
    "b": note("bread", "c", tags="rare"),
    "c": note("cheese", tags="rare/one"),
    "d": note("dates", "a", tags="top"),
    "e": note("eggs", "f"),
    "f": note("figs", tags="rare"),
    **{f"x{number}": note(f"filler {number}") for number in range(30)},
}


@pytest.fixture(scope="module")
def web() -> Iterator[Memory]:
    with indexed(WEB) as opened:
        yield opened


def test_what_is_near_stands_behind_the_hits_along_links_and_against_them(web: Memory) -> None:
    answer = web.recall(TOP, limit=1, max_depth=1)
    assert direct(answer) == ["a"]
    ((depth, name),) = added(answer)
    assert (depth, name in ("b", "d")) == (1, True)
    everything = web.recall(TOP, limit=2, max_depth=1)
    assert everything.memories[0].depth is None
    assert {(1, "b"), (1, "d")} <= {*added(everything), *((1, one) for one in direct(everything))}


def test_the_answer_counts_what_is_added_and_what_matches(web: Memory) -> None:
    answer = web.recall(TOP, limit=1, max_depth=2)
    assert (answer.returned, answer.filtered_entities, answer.truncated) == (2, len(WEB), True)
    assert [encode(one) for one in answer.source_notes or ()] == [
        {
            "source": "links",
            "note": "3 notes that match are up to 2 links away; 1 of them are added, by limit",
        }
    ]
    assert web.recall("eggs", limit=1, max_depth=1).source_notes is None


def test_the_hits_are_those_without_links(web: Memory) -> None:
    plain = web.recall(TOP, limit=3)
    linked = web.recall(TOP, limit=3, max_depth=3)
    assert encode(linked.memories[:3]) == encode(plain.memories)
    assert "depth" not in encode_text(plain)
    assert '"depth": 1' in encode_text(linked)


def test_what_is_added_meets_all_conditions_though_it_is_reached_through_what_does_not(
    web: Memory,
) -> None:
    answer = web.recall(TOP, limit=1, max_depth=3, where='not (path in ("b.md", "d.md"))')
    assert (direct(answer), added(answer)) == (["a"], [(2, "c")])
    assert added(web.recall(TOP, limit=1, max_depth=1, where='path != "b.md"')) == [(1, "d")]
    assert added(web.recall(TOP, limit=9, max_depth=3, tags="top", where='path != "d.md"')) == []


def test_min_score_holds_for_what_is_added_and_that_is_said(web: Memory) -> None:
    answer = web.recall(TOP, limit=5, max_depth=3, min_score=0.5)
    assert (direct(answer), added(answer)) == (["a"], [])
    assert answer.source_notes is not None
    assert answer.source_notes[0].note.endswith("0 of them are added, by limit and minScore")


def test_a_budget_counts_what_is_added_after_the_hits(web: Memory) -> None:
    whole = web.recall(TOP, limit=1, max_depth=1)
    tokens = [-(-len(hit.text) // 4) for hit in whole.memories]
    answer = web.recall(TOP, limit=1, max_depth=1, budget_tokens=tokens[0])
    assert (direct(answer), added(answer)) == (["a"], [])
    assert [one.id for one in answer.dropped or ()] == [whole.memories[1].id]
    assert answer.returned == 1


@pytest.mark.parametrize(
    "asked", [{}, {"order_by": "path"}, {"query": TOP, "order_by": "path:desc"}]
)
def test_without_ranking_what_is_added_keeps_the_order(web: Memory, asked: dict[str, Any]) -> None:
    where = 'path in ("a.md", "b.md", "c.md", "d.md")'
    answer = web.recall(limit=1, max_depth=9, where=where, **asked)
    plain = [path(hit) for hit in web.recall(limit=9, where=where, **asked).memories]
    assert direct(answer) == plain[:1]
    assert len(added(answer)) == 1
    assert {hit.score for hit in answer.memories} == {1.0}


def test_memories_have_no_links(web: Memory) -> None:
    store_all(web, [{"id": "m", "text": "aardvark [[a]]"}])
    try:
        assert added(web.recall("aardvark", limit=1, max_depth=9)) == []
    finally:
        web.delete("m", purge=True)


def test_links_are_not_looked_at_unless_they_are_asked_for(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LinkMap, "neighbors", None)
    assert direct(web.recall(TOP, limit=1)) == ["a"]


def test_nothing_of_another_namespace_is_added(tmp_path: Path) -> None:
    mine = make_vault(tmp_path / "mine", {"a.md": note(TOP, "b"), "b.md": note("bread")})
    theirs = make_vault(tmp_path / "theirs", {"a.md": note("x", "b"), "b.md": note("secret", "a")})
    with open_at(tmp_path / "winnow.db", Clock()) as memory:
        memory.admin.index(str(mine), namespace="mine")
        memory.admin.index(str(theirs), namespace="theirs")
        seen = memory.restricted(Access(frozenset({Scope.READ}), frozenset({"mine"})))
        for one in (
            seen.recall(TOP, limit=5, max_depth=9),
            memory.recall(TOP, limit=1, max_depth=9),
        ):
            assert {hit.namespace for hit in one.memories} == {"mine"}


def test_a_removed_link_leads_nowhere_from_the_next_question_on(tmp_path: Path) -> None:
    folder = make_vault(tmp_path / "v", {f"{one}.md": WEB[one] for one in WEB})
    with open_at(tmp_path / "winnow.db", Clock()) as memory:
        memory.admin.index(str(folder))
        assert added(memory.recall("eggs", limit=1, max_depth=1)) == [(1, "f")]
        (folder / "e.md").write_text("eggs\n", encoding="utf-8")
        memory.admin.index(str(folder))
        assert added(memory.recall("eggs", limit=1, max_depth=1)) == []


def test_a_note_of_many_pieces_does_not_take_the_places_of_others() -> None:
    parts = "".join(f"# Part {number}\n\nzebra {number}\n\n" for number in range(30))
    links = ("many", "one")
    notes = {
        "hub": note(f"{TOP} {TOP}", links),
        "core": note(f"{TOP} {TOP} {TOP}", links),
        "many": note(parts),
        "one": note("plain"),
    }
    with indexed(notes) as memory:
        answer = memory.recall(TOP, limit=2, max_depth=1)
    assert sorted(direct(answer)) == ["core", "hub"]
    assert added(answer) == [(1, "many"), (1, "one")]


# --- nothing starves ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crowd() -> Iterator[Memory]:
    """5,000 memories of one thing, and a note of it with 400 links, one of them to the needle."""
    hub = note(f"{TOP} {TOP}", [*(f"h{number}" for number in range(400)), "needle"])
    hay = {f"h{number}": note(f"zebra {number}", "needle") for number in range(400)}
    marks = {"tags": "rare", "kind": "goal", "entity": "chopper", "memoryType": "semantic"}
    needle = note("vervain", project="x", created="2020-01-01", **marks)
    with indexed({"hub": hub, "needle": needle, **hay}) as opened:
        store_all(opened, ({"id": f"m{n}", "text": f"{TOP} {n}"} for n in range(5_000)))
        yield opened


@pytest.mark.parametrize("limit", [1, 10])
@pytest.mark.parametrize("sources", [None, "vault,memory", "vector"])
@pytest.mark.parametrize(
    "asked",
    [
        {"kinds": "goal"},
        {"tags": "rare"},
        {"entity": "chopper"},
        {"memory_type": "semantic"},
        {"where": "metadata.project = 'x'"},
        {"until": "2020-01-01"},
    ],
)
def test_f22_the_one_that_matches_is_first_whatever_else_is_near(
    crowd: Memory, asked: dict[str, Any], sources: str | None, limit: int
) -> None:
    answer = crowd.recall(TOP, limit=limit, max_depth=1, sources=sources, **asked)
    assert [path(hit) for hit in answer.memories] == ["needle"]
    assert answer.filtered_entities == 1


def test_f22_the_one_that_matches_is_added_whatever_else_is_near(crowd: Memory) -> None:
    where = 'path = "hub.md" or tags has rare'
    answer = crowd.recall(TOP, limit=1, max_depth=1, where=where)
    assert (direct(answer), added(answer)) == (["hub"], [(1, "needle")])


# --- by the most obvious way -------------------------------------------------------------------

NAMES = "abcdefgh"


def near(links: Mapping[str, Sequence[str]], start: Iterable[str], depth: int) -> dict[str, int]:
    """How many links it takes to each note, both ways."""
    known = dict.fromkeys(start, 0)
    for distance in range(1, depth + 1):
        for one in [name for name in known if known[name] == distance - 1]:
            for other in NAMES:
                if other in links[one] or one in links[other]:
                    known.setdefault(other, distance)
    return {name: distance for name, distance in known.items() if distance}


@given(
    links=st.fixed_dictionaries(
        {one: st.lists(st.sampled_from(NAMES), max_size=2) for one in NAMES}
    ),
    tagged=st.sets(st.sampled_from(NAMES)),
    texts=st.fixed_dictionaries({one: st.sampled_from(["zebra", "quagga", ""]) for one in NAMES}),
    depth=st.integers(0, 3),
    limit=st.integers(1, 5),
    asked=st.sampled_from([{}, {"tags": "t"}, {"order_by": "path"}, {"min_score": 0.2}]),
)
@settings(max_examples=25, deadline=None)
def test_pages_are_those_of_the_ranking_with_what_is_near_and_repeat_nothing(
    links: Mapping[str, Sequence[str]],
    tagged: set[str],
    texts: Mapping[str, str],
    depth: int,
    limit: int,
    asked: dict[str, Any],
) -> None:
    notes = {
        one: note(
            f"{texts[one]}\n\n# Part\n\n{one} other\n",
            links[one],
            tags="t" if one in tagged else "",
        )
        for one in NAMES
    }
    with indexed(notes) as memory:
        every = memory.recall("zebra", limit=1_000, **asked).memories
        seen: list[MemoryHit] = []
        cursor = None
        while True:
            answer = memory.recall("zebra", limit=limit, max_depth=depth, cursor=cursor, **asked)
            left = [hit for hit in every if hit.id not in {one.id for one in seen}]
            page = left[:limit]
            far = near(links, map(path, page), depth)
            firsts: dict[str, MemoryHit] = {}
            before = {path(one) for one in seen}
            for hit in every:
                if path(hit) in far and path(hit) not in before:
                    firsts.setdefault(path(hit), hit)
            reached = sorted(firsts.values(), key=lambda hit: far[path(hit)])[:limit]
            wanted = [*page, *reached]
            assert [hit.id for hit in answer.memories] == [hit.id for hit in wanted]
            assert [hit.score for hit in answer.memories] == [hit.score for hit in wanted]
            assert added(answer) == [(far[path(hit)], path(hit)) for hit in reached]
            seen += answer.memories
            cursor = answer.cursor
            assert answer.truncated is (cursor is not None) is (len(seen) < len(every))
            if cursor is None:
                break
    assert len({hit.id for hit in seen}) == len(seen) == len(every)
