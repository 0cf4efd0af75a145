"""A server on this machine that takes JSON, and answers as a test wants it to."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

from winnow.values import Json


@dataclass(frozen=True)
class Asked:
    """One request, as it came."""

    path: str
    key: str | None
    body: dict[str, Json]


@dataclass(frozen=True)
class Reply:
    body: "Json | bytes" = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def raw(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass
class Endpoint:
    """What was asked, and what is answered: `replies` first, then what `respond` says.

    `stalled` keeps it from answering, `trickling` sends a byte now and then, both for as long as
    the test runs.
    """

    respond: Callable[[Asked], Reply]
    url: str = ""
    replies: list[Reply] = field(default_factory=list[Reply])
    asked: list[Asked] = field(default_factory=list[Asked])
    stalled: bool = False
    trickling: bytes | None = None
    released: Event = field(default_factory=Event)

    def answer(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        return self.replies.pop(0) if self.replies else self.respond(asked)


@contextmanager
def serve(respond: Callable[[Asked], Reply]) -> Generator[Endpoint]:
    endpoint = Endpoint(respond)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet, or the second waits for the first

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = endpoint.answer(Asked(self.path, self.headers["Authorization"], body))
            if endpoint.stalled:
                endpoint.released.wait()
            with suppress(OSError):  # whoever asked may have gone
                self.trickle() if endpoint.trickling else self.send(reply)

        def send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            for name, value in ({"Content-Length": str(len(reply.raw))} | reply.headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.raw)

        def trickle(self) -> None:
            self.wfile.write(endpoint.trickling or b"")
            self.wfile.flush()
            while not endpoint.released.wait(0.02):
                self.wfile.write(b" ")
                self.wfile.flush()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        endpoint.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield endpoint
        finally:
            endpoint.released.set()
            server.shutdown()
            thread.join()
