"""The application: every request through the gate, to what its path means, and back as JSON."""

import logging
import traceback
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from time import perf_counter
from typing import TypeAlias
from urllib.parse import quote

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from winnow.access import Scope as Rights
from winnow.deadlines import Stop, limit
from winnow.errors import nearest
from winnow.memory import Memory
from winnow.operations import LONG
from winnow.operations.memories import MemoryRecord
from winnow.surfaces.http import openapi, page, traces
from winnow.surfaces.http.agents import Agents
from winnow.surfaces.http.arguments import gather
from winnow.surfaces.http.bodies import Gone, read_body, read_object, refuse_body
from winnow.surfaces.http.crowd import Crowd
from winnow.surfaces.http.exchange import UNSENT, Asked, Reply, read_request, replay
from winnow.surfaces.http.gate import Gate
from winnow.surfaces.http.limits import Limits
from winnow.surfaces.http.meters import TEXT, Meters
from winnow.surfaces.http.presence import heed
from winnow.surfaces.http.problems import Refusal, describe
from winnow.surfaces.http.routes import PREFIX, ROUTES, Found, Route, find_routes
from winnow.wire import encode_text

JSON = "application/json"
MEMORY = "winnow.memory"
"""The key of a request's scope under which the MCP server finds what its sender may see."""

_LOG = logging.getLogger("winnow.http")
_Handler: TypeAlias = Callable[[Asked, Memory, Reply], Awaitable[Response | None]]
OPEN = frozenset({"/healthz"})
"""The paths that need no key."""


@dataclass(frozen=True, slots=True)
class _Target:
    """What a path means: by method, its name for logs and meters, and what answers.

    `own` are the methods that the path itself has: `/memories/delete` may be the id of a memory,
    too.
    """

    path: str
    handlers: Mapping[str, tuple[str, _Handler]]
    own: Collection[str] = ()

    @property
    def allowed(self) -> str:
        """The methods that it takes."""
        methods = self.own or self.handlers
        head = ("HEAD",) if "GET" in methods else ()
        return ", ".join(sorted((*methods, *head, "OPTIONS")))


