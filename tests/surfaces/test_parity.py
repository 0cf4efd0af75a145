"""Parity: what is asked in Python, by MCP, over HTTP or on the command line is answered alike.

Each surface works on its own copy of one store, under a clock that stands still, so that changes
are compared too.
"""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeAlias, cast
from urllib.parse import quote

import pytest
from tests.memory.remembering import Clock, open_at
from tests.surfaces.http.serving import client_of
from tests.surfaces.mcp.connecting import call, text_of, without_mark
from tests.surfaces.running import lines_of, matter, run_winnow, write_note

from winnow.errors import InvalidRequest, WinnowError
from winnow.memory import Memory
from winnow.operations import OPERATIONS, Operation
from winnow.surfaces.cli.failures import respell
from winnow.surfaces.cli.plain import in_one_line
from winnow.surfaces.http.routes import NOT_SERVED, ROUTES, Route
from winnow.surfaces.mcp.tools import tool_rows
from winnow.wire import arguments, camel_case, encode, encode_error

Given: TypeAlias = dict[str, Any]
Payload: TypeAlias = Any

FOUR = {"escrowPct": {"gte": 10}, "nonCompeteMonths": {"gt": 18}}

# A case for each operation at least, good and bad.
CASES: Mapping[str, list[Given]] = {
    "recall": [
        {"schema": "legal.Matter", "filters": FOUR},
        {"schema": "legal.Matter", "where": "escrowPct >= 10", "limit": 1, "near_misses": 2},
        {"schema": "legal.Matter", "filters": FOUR, "include_confidence_tags": False},
        {"schema": "legal.Matter", "query": "escrow holdback"},
        {"schema": "legal.Matter", "order_by": [{"field": "escrowPct", "direction": "desc"}]},
        {"schema": "legal.Matter"},
        {"query": "coffee", "limit": 3},
        {"query": "コーヒー ☕ naïve", "kinds": ["claim", "bogus"]},
        {"query": "coffee", "filters": {"price": {"gte": 3}}, "min_score": 0.1},
        {"query": "coffee", "filters": [{"field": "price", "op": "gte", "value": 3}]},
        {"tags": ["drink"], "since": "2026-01-01", "max_depth": 1},
        {"query": "coffee", "sources": ["memory", "onyx"], "budget_tokens": 5},
        {"schema": "legal.Mater", "filters": {"escrow": 1}},
        {"schema": "legal.Matter", "filters": {"escrowPc": {"gte": 10}, "status": "Open"}},
        {"schema": "legal.Matter", "where": "escrowPct >= ten", "vector": [1.0], "limit": 0},
        {"query": "coffee", "kinds": [], "where": "price >", "cursor": "nonsense"},
        {"query": "coffee", "limit": "ten"},
        {"query": "coffee", "namespace": ""},
        {"query": "coffee", "order_by": "nothing:up", "near_misses": 3},
    ],
    "check": [
        {"topic": "strong coffee"},
        {"topic": "coffee", "entity": "nobody", "tags": ["drink"], "min_similarity": 0.2},
        {"topic": "coffee", "memory_type": "procedural", "limit": 0},
    ],
    "count": [{}, {"schema": "legal.Matter", "where": "escrowPct > 9"}, {"where": "pric = 1"}],
    "list": [
        {"limit": 2},
        {"schema": "legal.Matter", "order_by": "dealValueUSD:desc"},
        {"kinds": "claim", "order_by": "importance"},
        {"schema": "legal.Nothing", "limit": 5_000},
    ],
    "aggregate": [
        {"schema": "legal.Matter", "group_by": "status", "metrics": ["count", "avg(escrowPct)"]},
        {"group_by": ["kind"], "metrics": "count"},
        {"schema": "legal.Matter", "metrics": "total(escrowPct)"},
    ],
    "explain": [
        {"entity_id": "MAT-2388", "schema": "legal.Matter", "filters": FOUR},
        {"entity_id": "MAT-0000", "schema": "legal.Matter", "filters": FOUR},
        {"entity_id": "MAT-2388", "schema": "legal.Matter", "where": "("},
    ],
    "schema": [{}, {"schema": "legal.Matter"}, {"schema": "legal.Mattter"}],
    "get": [{"id": "coffee"}, {"id": "no such"}, {"id": "a/b ü"}, {"id": "x", "namespace": " "}],
    "capabilities": [{}, {"accept": "v2"}, {"accept": "9"}],
    "store": [
        {"text": "Tea is brewed, not boiled.", "tags": ["drink"], "metadata": {"price": 2.5}},
        {"text": "x", "id": "coffee", "importance": 0.75, "kind": "claim"},
        {"text": "x", "id": "coffee", "if_exists": "error"},
        {"text": "x", "kind": "Claim"},
        {"text": "x", "kind": "", "importance": 2},
        {"text": "x", "ttl_seconds": 60, "expires_at": "2030-01-01"},
        {"text": "x", "memory_type": "procedural"},
    ],
    "update": [
        {"id": "coffee", "title": "Coffee", "metadata": {"price": 4}},
        {"id": "coffee", "clear": ["tags", "metadata.price"]},
        {"id": "no such", "text": "x"},
        {"id": "coffee", "clear": "tagz"},
    ],
    "delete": [
        {"id": "coffee"},
        {"where": "price >= 3", "dry_run": True},
        {"tags": ["drink"], "expected_count": 2},
        {"tags": ["drink"], "expected_count": 7},
        {"tags": ["drink"]},
        {"id": "no such"},
    ],
    "undelete": [
        {"id": "gone"},
        {"id": "coffee"},
        {"ids": ["gone"]},
        {"ids": ["gone", "coffee"]},
        {"deleted_since": "30d"},
        {},
    ],
    "retype": [
        {"id": "coffee", "kind": "claim"},
        {"auto": True, "all": True},
        {"kind": "claim", "tags": ["drink"], "dry_run": True},
        {"id": "coffee", "kind": "fact"},
    ],
    "index": [{"path": "NOTES"}, {"path": "NOTES/nowhere"}],
    "lint": [{}, {"schema": "legal.Matter", "limit": 1}, {"limit": 0}],
    "doctor": [{}],
    "namespace list": [{}],
    "namespace get": [{"name": "default"}, {"name": "nowhere"}],
    "namespace set": [
        {"name": "default", "auto_classify": "regex_only"},
        {"name": "new", "governance": {"auto_classify_kind": "regex_only"}},
        {"name": "default", "embedder": "statik", "language": "klingon"},
        {"name": "default", "auto_classify": "always"},
    ],
    "reembed": [{}, {"namespace": "", "all": True}],
    "keys list": [{}],
    "keys revoke": [{"name": "nobody"}],
}

