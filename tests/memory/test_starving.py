"""However many are nearer to the question, what matches is found: filters come before ranking."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import ids, set_namespace, store_all, temporary_memory

from winnow.memory import Memory
from winnow.wire import encode, encode_text

NEAR, FAR = [1.0, 0.0], [-1.0, 0.01]
LONG_AGO = int(datetime(2020, 1, 1, tzinfo=UTC).timestamp() * 1_000)
ONE: Mapping[str, Any] = {
    "id": "needle",
    "text": "vervain",
    "kind": "goal",
    "tags": ("rare/one",),
    "entity": "chopper",
    "memory_type": "semantic",
    "metadata": {"project": "x"},
    "created_at": LONG_AGO,
}
# What each way of ranking is asked: the namespaces differ by what makes their vectors.
WAYS: Mapping[str, Mapping[str, Any]] = {
    "keyword": {"query": "the river bank"},
    "vector": {"vector": NEAR},
    "hybrid": {"query": "the river bank 17?"},
}
EMBEDDERS = {"keyword": "none", "vector": "external:2", "hybrid": "static"}
INDEXES = {"keyword": "vault", "vector": "vector", "hybrid": "hybrid"}
CONDITIONS: Mapping[str, Mapping[str, Any]] = {
    "kind": {"kinds": "goal"},
    "tag": {"tags": "rare"},
    "entity": {"entity": "chopper"},
    "memory type": {"memory_type": "semantic"},
    "metadata": {"where": "metadata.project = x"},
    "triple": {"filters": [{"field": "project", "op": "EQ", "value": "x"}]},
    "time": {"until": "2020-01-01"},
    "text": {"where": 'text contains "VERVAIN"'},
}


@pytest.fixture(scope="module")
def haystack() -> Iterator[Memory]:
    """For each way of ranking 5,000 memories about one thing, and one that is about another."""
    with temporary_memory() as opened:
        for way, embedder in EMBEDDERS.items():
            near, far = ({"given": one} if way == "vector" else {} for one in (NEAR, FAR))
            for name in (way, f"{way} elsewhere"):
                set_namespace(opened, name, embedder=embedder)
            hay = ({"id": f"h{n}", "text": f"the river bank {n}", **near} for n in range(5_000))
            store_all(opened, ({**one, "namespace": way} for one in hay))
            store_all(opened, [{**ONE, **far, "namespace": way}])
            store_all(opened, [{**ONE, **far, "namespace": f"{way} elsewhere"}])
        yield opened


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_f20_f22_f56_f76_the_one_that_matches_is_found_at_every_limit(
    haystack: Memory, way: str, condition: str
) -> None:
    for limit in range(1, 11):
        asked = {**WAYS[way], **CONDITIONS[condition]}
        answer = haystack.recall(namespace=way, limit=limit, **asked)
        assert ids(answer) == ["needle"]
        assert (answer.filtered_entities, answer.scanned_entities) == (1, 5_001)
        assert answer.index_used == INDEXES[way]
        assert not answer.truncated


@pytest.mark.parametrize("way", WAYS)
def test_f17_the_one_of_its_namespace_is_found_at_every_limit(haystack: Memory, way: str) -> None:
    for limit in range(1, 11):
        answer = haystack.recall(**WAYS[way], namespace=f"{way} elsewhere", limit=limit)
        assert ids(answer) == ["needle"]
        assert answer.scanned_entities == 1


@pytest.mark.parametrize("way", WAYS)
def test_the_one_comes_last_of_all_where_nothing_is_filtered(haystack: Memory, way: str) -> None:
    top = haystack.recall(**WAYS[way], namespace=way, limit=1_000)
    assert top.returned == 1_000
    assert "needle" not in ids(top)


# --- any conditions, against plain Python --------------------------------------------------------

Row = Mapping[str, Any]
KINDS, TAGS, TYPES = ("claim", "goal", "event"), ("a", "b", "a/x", "ab"), ("episodic", "semantic")


def make_rows(seed: int, count: int) -> list[Row]:
    random = Random(seed)
    return [
        {
            "id": f"r{n}",
            "namespace": random.choice(["one", "two"]),
            "text": " ".join(random.choices(["river", "bank", "zebra", "设备"], k=3)),
            "kind": random.choice(KINDS),
            "tags": tuple(dict.fromkeys(random.choices(TAGS, k=random.randrange(3)))),
            "entity": random.choice([None, "chopper", "Chopper"]),
            "memory_type": random.choice([None, *TYPES]),
            "importance": random.choice([0, 0.25, 1]),
            "metadata": random.choice([{}, {"n": random.randrange(5)}, {"n": "3"}]),
        }
        for n in range(count)
    ]


ROWS = make_rows(7, 300)


@pytest.fixture(scope="module")
def field() -> Iterator[Memory]:
    with temporary_memory() as opened:
        store_all(opened, ROWS)
        yield opened


def tagged(row: Row, tag: str) -> bool:
    return any(one == tag or one.startswith(f"{tag}/") for one in row["tags"])


def number(row: Row) -> int:
    value = row["metadata"].get("n")
    return value if isinstance(value, int) else -1


CHOICES: Mapping[str, Mapping[str, Callable[[Row], bool]]] = {
    "kinds": {
        "claim": lambda row: row["kind"] == "claim",
        "claim, goal": lambda row: row["kind"] in ("claim", "goal"),
        "all": lambda _: True,
        "Claim": lambda _: False,
    },
    "tags": {
        "a": lambda row: tagged(row, "a"),
        "b": lambda row: tagged(row, "b"),
        "": lambda _: True,
    },
    "entity": {
        "chopper": lambda row: row["entity"] == "chopper",
        "nobody": lambda _: False,
    },
    "memory_type": {
        one: lambda row, one=one: row["memory_type"] == one for one in ("episodic", "orientation")
    },
    "namespace": {one: lambda row, one=one: row["namespace"] == one for one in ("one", "two")},
    "where": {
        "n >= 2": lambda row: number(row) >= 2,
        "not (n >= 2)": lambda row: number(row) < 2,
        "n is null or importance = 1": lambda row: (
            "n" not in row["metadata"] or row["importance"] == 1
        ),
        'tags has b and entity != "chopper"': lambda row: (
            tagged(row, "b") and row["entity"] != "chopper"
        ),
        'text contains "设备"': lambda row: "设备" in row["text"],
        "id is null": lambda _: False,
    },
}


@given(
    asked=st.fixed_dictionaries(
        {}, optional={name: st.sampled_from([*some]) for name, some in CHOICES.items()}
    ),
    query=st.sampled_from(["river", "zebra bank", "设备", "", "nothing like it", "?"]),
    limit=st.integers(1, 400),
    ranked=st.sampled_from(
        [{}, {"fusion": "rrf"}, {"mmr": 0.5}, {"order_by": "importance:desc"}, {"order_by": "n"}]
    ),
)
@settings(max_examples=150)
def test_as_many_come_as_match_and_none_that_does_not(
    field: Memory, asked: dict[str, Any], query: str, limit: int, ranked: dict[str, Any]
) -> None:
    tests = [CHOICES[name][value] for name, value in asked.items()]
    reference = {row["id"] for row in ROWS if all(test(row) for test in tests)}
    answer = field.recall(query, limit=limit, **asked, **ranked)
    found = ids(answer)
    assert len(found) == len(set(found))
    assert set(found) <= reference
    assert answer.returned == len(found) == min(limit, len(reference))
    assert answer.filtered_entities == len(reference)
    assert field.count(**asked).count == len(reference)
    assert answer.truncated is (limit < len(reference))


# --- what must not move a score ------------------------------------------------------------------

QUERIES = ("river", "zebra bank", "设备", "", "nothing like it")
EVERYTHING: tuple[Mapping[str, Any], ...] = (
    {"where": "importance >= 0"},
    {"where": "not (id is null)"},
    {"filters": {"or": [{"n": {"isNull": True}}, {"n": {"isNull": False}}]}},
    {"filters": {}},
    {"kinds": "all"},
    {"tags": []},
    {"until": "2999", "since": "1970"},
)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("asked", EVERYTHING)
def test_a_filter_that_all_meet_changes_nothing_but_its_echo(
    field: Memory, query: str, asked: Mapping[str, Any]
) -> None:
    plain = field.recall(query, limit=400)
    filtered = field.recall(query, limit=400, **asked)
    echo = {"filters": plain.filters, "where": plain.where}
    assert encode_text(replace(filtered, **echo)) == encode_text(plain)


@pytest.mark.parametrize("query", QUERIES)
def test_another_namespace_moves_no_score(field: Memory, query: str) -> None:
    with temporary_memory() as alone:
        store_all(alone, (row for row in ROWS if row["namespace"] == "one"))
        here = field.recall(query, limit=400, namespace="one").memories
        assert encode(here) == encode(alone.recall(query, limit=400).memories)
