"""Where a server listens: its sockets, and who can reach them."""

import errno
import os
import socket
from dataclasses import dataclass

from winnow.errors import Fault, InvalidRequest
from winnow.memory import Memory
from winnow.surfaces.authenticate import is_loopback, needs_key


@dataclass(frozen=True, slots=True)
class Place:
    """The sockets that a server listens on, and whether only this machine reaches them."""

    sockets: list[socket.socket]
    local: bool

    @property
    def addresses(self) -> list[str]:
        """Host and port of each socket, as `127.0.0.1:7070`."""
        return [_spell(*one.getsockname()[:2]) for one in self.sockets]


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
    return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"
