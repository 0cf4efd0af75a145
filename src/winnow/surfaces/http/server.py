"""The server: where it listens, and how it comes to an end."""

import errno
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

import uvicorn

from winnow.errors import Fault, InvalidRequest
from winnow.memory import Memory
from winnow.surfaces.authenticate import is_loopback, needs_key
from winnow.surfaces.http.app import App
from winnow.surfaces.http.connections import PatientProtocol
from winnow.surfaces.http.limits import Limits
from winnow.surfaces.http.traces import configure_tracing

KEEP_ALIVE_SECONDS = 65
_LAST_SECONDS = 0.5  # for calls that nobody waits for any more


@dataclass(frozen=True, slots=True)
class Place:
    """The sockets that a server listens on, and whether only this machine reaches them."""

    sockets: list[socket.socket]
    local: bool

    @property
    def addresses(self) -> list[str]:
        """The addresses as URLs."""
        return [_spell(*one.getsockname()[:2]) for one in self.sockets]


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


def listen(memory: Memory, host: str, port: int) -> Place:
    """Bind to all addresses of a host; with the port 0 to one that is free.

    Raise InvalidRequest where others could come in and no key was made.
    """
    addresses = _resolve(host, port)
    local = all(is_loopback(str(address[0])) for _, address in addresses)
    if not local and not needs_key(memory, local=True):
        detail = (
            f"{host} can be reached from elsewhere, which needs a key; make one first"
            " (winnow keys create NAME), or listen on 127.0.0.1"
        )
        raise InvalidRequest([Fault("/host", detail)])
    sockets: list[socket.socket] = []
    failures: list[OSError] = []
    for family, address in addresses:
        free = int(sockets[0].getsockname()[1]) if sockets else 0
        try:
            sockets.append(_bind(family, str(address[0]), port or free))
        except OSError as error:
            failures.append(error)
    fatal = [one for one in failures if not sockets or one.errno not in _NO_SUCH_ADDRESS]
    if fatal:
        for one in sockets:
            one.close()
        raise fatal[0]
    return Place(sockets, local)


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


def _resolve(host: str, port: int) -> list[tuple[socket.AddressFamily, tuple[object, ...]]]:
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=_PASSIVE)
    except (OSError, UnicodeError):
        detail = f"{host!r} is no address of this machine"
        raise InvalidRequest([Fault("/host", detail)]) from None
    return list(dict.fromkeys((family, address) for family, _, _, _, address in found))


_PASSIVE = socket.AI_PASSIVE
# `localhost` has an address of IPv6 on machines without IPv6, too.
_NO_SUCH_ADDRESS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def _bind(family: socket.AddressFamily, name: str, port: int) -> socket.socket:
    # Named, or asyncio would not switch off Nagle's algorithm: answers would wait for 40 ms.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere this would let two servers share a port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind((name, port))
        made.listen(socket.SOMAXCONN)
    except OSError as error:
        made.close()
        raise OSError(error.errno, os.strerror(error.errno or 0), _spell(name, port)) from None
    return made


def _spell(name: str, port: int) -> str:
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
