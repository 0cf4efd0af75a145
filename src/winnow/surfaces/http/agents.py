"""MCP beside the HTTP API, made when the first agent asks: it takes 30 MB and half a second."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from starlette.types import Scope

from winnow.memory import Memory
from winnow.surfaces.threads import Threads

if TYPE_CHECKING:
    from winnow.surfaces.mcp.http import McpApp


class Agents:
    """The MCP application of a server. Used from its event loop alone."""

    def __init__(
        self, find_memory: Callable[[Scope], Memory], profile: str, threads: Threads
    ) -> None:
        self._find_memory = find_memory
        self._profile = profile
        self._threads = threads
        self._app: McpApp | None = None
        self._wanted, self._made = asyncio.Event(), asyncio.Event()
        self._lives = False

    async def live(self, end: Awaitable[object]) -> None:
        """Serve until something has come to its end; the application begins when it is wanted."""
        self._lives = True
        ending = asyncio.ensure_future(end)
        wanted = asyncio.ensure_future(self._wanted.wait())
        try:
            await asyncio.wait((ending, wanted), return_when=asyncio.FIRST_COMPLETED)
            if not ending.done():
                await self._serve(ending)
        finally:
            self._lives, self._app = False, None
            self._made.set()
            wanted.cancel()

    async def find(self) -> "McpApp | None":
        """Return the application, None while the server is starting or stopping."""
        if self._app is None and self._lives:
            self._wanted.set()
            await self._made.wait()
        return self._app

    async def _serve(self, ending: "asyncio.Future[object]") -> None:
        app = await asyncio.to_thread(self._make)
        async with app.run():
            self._app = app
            self._made.set()
            await ending
            self._app = None

    def _make(self) -> "McpApp":
        from winnow.surfaces.mcp.http import make_mcp_app

        return make_mcp_app(self._find_memory, self._profile, self._threads)
