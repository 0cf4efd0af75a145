"""MCP over standard input and output: a message a line, and nothing else."""

import asyncio
import json
import os
import re
import select
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Semaphore, Thread
from typing import NoReturn, cast

import anyio
from anyio import to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

from winnow.memory import Memory
from winnow.surfaces.mcp.doubles import complain_of_double
from winnow.surfaces.mcp.server import McpServer

_DRAIN_SECONDS = 1.0  # for the answers that are due when the input ends
_FLUSH_SECONDS = 0.5  # for the last of them to be written
_LINES_AHEAD = 64  # read while the server has not taken them
_BOM = b"\xef\xbb\xbf"
LONGEST_LINE = 16_000_000  # bytes of a message

# A client need not shake hands: this is what it would say after that.
_OPENING = JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")


def serve_stdio(memory: Memory, profile: str) -> None:
    """Serve until the input ends or the process is asked to stop; then within two seconds end.

    Whatever else is printed meanwhile, by libraries and child processes too, goes to stderr.
    """
    handlers = McpServer(lambda _request: memory, profile)
    if not asyncio.run(serve_lines(handlers, *_claim_streams())):
        # Work that nobody waits for any more is going on in a thread; the store can be left.
        sys.stderr.flush()
        os._exit(0)


async def serve_lines(handlers: McpServer, source: int, sink: int) -> bool:
    """Serve what comes from one descriptor on another; tell whether all work has ended."""
    server = handlers.make()
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    due, written = _Due(), anyio.Event()

    async def write_all() -> None:
        with suppress(OSError):  # nobody reads any more
            await _write_lines(outgoing, sink, due)
        written.set()
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write_all)
        tasks.start_soon(_read_lines, source, incoming, write.clone(), due)
        await server.run(read, write, server.create_initialization_options())
        with anyio.move_on_after(_FLUSH_SECONDS):
            await written.wait()
        tasks.cancel_scope.cancel()
    return written.is_set() and not handlers.busy


def _claim_streams() -> tuple[int, int]:
    """Return copies of the descriptors of input and output; leave others there in their place."""
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no stderr
        os.dup2(nothing, 1)
    os.close(nothing)
    return source, sink


@dataclass(slots=True)
class _Due:
    """The requests that have no answer yet."""

    ids: set[str | int] = field(default_factory=set[str | int])
    changed: anyio.Event = field(default_factory=anyio.Event)

    def take(self, message: JSONRPCMessage) -> None:
        """Note what came from the client."""
        if isinstance(message, JSONRPCRequest):
            self.ids.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method.endswith("/cancelled"):
            self._settle((message.params or {}).get("requestId"))

    def give(self, message: JSONRPCMessage) -> None:
        """Note what was written to the client."""
        if isinstance(message, (JSONRPCResponse, JSONRPCError)):
            self._settle(message.id)

    def _settle(self, request: object) -> None:
        if isinstance(request, (str, int)):
            self.ids.discard(request)
        self.changed.set()

    async def wait(self) -> None:
        """Wait until every request has its answer."""
        while self.ids:
            self.changed = anyio.Event()
            await self.changed.wait()


# --- in ------------------------------------------------------------------------------------------


async def _read_lines(
    source: int,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    refusals: MemoryObjectSendStream[SessionMessage],
    due: _Due,
) -> None:
    """Hand the messages of the input to the server, and refuse what is none."""
    async with incoming, refusals:
        await incoming.send(SessionMessage(_OPENING))
        async for line in _lines(source):
            try:
                message = _read_message(line)
            except _Unreadable as error:
                await refusals.send(SessionMessage(error.reply))
                continue
            due.take(message)
            await incoming.send(SessionMessage(message))
        with anyio.move_on_after(_DRAIN_SECONDS):
            await due.wait()


async def _lines(source: int) -> AsyncIterator[bytes]:
    """Yield the lines of the input until it ends, or a signal asks to stop."""
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue[bytes | None]()
    room = Semaphore(_LINES_AHEAD)

    def read() -> None:
        with suppress(RuntimeError):  # the loop is closed
            for line in _split(source):
                room.acquire()
                loop.call_soon_threadsafe(queue.put_nowait, line)
            loop.call_soon_threadsafe(queue.put_nowait, None)

    def stop() -> None:
        while not queue.empty():
            queue.get_nowait()
        queue.put_nowait(None)

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    # Not a thread of the pool: that would be waited for, and a read can't be interrupted.
    Thread(target=read, daemon=True).start()
    while (line := await queue.get()) is not None:
        room.release()
        if line.strip():
            yield line


