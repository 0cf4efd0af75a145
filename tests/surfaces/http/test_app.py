"""The application: operations through their routes, and what a server tells of itself."""

import json
import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from tests.surfaces.http.serving import API, problem
from tests.surfaces.running import BOTH, IDS, run_winnow

from winnow.app import open_memory
from winnow.memory import Memory
from winnow.surfaces.http.app import App

MATTER = "legal.Matter"
Json = Mapping[str, Any]


# --- operations ----------------------------------------------------------------------------------


def test_a_memory_lives_from_post_to_delete_and_back(client: TestClient) -> None:
    made = client.post(f"{API}/memories", json={"text": "the river", "kind": "event"})
    assert made.status_code == 201
    place = made.headers["location"]
    assert client.get(place).json() == made.json()
    assert client.patch(place, json={"title": "River"}).json()["title"] == "River"
    assert client.get(f"{API}/memories").json()["items"][0]["title"] == "River"
    assert client.get(f"{API}/recall?q=river").json()["hits"][0]["id"] == made.json()["id"]
    assert client.delete(place).json()["deleted"] == 1
    assert client.get(place).status_code == 404
    assert client.post(f"{place.partition('?')[0]}/undelete").status_code == 200
    assert client.get(place).json()["title"] == "River"


@pytest.mark.parametrize("name", ["a/b", "ü", "50%", "a b", "delete", "..%2f", "a?b#c", "..."])
def test_any_id_is_reached_through_its_location(client: TestClient, name: str) -> None:
    made = client.post(f"{API}/memories", json={"text": "x", "id": name, "namespace": "n/s"})
    found = client.get(made.headers["location"])
    assert (found.status_code, found.json()["id"]) == (200, name)


def test_memories_are_deleted_and_retyped_by_filter(client: TestClient) -> None:
    for number in range(5):
        client.post(f"{API}/memories", json={"text": f"no {number}", "metadata": {"n": number}})
    few: Json = {"filters": {"n": {"lt": 2}}}
    told = client.post(f"{API}/memories/retype", json={**few, "kind": "claim", "all": True})
    assert (told.json()["matched"], told.json()["changed"]) == (2, 2)
    dry = client.post(f"{API}/memories/delete", json={**few, "dryRun": True})
    assert (dry.json()["matched"], dry.json()["deleted"]) == (2, 0)
    assert client.post(f"{API}/memories/delete", json={}).status_code == 422
    client.post(f"{API}/memories/delete", json={**few, "expectedCount": 2})
    assert client.get(f"{API}/count").json()["count"] == 3


def test_namespaces_are_listed_shown_and_set(client: TestClient) -> None:
    client.post(f"{API}/memories", json={"text": "x", "namespace": "a/b"})
    place = f"{API}/namespaces/a%2Fb"
    assert client.get(place).json()["memories"] == 1
    governance = {"auto_classify_kind": "regex_only"}
    assert client.patch(place, json={"governance": governance}).json()["governance"] == governance
    names = [one["name"] for one in client.get(f"{API}/namespaces").json()["namespaces"]]
    assert "a/b" in names


def test_a_folder_is_read_and_asked_about(client: TestClient, notes: Path) -> None:
    assert client.post(f"{API}/index", json={"path": str(notes)}).json()["notes"] == 1
    asked = {"schema": MATTER, "filters": {"escrowPct": {"gte": 10}}}
    assert client.post(f"{API}/recall", json=asked).json()["entityIds"] == ["MAT-2388"]
    explained = client.get(
        f"{API}/explain", params={"id": "MAT-2388", "schema": MATTER, "where": "escrowPct < 10"}
    )
    assert explained.json()["explanation"]["text"] == "escrowPct 12 >= 10"
    assert client.get(f"{API}/schemas/{MATTER}").json()["schemas"][0]["entities"] == 1
    assert client.get(f"{API}/lint").status_code == 200


def test_an_unknown_kind_is_refused_with_the_list_of_all(client: TestClient) -> None:
    """F60, F61."""
    sent = client.post(f"{API}/memories", json={"text": "x", "kind": "Claim"})
    assert sent.status_code == 422
    assert "invalid kind 'Claim' (expected one of: observation," in problem(sent)["detail"]
    assert client.get(f"{API}/count").json()["count"] == 0


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/memories/nobody", None, 404, "not_found"),
        ("DELETE", "/memories/nobody", None, 404, "not_found"),
        ("POST", "/memories", {"text": "x", "id": "here", "ifExists": "error"}, 409, "conflict"),
        ("POST", "/memories", {"text": "x", "id": "new", "ifMissing": "error"}, 404, "not_found"),
        ("GET", "/recall?cursor=nonsense", None, 422, "invalid_request"),
        ("POST", "/index", {"path": "/no/such/folder"}, 422, "vault_error"),
        ("GET", "/namespaces/nobody", None, 404, "not_found"),
    ],
)
def test_an_error_has_the_status_of_its_class(
    client: TestClient, method: str, path: str, body: Json | None, status: int, code: str
) -> None:
    """F69, F120."""
    client.post(f"{API}/memories", json={"text": "x", "id": "here"})
    sent = client.request(method, API + path, json=body)
    assert (sent.status_code, problem(sent)["code"]) == (status, code)


