"""The server: a thread for each connection, from the first to the last."""

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

from winnow.errors import WinnowError
from winnow.memory import Memory
from winnow.memory.indexes.changing import begin_changes
from winnow.surfaces.resp.alike import find_form
from winnow.surfaces.resp.config import Config
from winnow.surfaces.resp.limits import GRACE_SECONDS, MOST_CLIENTS
from winnow.surfaces.resp.protocol import Broken, Received, count_commands, read_commands
from winnow.surfaces.resp.replies import RESP2, Refusal, write_reply
from winnow.surfaces.resp.service import Client, Service
from winnow.surfaces.resp.session import Session, refuse
from winnow.surfaces.resp.table import TABLE

_RECEIVED: Final = 256 * 1024
_GATHERED: Final = 1_000
"""Commands after which no more are waited for."""
_MOMENT: Final = 0.001
"""Seconds that the rest of a command is waited for before those that are whole are answered."""
_BACKLOG: Final = 512
_log = logging.getLogger(__name__)


class RespServer:
    """Serves one store on some sockets. `start` and `stop` may be called from any thread."""

    def __init__(
        self,
        memory: Memory,
        sockets: Sequence[socket.socket],
        *,
        local: bool = True,
        most_clients: int = MOST_CLIENTS,
    ) -> None:
        self._sockets = list(sockets)
        self._most = most_clients
        address = self._sockets[0].getsockname()
        fixed = {
            "bind": str(address[0]),
            "port": str(address[1]),
            "maxclients": str(most_clients),
            "save": "",
            "appendonly": "yes",
        }
        self.service = Service(memory, TABLE, Config(fixed), local=local)
        self._lock = threading.Lock()
        self._connections: dict[int, tuple[socket.socket, threading.Thread]] = {}
        self._threads: list[threading.Thread] = []
        self._stopping = threading.Event()
        self._last = 0

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._sockets[0].getsockname()[1])

    def start(self) -> None:
        """Begin to serve, in threads of its own."""
        for one in self._sockets:
            one.listen(_BACKLOG)
            self._spawn(f"resp-accept-{one.fileno()}", lambda listener=one: self._accept(listener))
        self._spawn("resp-sweep", self._sweep)

    def stop(self) -> None:
        """Take no more connections, let the commands that run end, and close all."""
        self._stopping.set()
        for one in self._sockets:
            _shut(one, socket.SHUT_RDWR)
            one.close()
        with self._lock:
            open_ones = list(self._connections.values())
        for connection, _ in open_ones:
            _shut(connection, socket.SHUT_RD)  # its thread reads the end, and then leaves
        ends = time.monotonic() + GRACE_SECONDS
        for _, thread in open_ones:
            thread.join(max(ends - time.monotonic(), 0))
        for thread in self._threads:
            thread.join(max(ends - time.monotonic(), 0))

    def _spawn(self, name: str, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        while not self._stopping.is_set():
            try:
                connection, address = listener.accept()
            except OSError:
                if self._stopping.wait(0.05):  # too many files are open, or it was closed
                    return
                continue
            self._welcome(connection, str(address[0]), int(address[1]))

    def _welcome(self, connection: socket.socket, host: str, port: int) -> None:
        self.service.counters.connections += 1
        with self._lock:
            if len(self._connections) < self._most and not self._stopping.is_set():
                self._last += 1
                client = Client(self._last, f"{host}:{port}")
                thread = threading.Thread(
                    target=self._serve, args=(connection, client), name="resp", daemon=True
                )
                self._connections[client.id] = connection, thread
                thread.start()
                return
        self.service.counters.refused += 1
        _send_away(connection, Refusal("ERR max number of clients reached"))

    def _serve(self, connection: socket.socket, client: Client) -> None:
        self.service.clients[client.id] = client
        try:
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                try:
                    session = Session(self.service, client)
                except WinnowError as error:  # such as a store that can't be read now
                    _send_away(connection, refuse(error))
                    return
                _talk(connection, session, client)
        except OSError:
            pass  # the client is gone
        except Exception:  # noqa: BLE001 - one connection ends, the others go on
            _log.exception("a connection ended by a fault of the server")
        finally:
            self.service.clients.pop(client.id, None)
            with self._lock:
                self._connections.pop(client.id, None)

    def _sweep(self) -> None:
        """Drop indexes whose time is over, now and then."""
        while not self._stopping.wait(self.service.config["sweep-interval"] / 1_000):
            try:
                self._drop_overdue()
            except Exception:  # noqa: BLE001 - the next time may be better
                _log.exception("indexes whose time is over were not dropped")

    def _drop_overdue(self) -> None:
        service = self.service
        if not service.directory.overdue():
            return
        with service.writing, service.engine.write() as writer:
            changes = begin_changes(service.engine, writer, service.directory.now())
            for name in service.directory.overdue():
                changes.indexes.drop_overdue(name)
                service.cursors.forget(name)


def _talk(connection: socket.socket, session: Session, client: Client) -> None:
    parser = read_commands(session.bounds, find_form)
    next(parser)
    while not client.closing:
        data = connection.recv(_RECEIVED)
        if not data:
            return
        received = parser.send(data)
        while _breaks_off(data, received):
            data = _receive_soon(connection)
            if not data:
                break
            received += parser.send(data)
        if received:
            connection.sendall(session.answer(received))


def _breaks_off(data: bytes, received: Received) -> bool:
    """Tell whether bytes end in the midst of a command, so that more of a pipeline is coming."""
    if not received or isinstance(received[-1], Broken):
        return False
    if len(data) < _RECEIVED and data.endswith(b"\n"):
        return False
    return count_commands(received) < _GATHERED


def _receive_soon(connection: socket.socket) -> bytes:
    """Return what comes within a moment; commands of one pipeline then share a transaction."""
    connection.settimeout(_MOMENT)
    try:
        return connection.recv(_RECEIVED)
    except TimeoutError:
        return b""
    finally:
        connection.settimeout(None)


def _send_away(connection: socket.socket, refusal: Refusal) -> None:
    out: list[bytes] = []
    write_reply(refusal, RESP2, out)
    with connection:
        _shut(connection, socket.SHUT_RD)
        with contextlib.suppress(OSError):
            connection.settimeout(1.0)
            connection.sendall(b"".join(out))


def _shut(connection: socket.socket, how: int) -> None:
    with contextlib.suppress(OSError):  # it may not be connected any more
        connection.shutdown(how)
