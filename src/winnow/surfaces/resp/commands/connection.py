"""Commands about the connection itself: greeting, keys, names."""

import time
from collections.abc import Sequence
from typing import Final, cast

import winnow
from winnow.filter.raw import from_bytes
from winnow.surfaces import authenticate
from winnow.surfaces.resp.grammar import SYNTAX, Given
from winnow.surfaces.resp.replies import OK, RESP2, RESP3, Pairs, Refusal, Reply, Status
from winnow.surfaces.resp.service import Client, Desk
from winnow.surfaces.resp.signatures import Effect, Place, Signature

NO_PROTOCOL: Final = "NOPROTO unsupported protocol version"
WRONG_KEY: Final = "WRONGPASS invalid username-password pair or user is disabled."


def _ping(desk: Desk, given: Given) -> Reply:
    return cast(bytes, given["message"]) if "message" in given else Status("PONG")


def _echo(desk: Desk, given: Given) -> Reply:
    return cast(bytes, given["message"])


def _select(desk: Desk, given: Given) -> Reply:
    if cast(int, given["index"]) != 0:
        raise Refusal("ERR DB index is out of range")
    return OK


def _quit(desk: Desk, given: Given) -> Reply:
    desk.client.closing = True
    return OK


def _reset(desk: Desk, given: Given) -> Reply:
    client = desk.client
    client.version, client.name, client.queue, client.secret = RESP2, "", None, None
    forget_key(desk)
    return Status("RESET")


def forget_key(desk: Desk) -> None:
    """Let a client be what it was when it came: somebody who has given no key."""
    service = desk.service
    needed = authenticate.needs_key(service.memory, local=service.local)
    desk.client.access = None if needed else service.engine.access


def _auth(desk: Desk, given: Given) -> Reply:
    words = cast("list[bytes]", given["words"])
    user = words[0] if len(words) > 1 else b"default"
    log_in(desk, user, words[-1])
    return OK


def log_in(desk: Desk, user: bytes, password: bytes) -> None:
    """Give a client what its key allows; the name of the user is of no account."""
    service, client = desk.service, desk.client
    if not authenticate.needs_key(service.memory, local=service.local):
        return  # as with Klyro, whoever is let in anyway may say any password
    secret = from_bytes(password)
    access = authenticate.find_access(service.memory, secret)
    if access is None:
        wait = service.attempts.fail(client.address)
        if wait:
            client.closing = True
        raise Refusal(WRONG_KEY)
    client.access, client.secret = access, secret


def _hello(desk: Desk, given: Given) -> Reply:
    words = cast("list[bytes]", given["words"])
    client, version = desk.client, desk.client.version
    if words:
        version = {b"2": RESP2, b"3": RESP3}.get(words[0], 0)
        if not version:
            raise Refusal(NO_PROTOCOL)
    name = _read_hello(desk, words[1:])
    if client.access is None:
        raise Refusal(
            "NOAUTH HELLO must be called with the client already authenticated, otherwise the"
            " HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and"
            " select the RESP protocol version at the same time"
        )
    client.version, client.name = version, client.name if name is None else name
    return Pairs(
        [
            (b"server", b"winnow"),
            (b"version", winnow.__version__.encode()),
            (b"proto", version),
            (b"id", client.id),
            (b"mode", b"standalone"),
            (b"role", b"master"),
            (b"modules", []),
        ]
    )


def _read_hello(desk: Desk, words: Sequence[bytes]) -> str | None:
    """Read the options of HELLO; return the name that it sets."""
    name, at = None, 0
    while at < len(words):
        option = words[at].upper()
        if option == b"AUTH" and at + 2 < len(words):
            log_in(desk, words[at + 1], words[at + 2])
            at += 3
        elif option == b"SETNAME" and at + 1 < len(words):
            name = _read_name(words[at + 1])
            at += 2
        else:
            raise Refusal(SYNTAX)
    return name


def _read_name(raw: bytes) -> str:
    if any(byte <= _SPACE or byte >= _DELETE for byte in raw):
        raise Refusal("ERR Client names cannot contain spaces, newlines or special characters.")
    return raw.decode()


_SPACE: Final = 0x20
_DELETE: Final = 0x7F


def _client(desk: Desk, given: Given) -> Reply:
    words = cast("list[bytes]", given["words"])
    name, count = words[0].decode("latin-1").upper(), len(words)
    client = desk.client
    match name, count:
        case "ID", 1:
            return client.id
        case "GETNAME", 1:
            return client.name.encode() or None
        case "SETNAME", 2:
            client.name = _read_name(words[1])
            return OK
        case "SETINFO", 3:
            client.library[from_bytes(words[1]).lower()] = _read_name(words[2])
            return OK
        case "INFO", 1:
            return _describe(client)
        case "LIST", _:
            clients = [one for one in desk.service.clients.values() if one is client or _may(desk)]
            return b"".join(_describe(one) + b"\n" for one in clients)
        case (("NO-EVICT" | "NO-TOUCH"), 2):
            return OK
        case _:
            shown = words[0].decode("utf-8", "replace")
            raise Refusal(
                f"ERR Unknown CLIENT subcommand or wrong number of arguments for '{shown}'"
            )


def _may(desk: Desk) -> bool:
    """Tell whether a client may hear of others: with a key for all namespaces."""
    return desk.access.namespaces is None


def _describe(client: Client) -> bytes:
    age = int(time.monotonic() - client.since)
    queued = -1 if client.queue is None else len(client.queue)
    parts = {
        "id": client.id,
        "addr": client.address,
        "name": client.name,
        "age": age,
        "resp": client.version,
        "db": 0,
        "multi": queued,
        **client.library,
    }
    return " ".join(f"{name}={value}" for name, value in parts.items()).encode()


_WORDS: Final = Place("words", rest=True)

COMMANDS: Final = (
    Signature(
        "ping",
        "Answer PONG, or what is said.",
        _ping,
        Effect.CONNECTION,
        places=(Place("message"),),
        most=2,
    ),
    Signature(
        "echo",
        "Answer what is said.",
        _echo,
        Effect.CONNECTION,
        places=(Place("message"),),
        least=2,
        most=2,
    ),
    Signature(
        "hello",
        "Greet, choose RESP2 or RESP3, and give a key.",
        _hello,
        Effect.CONNECTION,
        places=(_WORDS,),
        open=True,
    ),
    Signature(
        "auth",
        "Give a key: its secret as the password, with any name of a user.",
        _auth,
        Effect.CONNECTION,
        places=(_WORDS,),
        least=2,
        most=3,
        open=True,
    ),
    Signature(
        "client",
        "Name this connection, or tell of it: ID, INFO, LIST, GETNAME, SETNAME, SETINFO.",
        _client,
        Effect.CONNECTION,
        places=(_WORDS,),
        least=2,
    ),
    Signature(
        "select",
        "Choose a database, of which there is one: 0.",
        _select,
        Effect.CONNECTION,
        places=(Place("index", "integer"),),
        least=2,
        most=2,
    ),
    Signature("quit", "Close this connection.", _quit, Effect.CONNECTION, open=True),
    Signature(
        "reset",
        "Let this connection be as it was at first.",
        _reset,
        Effect.CONNECTION,
        most=1,
        open=True,
    ),
)
