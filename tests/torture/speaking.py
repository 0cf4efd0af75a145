"""The ways to a store: each is a process that can be killed, and that answers the same calls."""

import http.client
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

PATIENCE = 180.0  # seconds; who waits longer has found a fault
STARTING = 180.0  # seconds that a server has to say where it listens
RESP_NAMESPACE = "resp"


class Refused(Exception):
    """The answer is an error."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code


class Gone(Exception):
    """There is no answer: the process has died."""


class Hung(Exception):
    """There is no answer, and the process lives."""


class Way(ABC):
    """One process, started when it is needed, and again when it has died."""

    lasts = True
    """Whether the process answers more than once."""

    def __init__(self, name: str, store: Path, folder: Path) -> None:
        self.name = name
        self.store = store
        self.process: subprocess.Popen[bytes] | None = None
        self.warm: set[str] = set()
        """The operations that the process has carried out: the first of each loads things."""
        self._log = folder / f"{name}.log"
        self._clock = folder / f"{name}.clock"
        self.turn_clock(0)

    def turn_clock(self, seconds: float, still: float = 0) -> None:
        """Let the clock of the process differ by so many seconds, or stand still at a time."""
        fresh = self._clock.with_suffix(".new")
        fresh.write_bytes(struct.pack("dd", seconds, still))
        fresh.replace(self._clock)

    def call(self, operation: str, **arguments: Any) -> Any:
        """Carry out an operation, named as in the library; its arguments, too."""
        with self._watching():
            return self.exchange(operation, arguments)

    def begin(self) -> None:
        """Start the process, if it does not live."""
        if self.process is None or self.process.poll() is not None:
            self.close()
            with self._watching():
                self.start()

    @contextmanager
    def _watching(self) -> Generator[None]:
        """Tell apart who has died and who does not answer."""
        try:
            yield
        except TimeoutError as error:
            raise Hung(f"{self.name} did not answer within {PATIENCE} s") from error
        except (OSError, http.client.HTTPException, EOFError) as error:
            self.kill()
            raise Gone from error

    @abstractmethod
    def start(self) -> None:
        """Start the process."""

    @abstractmethod
    def exchange(self, operation: str, arguments: Mapping[str, Any]) -> Any:
        """Ask, and return the answer; an error of it is Refused."""

    def kill(self) -> bool:
        """Kill the process; tell whether it was alive."""
        process = self.process
        if process is None or process.poll() is not None:
            return False
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True

    def close(self) -> None:
        """End the process, and let go of what led to it."""
        self.kill()
        for pipe in (self.process.stdin, self.process.stdout) if self.process else ():
            if pipe is not None:
                with suppress(OSError):  # what was not written yet
                    pipe.close()

    def launch(
        self,
        *arguments: str,
        kind: str = "command",
        stdin: int | None = None,
        stdout: int | None = None,
    ) -> None:
        command = [sys.executable, "-m", "tests.torture.launch", str(self._clock), kind, *arguments]
        self.warm = set()
        with self._log.open("ab") as log:
            env = {**os.environ, **SETTINGS}
            self.process = subprocess.Popen(
                command, stdin=stdin, stdout=stdout, stderr=log, env=env
            )


class Lines(Way):
    """One request a line, one answer a line."""

    def open(self, *arguments: str, kind: str = "command") -> None:
        self.launch(*arguments, kind=kind, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def talk(self, request: object) -> Any:
        process = _alive(self.process)
        _write(process.stdin, json.dumps(request).encode() + b"\n")
        return json.loads(_read_line(process.stdout))


class Library(Lines):
    """A program that uses the library."""

    def start(self) -> None:
        self.open(str(self.store), kind="library")

    def exchange(self, operation: str, arguments: Mapping[str, Any]) -> Any:
        answer = self.talk({"method": operation, "arguments": arguments})
        if "code" in answer:
            raise Refused(answer["code"], answer["detail"])
        return answer["result"]


class Stdio(Lines):
    """An MCP server on standard input and output."""

    def start(self) -> None:
        self.open("--store", str(self.store), "mcp")
        self._ask("ping", {})

    def exchange(self, operation: str, arguments: Mapping[str, Any]) -> Any:
        params = {"name": f"memory_{operation}", "arguments": _camel(arguments)}
        result = self._ask("tools/call", params)
        if result.get("isError"):
            detail = result["content"][0]["text"]
            raise Refused(_code_in(detail), detail)
        return result["structuredContent"]

    def _ask(self, method: str, params: Mapping[str, Any]) -> Any:
        answer = self.talk({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        if "error" in answer:
            raise Refused("protocol", str(answer["error"]))
        return answer["result"]


class Listening(Way):
    """A server that says on standard error where it listens."""

    port = 0

    def listen(self, *arguments: str) -> None:
        begin = self._log.stat().st_size if self._log.exists() else 0
        self.launch("--store", str(self.store), *arguments, "--port", "0")
        ends = time.monotonic() + STARTING
        while _alive(self.process).poll() is None:
            found = re.search(rb"listening on \S+:(\d+)[ ,]", self._log.read_bytes()[begin:])
            if found:
                self.port = int(found[1])
                return
            if time.monotonic() > ends:
                raise Hung(f"{self.name} did not start within {STARTING} s")
            time.sleep(0.02)
        raise Gone


class Http(Listening):
    """The HTTP API."""

    def start(self) -> None:
        self.listen("serve", "--quiet")
        self._client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def exchange(self, operation: str, arguments: Mapping[str, Any]) -> Any:
        rest = dict(_camel(arguments))
        method, path = _ROUTES[operation]
        path = re.sub(r"{(\w+)}", lambda found: str(rest.pop(found[1])), path)
        body = json.dumps(rest) if method in ("POST", "PATCH") else None
        self._client.request(method, "/api/v1" + path, body, {"content-type": "application/json"})
        with self._client.getresponse() as reply:
            answer = json.loads(reply.read())
        if reply.status >= 400:
            raise Refused(answer.get("code", "?"), answer.get("detail", ""))
        return answer

    def close(self) -> None:
        super().close()
        if hasattr(self, "_client"):
            self._client.close()


_ROUTES = {
    "store": ("POST", "/memories"),
    "update": ("PATCH", "/memories/{id}"),
    "delete": ("DELETE", "/memories/{id}"),
    "get": ("GET", "/memories/{id}"),
    "recall": ("POST", "/recall"),
    "count": ("POST", "/count"),
    "list": ("POST", "/memories/list"),
}


class Resp(Listening):
    """The Redis protocol; its memories are in a namespace of their own."""

    def start(self) -> None:
        self.listen("resp")
        self._socket = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self._replies = self._socket.makefile("rb")
        try:
            self._say("MEM.CREATE", RESP_NAMESPACE, "MODE", "SEARCH")
        except Refused as error:
            if "exists" not in str(error):
                raise Gone from error

    def exchange(self, operation: str, arguments: Mapping[str, Any]) -> Any:
        name = str(arguments["id"])
        if operation in ("store", "update"):
            words = ("MEM.ADD", RESP_NAMESPACE, "ID", name, "TEXT", str(arguments["text"]))
            return {"id": self._say(*words)}
        if operation == "delete":
            if self._say("MEM.DEL", RESP_NAMESPACE, name) != 1:
                raise Refused("not_found", name)
            return None
        found = self._say("MEM.GET", RESP_NAMESPACE, name)
        if found is None:
            raise Refused("not_found", name)
        return dict(zip(found[::2], found[1::2], strict=True))

    def close(self) -> None:
        super().close()
        if hasattr(self, "_socket"):
            self._replies.close()
            self._socket.close()

    def _say(self, *words: str) -> Any:
        parts = (f"${len(one.encode())}\r\n{one}\r\n" for one in words)
        self._socket.sendall(f"*{len(words)}\r\n{''.join(parts)}".encode())
        return self._read()

    def _read(self) -> Any:
        line = self._replies.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError
        mark, rest = line[:1], line[1:-2].decode()
        if mark == b"-":
            raise Refused(_code_in(rest), rest)
        if mark == b":":
            return int(rest)
        if mark == b"$":
            return None if rest == "-1" else self._replies.read(int(rest) + 2)[:-2].decode()
        if mark == b"*":
            return None if rest == "-1" else [self._read() for _ in range(int(rest))]
        return rest


class Command(Way):
    """The command line: a process for each call."""

    lasts = False

    def call(self, operation: str, **arguments: Any) -> Any:
        try:
            return super().call(operation, **arguments)
        finally:
            self.close()

    def begin(self) -> None:
        """Start nothing: a call does."""

    def start(self) -> None:
        """Start nothing: a call does."""

    def exchange(self, operation: str, arguments: Mapping[str, Any]) -> Any:
        places, rest = _PLACES[operation], dict(arguments)
        words = [str(rest.pop(one)) for one in places if one in rest]
        options = (word for name, one in rest.items() for word in (f"--{name}", str(one)))
        self.launch(
            "--store",
            str(self.store),
            "--json",
            operation,
            *options,
            "--",
            *words,
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        process = _alive(self.process)
        begin = self._log.stat().st_size
        try:
            out, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired as error:
            raise Hung(f"{self.name} did not end within {PATIENCE} s") from error
        if process.returncode < 0:
            raise Gone
        if process.returncode:
            told = self._log.read_bytes()[begin:].decode(errors="replace").strip()
            raise Refused(_code_in(told), told)
        return json.loads(out)


_PLACES = {
    "store": ("text",),
    "update": ("id",),
    "delete": ("id",),
    "get": ("id",),
    "index": ("path",),
    "import": ("path",),
}

SETTINGS = {"PYTHONDONTWRITEBYTECODE": "1"}

_TOLD: tuple[tuple[str, str], ...] = (
    ("not_found", r"no memory|not found|deleted|there is no"),
    (
        "store_error",
        r"disk|read-only|busy|can't be (written|opened|read|made)|Permission|File too large",
    ),
    ("too_slow", r"took|time"),
)


def _code_in(told: str) -> str:
    """Find out which error a text speaks of, where the protocol has no code."""
    return next((code for code, words in _TOLD if re.search(words, told)), "?")


def _camel(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        re.sub(r"_(\w)", lambda found: found[1].upper(), name): value
        for name, value in arguments.items()
    }


def _alive(process: subprocess.Popen[bytes] | None) -> subprocess.Popen[bytes]:
    if process is None:
        raise EOFError
    return process


def _write(pipe: IO[bytes] | None, data: bytes) -> None:
    if pipe is None:
        raise EOFError
    pipe.write(data)
    pipe.flush()


def _read_line(pipe: IO[bytes] | None) -> bytes:
    """Read a line, of which there is only one at a time."""
    if pipe is None:
        raise EOFError
    if not select.select([pipe], [], [], PATIENCE)[0]:
        raise TimeoutError
    line = pipe.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    return line
