"""Who may come in: Host, Origin and keys, and that a key opens its own namespaces alone."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from starlette.testclient import TestClient
from tests.memory.tenants import fill_mine, fill_theirs
from tests.surfaces.http.serving import API, client_of, problem

from winnow.memory import Memory
from winnow.surfaces.authenticate import ATTEMPTS

RECALL = f"{API}/recall"
MCP = {"accept": "application/json, text/event-stream"}


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


# --- without keys --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:7070", "LocalHost:1", "127.0.0.1:7070", "127.1.2.3", "[::1]:7"]
)
def test_names_of_this_machine_are_answered(client: TestClient, host: str) -> None:
    assert client.get(RECALL, headers={"host": host}).status_code == 200


FOREIGN = ("evil.example", "evil.example:7070", "localhost.evil.example", "127.0.0.1.nip.io")
BROKEN = ("0.0.0.0", "10.0.0.1", "", "[", "localhost@evil.example", "localhost,evil.example")
ODD = (
    *("evil.example@127.0.0.1", "localhost:80:80", "localhost#evil", "localhost/evil", "127.1"),
    *("127.0.0.1%00", "[::1%25lo]", "[::ffff:10.0.0.1]", "localhost.", "localhost:x", "::1"),
)


@pytest.mark.parametrize("host", [*FOREIGN, *BROKEN, *ODD])
def test_f121_a_name_that_may_lead_here_from_elsewhere_is_not(
    client: TestClient, host: str
) -> None:
    for path in (RECALL, "/metrics", "/openapi.json", "/docs", "/nowhere"):
        sent = client.get(path, headers={"host": host})
        assert (sent.status_code, problem(sent)["code"]) == (421, "foreign_host")
    sent = client.post("/mcp", json={}, headers={**MCP, "host": host})
    assert sent.status_code == 421


def test_two_ways_to_tell_where_a_body_ends_are_refused(client: TestClient) -> None:
    """A proxy before us might read the other one, and take what follows for a request."""

    def body() -> Iterator[bytes]:
        yield b'{"text": "x"}'

    headers = {"content-type": "application/json", "content-length": "2"}
    sent = client.post(
        f"{API}/memories", content=body(), headers={**headers, "transfer-encoding": "chunked"}
    )
    assert (sent.status_code, problem(sent)["code"]) == (400, "ambiguous_length")
    assert sent.headers["connection"] == "close"


@pytest.mark.parametrize("name", ["x-forwarded-host", "forwarded", "x-original-host"])
def test_what_a_proxy_might_say_of_the_host_counts_for_nothing(
    client: TestClient, name: str
) -> None:
    sent = client.get(RECALL, headers={"host": "evil.example", name: "localhost"})
    assert sent.status_code == 421
    assert client.get(RECALL, headers={name: "host=evil.example"}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "https://localhost", "http://localhost:1", "null", "", "file://"],
)
def test_f121_what_a_page_of_another_site_sends_is_refused(client: TestClient, origin: str) -> None:
    headers = {"host": "localhost:7070", "origin": origin}
    sent = client.post(f"{API}/memories", json={"text": "x"}, headers=headers)
    assert (sent.status_code, problem(sent)["code"]) == (403, "foreign_origin")
    assert client.get(f"{API}/count").json()["count"] == 0


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_page_of_the_server_itself_may_ask(client: TestClient, scheme: str) -> None:
    headers = {"host": "localhost:7070", "origin": f"{scheme}://localhost:7070"}
    assert client.get(RECALL, headers=headers).status_code == 200


def test_health_is_told_to_anybody(client: TestClient) -> None:
    headers = {"host": "probe.example", "origin": "http://evil.example"}
    assert client.get("/healthz", headers=headers).status_code == 200


# --- with keys -----------------------------------------------------------------------------------


@pytest.fixture
def secret(memory: Memory) -> str:
    """The secret of a key that may do everything."""
    return memory.admin.create_key("root", scopes="read,write,admin").secret


PATHS = (RECALL, "/readyz", "/metrics", "/openapi.json", "/docs", "/nowhere", f"{API}/keys")


def test_with_a_key_in_the_store_every_request_needs_one(client: TestClient, secret: str) -> None:
    for path in PATHS:
        sent = client.get(path)
        assert (sent.status_code, problem(sent)["code"]) == (401, "unauthorized")
        assert sent.headers["www-authenticate"] == 'Bearer realm="winnow"'
        assert client.get(path, headers=bearer(secret)).status_code in (200, 404)
    assert client.post("/mcp", json={}, headers=MCP).status_code == 401
    assert client.get("/healthz").status_code == 200


def test_with_a_key_the_name_of_the_server_does_not_matter(client: TestClient, secret: str) -> None:
    headers = {"host": "memory.example", "origin": "https://app.example", **bearer(secret)}
    assert client.get(RECALL, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic abc",
        "bearer  ",
        "Digest Bearer x",
        "SECRET",
        "Bearer,SECRET",
    ],
)
def test_what_is_no_bearer_token_is_no_key(client: TestClient, secret: str, header: str) -> None:
    given = header.replace("SECRET", secret)
    assert client.get(RECALL, headers={"authorization": given}).status_code == 401


def test_the_scheme_is_read_in_any_case(client: TestClient, secret: str) -> None:
    for scheme in ("bearer", "BEARER"):
        headers = {"authorization": f"{scheme} {secret}"}
        assert client.get(RECALL, headers=headers).status_code == 200


def test_two_keys_at_once_are_none(client: TestClient, secret: str) -> None:
    twice = [("authorization", f"Bearer {secret}")] * 2
    assert client.get(RECALL, headers=twice).status_code == 401


def test_wrong_keys_are_bounded_and_a_right_one_is_always_taken(
    client: TestClient, secret: str
) -> None:
    wrong = [client.get(RECALL, headers=bearer(f"{secret}{n}")) for n in range(ATTEMPTS + 3)]
    assert [sent.status_code for sent in wrong] == [401] * ATTEMPTS + [429] * 3
    assert 'error="invalid_token"' in wrong[0].headers["www-authenticate"]
    assert problem(wrong[-1])["code"] == "too_many_attempts"
    assert int(wrong[-1].headers["retry-after"]) > 0
    assert client.get(RECALL, headers=bearer(secret)).status_code == 200


def test_a_key_that_is_revoked_is_refused_by_a_server_that_runs(
    client: TestClient, memory: Memory, secret: str
) -> None:
    other = memory.admin.create_key("other").secret
    assert client.get(RECALL, headers=bearer(other)).status_code == 200
    assert client.delete(f"{API}/keys/other", headers=bearer(secret)).status_code == 200
    assert client.get(RECALL, headers=bearer(other)).status_code == 401
    memory.admin.revoke_key("root")
    assert client.get(RECALL).status_code == 200  # none is left, and it is this machine's alone


def test_a_server_for_others_never_opens_without_keys(memory: Memory) -> None:
    secret = memory.admin.create_key("only").secret
    with client_of(memory, local=False) as client:
        assert client.get(RECALL, headers=bearer(secret)).status_code == 200
        memory.admin.revoke_key("only")
        for path in PATHS:
            assert client.get(path).status_code == 401
            assert client.get(path, headers=bearer(secret)).status_code in (401, 429)


def test_a_key_does_what_its_scopes_allow(client: TestClient, memory: Memory) -> None:
    secrets = {
        scope: memory.admin.create_key(scope, scopes=scope).secret
        for scope in ("read", "write", "admin")
    }
    asked: tuple[tuple[str, str, str, Any], ...] = (
        ("read", "GET", RECALL, None),
        ("write", "POST", f"{API}/memories", {"text": "x"}),
        ("admin", "GET", f"{API}/keys", None),
        ("admin", "GET", "/metrics", None),
    )
    for needed, method, path, body in asked:
        for scope, secret in secrets.items():
            sent = client.request(method, path, json=body, headers=bearer(secret))
            assert (sent.status_code < 300) == (scope == needed)
            assert sent.status_code < 300 or problem(sent)["code"] == "forbidden"


def test_a_key_is_made_over_http_and_its_secret_is_told_once(
    client: TestClient, secret: str
) -> None:
    body = {"name": "agent", "scopes": ["read"], "namespaces": ["a"]}
    made = client.post(f"{API}/keys", json=body, headers=bearer(secret))
    assert made.status_code == 201
    listed = client.get(f"{API}/keys", headers=bearer(secret))
    assert made.json()["secret"] not in listed.text
    assert {one["name"] for one in listed.json()["keys"]} == {"agent", "root"}
    assert client.get(RECALL, headers=bearer(made.json()["secret"])).status_code == 200


# --- one tenant among others ---------------------------------------------------------------------


@pytest.fixture
def tenant(memory: Memory, tmp_path: Path) -> Iterator[TestClient]:
    """A client with a key for the namespace `mine`, in a store that another one uses too."""
    fill_theirs(memory, tmp_path)
    fill_mine(memory, tmp_path)
    secret = memory.admin.create_key("mine", scopes="read,write,admin", namespaces="mine").secret
    with client_of(memory, secret=secret) as client:
        yield client


def tool(name: str, **arguments: Any) -> Mapping[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


MATTER = "legal.Matter"
REFUSED: tuple[tuple[str, str, Any], ...] = (
    ("GET", "/recall?namespace=theirs", None),
    ("POST", "/recall", {"namespace": "theirs", "schema": MATTER}),
    ("POST", "/recall/check", {"topic": "river", "namespace": "theirs"}),
    ("GET", "/memories?namespace=theirs", None),
    ("POST", "/memories", {"text": "x", "namespace": "theirs"}),
    ("POST", "/memories/undelete", {"namespace": "theirs", "deletedSince": "1h"}),
    ("GET", "/memories?namespace=theirs&deleted=true", None),
    ("GET", "/memories/x1?namespace=theirs", None),
    ("PATCH", "/memories/x1?namespace=theirs", {"title": "x"}),
    ("DELETE", "/memories/x1?namespace=theirs", None),
    ("POST", "/memories/x4/undelete?namespace=theirs", None),
    ("POST", "/memories/delete", {"namespace": "theirs", "all": True, "where": "text is not null"}),
    ("POST", "/memories/retype", {"id": "x1", "namespace": "theirs", "kind": "claim"}),
    ("POST", "/aggregate", {"namespace": "theirs", "groupBy": "entity"}),
    ("POST", "/explain", {"id": "MAT-2389", "schema": MATTER, "namespace": "theirs"}),
    ("GET", "/schemas?namespace=theirs", None),
    ("GET", "/namespaces/theirs", None),
    ("PATCH", "/namespaces/theirs", {"language": "english"}),
    ("GET", "/lint?namespace=theirs", None),
    ("POST", "/reembed", {"namespace": "theirs"}),
    ("POST", "/index", {"path": "/", "namespace": "mine"}),
    ("POST", "/index", {"path": "/", "namespace": "theirs"}),
    ("GET", "/doctor", None),
    ("GET", "/keys", None),
    ("POST", "/keys", {"name": "more"}),
    ("DELETE", "/keys/mine", None),
)


@pytest.mark.parametrize(("method", "path", "body"), REFUSED, ids=lambda one: str(one)[:40])
def test_f31_another_namespace_is_refused_however_it_is_named(
    tenant: TestClient, method: str, path: str, body: Any
) -> None:
    sent = tenant.request(method, API + path, json=body)
    assert (sent.status_code, problem(sent)["code"]) == (403, "forbidden")
    assert "secret" not in sent.text


# What names nobody else's namespace, and must find nothing of it.
EMPTY: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/recall", {"filters": {"namespace": {"in": ["theirs"]}}}),
    ("POST", "/recall", {"where": 'not namespace = "mine"'}),
    ("POST", "/recall", {"filters": {"secretkey": {"gte": 0}}}),
    ("POST", "/recall", {"filters": {"secretkeys": 1}}),
    ("POST", "/recall", {"query": "hides"}),
    ("POST", "/recall", {"schema": MATTER, "where": 'id = "MAT-2389"', "nearMisses": 9}),
    ("POST", "/recall", {"schema": "secretpack.Thing"}),
    ("GET", "/memories/x1?namespace=mine", None),
    ("POST", "/explain", {"id": "MAT-2389", "schema": MATTER}),
    ("GET", "/explain?id=MAT-2389&schema=legal.Matter", None),
    ("POST", "/aggregate", {"groupBy": ["namespace", "metadata.color"]}),
    ("POST", "/aggregate", {"schema": MATTER, "metrics": ["max(escrowPct)"]}),
    ("GET", "/namespaces", None),
    ("GET", "/schemas", None),
    ("GET", "/schemas/legal.Matter", None),
    ("GET", "/lint", None),
    ("GET", "/capabilities", None),
    ("GET", "/memories", None),
)


@pytest.mark.parametrize(("method", "path", "body"), EMPTY, ids=lambda one: str(one)[:40])
def test_f31_nothing_of_another_namespace_is_in_an_answer(
    tenant: TestClient, method: str, path: str, body: Any
) -> None:
    sent = tenant.request(method, API + path, json=body)
    _has_nothing_of_theirs(sent, json.dumps(body) + path)


def test_f31_nor_in_an_answer_of_mcp(tenant: TestClient) -> None:
    calls: tuple[Mapping[str, Any], ...] = (
        tool("memory_recall", query="hides"),
        tool("memory_recall", where="secretkey >= 0"),
        tool("memory_recall", schema=MATTER),
        tool("memory_recall", namespace="theirs"),
        tool("memory_get", id="x1", namespace="theirs"),
        tool("memory_schema"),
        tool("memory_list"),
        tool("memory_aggregate", groupBy="namespace"),
        tool("memory_delete", id="x1", namespace="theirs"),
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "method": "resources/list", "params": {}},
    )
    for message in calls:
        sent = tenant.post("/mcp", json=message, headers=MCP)
        assert sent.status_code == 200
        _has_nothing_of_theirs(sent, json.dumps(message))


def test_a_cursor_that_another_key_was_given_is_refused(tenant: TestClient, memory: Memory) -> None:
    for arguments in ({"query": "river"}, {"schema": MATTER}):
        asked: Mapping[str, Any] = {**arguments, "limit": 1}
        foreign = memory.recall(**asked).cursor
        sent = tenant.post(RECALL, json={**asked, "cursor": foreign})
        assert (sent.status_code, problem(sent)["errors"][0]["pointer"]) == (422, "/cursor")


def test_the_meters_of_the_server_are_not_for_a_tenant(tenant: TestClient) -> None:
    assert problem(tenant.get("/metrics"))["code"] == "forbidden"


def _has_nothing_of_theirs(sent: Response, asked: str) -> None:
    text = sent.text
    for word in ("hides", "secretperson", "secrettag", "secretvault", "secret deal", "77000777"):
        assert word in asked or word not in text
    for word in ("theirs", "secretkey", "secretpack", "MAT-2389", "MAT-2391"):
        assert text.count(word) == 0 or word in asked
    if "x1" not in asked:
        assert '"x1"' not in text