ASKED: tuple[tuple[str, tuple[str, ...], Json], ...] = (
    ("recall", ("--schema", MATTER, "--where", BOTH), {"schema": MATTER, "where": BOTH}),
    ("recall", ("--near-misses", "3", "--schema", MATTER), {"schema": MATTER, "nearMisses": 3}),
    ("recall", ("consulting",), {"query": "consulting"}),
    ("count", ("--schema", MATTER), {"schema": MATTER}),
    ("list", ("--schema", MATTER, "--limit", "2"), {"schema": MATTER, "limit": 2}),
    (
        "aggregate",
        ("--schema", MATTER, "--group-by", "status"),
        {"schema": MATTER, "groupBy": "status"},
    ),
    ("explain", (IDS[1], "--schema", MATTER), {"entityId": IDS[1], "schema": MATTER}),
    ("check", ("deal",), {"topic": "deal"}),
)
PATHS = {"list": "/memories/list", "check": "/recall/check"}


@pytest.mark.parametrize(("name", "words", "body"), ASKED, ids=lambda one: str(one)[:30])
def test_an_answer_has_the_bytes_that_the_command_prints(
    store: str, name: str, words: tuple[str, ...], body: Json
) -> None:
    with open_memory(store) as memory, TestClient(App(memory), "http://localhost") as client:
        sent = client.post(API + PATHS.get(name, f"/{name}"), json=body)
    printed = run_winnow("--store", store, "--json", name, *words)
    assert sent.status_code == 200
    assert sent.content == printed.out.rstrip("\n").encode()


# --- what is not an operation --------------------------------------------------------------------


def test_a_path_that_is_not_there_is_a_problem_with_the_nearest(client: TestClient) -> None:
    sent = client.get(f"{API}/recal")
    assert (sent.status_code, problem(sent)["code"]) == (404, "unknown_path")
    assert "did you mean /api/v1/recall?" in problem(sent)["detail"]
    assert problem(client.get("/"))["code"] == "unknown_path"
    assert "(the API is under /api/v1: see /docs)" in problem(client.get("/"))["detail"]
    assert problem(client.get(f"{API}/memories/%ff"))["code"] == "malformed_path"


def test_a_method_that_a_path_does_not_take_is_a_problem_with_those_that_it_does(
    client: TestClient,
) -> None:
    sent = client.put(f"{API}/recall")
    assert (sent.status_code, problem(sent)["code"]) == (405, "method_not_allowed")
    assert sent.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    assert client.get("/mcp").headers["allow"] == "OPTIONS, POST"


def test_options_tells_the_methods_and_lets_no_other_site_in(client: TestClient) -> None:
    sent = client.options(f"{API}/memories/m1")
    assert (sent.status_code, sent.content) == (204, b"")
    assert sent.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH"
    assert not [name for name in sent.headers if name.startswith("access-control")]


def test_head_answers_as_get_without_the_body(client: TestClient) -> None:
    got, head = client.get(f"{API}/recall"), client.head(f"{API}/recall")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(got.content))


@pytest.mark.parametrize("name", ["abc-123", "a.b_c~d/e=f:g+h", "x" * 128])
def test_a_request_keeps_the_id_that_its_sender_gave_it(client: TestClient, name: str) -> None:
    for path in ("/healthz", f"{API}/nowhere", f"{API}/recall"):
        sent = client.get(path, headers={"x-request-id": name})
        assert sent.headers["x-request-id"] == name


@pytest.mark.parametrize("name", ["", "a b", "x" * 129, "<script>", "ü".encode().decode("latin-1")])
def test_an_id_that_is_unfit_to_be_repeated_is_replaced(client: TestClient, name: str) -> None:
    sent = client.get("/healthz", headers={b"x-request-id": name.encode("latin-1")})
    assert re.fullmatch("[0-9a-f]{32}", sent.headers["x-request-id"])


def test_answers_are_for_no_cache_and_for_nothing_but_what_they_are(client: TestClient) -> None:
    for path in (f"{API}/recall", "/docs", f"{API}/nowhere"):
        headers = client.get(path).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"


