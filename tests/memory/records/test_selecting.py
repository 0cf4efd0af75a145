"""What is in the running is decided first, whatever would rank high."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.memory.remembering import (
    ids,
    set_namespace,
    store_all,
    temporary_memory,
)

from winnow.errors import InvalidRequest
from winnow.kinds import KINDS
from winnow.memory import Memory
from winnow.wire import encode

NEAR, FAR = [1.0, 0.0], [0.0, 1.0]


def at(text: str) -> int:
    """An instant as a record keeps it."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1_000)


def pointers(error: InvalidRequest) -> list[str]:
    return [fault.pointer for fault in error.faults]


# --- filters come first ------------------------------------------------------------------------


def test_f20_the_nearest_of_others_never_take_the_places(memory: Memory) -> None:
    set_namespace(memory, "mine", embedder="external:2")
    for number in range(10):
        owner, vector = ("B", NEAR) if number < 4 else ("A", [0.1, 1])
        memory.store("text", namespace="mine", vector=vector, metadata={"owner": owner})
    for asked in ({"where": 'metadata.owner = "A"'}, {"filters": {"metadata.owner": "A"}}):
        answer = memory.recall("text", vector=NEAR, limit=5, **asked)  # pyright: ignore[reportArgumentType]
        assert [hit.metadata["owner"] for hit in answer.memories] == ["A"] * 5
        assert (answer.returned, answer.filtered_entities, answer.scanned_entities) == (5, 6, 10)
        assert answer.truncated
        assert (answer.filters, answer.where) == (
            *({"metadata.owner": "A"}, 'metadata.owner = "A"'),
        )


def test_a_schema_that_was_left_out_is_told_by_its_fields(memory: Memory) -> None:
    memory.store("text", metadata={"status": "open"})
    told = memory.recall(
        where='escrow_pct >= 10 and status = "open" or client.tier = "Gold"'
    ).warnings
    assert told is not None
    assert told[-2:] == [
        "escrow_pct is a field of legal.Matter; give the schema to filter by it",
        "client is a field of legal.Matter; give the schema to filter by it",
    ]
    assert memory.count(where='status = "open"').warnings is None
    unheard = memory.count(where="unheard = 1").warnings
    assert unheard == ["no memory has the key unheard in its metadata"]


def test_a_question_about_one_namespace_is_warned_by_what_is_there(memory: Memory) -> None:
    memory.store("text", namespace="alpha", metadata={"n": "10", "project": "x"})
    memory.store("text", namespace="beta", metadata={"n": 10, "projct": "x"})
    missing = "no memory has the key projct in its metadata; did you mean project?"
    for ask in (memory.count, memory.recall):
        assert ask(where="projct = x and n = 10").warnings is None
        assert ask(where="projct = x", namespace="beta").warnings is None
        assert ask(where="projct = x", namespace="alpha").warnings == [missing]
        told = ask(where="n = 10", namespace="alpha").warnings
        assert told is not None
        assert told[0].startswith("n is a text in 1 memory")
    assert memory.list(order_by="projct", namespace="alpha").warnings == [missing]
    assert memory.list(order_by="projct", namespace="beta").warnings is None


ONE = {
    "id": "needle",
    "text": "vervain",
    "kind": "goal",
    "tags": ("rare/one",),
    "entity": "chopper",
    "memory_type": "semantic",
    "metadata": {"project": "x"},
    "created_at": at("2020-01-01"),
}


@pytest.fixture(scope="module")
def haystack() -> Iterator[Memory]:
    """5,000 memories about one thing, and one that is about another."""
    with temporary_memory() as opened:
        hay = ({"id": f"h{n}", "text": f"the river bank {n}"} for n in range(5_000))
        store_all(opened, hay)
        store_all(opened, [ONE, {**ONE, "id": "elsewhere", "namespace": "other", "tags": ()}])
        yield opened


@pytest.mark.parametrize("limit", [1, 10])
@pytest.mark.parametrize("query", ["river bank", "the river bank 17?", ""])
@pytest.mark.parametrize(
    "asked",
    [
        {"kinds": "goal"},
        {"tags": "rare"},
        {"entity": "chopper"},
        {"memory_type": "semantic"},
        {"where": "metadata.project = 'x'"},
        {"filters": {"project": {"eq": "x"}}},
        {"until": "2020-01-01"},
        {"where": 'text contains "VERVAIN"'},
    ],
)
def test_f22_f24_f56_the_one_that_matches_is_found_however_far(
    haystack: Memory, asked: Mapping[str, Any], query: str, limit: int
) -> None:
    answer = haystack.recall(query, namespace="default", limit=limit, **asked)
    assert ids(answer) == ["needle"]
    assert (answer.filtered_entities, answer.scanned_entities) == (1, 5_001)


