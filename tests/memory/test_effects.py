"""F16: every argument of a question has an effect; none is declared and then passed over."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from tests.memory.remembering import Clock, open_at, set_namespace

from winnow.memory import Memory
from winnow.operations.requests import (
    AggregateRequest,
    CheckRequest,
    CountRequest,
    ListRequest,
    RecallRequest,
)
from winnow.wire import arguments, encode

MATTER = "legal.Matter"
COFFEE: Mapping[str, Any] = {"query": "coffee"}
EXACT: Mapping[str, Any] = {"schema": MATTER, "filters": {"escrowPct": {"gte": 10}}}
TEN: Mapping[str, Any] = {"escrowPct": {"gte": 10}}

# For each argument what is asked without it; and with it, where the answer has to be another.
CONDITIONS: Mapping[str, tuple[Mapping[str, Any], Any]] = {
    "schema": ({}, MATTER),
    "filters": ({"schema": MATTER}, TEN),
    "where": ({"schema": MATTER}, "escrowPct >= 10"),
    "confidence_minimum": (EXACT, "INFERRED"),
    "namespace": ({}, "other"),
    "kinds": ({}, "claim"),
    "tags": ({}, ["drink"]),
    "entity": ({}, "alice"),
    "memory_type": ({}, "semantic"),
    "since": ({}, "2026-03-06"),
    "until": ({}, "2026-03-05"),
}
RECALL: Mapping[str, tuple[Mapping[str, Any], Any]] = {
    **CONDITIONS,
    "query": ({}, "tea"),
    "include_confidence_tags": (EXACT, False),
    "order_by": (EXACT, "escrowPct:desc"),
    "limit": (COFFEE, 1),
    "near_misses": (EXACT, 2),
    "max_depth": ({"query": "linking", "limit": 1}, 1),
    "sources": (COFFEE, ["memory"]),
    "vector": ({"query": "coffee", "namespace": "own"}, [0.0, 1.0]),
    "min_score": (COFFEE, 0.6),
    "budget_tokens": (COFFEE, 5),
    "fusion": (COFFEE, "rrf"),
    "mmr": ({"query": "coffee", "limit": 3}, 0.1),
}
LIST: Mapping[str, tuple[Mapping[str, Any], Any]] = {
    **CONDITIONS,
    "order_by": ({}, "text"),
    "limit": ({}, 1),
    "deleted": ({}, True),
}
AGGREGATE: Mapping[str, tuple[Mapping[str, Any], Any]] = {
    **CONDITIONS,
    "group_by": ({}, "kind"),
    "metrics": ({}, ["count", "avg(importance)"]),
}
CHECK: Mapping[str, tuple[Mapping[str, Any], Any]] = {
    "topic": ({"topic": "tea"}, "coffee"),
    "entity": ({"topic": "coffee"}, "alice"),
    "memory_type": ({"topic": "coffee"}, "semantic"),
    "tags": ({"topic": "coffee"}, ["drink"]),
    "min_similarity": ({"topic": "coffee"}, 0.95),
    "limit": ({"topic": "coffee"}, 1),
    "namespace": ({"topic": "coffee"}, "other"),
}
# A cursor comes from an answer, and is tested with those.
FROM_ANSWERS = {"cursor"}
# What it tells takes time, and is never the same; see test_profiling.
OF_TIME = {"profile"}

QUESTIONS: tuple[tuple[type, str, Mapping[str, tuple[Mapping[str, Any], Any]]], ...] = (
    (RecallRequest, "recall", RECALL),
    (CountRequest, "count", CONDITIONS),
    (ListRequest, "list", LIST),
    (AggregateRequest, "aggregate", AGGREGATE),
    (CheckRequest, "check", CHECK),
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Matters, linked notes, and memories that differ in all that can be asked for."""
    folder = tmp_path_factory.mktemp("effects")
    clock = Clock()
    with open_at(folder / "winnow.db", clock) as opened:
        _fill(opened, folder, clock)
        yield opened


def _fill(memory: Memory, folder: Path, clock: Clock) -> None:
    notes = folder / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("A note that is linking to [[b]].\n")
    (notes / "b.md").write_text("Something else altogether.\n")
    (notes / "MAT-3000.md").write_text("# MAT-3000\n\nEscrow: 12% (24 months)\n")
    memory.admin.index(str(notes))
    matters = [(10, "a"), (9, "b"), (12, "c")]
    memory.admin.import_(
        entities=[
            {"schema": MATTER, "id": f"MAT-200{n}", "fields": {"escrowPct": one, "title": title}}
            for n, (one, title) in enumerate(matters)
        ]
    )
    said: dict[str, Any] = {
        "entity": "alice",
        "memory_type": "semantic",
        "tags": "drink",
        "importance": 0.9,
    }
    memory.store("Coffee is what Alice drinks, strong and black.", **said)
    memory.store("Coffee is what Alice drinks, strong and black!", kind="claim")
    memory.store("The coffee machine is broken again.", namespace="other")
    set_namespace(memory, "own", embedder="external:2")
    memory.store("A cup of coffee.", namespace="own", vector=[0.0, 1.0])
    memory.store("A pot of coffee.", namespace="own", vector=[1.0, 0.0])
    clock.move(days=2)
    memory.store("Tea is for the afternoon.")


def every_argument() -> list[Any]:
    return [
        pytest.param(method, name, *pair, id=f"{method}-{name}")
        for _, method, table in QUESTIONS
        for name, pair in table.items()
    ]


@pytest.mark.parametrize(("request_", "method", "table"), QUESTIONS)
def test_every_argument_of_a_question_is_tried(
    request_: type, method: str, table: Mapping[str, object]
) -> None:
    assert {one.name for one in arguments(request_)} - FROM_ANSWERS - OF_TIME == set(table), method


@pytest.mark.parametrize(("method", "name", "without", "value"), every_argument())
def test_an_argument_changes_what_is_found(
    memory: Memory, method: str, name: str, without: Mapping[str, Any], value: Any
) -> None:
    ask: Callable[..., object] = getattr(memory, method)
    before = _found(ask(**without))
    assert _found(ask(**{**without, name: value})) != before


def _found(answer: object) -> Mapping[str, Any]:
    """What an answer found, without the echo of what was asked."""
    payload = cast(dict[str, Any], encode(answer))
    echoes = {"filters", "where", "query", "topic", "asOf", "orderBy", "warnings", "header", "text"}
    return {key: value for key, value in payload.items() if key not in echoes}
