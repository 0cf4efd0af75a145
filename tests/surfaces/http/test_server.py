"""The server as a process: where it listens, how it bears slow clients, how it ends."""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from urllib.request import Request, urlopen

import pytest
from tests.surfaces.http.serving import API, Served, body_of, served
from tests.surfaces.running import run_winnow, spawn_winnow

from winnow.app import open_memory
from winnow.errors import InvalidRequest
from winnow.surfaces.http.limits import DEFAULT_HOST, DEFAULT_PORT
from winnow.surfaces.listening import listen

JSON = "content-type: application/json"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served") / "winnow.db"


@pytest.fixture(scope="module")
def server(store: Path) -> Iterator[Served]:
    with served(store) as found:
        yield found


def send(server: Served, *lines: str, body: bytes = b"") -> socket.socket:
    """Send a request as it is written, and return the connection."""
    connection = connect(server)
    connection.sendall("".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + body)
    return connection


def connect(server: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=30)


def receive(connection: socket.socket) -> bytes:
    """Return all that comes until the other end closes."""
    parts: list[bytes] = []
    with connection:
        while part := connection.recv(65_536):
            parts.append(part)
    return b"".join(parts)


def post(path: str, length: int, *more: str) -> tuple[str, ...]:
    place = f"POST {API}{path} HTTP/1.1"
    return (place, "host: localhost", JSON, f"content-length: {length}", *more)


def ask(server: Served, path: str) -> bytes:
    return receive(send(server, f"GET {path} HTTP/1.1", "host: localhost", "connection: close"))


# --- where it listens ----------------------------------------------------------------------------


def test_a_port_that_is_free_is_found_and_told_on_standard_error(server: Served) -> None:
    parts = "API /api/v1, its description /docs, MCP /mcp"
    assert f"winnow: listening on {server.url} ({parts})" in server.log
    with urlopen(f"{server.url}/healthz") as sent:
        assert json.load(sent) == {"status": "ok"}


def test_without_more_it_listens_where_only_this_machine_reaches_it() -> None:
    shown = " ".join(run_winnow("serve", "--help").out.split())
    assert f"(default: {DEFAULT_HOST})" in shown
    assert f"(default: {DEFAULT_PORT})" in shown


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_f121_a_host_that_others_reach_is_refused_without_a_key(tmp_path: Path, host: str) -> None:
    ran = spawn_winnow("--store", str(tmp_path / "w.db"), "serve", "--host", host, "--port", "0")
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1
    assert "needs a key" in ran.err


def test_with_a_key_it_may_be_reached_from_elsewhere(tmp_path: Path) -> None:
    with open_memory(tmp_path / "w.db") as memory:
        memory.admin.create_key("agent")
        place = listen(memory, "0.0.0.0", 0)
        assert not place.local
        for one in place.sockets:
            one.close()


def test_an_answer_does_not_wait_for_the_packet_before_it(tmp_path: Path) -> None:
    """Without its name asyncio leaves Nagle's algorithm on, and an answer takes 40 ms."""
    with open_memory(tmp_path / "w.db") as memory:
        place = listen(memory, "localhost", 0)
        assert place.local
        for one in place.sockets:
            assert one.proto == socket.IPPROTO_TCP
            one.close()


@pytest.mark.parametrize("host", ["nowhere.invalid", "300.0.0.1", "a b", "\ud800", "x" * 300])
def test_a_host_that_is_none_is_refused(tmp_path: Path, host: str) -> None:
    with open_memory(tmp_path / "w.db") as memory, pytest.raises(InvalidRequest, match="/host"):
        listen(memory, host, 0)


def test_an_address_that_this_machine_does_not_have_does_not_keep_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(*_: object, **__: object) -> list[object]:
        places = (("127.0.0.1", 0), ("127.0.0.1", 0), ("203.0.113.9", 0))
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place) for place in places]

    with open_memory(tmp_path / "w.db") as memory:
        memory.admin.create_key("agent")
        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        (one,) = listen(memory, "name", 0).sockets
        one.close()
        with (
            socket.create_server(("127.0.0.1", 0)) as taken,
            pytest.raises(OSError, match="in use"),
        ):
            listen(memory, "name", taken.getsockname()[1])


def test_a_port_that_is_taken_is_an_error_with_the_address(server: Served, tmp_path: Path) -> None:
    ran = spawn_winnow("--store", str(tmp_path / "w.db"), "serve", "--port", str(server.port))
    assert ran.code == 1
    assert ran.err == f"winnow: 127.0.0.1:{server.port}: {os.strerror(errno.EADDRINUSE)}\n"


