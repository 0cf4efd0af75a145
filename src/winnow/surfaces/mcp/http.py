"""MCP over streamable HTTP, as an application that an HTTP server mounts."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from winnow.memory import Memory
from winnow.surfaces.mcp.server import McpServer
from winnow.surfaces.threads import Threads


class McpApp:
    """An ASGI application. It serves while `run()` is entered, once, by the server's lifespan.

    It keeps nothing between requests, so that a key is looked at on every one. Who may connect,
    from where, and how long a body may be is decided by what it is mounted in.
    """

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    def run(self) -> AbstractAsyncContextManager[None]:
        """Return what has to be entered before the first request, and left after the last."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        await self._manager.handle_request(scope, receive, send)


def make_mcp_app(
    find_memory: Callable[[Scope], Memory], profile: str = "full", threads: Threads | None = None
) -> McpApp:
    """Return the application; `find_memory` gives the memory that the sender of a request may see.

    It is called in a thread, once for each call; in one of `threads`, if they are to be shared with
    others. An error of Winnow's that it raises is told to the client as one of the protocol.
    """

    def find(request: Any) -> Memory:
        return find_memory(request.scope if isinstance(request, Request) else {})

    server = McpServer(find, profile, threads).make()
    return McpApp(StreamableHTTPSessionManager(server, json_response=True, stateless=True))
