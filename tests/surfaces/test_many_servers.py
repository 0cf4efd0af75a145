"""Many servers on one store, each a process of its own: nothing is lost, nobody waits for ever.

How long they wait is measured by `python -m bench surfaces`.
"""

import asyncio
import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Event, Thread
from urllib.request import Request, urlopen

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.surfaces.http.serving import API, Served, body_of, served
from tests.surfaces.mcp.connecting import PATIENCE, data_of, lines_of, tool_call
from tests.surfaces.running import run_winnow, start_winnow, typed

from winnow.app import open_memory
from winnow.demo.notes import write_firm
from winnow.memory import Memory

AGENTS = 4
MEMORIES = 50
MATTERS = 60
ANSWERED, ASKED = 10, 1_000


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "winnow.db"


def store_by_agents(store: Path) -> dict[str, str]:
    """Let each agent store its memories by a server of its own; return the texts by their ids."""

    async def work(agent: int) -> list[tuple[str, str]]:
        command, *rest = typed("--store", str(store), "mcp")
        texts = [f"agent {agent} has seen number {number}" for number in range(MEMORIES)]
        async with Client(
            stdio_client(StdioServerParameters(command=command, args=rest))
        ) as client:
            called = [await client.call_tool("memory_store", {"text": one}) for one in texts]
        found = [(one["id"], one["text"]) for one in map(data_of, called)]
        assert [text for _, text in found] == texts
        return found

    async def run() -> list[tuple[str, str]]:
        async with asyncio.timeout(PATIENCE):
            return [one for some in await asyncio.gather(*map(work, range(AGENTS))) for one in some]

    found = asyncio.run(run())
    assert len(dict(found)) == len(found), "an id was given twice"
    return dict(found)


@contextmanager
def recalling(server: Served) -> Generator[list[int]]:
    """Ask a server again and again during the block; gather how many memories match each time."""
    counts: list[int] = []
    done = Event()
    body = body_of(query="number", where='text contains "has seen"', limit=3)
    request = Request(f"{server.url}{API}/recall", body, {"content-type": "application/json"})

    def ask() -> None:
        while not done.is_set():
            with urlopen(request, timeout=PATIENCE) as answer:
                counts.append(json.load(answer)["filteredEntities"])

    asker = Thread(target=ask)
    asker.start()
    try:
        yield counts
    finally:
        done.set()
        asker.join()


def read_all(store: Path) -> Mapping[str, str]:
    """Return the texts of a store's memories by their ids, each of which is there once."""
    with open_memory(store) as memory:
        found = list(_read_pages(memory))
    texts = dict(found)
    assert len(texts) == len(found)
    return texts


def _read_pages(memory: Memory) -> Iterator[tuple[str, str]]:
    cursor: str | None = None
    while True:
        page = memory.list(where="path is null", limit=70, cursor=cursor)
        yield from ((one.id, one.text) for one in page.memories or ())
        cursor = page.cursor
        if cursor is None:
            return


def assert_sound(store: Path) -> None:
    """Check a store's file, by SQLite itself too, and what always holds in it."""
    answer = run_winnow("--store", str(store), "doctor", "--json").json
    assert (answer["sound"], answer["problems"]) == (True, [])


def test_agents_an_indexer_and_a_reader_on_one_store_lose_nothing(
    store: Path, tmp_path: Path
) -> None:
    """F92, F93, F94."""
    write_firm(tmp_path / "vault", MATTERS)
    index = ("--store", str(store), "index", str(tmp_path / "vault"), "--json")
    with served(store) as server, recalling(server) as counts, start_winnow(*index) as indexer:
        stored = store_by_agents(store)
        out, err = indexer.communicate(timeout=PATIENCE)
    assert (indexer.returncode, err) == (0, b"")
    assert json.loads(out)["entities"]["legal.Matter"] == MATTERS
    assert len(stored) == AGENTS * MEMORIES
    assert read_all(store) == stored
    assert counts == sorted(counts), "a reader saw less than before"
    assert_sound(store)


def test_what_a_server_has_acknowledged_outlives_its_being_killed(store: Path) -> None:
    """F92."""
    texts = {number: f"number {number} of the one who dies" for number in range(ASKED)}
    with start_stdio(store) as dying, start_stdio(store) as living:
        say(dying, *(tool_call(number, "memory_store", text=one) for number, one in texts.items()))
        acknowledged = dict(hear(dying) for _ in range(ANSWERED))
        dying.kill()
        say(living, tool_call(1, "memory_store", text="the one who lives goes on"))
        name, text = hear(living)
    found = read_all(store)
    assert acknowledged.items() <= found.items()
    assert found[name] == text
    assert len(found) < len(texts), "it was not killed in the middle"
    assert {one for key, one in found.items() if key != name} <= set(texts.values())
    assert len(set(found.values())) == len(found), "a memory was stored twice"
    assert_sound(store)


@contextmanager
def start_stdio(store: Path) -> Generator[Popen[bytes]]:
    """A server that is spoken to by lines."""
    command = typed("--store", str(store), "mcp")
    with Popen(command, stdin=PIPE, stdout=PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def say(process: Popen[bytes], *messages: object) -> None:
    assert process.stdin is not None
    process.stdin.write(lines_of(*messages).encode())
    process.stdin.flush()


def hear(process: Popen[bytes]) -> tuple[str, str]:
    """Return the id and the text of the memory that an answer tells of."""
    assert process.stdout is not None
    stored = json.loads(process.stdout.readline())["result"]["structuredContent"]
    return stored["id"], stored["text"]
