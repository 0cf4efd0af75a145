"""The HTTP API, called in this process and served by one of its own."""

import json
import re
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from httpx2 import Response
from starlette.testclient import TestClient
from tests.surfaces.running import start_winnow

from winnow.memory import Memory
from winnow.surfaces.http.app import App
from winnow.surfaces.http.limits import Limits

API = "/api/v1"


@contextmanager
def client_of(
    memory: Memory, *, local: bool = True, limits: Limits | None = None, secret: str = ""
) -> Generator[TestClient]:
    """A client of the application, which lives as long as the block."""
    app = App(memory, local=local, limits=limits)
    headers = {"authorization": f"Bearer {secret}"} if secret else {}
    with TestClient(app, "http://localhost", headers=headers) as client:
        yield client


def problem(response: Response) -> Any:
    """The problem that a response tells of; what all of them have is checked."""
    assert response.headers["content-type"] == "application/problem+json"
    found = response.json()
    assert found["status"] == response.status_code
    assert found["type"] == f"urn:winnow:problem:{found['code']}"
    assert found["requestId"] == response.headers["x-request-id"]
    assert found["title"]
    assert found["detail"]
    assert "Traceback" not in response.text
    return found


def pointers(response: Response) -> list[str]:
    """The pointers of the faults that a response tells of."""
    return [fault["pointer"] for fault in problem(response)["errors"]]


@dataclass(frozen=True)
class Served:
    """A server in a process of its own."""

    process: Popen[bytes]
    port: int
    errors: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return self.errors.read_text(encoding="utf-8")


@contextmanager
def served(store: Path, *options: str, env: dict[str, str] | None = None) -> Generator[Served]:
    """A server on a port that was free; it is killed at the end if it still runs."""
    errors = store.with_name("serve.log")
    with errors.open("wb") as log:
        command = ("--store", str(store), "serve", "--port", "0", *options)
        process = start_winnow(*command, stdout=PIPE, stderr=log, env=env or {})
    try:
        yield Served(process, _wait_for_port(process, errors), errors)
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _wait_for_port(process: Popen[bytes], errors: Path) -> int:
    while process.poll() is None:
        time.sleep(0.02)
        found = re.search(r"listening on \S+:(\d+)[ ,]", errors.read_text(encoding="utf-8"))
        if found:
            return int(found[1])
    raise AssertionError(errors.read_text(encoding="utf-8"))


def body_of(**arguments: Any) -> bytes:
    return json.dumps(arguments).encode()