# What no surface but Python and the command line has, or what differs each time, with the reason.
NOT_COMPARED = {
    "import": NOT_SERVED["import"],
    "export": NOT_SERVED["export"],
    "backup": NOT_SERVED["backup"],
    "keys create": "a new secret each time",
}


@dataclass(frozen=True)
class Answered:
    """What a surface answered: a payload, and whether it is an error."""

    payload: Payload
    failed: bool = False


def test_every_operation_has_a_case_or_a_reason() -> None:
    assert set(CASES) | set(NOT_COMPARED) == set(OPERATIONS)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of entities, notes and memories, and the vault that it has read."""
    folder = tmp_path_factory.mktemp("parity")
    notes = folder / "notes"
    notes.mkdir()
    write_note(notes, "MAT-3000", escrow=11)
    (notes / "about.md").write_text("---\ntags: [drink]\n---\nCoffee with [[MAT-3000]].\n")
    entities = [
        matter("MAT-2388", escrowPct=10, nonCompeteMonths=24, status="Active", dealValueUSD=10),
        matter("MAT-2389", escrowPct=9, nonCompeteMonths=24, status="Closed"),
        matter("MAT-2390", escrowPct=12, status="Closed"),
    ]
    (folder / "firm.jsonl").write_text(lines_of(*entities))
    with open_at(folder / "winnow.db", Clock()) as memory:
        memory.admin.index(str(notes))
        memory.admin.import_(str(folder / "firm.jsonl"))
        memory.store("Coffee is strong.", id="coffee", tags="drink", metadata={"price": 3})
        memory.store("Coffee is too strong at night.", id="a/b ü", kind="claim", tags=["drink"])
        memory.store("Alice decided to drink コーヒー.", namespace="other", entity="alice")
        memory.store("Forgotten.", id="gone")
        memory.delete("gone")
    return folder


@pytest.fixture
def copies(template: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Makes the store of a surface; the vault stays where it is, for paths are in answers."""

    def copy(name: str) -> Path:
        folder = tmp_path / name
        shutil.copytree(template, folder, ignore=shutil.ignore_patterns("notes", "*.jsonl"))
        return folder / "winnow.db"

    return copy


def every_case() -> Iterator[Any]:
    for name, cases in CASES.items():
        for index, given in enumerate(cases):
            yield pytest.param(name, given, id=f"{name}-{index}".replace(" ", "-"))


