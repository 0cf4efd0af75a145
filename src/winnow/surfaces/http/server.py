"""The server: how it runs, and how it comes to an end."""

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType

import uvicorn

from winnow.memory import Memory
from winnow.surfaces.http.app import App
from winnow.surfaces.http.connections import PatientProtocol
from winnow.surfaces.http.limits import Limits
from winnow.surfaces.http.traces import configure_tracing
from winnow.surfaces.listening import Place

KEEP_ALIVE_SECONDS = 65
_LAST_SECONDS = 0.5  # for calls that nobody waits for any more


def serve(
    memory: Memory,
    place: Place,
    *,
    limits: Limits | None = None,
    profile: str = "full",
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve until a signal says to stop; then let calls that are running end, but not for long.

    `ready` is called when requests are taken. Runs in the main thread of a process of its own.
    """
    bounds = limits or Limits()
    configure_tracing()
    app = App(memory, local=place.local, limits=bounds, profile=profile)
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # anybody could name another address than its own
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=bounds.grace_seconds,
        h11_max_incomplete_event_size=bounds.head,
    )
    server = _Server(config, ready)
    # uvicorn handles signals while it runs, and raises them again when it is done.
    before = {one: signal.signal(one, server.stop) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.run(place.sockets)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if not app.finish(_LAST_SECONDS):  # a write that is cut short was never made
        sys.stderr.flush()
        os._exit(0)


def log_requests() -> None:
    """Write a line on standard error for each request, and what goes wrong."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    log = logging.getLogger("winnow.http")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    def stop(self, _number: int, _frame: FrameType | None) -> None:
        self.should_exit = True
