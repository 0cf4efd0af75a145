"""The server as a process: it speaks by lines, says nothing else, and ends when it should."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from subprocess import PIPE, Popen
from tempfile import TemporaryFile
from typing import Any

import pytest
from mcp_types import INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR
from tests.surfaces.mcp.connecting import (
    MODES,
    PATIENCE,
    converse_by_stdio,
    data_of,
    lines_of,
    replies_in,
    request,
    tool_call,
)
from tests.surfaces.running import IDS, typed

from winnow.app import open_memory
from winnow.surfaces.mcp import McpServer
from winnow.surfaces.mcp.stdio import serve_lines

CLIENT = {"name": "test", "version": "1"}
SLOW = """
import time
from winnow.memory import Memory
Memory.recall = lambda self, **_: time.sleep(600)
"""
CHATTY = """
import os, subprocess, sys
from winnow.memory import Memory
asked = Memory.schema
def chat(self, *args, **kwargs):
    print("printed")
    sys.__stdout__.write("written\\n")
    os.write(1, b"by descriptor\\n")
    subprocess.run(["echo", "by a child"], check=True)
    return asked(self, *args, **kwargs)
Memory.schema = chat
"""
MAIN = "\nfrom winnow.surfaces.cli.main import main\nmain()\n"


def hello(version: str) -> dict[str, Any]:
    return request(0, "initialize", protocolVersion=version, capabilities={}, clientInfo=CLIENT)


def run(store: str, *messages: object, raw: bytes = b"") -> list[Any]:
    """Serve messages in this process, and return the replies."""
    with open_memory(store) as memory, TemporaryFile() as source, TemporaryFile() as sink:
        source.write(lines_of(*messages).encode() + raw)
        source.seek(0)
        handlers = McpServer(lambda _request: memory, "full")
        assert asyncio.run(serve_lines(handlers, source.fileno(), sink.fileno()))
        sink.seek(0)
        return list(replies_in(sink.read().decode()))


def pipe(store: str, *messages: object, args: tuple[str, ...] = ()) -> list[Any]:
    """Pipe messages into `winnow mcp`, wait until it ends by itself, and return its replies."""
    command, data = typed("--store", store, "mcp", *args), lines_of(*messages).encode()
    ran = subprocess.run(command, input=data, capture_output=True, timeout=PATIENCE)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return list(replies_in(ran.stdout.decode()))


@contextmanager
def serving(store: str, before: str = "") -> Generator[Popen[bytes]]:
    """A server in a process of its own, which runs some code before."""
    command = [sys.executable, "-c", before + MAIN, "--store", store, "mcp"]
    with Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def say(process: Popen[bytes], *messages: object) -> None:
    assert process.stdin is not None
    process.stdin.write(lines_of(*messages).encode())
    process.stdin.flush()


def hear(process: Popen[bytes]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


# --- what it speaks ------------------------------------------------------------------------------


def test_one_line_without_a_handshake_is_answered_by_one_line(store: str) -> None:
    asked = tool_call(1, "memory_capabilities", accept="3")
    (reply,) = pipe(store, asked, args=("--profile", "core"))
    assert reply["id"] == 1
    content = reply["result"]["structuredContent"]
    assert content["accept"] == "3"
    assert len(content["memory_kind_vocab"]["vocabulary"]) == 16


@pytest.mark.parametrize("version", ["2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_protocol_of_2025_is_spoken_in_the_version_that_is_asked_for(
    store: str, version: str
) -> None:
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    replies = {
        one["id"]: one["result"]
        for one in run(store, hello(version), ready, tool_call(1, "memory_schema"))
    }
    assert replies[0]["protocolVersion"] == version
    assert replies[0]["serverInfo"]["name"] == "winnow"
    assert "memory_schema" in replies[0]["instructions"]
    assert replies[1]["structuredContent"]["schemas"]


def test_the_protocol_of_now_is_spoken_without_a_handshake(store: str) -> None:
    envelope: dict[str, object] = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    (reply,) = run(store, request(1, "server/discover", _meta=envelope))
    assert reply["result"]["supportedVersions"] == ["2026-07-28"]


@pytest.mark.parametrize("mode", MODES)
def test_a_client_of_the_sdk_lists_calls_and_reads(store: str, mode: str) -> None:
    async def talk(client: Any) -> Any:
        tools = (await client.list_tools()).tools
        found = await client.call_tool("memory_recall", {"query": "", "schema": "legal.Matter"})
        resource = await client.read_resource("winnow://schemas")
        return tools, found, resource

    tools, found, resource = converse_by_stdio(store, talk, mode=mode)
    assert len(tools) == 12
    assert data_of(found)["entityIds"] == list(IDS)
    assert "legal.Matter" in resource.contents[0].text


# --- what is no message --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "code", "request_id"),
    [
        (b"hello\n", PARSE_ERROR, None),
        (b"\xff\xfe\n", PARSE_ERROR, None),
        (
            b'{"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": []}\n',
            INVALID_REQUEST,
            7,
        ),
        (b'{"jsonrpc": "2.0", "id": 7, "id": 7, "method": "ping"}\n', INVALID_REQUEST, 7),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]\n', INVALID_REQUEST, None),
        (b'{"id": true}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": 1.0, "method": "ping"}', INVALID_REQUEST, None),
        (b'\xef\xbb\xbf{"jsonrpc": "2.0", "id": null, "method": "ping"}', INVALID_REQUEST, None),
    ],
)
def test_a_line_that_is_no_message_is_refused_and_the_next_one_is_served(
    store: str, raw: bytes, code: int, request_id: object
) -> None:
    replies = run(store, raw=raw.rstrip(b"\n") + b"\n\n" + lines_of(request(8, "ping")).encode())
    assert sorted(map(str, (one["id"] for one in replies))) == sorted(map(str, (8, request_id)))
    (refusal,) = (one for one in replies if one["id"] == request_id)
    assert refusal["error"]["code"] == code


def test_a_message_may_start_with_a_byte_order_mark_and_end_with_the_input(store: str) -> None:
    raw = b"\xef\xbb\xbf" + json.dumps(request(1, "ping")).encode()
    assert [one["id"] for one in run(store, raw=raw)] == [1]


@pytest.mark.parametrize("ahead", [True, False])
def test_a_message_that_is_too_long_is_refused_by_its_id_and_the_next_is_served(
    store: str, monkeypatch: pytest.MonkeyPatch, ahead: bool
) -> None:
    monkeypatch.setattr("winnow.surfaces.mcp.stdio.LONGEST_LINE", 200_000)
    head, text = '"jsonrpc": "2.0", "id": 7', "x" * 300_000
    rest = f'"method": "tools/call", "params": {{"name": "memory_store", "text": "{text}"}}'
    line = f"{{{head}, {rest}}}\n" if ahead else f"{{{rest}, {head}}}\n"
    long, ping = run(store, raw=line.encode() + lines_of(request(8, "ping")).encode())
    assert (long["id"], long["error"]["code"]) == (7, INVALID_REQUEST)
    assert "200,000 bytes" in long["error"]["message"]
    assert (ping["id"], ping["result"]) == (8, {})


def test_half_of_a_surrogate_pair_is_refused_with_its_place(store: str) -> None:
    (reply,) = run(store, raw=json.dumps(tool_call(1, "memory_store", text="a\ud800")).encode())
    assert reply["result"]["isError"]
    assert reply["result"]["structuredContent"]["errors"][0]["pointer"].startswith("/text")


def test_half_of_a_surrogate_pair_as_an_id_is_given_back(store: str) -> None:
    (reply,) = run(store, {"jsonrpc": "2.0", "id": "a\ud800", "method": "ping"})
    assert (reply["id"], reply["result"]) == ("a\ud800", {})


def test_a_deep_nest_is_a_tool_error(store: str) -> None:
    deep: Any = {"escrowPct": 1}
    for _ in range(300):
        deep = {"not": deep}
    (reply,) = run(store, tool_call(1, "memory_recall", schema="legal.Matter", filters=deep))
    assert reply["result"]["isError"]
    assert reply["result"]["structuredContent"]["code"] == "invalid_request"


@pytest.mark.parametrize("arguments", ['{"schema": "legal.Matter"}', "[1]", ["x"], 5, False])
def test_arguments_that_are_no_object_are_read_or_a_tool_error(
    store: str, arguments: object
) -> None:
    (reply,) = run(store, request(1, "tools/call", name="memory_schema", arguments=arguments))
    if isinstance(arguments, str) and arguments.startswith("{"):
        assert reply["result"]["structuredContent"]["schemas"][0]["fields"]
    else:
        assert reply["result"]["isError"]
        assert "arguments are an object" in reply["result"]["content"][0]["text"]


def test_f04_a_key_that_stands_twice_in_arguments_sent_as_a_text_is_refused(store: str) -> None:
    text = '{"text": "one", "text": "two"}'
    (reply,) = run(store, request(1, "tools/call", name="memory_store", arguments=text))
    assert reply["result"]["isError"]
    assert "the key 'text' stands twice" in reply["result"]["content"][0]["text"]


def test_an_unknown_method_is_an_error_of_the_protocol(store: str) -> None:
    (reply,) = run(store, request(1, "tools/cal"))
    assert reply["error"]["code"] == METHOD_NOT_FOUND


# --- nothing else on stdout ----------------------------------------------------------------------


def test_what_is_printed_meanwhile_does_not_reach_the_client(store: str) -> None:
    """F113."""
    with serving(store, CHATTY) as process:
        out, err = process.communicate(lines_of(tool_call(1, "memory_schema")).encode(), PATIENCE)
    (reply,) = replies_in(out.decode())
    assert reply["result"]["structuredContent"]["schemas"]
    for line in (b"printed", b"written", b"by descriptor", b"by a child"):
        assert line in err
    assert process.returncode == 0


# --- the end -------------------------------------------------------------------------------------


def test_it_ends_when_the_input_ends(store: str) -> None:
    assert pipe(store) == []


def test_every_request_is_answered_before_it_ends(store: str) -> None:
    asked = [tool_call(number, "memory_schema", schema="legal.Matter") for number in range(50)]
    assert sorted(one["id"] for one in pipe(store, *asked)) == list(range(50))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it(store: str, number: signal.Signals) -> None:
    with serving(store) as process:
        say(process, request(1, "ping"))
        assert hear(process)["id"] == 1
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize("ended_by", ["input", "signal"])
def test_a_call_that_takes_long_does_not_keep_it(store: str, ended_by: str) -> None:
    with serving(store, SLOW) as process:
        say(process, tool_call(1, "memory_recall", query="x"), request(2, "ping"))
        assert hear(process)["id"] == 2
        if ended_by == "input":
            assert process.stdin is not None
            process.stdin.close()
        else:
            process.terminate()
        assert process.wait(PATIENCE) == 0
        assert hear(process)["error"]["message"] == "Connection closed"


def test_a_client_that_reads_no_more_does_not_keep_it(store: str) -> None:
    with serving(store) as process:
        assert process.stdout is not None
        say(process, request(1, "ping"))
        assert hear(process)["id"] == 1
        process.stdout.close()
        say(process, *(request(number, "tools/list") for number in range(2, 9)))
        assert process.wait(PATIENCE) == 0


def test_a_client_that_does_not_read_does_not_keep_it(store: str) -> None:
    with serving(store) as process:
        say(process, *(request(number, "tools/list") for number in range(40)))
        process.terminate()
        assert process.wait(PATIENCE) is not None


# --- many at once --------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_twenty_calls_at_once_are_all_served(
    tmp_path_factory: pytest.TempPathFactory, mode: str
) -> None:
    store = str(tmp_path_factory.mktemp("many") / "winnow.db")

    async def talk(client: Any) -> Any:
        texts = [f"memory number {number}" for number in range(20)]
        calls = [client.call_tool("memory_store", {"text": text}) for text in texts]
        return texts, await asyncio.gather(*calls)

    texts, results = converse_by_stdio(store, talk, mode=mode)
    assert [data_of(one)["text"] for one in results] == texts
    assert len({data_of(one)["id"] for one in results}) == 20
    with open_memory(store) as memory:
        assert memory.count().count == 20


def test_calls_of_all_kinds_at_once_are_answered_each_by_its_own(
    firm: Callable[[int], str],
) -> None:
    async def talk(client: Any) -> Any:
        criteria = [f"escrowPct >= {percent}" for percent in range(20)]
        calls = [
            client.call_tool("memory_recall", {"query": "", "schema": "legal.Matter", "where": one})
            for one in criteria
        ]
        return criteria, await asyncio.gather(*calls)

    store = firm(12)
    criteria, results = converse_by_stdio(store, talk)
    with open_memory(store) as memory:
        for where, result in zip(criteria, results, strict=True):
            expected = memory.recall(schema="legal.Matter", where=where).entity_ids
            assert data_of(result)["entityIds"] == list(expected)
