"""A server on this machine that speaks `/v1/embeddings`, and answers as a test wants it to."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import cast

from winnow.values import Json

VECTORS = {"a": [3.0, 4.0], "b": [0.0, 2.0]}


@dataclass(frozen=True)
class Reply:
    """What is answered to one request; without a body, what a good server answers."""

    status: int = 200
    body: "Json | bytes" = None
    headers: dict[str, str] = field(default_factory=dict[str, str])


@dataclass
class Endpoint:
    """Requests as they came: path, Authorization, body. `replies` are used up first."""

    url: str = ""
    replies: list[Reply] = field(default_factory=list[Reply])
    paths: list[str] = field(default_factory=list[str])
    keys: list[str | None] = field(default_factory=list[str | None])
    bodies: list[dict[str, Json]] = field(default_factory=list[dict[str, Json]])
    stalled: bool = False
    released: Event = field(default_factory=Event)

    @property
    def inputs(self) -> list[list[str]]:
        return [cast("list[str]", body["input"]) for body in self.bodies]


def items(texts: list[str]) -> list[Json]:
    """The vectors of some texts, each by its first letter, as a server gives them."""
    return [
        {"object": "embedding", "index": place, "embedding": list[Json](VECTORS[text[0]])}
        for place, text in enumerate(texts)
    ]


def answer(data: Json) -> Json:
    return {"object": "list", "data": data, "model": "m", "usage": {"total_tokens": 1}}


@contextmanager
def serve_embeddings() -> Generator[Endpoint]:
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.paths.append(self.path)
            endpoint.keys.append(self.headers["Authorization"])
            endpoint.bodies.append(body)
            if endpoint.stalled:
                endpoint.released.wait()
            self.send(endpoint.replies.pop(0) if endpoint.replies else Reply(), body["input"])

        def send(self, reply: Reply, texts: list[str]) -> None:
            body = answer(items(texts)) if reply.body is None else reply.body
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(reply.status)
            for name, value in (reply.headers | {"Content-Length": str(len(raw))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield endpoint
        finally:
            endpoint.released.set()
            server.shutdown()
            thread.join()
