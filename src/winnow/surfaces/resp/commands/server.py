"""Commands about the server: what it can do, how it is, and how it is set."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

import winnow
from winnow.access import Scope
from winnow.surfaces.resp.grammar import Given
from winnow.surfaces.resp.replies import OK, Pairs, Refusal, Reply, Status
from winnow.surfaces.resp.service import Desk
from winnow.surfaces.resp.signatures import Effect, Place, Signature

if TYPE_CHECKING:
    from winnow.surfaces.resp.grammar import Option

# --- COMMAND ----------------------------------------------------------------------------------


def _command(desk: Desk, given: Given) -> Reply:
    words = cast("list[bytes]", given["words"])
    table = desk.service.table
    if not words:
        return [_describe(one) for one in table.values()]
    name, rest = words[0].decode("latin-1").upper(), [one.lower() for one in words[1:]]
    chosen = [table[key.decode("latin-1")] for key in rest if key.decode("latin-1") in table]
    match name:
        case "COUNT":
            return len(table)
        case "LIST":
            return [one.encode() for one in table]
        case "DOCS":
            shown = chosen if rest else list(table.values())
            return Pairs([(one.name.encode(), _document(one)) for one in shown])
        case "INFO":
            if not rest:
                return [_describe(one) for one in table.values()]
            found = [table.get(key.decode("latin-1")) for key in rest]
            return [None if one is None else _describe(one) for one in found]
        case _:
            raise Refusal(f"ERR unknown subcommand '{words[0].decode('utf-8', 'replace')}'")


def _describe(signature: Signature) -> Reply:
    """Describe a command as Redis does: name, arity, flags, keys, categories, and hints."""
    fixed = signature.most == signature.least
    arity = signature.least if fixed else -signature.least
    flags = _FLAGS[signature.effect]
    return [
        signature.name.encode(),
        arity,
        [Status(flag) for flag in flags],
        *signature.keys,
        [Status(f"@{signature.group}")],
        [],
        [],
        [],
    ]


_FLAGS: Final[Mapping[Effect, tuple[str, ...]]] = {
    Effect.CONNECTION: ("fast", "loading", "stale"),
    Effect.READ: ("readonly",),
    Effect.WRITE: ("write",),
}


def _document(signature: Signature) -> Reply:
    arguments: list[Reply] = [
        Pairs(
            [
                (b"name", place.name.encode()),
                (b"type", place.type.encode()),
                *([(b"flags", [Status("multiple")])] if place.rest else []),
            ]
        )
        for place in signature.places
    ]
    arguments += [_document_option(*one) for one in signature.options.items()]
    return Pairs(
        [
            (b"summary", signature.summary.encode()),
            (b"since", b"1.0.0"),
            (b"group", signature.group.encode()),
            (b"arguments", arguments),
        ]
    )


def _document_option(token: str, option: "Option") -> Reply:
    flags: list[Reply] = [Status("optional")]
    if option.multiple:
        flags.append(Status("multiple"))
    named = [(b"name", token.lower().encode())]
    shown = [(b"token", token.encode()), (b"flags", flags)]
    if not option.takes:
        return Pairs([*named, (b"type", b"pure-token"), *shown])
    if len(option.takes) == 1:
        name, kind = option.takes[0]
        return Pairs([(b"name", name.encode()), (b"type", kind.encode()), *shown])
    inner = [
        Pairs([(b"name", name.encode()), (b"type", kind.encode())]) for name, kind in option.takes
    ]
    return Pairs([*named, (b"type", b"block"), *shown, (b"arguments", inner)])


# --- CONFIG -----------------------------------------------------------------------------------


def _config(desk: Desk, given: Given) -> Reply:
    words = [one.decode("utf-8", "replace") for one in cast("list[bytes]", given["words"])]
    name, rest = words[0].upper(), words[1:]
    match name, len(rest):
        case "GET", 0:
            raise Refusal("ERR wrong number of arguments for 'config|get' command")
        case "GET", _:
            found = desk.service.config.find(rest)
            return Pairs([(key.encode(), value.encode()) for key, value in found])
        case "SET", 2:
            desk.access.require(Scope.ADMIN)
            desk.service.config.set(*rest)
            return OK
        case "SET", _:
            raise Refusal("ERR wrong number of arguments for 'config|set' command")
        case "RESETSTAT", 0:
            desk.access.require(Scope.ADMIN)
            desk.service.counters.commands = desk.service.counters.connections = 0
            return OK
        case _:
            raise Refusal(f"ERR Unknown CONFIG subcommand: {words[0]}")


# --- INFO -------------------------------------------------------------------------------------


def _info(desk: Desk, given: Given) -> Reply:
    asked = [one.decode("latin-1").lower() for one in cast("list[bytes]", given["words"])]
    everything = not asked or bool({"all", "everything", "default"} & set(asked))
    shown = [_show_section(desk, name) for name in _SECTIONS if everything or name in asked]
    return "\r\n".join(shown).encode()


def _show_section(desk: Desk, name: str) -> str:
    lines = [f"# {name.capitalize()}", *(f"{key}:{value}" for key, value in _SECTIONS[name](desk))]
    return "".join(f"{line}\r\n" for line in lines)


def _server(desk: Desk) -> Iterator[tuple[str, object]]:
    seconds = int(time.monotonic() - desk.service.began)
    yield "winnow_version", winnow.__version__
    yield "redis_version", "7.0.0"  # whose protocol it speaks: clients look at it
    yield "redis_mode", "standalone"
    yield "process_id", os.getpid()
    yield "tcp_port", dict(desk.service.config.find(["port"])).get("port", 0)
    yield "uptime_in_seconds", seconds
    yield "uptime_in_days", seconds // 86_400


def _clients(desk: Desk) -> Iterator[tuple[str, object]]:
    yield "connected_clients", len(desk.service.clients)
    yield "blocked_clients", 0  # no command waits for another; redis-cli --stat shows it
    yield "maxclients", dict(desk.service.config.find(["maxclients"])).get("maxclients", 0)
    yield "rejected_connections", desk.service.counters.refused


def _memory(desk: Desk) -> Iterator[tuple[str, object]]:
    yield "used_memory", _read_memory()
    yield "maxmemory", 0
    yield "maxmemory_policy", "noeviction"


def _read_memory() -> int:
    """Return the bytes of memory that this process has, 0 where that can't be told."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def _persistence(desk: Desk) -> Iterator[tuple[str, object]]:
    yield "loading", 0
    yield "durable", 1  # a reply comes when a write is committed
    yield "last_change", desk.engine.as_of().change