@pytest.mark.parametrize(("name", "given"), list(every_case()))
def test_all_surfaces_answer_alike(
    name: str,
    given: Given,
    template: Path,
    copies: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    operation = OPERATIONS[name]
    given = {
        key: one.replace("NOTES", str(template / "notes")) if key == "path" else one
        for key, one in given.items()
    }
    own = partial(_without_place, template)
    with open_at(copies("python"), Clock()) as memory:
        expected = own(_in_python(memory, operation, given))
    with open_at(copies("http"), Clock()) as memory:
        for route in (one for one in ROUTES if one.name == name):
            if route.body:
                assert own(_over_http(memory, route, given)) == expected
                break
        else:
            route = next(one for one in ROUTES if one.name == name)
            assert own(_over_http(memory, route, given)) == expected
    if operation.tool:
        with open_at(copies("mcp"), Clock()) as memory:
            assert own(_by_mcp(memory, operation, given)) == expected
    _stop_clock(monkeypatch)
    assert own(_on_command_line(copies("cli"), operation, given, expected)) == expected


def _stop_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    import winnow.app

    opened = winnow.app.open_memory

    def open_with_clock(*args: Any, **kwargs: Any) -> Memory:
        from dataclasses import replace

        return Memory(replace(opened(*args, **kwargs).engine, clock=Clock()))

    monkeypatch.setattr(winnow.app, "open_memory", open_with_clock)


def _without_place(template: Path, answered: Answered) -> Answered:
    """Forget where the copy of a surface is, and when its transaction was committed."""
    payload: Payload = json.loads(json.dumps(answered.payload))
    if isinstance(payload, dict):
        payload = cast(dict[str, Any], payload)
        payload.pop("store", None)
        if "asOf" in payload:
            payload["asOf"].pop("time", None)
        for one in cast(list[Any], payload.get("namespaces", ())):
            if isinstance(one, dict):
                cast(dict[str, Any], one).get("asOf", {}).pop("time", None)
    return Answered(payload, answered.failed)


def _in_python(memory: Memory, operation: Operation, given: Given) -> Answered:
    try:
        return Answered(encode(attrgetter(operation.method)(memory)(**given)))
    except WinnowError as error:
        return Answered(encode_error(error), failed=True)


def _by_mcp(memory: Memory, operation: Operation, given: Given) -> Answered:
    named = {camel_case(key): value for key, value in given.items()}
    result = call(memory, operation.tool, **named)
    assert text_of(result)
    return Answered(without_mark(result), result.is_error or False)


def _over_http(memory: Memory, route: Route, given: Given) -> Answered:
    placed = {one: given[one] for one in route.placed if one in given}
    path = route.template
    for one, value in placed.items():
        path = path.replace(f"{{{one}}}", quote(str(value), safe=""))
    rest = {key: value for key, value in given.items() if key not in placed}
    beside = {key: value for key, value in rest.items() if not route.body or key in route.beside}
    body = {camel_case(key): value for key, value in rest.items() if key not in beside}
    with client_of(memory) as client:
        response = client.request(
            route.method,
            path,
            params={camel_case(key): _as_query(value) for key, value in beside.items()},
            json=body if route.body else None,
        )
    payload = response.json()
    if response.status_code < 400:
        assert response.status_code == route.status
        return Answered(payload)
    problem = {"code": payload["code"], "message": payload["detail"]}
    if "errors" in payload:
        problem["errors"] = payload["errors"]
    return Answered(problem, failed=True)


def _as_query(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str | int | float) or _all_texts(value) else json.dumps(value)


def _all_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in cast(list[Any], value))


def _on_command_line(
    store: Path, operation: Operation, given: Given, expected: Answered
) -> Answered:
    ran = run_winnow(
        "--store", str(store), "--json", *operation.command, *_options(operation, given)
    )
    if not expected.failed:
        assert ran.err == ""
        return Answered(json.loads(ran.out))
    # An error is one line and an exit code there; what it says has to be the same.
    wrong = "errors" in expected.payload and expected.payload["code"] == InvalidRequest.code
    assert (ran.code, ran.out) == (2 if wrong else 1, "")
    assert ran.err == f"winnow: {in_one_line(respell(expected.payload['message']))}\n"
    return expected


def _options(operation: Operation, given: Given) -> Iterator[str]:
    known = {one.name: one for one in arguments(operation.request)}
    for name in operation.positional:
        if name in given:
            yield str(given[name])
    for name, value in given.items():
        if name in operation.positional:
            continue
        option = f"--{known[name].name.replace('_', '-')}"
        if isinstance(value, bool):
            yield option if value else f"--no-{option[2:]}"
            continue
        texts: list[Any] = value if _all_texts(value) and value else [value]
        for one in texts:
            yield option
            yield one if isinstance(one, str) else json.dumps(one)


def test_every_tool_and_route_is_an_operation_of_the_table() -> None:
    tools = {row.operation.name for row in tool_rows("full").values()}
    assert tools <= set(OPERATIONS)
    assert {one.name for one in ROUTES} | set(NOT_SERVED) == set(OPERATIONS)
