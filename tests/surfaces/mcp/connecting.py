"""Clients of the SDK, connected to a server in this process or to one of its own."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent
from tests.surfaces.running import typed

from winnow.memory import Memory
from winnow.surfaces.mcp import McpServer
from winnow.surfaces.mcp.tools import MARK

PATIENCE = 60  # seconds; only so that a fault does not hang the tests
MODES = ("legacy", "auto")  # the protocol of 2025 with its handshake, and the one after it

R = TypeVar("R")
Talk: TypeAlias = Callable[[Client], Awaitable[R]]


def converse(memory: Memory, talk: Talk[R], profile: str = "full", mode: str = "legacy") -> R:
    """Let a client talk to a server in this process."""

    async def run() -> R:
        server = McpServer(lambda _request: memory, profile).make()
        async with asyncio.timeout(PATIENCE), Client(server, mode=mode) as client:
            return await talk(client)

    return asyncio.run(run())


def converse_by_stdio(store: str, talk: Talk[R], *args: str, mode: str = "auto") -> R:
    """Let a client talk to `winnow mcp`, in a process that it starts itself."""

    async def run() -> R:
        command, *rest = typed("--store", store, "mcp", *args)
        start = StdioServerParameters(command=command, args=rest, env=dict(os.environ))
        server = stdio_client(start)
        async with asyncio.timeout(PATIENCE), Client(server, mode=mode) as client:
            return await talk(client)

    return asyncio.run(run())


def call(memory: Memory, name: str, /, **arguments: Any) -> CallToolResult:
    """Call one tool."""
    return converse(memory, lambda client: client.call_tool(name, arguments))


def text_of(result: CallToolResult) -> str:
    """Return the text beside the data."""
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text


def data_of(result: CallToolResult) -> Any:
    """Return the data of a call that went well, without what is said of the texts in it."""
    assert not result.is_error, text_of(result)
    return without_mark(result)


def without_mark(result: CallToolResult) -> dict[str, Any]:
    """Return the data of a call as every other surface has it."""
    data: dict[str, Any] = result.structured_content or {}
    return {key: value for key, value in data.items() if key != MARK}


def lines_of(*messages: object) -> str:
    """Return messages as they go over a pipe."""
    return "".join(json.dumps(one) + "\n" for one in messages)


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def tool_call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    return request(number, "tools/call", name=name, arguments=arguments)


def replies_in(output: str) -> Sequence[dict[str, Any]]:
    """Return the messages of an output, of which every line has to be one."""
    replies = [json.loads(line) for line in output.splitlines()]
    assert all(one["jsonrpc"] == "2.0" for one in replies)
    return replies
