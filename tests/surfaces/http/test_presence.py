"""A sender that goes away ends its request, and one that stays gets an answer in time."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import httpx2
import pytest
from starlette.testclient import TestClient
from starlette.types import Message
from tests.surfaces.http.serving import API, body_of, problem, served

from winnow.deadlines import Stop, check
from winnow.errors import Cancelled
from winnow.memory import Memory
from winnow.surfaces.http import presence
from winnow.surfaces.http.app import App
from winnow.surfaces.http.presence import heed


def test_whoever_goes_ends_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "LOOK_SECONDS", 0.0)
    stop = Stop()

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def run() -> None:
        with heed(receive, stop):
            while not stop.requested:
                await anyio.sleep(0.001)

    anyio.run(run)
    assert stop.requested


def test_a_quick_call_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    async def receive() -> Message:
        asked.append(True)
        return {"type": "http.disconnect"}

    async def run() -> None:
        with heed(receive, Stop()):
            pass
        await anyio.sleep(presence.LOOK_SECONDS * 2)

    anyio.run(run)
    assert not asked


def test_the_work_of_a_client_that_is_gone_ends(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The count works until it is told to end; nobody but its client can tell it."""
    monkeypatch.setattr(presence, "LOOK_SECONDS", 0.0)
    ended, begun = threading.Event(), threading.Event()
    monkeypatch.setattr("winnow.memory.records.selecting.check", _endless(begun, ended))

    async def run() -> None:
        app = App(memory)
        body = body_of(filters={"n": 1})
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            if messages:
                return messages.pop()
            while not begun.is_set():
                await anyio.sleep(0.001)
            return {"type": "http.disconnect"}

        async def send(_: Message) -> None:
            return None

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope = {
            "type": "http",
            "method": "POST",
            "path": f"{API}/recall",
            "headers": headers,
            "query_string": b"",
            "client": ("127.0.0.1", 1),
        }
        await app(scope, receive, send)

    anyio.run(run)
    assert ended.wait(60)


def _endless(begun: threading.Event, ended: threading.Event) -> Callable[..., object]:
    def work(*_: object) -> object:
        begun.set()
        try:
            while True:
                check("working")
                time.sleep(0.001)
        except Cancelled:
            ended.set()
            raise

    return work


def test_what_takes_too_long_is_a_problem_that_says_so(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TestClient(App(memory.within(1e-9)), "http://localhost") as client:
        sent = client.post(f"{API}/recall", json={"query": "x"})
    assert (sent.status_code, problem(sent)["code"]) == (504, "too_slow")


def test_a_served_request_has_the_limit_of_the_environment(tmp_path: Path) -> None:
    with served(tmp_path / "w.db", env={"WINNOW_TIME_LIMIT": "0.000001"}) as server:
        sent = httpx2.get(f"{server.url}{API}/count", timeout=60)
    assert (sent.status_code, sent.json()["code"]) == (504, "too_slow")