def test_f17_a_namespace_is_a_filter_too(haystack: Memory) -> None:
    answer = haystack.recall("river bank", namespace="other", limit=1)
    assert ids(answer) == ["elsewhere"]
    assert answer.scanned_entities == 1


def test_f21_min_score_is_judged_before_the_limit(haystack: Memory) -> None:
    everything = haystack.recall("vervain", limit=1_000)
    bound = everything.memories[1].score
    above = haystack.recall("vervain", limit=2, min_score=bound)
    assert above.memories == everything.memories[:2]
    assert not above.truncated
    assert not haystack.recall("river", min_score=1).memories
    assert haystack.recall("river", min_score=0, limit=1_000).returned == 1_000


@pytest.mark.parametrize("query", ["river", "vervain", "", "nothing at all like it"])
@pytest.mark.parametrize("limit", [1, 7, 1_000])
def test_as_many_come_as_are_wanted_wherever_that_many_match(
    haystack: Memory, query: str, limit: int
) -> None:
    answer = haystack.recall(query, limit=limit, where='kind in ("goal", "observation")')
    assert answer.returned == limit
    assert [hit.score for hit in answer.memories] == sorted(
        (hit.score for hit in answer.memories), reverse=True
    )


def test_a_delete_or_change_is_out_of_the_running_at_once(memory: Memory) -> None:
    store_all(memory, ({"id": f"r{n}", "text": "river", "tags": ("a",)} for n in range(12)))
    for number in range(5):
        memory.delete(f"r{number}")
    memory.update("r5", tags=["b"])
    assert set(ids(memory.recall("river", tags="a", limit=100))) == {f"r{n}" for n in range(6, 12)}


# --- each argument -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kinds", "found", "warned"),
    [
        (None, "all", 0),
        ([], "all", 0),
        ("", "all", 0),
        (" , ", "all", 0),
        ("all", "all", 0),
        ("ALL", "all", 0),
        ("claim,All", "all", 1),
        ("claim", {"claim"}, 0),
        (["claim"], {"claim"}, 0),
        (" claim , goal ", {"claim", "goal"}, 0),
        (["claim,goal"], {"claim", "goal"}, 0),
        ("claim,bogus", {"claim"}, 1),
        ("Claim,goal", {"goal"}, 1),
        ("claims", set[str](), 2),
        (["bogus", "Claim"], set[str](), 3),
    ],
)
def test_kinds_are_read_by_the_table_of_cases(
    memory: Memory, kinds: Any, found: Any, warned: int
) -> None:
    for kind in KINDS:
        memory.store("text", kind=kind)
    answer = memory.recall("text", kinds=kinds, limit=100)
    wanted = set(KINDS) if found == "all" else found
    assert {hit.kind for hit in answer.memories} == wanted
    assert len(answer.warnings or ()) == warned


def test_an_unknown_kind_is_named_with_the_nearest(memory: Memory) -> None:
    told = memory.recall("text", kinds="claim,Goal").warnings
    assert told is not None
    assert "'Goal'" in told[0]
    assert "did you mean 'goal'" in told[0]


def test_a_kind_that_is_no_text_is_an_error(memory: Memory) -> None:
    with pytest.raises(InvalidRequest) as caught:
        memory.recall("text", kinds=["claim", 3])  # pyright: ignore[reportArgumentType]
    assert pointers(caught.value)[0].startswith("/kinds")


