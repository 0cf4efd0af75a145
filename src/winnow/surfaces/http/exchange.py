"""One request and its response, as the application sees them."""

import re
import uuid
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from winnow.surfaces.http.routes import split_path

_REQUEST_ID = re.compile(r"[A-Za-z0-9._~+/=:-]{1,128}")
# Answers are somebody's memories: no cache keeps them, and nobody takes them for anything else.
_HEADERS = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
UNSENT = 499
"""The status, in logs only, of a request whose sender was gone before the answer."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request. `id` is the sender's own if it has one that is fit to be repeated."""

    scope: Scope
    receive: Receive
    headers: Headers
    id: str

    @property
    def method(self) -> str:
        """The method, as it was sent."""
        return str(self.scope["method"])

    @property
    def query(self) -> bytes:
        """The query of the address, as it was sent."""
        return bytes(self.scope.get("query_string", b""))

    @property
    def address(self) -> str:
        """The address that it comes from."""
        client = self.scope.get("client")
        return str(client[0]) if client else ""

    def steps(self) -> list[str] | None:
        """Return the steps of its path, None if they are not UTF-8."""
        raw = self.scope.get("raw_path")
        path = str(self.scope["path"]).encode("utf-8", "surrogateescape") if raw is None else raw
        return split_path(bytes(path).partition(b"?")[0])


def read_request(scope: Scope, receive: Receive) -> Asked:
    """Return a request as it was sent."""
    headers = Headers(scope=scope)
    own = headers.get("x-request-id", "")
    name = own if _REQUEST_ID.fullmatch(own) else uuid.uuid4().hex
    return Asked(scope, receive, headers, name)


class Reply:
    """Sends a response, with the headers that all of them have; knows what status it had."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._more = ((b"x-request-id", request_id.encode("ascii")), *_HEADERS)
        self.status = UNSENT

    async def __call__(self, message: Message) -> None:
        """Send a message of ASGI."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            present = {name for name, _ in message.get("headers", ())}
            added = [one for one in self._more if one[0] not in present]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await self._send(message)


def replay(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read already, then what else comes."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
