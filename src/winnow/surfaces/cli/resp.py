"""The command `resp`, and the Redis protocol beside HTTP in `serve`."""

import gc
import logging
import signal
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Annotated

import typer
from annotated_types import Ge, Le

from winnow.memory import Memory
from winnow.surfaces.cli.reading import read_request
from winnow.surfaces.cli.session import Session
from winnow.surfaces.http.limits import DEFAULT_HOST
from winnow.surfaces.listening import listen
from winnow.surfaces.resp.limits import DEFAULT_PORT, MOST_CLIENTS
from winnow.surfaces.resp.server import RespServer
from winnow.wire import Arg


@dataclass(frozen=True, slots=True)
class RespRequest:
    """Serve the store to clients of Redis, until a signal says to stop."""

    host: Annotated[str, Arg("the name or address to listen on")] = DEFAULT_HOST
    port: Annotated[int, Ge(0), Le(65_535), Arg("the port; 0 for one that is free")] = DEFAULT_PORT
    max_clients: Annotated[int, Ge(1), Arg("the most connections at a time")] = MOST_CLIENTS


def run_resp(session: Session, given: Mapping[str, str | None]) -> None:
    """Serve until a signal comes."""
    from winnow.app import open_memory

    request = read_request(RespRequest, given)
    stopped = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopped.set()

    with open_memory(session.store, durability=session.durability) as memory:
        before = {one: signal.signal(one, stop) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            with serving(memory, request.host, request.port, request.max_clients) as told:
                typer.echo(told, err=True)
                stopped.wait()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def serving(
    memory: Memory, host: str, port: int, most_clients: int = MOST_CLIENTS
) -> Generator[str]:
    """Serve clients of Redis while the block runs; yield the line that says where."""
    place = listen(memory, host, port)
    server = RespServer(memory, place.sockets, local=place.local, most_clients=most_clients)
    logging.getLogger("winnow.surfaces.resp").addHandler(logging.StreamHandler(sys.stderr))
    server.start()
    try:
        with _seldom_collected():
            yield f"winnow: listening on {', '.join(place.addresses)} (Redis protocol)"
    finally:
        server.stop()


@contextmanager
def _seldom_collected() -> Generator[None]:
    """Let Python look for garbage less often, and not at what was there before.

    A pipeline makes thousands of small lists, none of them in a circle: looking through them and
    all else again and again took a sixth of the time.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(_MADE_BEFORE_A_LOOK)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


_MADE_BEFORE_A_LOOK = 20_000