class App:
    """The HTTP API as an ASGI application, with MCP beside it.

    `local` says that it is reached from this machine alone, and may do without keys.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        local: bool = True,
        limits: Limits | None = None,
        profile: str = "full",
    ) -> None:
        self._memory = memory
        self._limits = limits or Limits()
        self._gate = Gate(memory, local)
        self._crowd = Crowd(self._limits)
        self._meters = Meters(lambda: self._crowd.inside, lambda: self._crowd.running)
        self._agents = Agents(lambda scope: scope[MEMORY], profile, self._crowd.threads)
        self._pages: Mapping[str, _Handler] = {
            "/healthz": self._tell_health,
            "/readyz": self._tell_readiness,
            "/metrics": self._show_meters,
            "/openapi.json": self._show_openapi,
            "/docs": self._show_page,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or live from the server's start to its end."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(read_request(scope, receive), send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    def finish(self, seconds: float) -> bool:
        """Wait for the calls that are still carried out, not for long; tell whether all ended."""
        return self._crowd.threads.finish(seconds)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await self._agents.live(receive())
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, asked: Asked, send: Send) -> None:
        started, reply = perf_counter(), Reply(send, asked.id)
        target = self._find(asked)
        method = "GET" if asked.method == "HEAD" else asked.method
        name, handler = target.handlers.get(method, ("none", partial(_refuse_method, target)))
        with traces.span(asked.method, target.path, asked.headers) as span:
            try:
                memory = self._admit(target, asked)
                response = await handler(asked, memory, reply)
            except Gone:
                response = None
            except Exception as error:  # noqa: BLE001  # the last place: a problem, not a trace
                _log_fault(asked, error)
                response = describe(error).respond(asked.id)
            if response is not None and reply.status == UNSENT:
                if asked.method == "HEAD":
                    response.body = b""
                await response(asked.scope, asked.receive, reply)
            traces.note(span, name, reply.status)
        seconds = perf_counter() - started
        self._meters.count(name, reply.status, seconds)
        told = (asked.address, asked.method, target.path, reply.status, seconds * 1_000, asked.id)
        _LOG.info('%s "%s %s" %d %.1f ms %s', *told)

    def _admit(self, target: _Target, asked: Asked) -> Memory:
        """Return the memory as the sender may see it, before anything else is looked at."""
        if target.path in OPEN:
            return self._memory
        return self._gate.admit(asked.headers, asked.address)

    # --- what a path means ---------------------------------------------------------------------

    def _find(self, asked: Asked) -> _Target:
        steps = asked.steps()
        if steps is None:
            return _Target("", {asked.method: ("none", _refuse_path)})
        path = "/" + "/".join(steps)
        if path in self._pages:
            return _Target(path, {"GET": (path[1:], self._pages[path])})
        if path == "/mcp":
            return _Target(path, {"POST": ("mcp", self._pass_to_mcp)})
        routes = find_routes(steps)
        if not routes:
            return _Target("", {asked.method: ("none", partial(_refuse_unknown, path))})
        handlers: dict[str, tuple[str, _Handler]] = {
            method: (found.route.name, partial(self._call, found))
            for method, found in routes.items()
        }
        own = [method for method, found in routes.items() if not found.placed]
        return _Target(next(iter(routes.values())).route.template, handlers, own)

    async def _call(self, found: Found, asked: Asked, memory: Memory, _: Reply) -> Response:
        """Carry out an operation."""
        body: Mapping[str, object] = {}
        if found.route.body:
            read = await read_body(asked.headers, asked.receive, self._limits)
            body = read_object(asked.headers, read)
        else:
            refuse_body(asked.headers)
        given = gather(found, asked.query, body)
        is_long, stop = found.route.operation.name in LONG, Stop()
        seconds = None if is_long else memory.engine.time_limit
        with self._crowd.enter(), limit(seconds, stop), heed(asked.receive, stop):
            return await self._crowd.run(partial(_carry_out, memory, found.route, given))

    async def _pass_to_mcp(self, asked: Asked, memory: Memory, reply: Reply) -> None:
        mcp = await self._agents.find()
        if mcp is None:
            raise Refusal(503, "not_ready", "the server is starting, or stopping")
        body = await read_body(asked.headers, asked.receive, self._limits)
        stop = Stop()
        with self._crowd.enter(), limit(None, stop), heed(asked.receive, stop):
            scope = {**asked.scope, MEMORY: memory}
            await mcp(scope, replay(body, asked.receive), reply)

    # --- pages ---------------------------------------------------------------------------------

    async def _tell_health(self, _asked: Asked, _memory: Memory, _: Reply) -> Response:
        """Tell that the process answers."""
        return Response('{"status": "ok"}', media_type=JSON)

    async def _tell_readiness(self, _asked: Asked, memory: Memory, _: Reply) -> Response:
        """Tell that the store can be read."""
        await self._crowd.run(memory.engine.store.last_change)
        return Response('{"status": "ready"}', media_type=JSON)

    async def _show_meters(self, _asked: Asked, memory: Memory, _: Reply) -> Response:
        access = memory.engine.access
        access.require(Rights.ADMIN)
        access.require_everything("to see the meters of the whole server")
        return Response(self._meters.show(), media_type=TEXT)

    async def _show_openapi(self, _asked: Asked, _memory: Memory, _: Reply) -> Response:
        return Response(openapi.as_text(), media_type=JSON)

    async def _show_page(self, _asked: Asked, _memory: Memory, _: Reply) -> Response:
        return Response(page.as_html(), headers=page.HEADERS, media_type="text/html")


def _carry_out(memory: Memory, route: Route, given: Mapping[str, object]) -> Response:
    answer = attrgetter(route.operation.method)(memory)(**given)
    content = encode_text(answer).encode("utf-8", "backslashreplace")
    headers: dict[str, str] = {}
    if route.status == 201 and isinstance(answer, MemoryRecord):
        place = f"{PREFIX}/memories/{quote(answer.id, safe='')}"
        headers["location"] = f"{place}?namespace={quote(answer.namespace, safe='')}"
    return Response(content, route.status, headers, JSON)


async def _refuse_path(_asked: Asked, _memory: Memory, _: Reply) -> Response:
    raise Refusal(400, "malformed_path", "the path is not UTF-8")


async def _refuse_unknown(path: str, _asked: Asked, _memory: Memory, _: Reply) -> Response:
    guess = nearest(path, {route.template for route in ROUTES})
    hint = f"; did you mean {guess}?" if guess else f" (the API is under {PREFIX}: see /docs)"
    raise Refusal(404, "unknown_path", f"nothing is served at this path{hint}")


async def _refuse_method(target: _Target, asked: Asked, _memory: Memory, _: Reply) -> Response:
    allowed = {"allow": target.allowed}
    if asked.method == "OPTIONS":
        return Response(status_code=204, headers=allowed)
    detail = f"this path takes {target.allowed}"
    raise Refusal(405, "method_not_allowed", detail, allowed)


def _log_fault(asked: Asked, error: Exception) -> None:
    """Log a fault of our own, without its message: that may hold a memory's text."""
    if describe(error).status == 500:
        trace = "".join(traceback.format_tb(error.__traceback__))
        _LOG.error("request %s: %s\n%s", asked.id, type(error).__name__, trace)
