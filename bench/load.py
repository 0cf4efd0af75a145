"""A client that asks servers as fast as they answer, from a process of its own.

It reads what to do from standard input, a task a line, and writes for each what came of it.
"""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from types import TracebackType
from typing import IO, Any

BUFFER = 1 << 16


@dataclass(frozen=True)
class Task:
    """Send a message `calls` times over `connections`, each of which waits for its answer.

    `port` and `path` are those of an HTTP server. Without them the messages go to the server
    that this process has started, with as many under way in its pipe as there are `connections`.
    """

    message: dict[str, Any]
    port: int = 0
    path: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    calls: int = 1
    connections: int = 1


@dataclass(frozen=True)
class Load:
    """What came of a task: how long the whole took, and each call; `answer` is one of them."""

    seconds: float
    milliseconds: list[float]
    answer: Any


class Client(AbstractContextManager["Client"]):
    """A process that does tasks. `server` is the command of one that it talks to by a pipe."""

    def __init__(self, *server: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.load", *server],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        _, back = pipes_of(self._process)
        self.server: int = json.loads(back.readline())

    def run(self, task: Task) -> Load:
        """Do a task, and return what came of it."""
        out, back = pipes_of(self._process)
        out.write(json.dumps(asdict(task)).encode() + b"\n")
        out.flush()
        return Load(**json.loads(back.readline()))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the process, and the server that it has started."""
        self._process.communicate()


def time_in_threads(calls: int, threads: int, work: Callable[[int], list[float]]) -> Load:
    """Let each thread do its share of some calls; `work` returns the milliseconds of each."""
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(work, [calls // threads] * threads))
    return Load(time.perf_counter() - start, [one for share in found for one in share], None)


def pipes_of(process: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes]]:
    """Return what a process reads, and what it writes."""
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _ask_by_http(task: Task) -> Load:
    request = _spell_request(task)
    answers: list[bytes] = []

    def work(share: int) -> list[float]:
        took: list[float] = []
        with socket.create_connection(("127.0.0.1", task.port)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for _ in range(share):
                start = time.perf_counter()
                connection.sendall(request)
                answers[:] = [_read_response(connection)]
                took.append((time.perf_counter() - start) * 1_000)
        return took

    load = time_in_threads(task.calls, task.connections, work)
    return Load(load.seconds, load.milliseconds, json.loads(answers[0]))


def _spell_request(task: Task) -> bytes:
    body = json.dumps(task.message).encode()
    headers = {
        "host": "localhost",
        "content-type": "application/json",
        "content-length": str(len(body)),
        **task.headers,
    }
    lines = [f"POST {task.path} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items())]
    return "\r\n".join((*lines, "", "")).encode() + body


def _read_response(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _receive(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    status, *headers = head.lower().split(b"\r\n")
    if b" 200 " not in status:
        raise ValueError(f"{status.decode()}: {body.decode()}")
    (length,) = (one for one in headers if one.startswith(b"content-length:"))
    while len(body) < int(length.partition(b":")[2]):
        body += _receive(connection)
    return body


def _receive(connection: socket.socket) -> bytes:
    if not (data := connection.recv(BUFFER)):
        raise ConnectionError("the server has closed the connection")
    return data


def _ask_by_pipe(task: Task, process: "subprocess.Popen[bytes]") -> Load:
    out, back = pipes_of(process)
    started: dict[int, float] = {}
    took: list[float] = []
    answer: Any = None

    def send() -> None:
        number = len(started)
        message = json.dumps({**task.message, "id": number}).encode() + b"\n"
        started[number] = time.perf_counter()
        out.write(message)
        out.flush()

    start = time.perf_counter()
    while len(took) < task.calls:
        while len(started) < min(len(took) + task.connections, task.calls):
            send()
        line = back.readline()
        now = time.perf_counter()
        answer = json.loads(line)
        took.append((now - started[answer["id"]]) * 1_000)
    return Load(time.perf_counter() - start, took, answer)


def main(server: list[str]) -> int:
    """Do the tasks of standard input; first say which process the server is."""
    process = None
    if server:
        process = subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    print(process.pid if process else 0, flush=True)
    for line in sys.stdin:
        task = Task(**json.loads(line))
        if task.port:
            load = _ask_by_http(task)
        else:
            assert process is not None
            load = _ask_by_pipe(task, process)
        print(json.dumps(asdict(load)), flush=True)
    if process is not None:
        process.communicate()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