def _split(source: int) -> Iterator[bytes]:
    """Yield the lines of a descriptor as they come, the last one even if it does not end.

    Of one that is too long only the beginning and the end are kept.
    """
    gathered = _Gathered()
    with suppress(OSError):
        while chunk := os.read(source, 1 << 16):
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                gathered.add(line)
                yield gathered.take()
            gathered.add(rest)
    yield gathered.take()


@dataclass(slots=True)
class _Gathered:
    """A line that is read piece by piece, never held beyond what a message may have."""

    parts: list[bytes] = field(default_factory=list[bytes])
    size: int = 0

    def add(self, part: bytes) -> None:
        self.parts.append(part)
        self.size += len(part)
        if self.size > LONGEST_LINE:
            whole = b"".join(self.parts)
            self.parts = [whole[:_KEPT], whole[-_KEPT:]]

    def take(self) -> bytes:
        """Return the line and begin the next."""
        line = b"".join(self.parts)
        if self.size > LONGEST_LINE:
            line = _TOO_LONG + line
        self.parts, self.size = [], 0
        return line


_KEPT = 1_000  # bytes of each end of a line that is too long: its id stands in one of them
_TOO_LONG = b"\0too long\0"  # begins what no client can send as JSON
_ID = re.compile(
    rb'\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")'
    rb'|"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")\s*\}\s*\Z'
)


def _refuse_long(line: bytes) -> NoReturn:
    found = _ID.match(line, len(_TOO_LONG)) or _ID.search(line, len(line) - _KEPT)
    request: object = json.loads(found[found.lastindex or 1]) if found else None
    detail = f"a message has at most {LONGEST_LINE:,} bytes"
    raise _Unreadable(request, INVALID_REQUEST, detail)


class _Unreadable(Exception):
    """A line that is no message, and what to reply to it."""

    def __init__(self, request: object, code: int, detail: str) -> None:
        super().__init__(detail)
        known = request if isinstance(request, (str, int)) and request is not True else None
        error = ErrorData(code=code, message=detail)
        self.reply = JSONRPCError(jsonrpc="2.0", id=known, error=error)


def _read_message(line: bytes) -> JSONRPCMessage:
    if line.startswith(_TOO_LONG):
        _refuse_long(line)
    line = line.removeprefix(_BOM)
    message = _parse(line)
    # An id such as 1.0 or null would be passed over, and its sender wait for ever.
    if isinstance(message, JSONRPCNotification) and b'"id"' in line and "id" in json.loads(line):
        raise _Unreadable(None, INVALID_REQUEST, "an id is a text or a whole number")
    if isinstance(message, JSONRPCRequest) and (double := complain_of_double(line)):
        raise _Unreadable(message.id, INVALID_REQUEST, double)
    return message


def _parse(line: bytes) -> JSONRPCMessage:
    with suppress(ValueError):
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    # Slower, and takes what the first way refuses: deep nests, halves of surrogate pairs.
    try:
        raw: object = json.loads(line)
    except (ValueError, RecursionError):
        detail = "this line is not JSON; send one message a line"
        raise _Unreadable(None, PARSE_ERROR, detail) from None
    with suppress(ValueError):
        return jsonrpc_message_adapter.validate_python(raw, by_name=False)
    request = cast(dict[str, object], raw).get("id") if isinstance(raw, dict) else None
    raise _Unreadable(request, INVALID_REQUEST, "this is not a message of JSON-RPC 2.0")


# --- out -----------------------------------------------------------------------------------------


async def _write_lines(
    outgoing: MemoryObjectReceiveStream[SessionMessage], sink: int, due: _Due
) -> None:
    """Write the server's messages as they come."""
    async with outgoing:
        async for one in outgoing:
            rest = _write_at_once(sink, _encode(one.message))
            if rest:  # the client has to read first
                await to_thread.run_sync(_write, sink, rest, abandon_on_cancel=True)
            due.give(one.message)


def _encode(message: JSONRPCMessage) -> bytes:
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:  # half of a surrogate pair, which only an escape can carry
        text = json.dumps(message.model_dump(by_alias=True, exclude_unset=True))
    return text.encode() + b"\n"


def _write_at_once(sink: int, data: bytes) -> bytes:
    """Write what there is room for, and return the rest; to hand it to a thread takes longer."""
    ready = select.poll()
    ready.register(sink, select.POLLOUT)
    while data and ready.poll(0):
        data = data[os.write(sink, data[: select.PIPE_BUF]) :]
    return data


def _write(sink: int, data: bytes) -> None:
    while data:
        data = data[os.write(sink, data) :]