def test_a_kind_of_a_newer_version_is_read_as_observation(memory: Memory) -> None:
    store_all(memory, [{"id": "a", "text": "text", "kind": "premonition"}])
    assert ids(memory.recall("text", kinds="observation")) == ["a"]
    assert ids(memory.recall("text", kinds="claim")) == []
    assert memory.get("a").kind == "observation"
    memory.update("a", text="other text")
    (record,) = memory.engine.store.records.read([1])
    assert record is not None
    assert record.kind == "premonition"  # kept, for who knows it


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ("law", "abc"),
        ("LAW", "abc"),
        (["law/ip"], "bc"),
        ("#law/ip/us", "c"),
        ("# law/ip/", "bc"),
        ("law/i", ""),
        ("a,b", ""),
        (["a,b"], "e"),
        (["law/ip", "lawyer"], "bcd"),
        ([], "abcdef"),
        (["", " "], "abcdef"),
        (None, "abcdef"),
        ("c_sharp", ""),
    ],
)
def test_f34_f51_f54_tags_have_those_below_them_and_no_longer_words(
    memory: Memory, tags: Any, found: str
) -> None:
    each = (["law"], ["Law/IP"], ["x", "law/ip/US"], ["lawyer"], ["a,b", "cXsharp"], list[str]())
    for name, some in zip("abcdef", each, strict=True):
        memory.store("text", id=name, tags=some)
    assert "".join(sorted(ids(memory.recall("text", tags=tags)))) == found


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"since": "2026-03-05"}, "bcd"),
        ({"until": "2026-03-05"}, "abc"),
        ({"since": "2026-03-05", "until": "2026-03-05"}, "bc"),
        ({"since": "2026-03"}, "abcd"),
        ({"until": "2026-02"}, ""),
        ({"since": "2026-03-05T23:59:59.999Z"}, "cd"),
        ({"until": "2026-03-05T00:00:00Z"}, "ab"),
        ({"since": "2026-03-06T01:00:00+01:00"}, "d"),
        ({"since": "today"}, "bcd"),
        ({"until": "yesterday"}, "a"),
    ],
)
def test_f19_f70_times_are_inclusive_and_a_date_is_the_whole_day(
    memory: Memory, asked: Mapping[str, Any], found: str
) -> None:
    times = ("2026-03-04T23:59:59.999", "2026-03-05", "2026-03-05T23:59:59.999", "2026-03-06")
    rows = zip("abcd", times, strict=True)
    store_all(memory, ({"id": n, "text": "text", "created_at": at(time)} for n, time in rows))
    assert "".join(sorted(ids(memory.recall("text", **asked)))) == found


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ('metadata.project = "x"', "a"),
        ('project = "x"', "a"),
        ("n >= 10", "bc"),
        ('n = "10"', "d"),
        ("metadata.n is null", "a"),
        ("not (n >= 10)", "ad"),
        ("n != 10", "acd"),
        ("n in ()", ""),
        ('deep.er = "y"', "c"),
        ('kind = "goal" and n < 100', "b"),
        ("tags has law", "b"),
        ("importance > 0.5", "a"),
        ("@importance > 0.5", "a"),
        ('metadata."a.b" = 1', "d"),
    ],
)
def test_f10_f42_filters_on_metadata_and_fields_hold(
    memory: Memory, where: str, found: str
) -> None:
    memory.store("text", id="a", metadata={"project": "x"}, importance=0.9)
    memory.store("text", id="b", metadata={"n": 10}, kind="goal", tags=["law/ip"])
    memory.store("text", id="c", metadata={"n": 100, "deep": {"er": "y"}})
    memory.store("text", id="d", metadata={"n": "10", "a.b": 1})
    answer = memory.recall("text", where=where)
    assert "".join(sorted(ids(answer))) == found
    again = memory.recall("text", filters=encode(answer.filters))  # pyright: ignore[reportArgumentType]
    assert ids(again) == ids(answer)
    assert ids(memory.recall("text", where=answer.where)) == ids(answer)


def test_seed_001_filters_are_anded(memory: Memory) -> None:
    memory.store("text", id="a", entity="Chopper", memory_type="semantic", tags=["walk"])
    memory.store("text", id="b", entity="chopper", memory_type="semantic", tags=["walk"])
    memory.store("text", id="c", entity="chopper", tags=["walk"])
    memory.store("text", id="d", memory_type="semantic")
    assert ids(memory.recall("text", entity="chopper")) == ["b", "c"]
    both = memory.recall("text", entity="chopper", memory_type="semantic", tags=["x", "walk"])
    assert ids(both) == ["b"]
    assert not memory.recall("text", entity="chopper", where='entity = "Chopper"').memories


def test_notes_and_memories_are_told_apart_by_their_source(memory: Memory) -> None:
    memory.store("text")
    assert ids(memory.recall("text", sources=["memory"])) == ["m1"]
    assert ids(memory.recall("text", sources=["vault"])) == []
    assert ids(memory.recall("text", sources=["vault", "memory"])) == ["m1"]
