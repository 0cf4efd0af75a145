"""The Redis protocol as tests speak it: in this process without a socket, and over one."""

import socket
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any, BinaryIO

import redis

from winnow.memory import Memory
from winnow.surfaces.resp.alike import find_form
from winnow.surfaces.resp.config import Config
from winnow.surfaces.resp.protocol import read_commands
from winnow.surfaces.resp.server import RespServer
from winnow.surfaces.resp.service import Client, Service
from winnow.surfaces.resp.session import Session
from winnow.surfaces.resp.table import TABLE

Word = str | bytes | int | float


@dataclass(frozen=True)
class Status:
    """A short word."""

    text: str


@dataclass(frozen=True)
class Error:
    """An error reply."""

    text: str


@dataclass(frozen=True)
class Double:
    """A number with a fraction, as RESP3 has it."""

    text: str


def encode(*words: Word) -> bytes:
    """A command as clients send it."""
    raw = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(raw) + b"".join(b"$%d\r\n%b\r\n" % (len(one), one) for one in raw)


def read_reply(file: BinaryIO) -> Any:
    """Read one reply: bytes, int, None, list, dict, or one of the classes above."""
    line = file.readline()
    assert line.endswith(b"\r\n"), line
    kind, rest = line[:1], line[1:-2]
    match kind:
        case b"+":
            return Status(rest.decode())
        case b"-":
            return Error(rest.decode())
        case b":":
            return int(rest)
        case b",":
            return Double(rest.decode())
        case b"_":
            return None
        case b"$":
            return None if int(rest) < 0 else file.read(int(rest) + 2)[:-2]
        case b"*":
            return None if int(rest) < 0 else [read_reply(file) for _ in range(int(rest))]
        case b"%":
            return {read_reply(file): read_reply(file) for _ in range(int(rest))}
        case _:
            raise AssertionError(line)


def read_replies(data: bytes) -> list[Any]:
    """Read all replies of some bytes."""
    file = BytesIO(data)
    return [*iter_replies(file, len(data))]


def iter_replies(file: BytesIO, end: int) -> Iterator[Any]:
    while file.tell() < end:
        yield read_reply(file)


class Line:
    """A client without a socket: what it says is parsed, run and answered in this process."""

    def __init__(self, service: Service, client: Client | None = None) -> None:
        self.service = service
        self.client = client or Client(len(service.clients) + 1)
        service.clients[self.client.id] = self.client
        self.session = Session(service, self.client)
        self._parser = read_commands(lambda: self.session.bounds(), find_form)
        next(self._parser)

    def send(self, data: bytes) -> list[Any]:
        """Send bytes, and return the replies to what they complete."""
        return read_replies(self.session.answer(self._parser.send(data)))

    def say(self, *words: Word) -> Any:
        """Send a command, and return its reply."""
        (reply,) = self.send(encode(*words))
        return reply

    def tell(self, text: str) -> Any:
        """Send a command as it is typed by hand, and return its reply."""
        (reply,) = self.send(text.encode() + b"\r\n")
        return reply

    def all(self, *commands: Sequence[Word]) -> list[Any]:
        """Send commands in one go."""
        return self.send(b"".join(encode(*one) for one in commands))


def serve_in_process(memory: Memory, *, local: bool = True) -> Service:
    """A service without sockets."""
    return Service(memory, TABLE, Config({"port": "7171", "maxclients": "9"}), local=local)


@contextmanager
def served(memory: Memory, **options: Any) -> Generator[RespServer]:
    """A server in threads of this process."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = RespServer(memory, [listener], **options)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def connected(port: int) -> Generator[tuple[socket.socket, BinaryIO]]:
    """A plain connection, and what is read from it."""
    one = socket.create_connection(("127.0.0.1", port), timeout=60)
    with one, one.makefile("rb") as file:
        yield one, file


@contextmanager
def redis_client(port: int, **options: Any) -> Generator[Any]:
    """A client of the library redis-py, whose types say little."""
    client: Any = redis.Redis(port=port, **options)
    with client:
        yield client