def test_health_and_readiness_are_told(client: TestClient, memory: Memory) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}
    memory.close()
    assert client.get("/healthz").status_code == 200
    for path in ("/readyz", f"{API}/recall"):
        sent = client.get(path)
        assert (sent.status_code, problem(sent)["code"]) == (503, "store_error")


def test_meters_count_by_operation_and_status_and_know_nothing_else(client: TestClient) -> None:
    client.post(f"{API}/memories", json={"text": "secret", "namespace": "secret", "id": "secret"})
    client.get(f"{API}/memories/secret?namespace=secret")
    client.get(f"{API}/recall?q=secret&limit=0")
    client.get("/secret")
    text = client.get("/metrics").text
    for line in (
        'winnow_http_requests_total{operation="store",status="201"} 1.0',
        'winnow_http_requests_total{operation="get",status="200"} 1.0',
        'winnow_http_requests_total{operation="recall",status="422"} 1.0',
        'winnow_http_requests_total{operation="none",status="404"} 1.0',
        'winnow_http_request_seconds_count{operation="get"} 1.0',
        "winnow_http_calls 0.0",
    ):
        assert line in text.splitlines()
    assert "secret" not in text
    assert set(re.findall(r"(\w+)=\"", text)) == {"operation", "status", "le"}


def test_the_log_of_requests_has_no_text_of_a_memory(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    """F122."""
    caplog.set_level(logging.DEBUG)
    client.post(f"{API}/memories", json={"text": "secret words", "id": "secret-id"})
    client.get(f"{API}/memories/secret-id")
    client.get(f"{API}/recall?q=secret+words")
    client.get("/secret-path")
    own = [one.getMessage() for one in caplog.records if one.name.startswith("winnow")]
    assert any(re.search(r'"GET /api/v1/memories/\{id\}" 200 \d', line) for line in own)
    assert "secret" not in "\n".join(own)


def test_a_fault_of_our_own_is_a_problem_and_its_place_is_in_the_log(
    client: TestClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "".join(("sec", "ret"))  # the log has lines of code, and this is one

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError(words)

    monkeypatch.setattr(Memory, "recall", fail)
    sent = client.get(f"{API}/recall")
    assert (sent.status_code, problem(sent)["code"]) == (500, "internal_error")
    assert "secret" not in sent.text
    (line,) = [one.getMessage() for one in caplog.records if one.levelname == "ERROR"]
    assert sent.headers["x-request-id"] in line
    assert "ZeroDivisionError" in line
    assert "in fail" in line
    assert "secret" not in line


def test_a_websocket_is_not_served(client: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/mcp"):
        pass


# --- MCP beside it -------------------------------------------------------------------------------

MCP = {"accept": "application/json, text/event-stream"}


def call(client: TestClient, tool: str, **arguments: Any) -> Any:
    params = {"name": tool, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    sent = client.post("/mcp", json=message, headers=MCP)
    assert sent.status_code == 200
    return json.loads(sent.text)["result"]


def test_mcp_is_served_beside_the_api_over_the_same_store(client: TestClient) -> None:
    stored = call(client, "memory_store", text="the river", id="m")
    assert stored["structuredContent"]["id"] == "m"
    assert client.get(f"{API}/memories/m").json()["text"] == "the river"
    refused = call(client, "memory_get", id="nobody")
    assert refused["isError"]


def test_mcp_has_the_same_limits_and_the_same_headers(client: TestClient) -> None:
    sent = client.post("/mcp", content=b"{", headers={**MCP, "x-request-id": "mine"})
    assert 400 <= sent.status_code < 500
    assert sent.headers["x-request-id"] == "mine"
    assert 'operation="mcp"' in client.get("/metrics").text


def test_without_the_server_s_life_mcp_is_not_ready_and_the_rest_is(memory: Memory) -> None:
    plain = TestClient(App(memory), "http://localhost")
    assert problem(plain.post("/mcp", json={}, headers=MCP))["code"] == "not_ready"
    assert plain.get(f"{API}/recall").status_code == 200


@pytest.mark.parametrize("path", ["/openapi.json", "/docs"])
def test_the_api_tells_what_it_is(client: TestClient, path: str) -> None:
    assert API in client.get(path).text


def test_twenty_requests_at_once_lose_nothing(memory: Memory) -> None:
    """F91."""
    from concurrent.futures import ThreadPoolExecutor

    with TestClient(App(memory), "http://localhost") as client:

        def store(number: int) -> int:
            return client.post(f"{API}/memories", json={"text": f"no {number}"}).status_code

        with ThreadPoolExecutor(20) as pool:
            assert set(pool.map(store, range(20))) == {201}
    assert memory.count().count == 20
