"""Connections whose requests don't begin."""

import socket
from collections.abc import Iterator
from threading import Event, Thread
from typing import Any

import pytest
import uvicorn

from winnow.surfaces.http.connections import PatientProtocol


class _Hasty(PatientProtocol):
    head_seconds = 0.2


async def _answer(scope: Any, receive: Any, send: Any) -> None:
    """Answer when the body is there."""
    while (await receive()).get("more_body"):
        pass
    head = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
    await send(head)
    await send({"type": "http.response.body", "body": b"ok"})


class _Server(uvicorn.Server):
    """Says when it is up."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server that waits for a head for a fifth of a second."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(_answer, http=_Hasty, ws="none", lifespan="off", log_config=None)
    server = _Server(config)
    thread = Thread(target=server.run, args=([listening],))
    thread.start()
    server.up.wait()
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join()


@pytest.mark.parametrize("begin", [b"", b"G", b"GET / HTTP/1.1\r\nhost: localhost\r\n"])
def test_a_connection_whose_head_does_not_come_is_closed(port: int, begin: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(begin)
        assert connection.recv(100) == b""


def test_so_is_one_whose_second_head_stops_half_way(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert connection.recv(1_000).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET / HT")
        while connection.recv(1_000):
            pass


def test_a_body_that_is_slow_and_a_connection_that_rests_are_not_its_business(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        for pause in (0.0, 0.5):
            head = b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n"
            Event().wait(pause)
            connection.sendall(head + b"x")
            Event().wait(0.5)
            connection.sendall(b"y")
            received = b""
            while not received.endswith(b"ok"):
                received += connection.recv(1_000)
            assert received.startswith(b"HTTP/1.1 200")
