"""Too many at once: some wait, the others are told to come again."""

import threading
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest
from starlette.testclient import TestClient
from tests.surfaces.http.serving import API, client_of, problem

from winnow.memory import Memory
from winnow.surfaces.http.limits import Limits


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """What lets every count go on that was begun, once it is set."""
    opened = threading.Event()

    def wait(*_: object, **__: object) -> None:
        opened.wait()

    monkeypatch.setattr(Memory, "count", wait)
    return opened


def calls(client: TestClient) -> float:
    """How many calls the server counts as inside."""
    (line,) = [
        one
        for one in client.get("/metrics").text.splitlines()
        if one.startswith("winnow_http_calls ")
    ]
    return float(line.split()[1])


def test_as_many_are_let_in_as_may_run_and_wait_and_the_next_is_told_to_come_again(
    memory: Memory, gate: threading.Event
) -> None:
    limits = Limits(running=1, waiting=2)
    with client_of(memory, limits=limits) as client, ThreadPoolExecutor(3) as pool:
        inside = [pool.submit(client.get, f"{API}/count") for _ in range(3)]
        try:
            while calls(client) < 3 and not any(one.done() for one in inside):
                sleep(0.01)
            refused = client.get(f"{API}/count")
            assert (refused.status_code, problem(refused)["code"]) == (503, "overloaded")
            assert refused.headers["retry-after"] == "1"
            assert client.get("/healthz").status_code == 200
        finally:
            gate.set()  # or the pool would wait for them for ever
        assert {one.result().status_code for one in inside} == {200}
        assert calls(client) == 0
        assert client.get(f"{API}/count").status_code == 200