def _stats(desk: Desk) -> Iterator[tuple[str, object]]:
    yield "total_connections_received", desk.service.counters.connections
    yield "total_commands_processed", desk.service.counters.commands


def _keyspace(desk: Desk) -> Iterator[tuple[str, object]]:
    indexes, texts = desk.service.directory.list(desk.access), desk.service.strings.keys()
    expires = sum(index.settings.expires_at is not None for index in indexes)
    yield "db0", f"keys={len(indexes) + len(texts)},expires={expires}"
    yield "string", len(texts)
    yield "memory", len(indexes)


def _memorydb(desk: Desk) -> Iterator[tuple[str, object]]:
    indexes = desk.service.directory.list(desk.access)
    held = [desk.service.asking.describe(index) for index in indexes]
    yield "memory_indexes", len(indexes)
    yield "memory_records", sum(one.records for one in held)
    yield "memory_vectors", sum(one.vectors for one in held)
    yield "memory_terms", sum(one.words for one in held)
    yield (
        "memory_index_bytes",
        sum(
            4 * index.settings.dimension * one.vectors
            for index, one in zip(indexes, held, strict=True)
        ),
    )


_Section = Callable[[Desk], Iterator[tuple[str, object]]]
_SECTIONS: Final[Mapping[str, _Section]] = {
    "server": _server,
    "clients": _clients,
    "memory": _memory,
    "persistence": _persistence,
    "stats": _stats,
    "keyspace": _keyspace,
    "memorydb": _memorydb,
}

_WORDS: Final = Place("words", rest=True)

COMMANDS: Final[Sequence[Signature]] = (
    Signature(
        "command",
        "Describe the commands: COUNT, LIST, INFO and DOCS.",
        _command,
        Effect.CONNECTION,
        places=(_WORDS,),
    ),
    Signature(
        "info",
        "Tell how the server is, in sections; memorydb is about the indexes.",
        _info,
        Effect.READ,
        places=(_WORDS,),
    ),
    Signature(
        "config",
        "GET parameters by pattern, or SET one of mem-*, until the server stops.",
        _config,
        Effect.READ,
        places=(_WORDS,),
        least=2,
    ),
)
