"""MCP as an application that an HTTP server mounts, for requests with keys of their own."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from starlette.types import Scope as AsgiScope
from tests.surfaces.mcp.connecting import MODES, PATIENCE, data_of, request, tool_call
from tests.surfaces.running import IDS

from winnow.access import Access, Scope
from winnow.errors import Forbidden
from winnow.memory import Memory
from winnow.surfaces.mcp import make_mcp_app

READER = Access(frozenset({Scope.READ}), frozenset({"default"}))
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
R = TypeVar("R")


def browse(memory: Memory, use: Callable[[httpx2.AsyncClient], Awaitable[R]], **headers: str) -> R:
    """Use the application by HTTP, without a socket; the header `who` says as whom."""

    def find(scope: AsgiScope) -> Memory:
        who = dict(scope["headers"]).get(b"who", b"")
        if who == b"stranger":
            raise Forbidden("nobody knows this key")
        return memory.restricted(READER) if who == b"reader" else memory

    async def run() -> R:
        app = make_mcp_app(find, "full")
        transport = httpx2.ASGITransport(app)
        async with (
            asyncio.timeout(PATIENCE),
            app.run(),
            httpx2.AsyncClient(
                transport=transport, base_url="http://localhost", headers=headers
            ) as browser,
        ):
            return await use(browser)

    return asyncio.run(run())


def converse_by_http(
    memory: Memory, talk: Callable[[Client], Awaitable[R]], mode: str, **headers: str
) -> R:
    async def use(browser: httpx2.AsyncClient) -> R:
        server = streamable_http_client("http://localhost/mcp", http_client=browser)
        async with Client(server, mode=mode) as client:
            return await talk(client)

    return browse(memory, use, **headers)


@pytest.mark.parametrize("mode", MODES)
def test_a_client_of_the_sdk_lists_calls_and_reads(memory: Memory, mode: str) -> None:
    async def talk(client: Client) -> Any:
        tools = (await client.list_tools()).tools
        found = await client.call_tool("memory_recall", {"query": "", "schema": "legal.Matter"})
        return tools, found, await client.read_resource("winnow://schemas")

    tools, found, resource = converse_by_http(memory, talk, mode)
    assert len(tools) == 12
    assert data_of(found)["entityIds"] == list(IDS)
    assert "legal.Matter" in resource.contents[0].text


@pytest.mark.parametrize("mode", MODES)
def test_each_request_sees_what_its_sender_may(memory: Memory, mode: str) -> None:
    memory.store("kept from readers", namespace="other", id="o")

    async def talk(client: Client) -> Any:
        listed = await client.call_tool("memory_list", {"limit": 100})
        denied = await client.call_tool("memory_get", {"id": "o", "namespace": "other"})
        refused = await client.call_tool("memory_store", {"text": "x"})
        return listed, denied, refused

    listed, denied, refused = converse_by_http(memory, talk, mode, who="reader")
    assert {one["namespace"] for one in data_of(listed)["items"]} == {"default"}
    assert {denied.structured_content["code"], refused.structured_content["code"]} == {"forbidden"}
    listed, denied, _ = converse_by_http(memory, talk, mode)
    assert "other" in {one["namespace"] for one in data_of(listed)["items"]}
    assert data_of(denied)["text"] == "kept from readers"


@pytest.mark.parametrize("mode", MODES)
def test_a_key_that_nobody_knows_is_an_error_of_the_protocol(memory: Memory, mode: str) -> None:
    async def talk(client: Client) -> None:
        with pytest.raises(MCPError, match="forbidden: nobody knows this key"):
            await client.call_tool("memory_schema", {})

    converse_by_http(memory, talk, mode, who="stranger")


@pytest.mark.parametrize("mode", MODES)
def test_twenty_calls_at_once_are_all_served(memory: Memory, mode: str) -> None:
    async def talk(client: Client) -> Any:
        texts = [f"memory number {number}" for number in range(20)]
        calls = [client.call_tool("memory_store", {"text": text}) for text in texts]
        return texts, await asyncio.gather(*calls)

    texts, results = converse_by_http(memory, talk, mode)
    assert [data_of(one)["text"] for one in results] == texts


def test_a_call_needs_no_handshake(memory: Memory) -> None:
    async def use(browser: httpx2.AsyncClient) -> Any:
        call = tool_call(1, "memory_schema")
        return (await browser.post("/mcp", json=call, headers=HEADERS)).json()

    assert browse(memory, use)["result"]["structuredContent"]["schemas"]


def test_f04_a_key_that_stands_twice_is_refused_not_dropped(memory: Memory) -> None:
    call = json.dumps(tool_call(1, "memory_recall", filters={"p": {"gte": 1, "lte": 5}}))
    twice = (
        call.replace('"lte"', '"gte"'),
        call.replace('"filters": {', '"filters": {}, "filters": {'),
    )

    async def use(browser: httpx2.AsyncClient) -> Any:
        texts = (call, *twice)
        return [(await browser.post("/mcp", content=one, headers=HEADERS)).json() for one in texts]

    sound, *refused = browse(memory, use)
    assert not sound["result"]["isError"]
    told = [one["error"]["message"] for one in refused]
    assert told == [f"the key {one} stands twice in one object" for one in ("'gte'", "'filters'")]


@pytest.mark.parametrize("body", ["[]", "{", '{"jsonrpc": "2.0", "id": 1}', "5", '"a"'])
def test_a_body_that_is_no_message_is_refused_and_the_next_one_is_served(
    memory: Memory, body: str
) -> None:
    async def use(browser: httpx2.AsyncClient) -> Any:
        refused = await browser.post("/mcp", content=body, headers=HEADERS)
        served = await browser.post("/mcp", json=request(2, "ping"), headers=HEADERS)
        return refused.status_code, served.json()

    status, served = browse(memory, use)
    assert status == 400
    assert served["id"] == 2
