"""Requests that are too much: answered, or refused with the limit; the next one is served."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.memory.remembering import temporary_memory
from tests.surfaces.http.serving import API, Served, served
from tests.surfaces.resp.speaking import Error, Line, serve_in_process

from winnow.errors import InvalidRequest
from winnow.memory import Memory

HEAD = "Host: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with temporary_memory() as opened:
        for number in range(50):
            opened.store("x", id=f"r{number}", metadata={"n": number, "s": f"s{number}"})
        yield opened


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({"or": [{"n": number} for number in range(9_998)]}, 50),
        ({"and": [{"n": {"ne": 50 + number}} for number in range(9_998)]}, 50),
        ({"n": {"in": list(range(0, 100_000, 2))}}, 25),
        ({"s": {"in": [f"s{number}" for number in range(50_000)]}}, 50),
        ({"id": {"nin": [f"r{number}" for number in range(10, 50_000)]}}, 10),
        ({"n": {"in": list(range(10))}, "not": {"n": {"in": list(range(5, 50_000))}}}, 5),
    ],
)
def test_ten_thousand_tests_and_fifty_thousand_values_are_answered(
    memory: Memory, filters: dict[str, Any], count: int
) -> None:
    assert memory.count(filters=filters).count == count


def _nested(depth: int) -> dict[str, Any]:
    filters: dict[str, Any] = {"n": 1}
    for _ in range(depth):
        filters = {"not": filters}
    return filters


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"filters": {"or": [{"n": 1}] * 10_001}}, "more than 10,000"),
        ({"where": " or ".join(["n = 1"] * 10_001)}, "more than 10,000"),
        ({"filters": _nested(65)}, "more than 64 levels"),
        ({"filters": _nested(900)}, "more than 64 levels"),
        ({"where": "(" * 100_000 + "n = 1" + ")" * 100_000}, "more than 64 levels"),
        ({"where": "not " * 100_000 + "n = 1"}, "more than 64 levels"),
        ({"filters": '{"not":' * 50_000 + "1" + "}" * 50_000}, "nested too deep"),
        ({"filters": {"n": 10**400}}, "too large"),
    ],
)
def test_what_is_more_is_refused_with_the_limit(
    memory: Memory, asked: dict[str, Any], told: str
) -> None:
    with pytest.raises(InvalidRequest, match=told):
        memory.count(**asked)
    assert memory.count().count == 50


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("served") / "w.db", "--max-body", "100000") as one:
        yield one


def _chunks(size: int) -> bytes:
    return (b"1000\r\n" + b"a" * 4_096 + b"\r\n") * (size // 4_096)


@pytest.mark.parametrize(
    ("head", "body", "status"),
    [
        ("Content-Length: 100000000\r\n", b"", 413),
        ("Content-Length: " + "9" * 19 + "\r\n", b"", 413),
        ("Content-Length: " + "9" * 60 + "\r\n", b"", 400),
        ("Transfer-Encoding: chunked\r\n", _chunks(1_000_000), 413),
        ("Transfer-Encoding: chunked\r\n", b"f" * 30 + b"\r\n", 400),
        ("Transfer-Encoding: chunked\r\n", b"1;" + b"x" * 200_000, 400),
        ("Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n", 400),
        ("Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", b"2\r\n{}\r\n0\r\n\r\n", 400),
        ("Content-Length: 2\r\nContent-Length: 3\r\n", b"{}", 400),
        ("Content-Length: +2\r\n", b"{}", 400),
        ("Content-Length: 2\r\nContent-Encoding: gzip\r\n", b"{}", 415),
        ("Host: evil.example\r\nContent-Length: 2\r\n", b"{}", 400),
        ("A b: c\r\nContent-Length: 2\r\n", b"{}", 400),
        ("a: b\r\n" * 50_000, b"", 400),
    ],
)
def test_a_body_or_head_that_is_a_trick_is_refused(
    server: Served, head: str, body: bytes, status: int
) -> None:
    told = _talk(server, f"POST {API}/memories HTTP/1.1\r\n{HEAD}{head}\r\n".encode() + body)
    assert told.startswith(b"HTTP/1.1 %d " % status)
    assert told.count(b"HTTP/1.1 ") == 1
    assert _talk(server, b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")


def test_what_follows_a_body_of_two_lengths_is_never_taken_for_a_request(server: Served) -> None:
    smuggled = b"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    head = f"{HEAD}Transfer-Encoding: chunked\r\nContent-Length: {len(smuggled)}\r\n"
    told = _talk(server, f"POST {API}/recall HTTP/1.1\r\n{head}\r\n".encode() + smuggled)
    assert told.count(b"HTTP/1.1 ") == 1
    assert b"ambiguous_length" in told


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/memories/..%2f..%2fkeys",
        "/api/v1/../v1/keys",
        "/healthz/../metrics",
        "/%2e%2e/keys",
    ],
)
def test_steps_up_in_a_path_lead_nowhere(server: Served, path: str) -> None:
    told = _talk(server, f"GET {path} HTTP/1.1\r\n{HEAD}\r\n".encode())
    assert told.startswith(b"HTTP/1.1 404 ")


def _talk(server: Served, data: bytes) -> bytes:
    """Send bytes and read until the server closes."""
    got = bytearray()
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as one:
        try:
            one.sendall(data)
            while part := one.recv(65_536):
                got += part
        except OSError:  # it has refused the rest
            pass
    return bytes(got)


@pytest.mark.parametrize(
    "data",
    [
        b"*1\r\n$99999999999\r\n",
        b"*99999999\r\n",
        b"*1\r\n$-5\r\n",
        b"*1\r\n$3\r\nabcdef",
        b"x" * 70_000,
        b"*1\r\n$" + b"9" * 70_000,
    ],
)
def test_a_frame_that_is_too_much_costs_its_own_connection(memory: Memory, data: bytes) -> None:
    service = serve_in_process(memory)
    (refused,) = Line(service).send(data)
    assert isinstance(refused, Error)
    assert refused.text.startswith("ERR Protocol error")
    assert Line(service).say("PING")


def test_what_is_made_has_no_reader_but_its_owner() -> None:
    """The store with its log and lock, what it derives, and an export."""
    with temporary_memory() as memory:
        memory.store("x")
        folder = Path(memory.engine.label).parent
        memory.admin.export(str(folder / "x.jsonl"))
        made = [place for place in folder.rglob("*") if not place.is_symlink()]
        assert {"x.jsonl", "w.db", "w.db.d"} <= {place.name for place in made}
        assert {oct(one.stat().st_mode & 0o777) for one in made if one.is_file()} == {"0o600"}
        assert {oct(one.stat().st_mode & 0o777) for one in made if one.is_dir()} == {"0o700"}


def test_a_command_of_resp_has_the_time_limit_too(memory: Memory) -> None:
    hasty = Line(serve_in_process(memory.within(1e-9)))
    query = ("MEM.QUERY", "default", "TEXT", "x", "FILTER", "n", "GT", "1")
    told = hasty.say(*query)
    assert isinstance(told, Error)
    assert "took more than" in told.text
    assert not isinstance(Line(serve_in_process(memory)).say(*query), Error)