@pytest.mark.parametrize(
    ("options", "faults"),
    [
        (("--port", "http"), ["/port"]),
        (("--port", "65536", "--profile", "cor"), ["/port", "/profile"]),
        (("--max-body", "0"), ["/maxBody"]),
    ],
)
def test_options_that_are_wrong_are_told_all_at_once(
    tmp_path: Path, options: tuple[str, ...], faults: list[str]
) -> None:
    ran = run_winnow("--store", str(tmp_path / "w.db"), "serve", *options)
    assert ran.code == 2
    assert all(f"{fault}: " in ran.err for fault in faults)


# --- how it bears its clients --------------------------------------------------------------------


def test_a_request_is_logged_on_standard_error_without_its_text(server: Served) -> None:
    ask(server, f"{API}/recall?q=secret")
    while '"GET /api/v1/recall" 200' not in server.log:
        sleep(0.01)
    assert "secret" not in server.log


def test_what_is_no_http_is_refused_and_the_next_is_served(server: Served) -> None:
    assert receive(send(server, "nonsense")).startswith(b"HTTP/1.1 400")
    assert ask(server, "/healthz").startswith(b"HTTP/1.1 200")


def test_a_long_address_is_read(server: Served) -> None:
    where = "or".join(f"(n=%22{number:030}%22)" for number in range(500))
    assert ask(server, f"{API}/recall?where={where}").startswith(b"HTTP/1.1 200")


def test_a_body_that_is_too_long_is_refused_before_it_is_there(tmp_path: Path) -> None:
    with served(tmp_path / "w.db", "--max-body", "1000") as server:
        asked = post("/memories", 100_000_000, "expect: 100-continue")
        assert receive(send(server, *asked)).startswith(b"HTTP/1.1 413")
        long = body_of(text="x" * 2_000)
        assert receive(send(server, *post("/memories", len(long)), body=long)).startswith(
            b"HTTP/1.1 413"
        )


# --- how it ends ---------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_good_order(tmp_path: Path, number: signal.Signals) -> None:
    with served(tmp_path / "w.db") as server:
        idle, half = connect(server), connect(server)
        half.sendall(b"POST /api/v1/mem")
        ask(server, "/healthz")  # by now the others are accepted
        server.process.send_signal(number)
        assert server.process.wait(20) == 0
        assert receive(idle) == receive(half) == b""
        assert "Traceback" not in server.log


def test_a_request_that_is_under_way_gets_its_answer_after_the_signal(tmp_path: Path) -> None:
    with served(tmp_path / "w.db") as server:
        body = body_of(text="kept", id="m")
        connection = send(server, *post("/memories", len(body)), body=body[:5])
        ask(server, "/healthz")  # by now the other request has been begun
        server.process.send_signal(signal.SIGTERM)
        threading.Timer(0.3, lambda: connection.sendall(body[5:])).start()
        assert receive(connection).startswith(b"HTTP/1.1 201")
        assert server.process.wait(20) == 0
    with open_memory(tmp_path / "w.db") as memory:
        assert memory.get("m").text == "kept"


STUCK = """
import sys, threading
from pathlib import Path
from winnow.app import open_memory
from winnow.memory import Memory
from winnow.surfaces.http.limits import Limits
from winnow.surfaces.http.server import serve
from winnow.surfaces.listening import listen

def wait(self, **_):
    print("inside", flush=True)
    threading.Event().wait()

Memory.count = wait
with open_memory(sys.argv[1]) as memory:
    place = listen(memory, "127.0.0.1", 0)
    print(place.sockets[0].getsockname()[1], flush=True)
    serve(memory, place, limits=Limits(grace_seconds=1))
"""


def test_a_call_that_does_not_end_does_not_keep_the_process(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STUCK, str(tmp_path / "w.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        server = Served(process, port, tmp_path / "none")
        connection = send(server, f"GET {API}/count HTTP/1.1", "host: localhost")
        assert process.stdout.readline() == b"inside\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        connection.close()


# --- what others may set up ----------------------------------------------------------------------


def test_spans_are_sent_when_the_usual_variables_ask_for_it(tmp_path: Path) -> None:
    with served(tmp_path / "w.db", env={"OTEL_TRACES_EXPORTER": "console"}) as server:
        with urlopen(Request(f"{server.url}{API}/capabilities")) as sent:
            assert sent.status == 200
        server.process.send_signal(signal.SIGTERM)
        out, _ = server.process.communicate()
    spans = out.decode()
    assert '"name": "GET /api/v1/capabilities"' in spans
    assert '"winnow.operation": "capabilities"' in spans
