"""One connection's commands: read, run in order, and answered.

Commands that change something and come in a run share one transaction: their replies are written
when it is committed.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from winnow.access import Scope
from winnow.deadlines import limit
from winnow.errors import Forbidden, WinnowError
from winnow.filter.raw import from_bytes
from winnow.memory.indexes.changing import begin_changes
from winnow.memory.indexes.preparing import Place, Preparation, prepare_texts
from winnow.store.base import Writer
from winnow.surfaces import authenticate
from winnow.surfaces.resp.adding import add_alike
from winnow.surfaces.resp.alike import group_alike, read_alike
from winnow.surfaces.resp.commands.connection import forget_key
from winnow.surfaces.resp.commands.texts import OTHER_TYPES
from winnow.surfaces.resp.commands.transactions import NOT_QUEUED
from winnow.surfaces.resp.grammar import Given
from winnow.surfaces.resp.protocol import STRANGER, Bounds, Broken, Received, count_commands
from winnow.surfaces.resp.replies import QUEUED, Refusal, Reply, Texts, write_reply
from winnow.surfaces.resp.runs import Run, Words
from winnow.surfaces.resp.service import WRONG_TYPE, Client, Desk, Service, find_name
from winnow.surfaces.resp.signatures import Effect, Signature

MOST_TOGETHER: Final = 1_000
"""Commands of one transaction: others wait for it."""
MOST_QUEUED: Final = 100_000
"""Commands between MULTI and EXEC."""
_PATIENCE: Final = 16
CHECK_SECONDS: Final = 1.0
"""Seconds for which a key that was given is not looked up again."""


@dataclass(frozen=True, slots=True)
class Call:
    """A command that was read."""

    signature: Signature
    given: Given


Read: TypeAlias = "Call | Refusal"


class Session:
    """Runs the commands of one client. Used by one thread."""

    def __init__(self, service: Service, client: Client) -> None:
        self._service = service
        self._client = client
        self._checked = time.monotonic()
        self._declined = 0
        """So many groups of commands that look alike are not tried as such."""
        forget_key(Desk(service, client))

    def bounds(self) -> Bounds:
        """Return how large a command may be: little, from somebody who has given no key."""
        return STRANGER if self._client.access is None else Bounds()

    def answer(self, received: Received) -> bytes:
        """Run commands in order, and return the bytes of their replies."""
        out: list[bytes] = []
        try:
            self._check_key()
            replies = self._run(received)
        except WinnowError as error:  # what the key allows can't be told now
            replies = iter([refuse(error)] * count_commands(received))
        for reply in replies:
            write_reply(reply, self._client.version, out)
        return b"".join(out)

    def _check_key(self) -> None:
        """Look up now and then what the client's key allows: it may have been revoked."""
        now = time.monotonic()
        if now - self._checked < CHECK_SECONDS:
            return
        client, service = self._client, self._service
        if client.secret is not None:
            client.access = authenticate.find_access(service.memory, client.secret)
        else:
            forget_key(Desk(service, client))
        self._checked = now

    def _run(self, received: Received, *, apart: bool = True) -> Iterator[Reply]:
        """Run commands in order; with `apart` those that are alike by themselves."""
        run: list[Read] = []
        for some in group_alike(received) if apart else received:
            if self._client.closing:
                return
            if isinstance(some, Run):
                yield from self._run_alike(some, run)
            else:
                yield from self._take(some, run)
        yield from self._finish(run)

    def _run_alike(self, alike: Run, run: list[Read]) -> Iterator[Reply]:
        """Run commands that may be alike; `run` are those before, which are not run yet."""
        if self._client.queue is None:
            yield from self._finish(run)
            added = self._add(alike)
            if added is not None:
                self._service.counters.commands += len(alike)
                yield from added
                return
        for one in alike.commands():
            yield from self._take(one, run)

    def _take(self, one: Words | Broken, run: list[Read]) -> Iterator[Reply]:
        """Run a command, or keep it for a transaction with those that come next."""
        if isinstance(one, Broken):
            yield from self._finish(run)
            self._client.closing = True
            yield Refusal(f"ERR {one}")
            return
        self._service.counters.commands += 1
        read = self._read(one)
        if self._client.queue is None and _changes(read):
            run.append(read)
            if len(run) >= MOST_TOGETHER:
                yield from self._finish(run)
            return
        yield from self._finish(run)
        yield self._run_one(one, read)

    def _finish(self, run: list[Read]) -> Iterator[Reply]:
        if run:
            replies = self._change(run)
            run.clear()
            yield from replies

    def _run_one(self, words: Words, read: Read) -> Reply:
        client = self._client
        name = words[0].decode("latin-1").lower()
        if client.queue is None or name in NOT_QUEUED:
            if name == "exec" and client.queue is not None and isinstance(read, Call):
                return self._execute()
            return read if isinstance(read, Refusal) else self._call(read)
        if len(client.queue) >= MOST_QUEUED:
            client.queue = None
            return Refusal("ERR too many commands between MULTI and EXEC; they were discarded")
        client.queue.append(words)
        return QUEUED

    # --- reading a command -------------------------------------------------------------------

    def _read(self, words: Words) -> Read:
        """Read a command; what is wrong with it comes back as its reply."""
        try:
            signature = self._find(words)
            desk = Desk(self._service, self._client)
            if not signature.open:
                access = desk.access
                if signature.needs is not None:
                    access.require(signature.needs)
            given = signature.read(words, self._service.config)
            if signature.check is not None:
                signature.check(desk, given)
            return Call(signature, given)
        except (Refusal, WinnowError) as error:
            return refuse(error)

    def _find(self, words: Words) -> Signature:
        name = words[0].decode("latin-1").lower()
        found = self._service.table.get(name)
        if found is not None:
            return found
        desk = Desk(self._service, self._client)
        if name in OTHER_TYPES and len(words) > 1:
            desk.access.require(Scope.READ)
            if desk.find(words[1]) is not None:
                raise Refusal(WRONG_TYPE)
        raise Refusal(_unknown(words))

    # --- running -----------------------------------------------------------------------------

    def _call(self, call: Call) -> Reply:
        if call.signature.effect is Effect.WRITE:
            (reply,) = self._change([call])
            return reply
        desk = Desk(self._service, self._client)
        try:
            if call.signature.effect is Effect.READ:
                engine = self._service.engine
                with limit(engine.time_limit), engine.store.states.hold():
                    return call.signature.run(desk, call.given)
            return call.signature.run(desk, call.given)
        except (Refusal, WinnowError) as error:
            return refuse(error)

    def _change(self, run: Sequence[Read]) -> list[Reply]:
        """Run commands in one transaction; return their replies when it is committed."""
        calls = [one for one in run if isinstance(one, Call)]
        if not calls:
            return [one for one in run if isinstance(one, Refusal)]
        try:
            engine = self._service.engine
            settled: int | None = engine.workshop.settled
            while True:
                preparation = Preparation(engine, _texts(calls), settled=settled)
                with self._service.writing, limit(engine.time_limit), engine.write() as writer:
                    if preparation.holds(writer.spaces.settled()):
                        return _change_in(self._service, self._client, writer, preparation, run)
                settled = None  # they were others: what was prepared is of no use
        except (Refusal, WinnowError) as error:
            return [one if isinstance(one, Refusal) else refuse(error) for one in run]

    def _add(self, run: Run) -> Sequence[Reply] | None:
        """Add the memories of commands that are alike; None if each has to be run by itself."""
        if self._declined:
            self._declined -= 1
            return None
        alike = read_alike(run, self._service.config)
        name = None if alike is None else find_name(alike.key)
        if alike is None or alike.texts is None or name is None or self._client.access is None:
            return None
        try:
            engine = self._service.engine
            prepared = prepare_texts(engine, name, alike.texts, settled=engine.workshop.settled)
            with self._service.writing, limit(engine.time_limit), engine.write() as writer:
                ids = add_alike(self._service, self._client, writer, alike, prepared)
        except WinnowError as error:
            return [refuse(error)] * len(run)
        if ids is None:  # so will the next ones be, most likely
            self._declined = _PATIENCE
            return None
        return [Texts([*map(str.encode, ids)])]

    def _execute(self) -> Reply:
        """Run what was gathered, and let nobody change anything meanwhile."""
        queue, self._client.queue = self._client.queue or [], None
        with self._service.writing:
            return list(self._run([*queue], apart=False))


def refuse(error: Exception) -> Refusal:
    """Return the reply that tells of an error."""
    if isinstance(error, Refusal):
        return error
    code = "NOPERM" if isinstance(error, Forbidden) else "ERR"
    return Refusal(f"{code} {error}")


def _changes(read: Read) -> bool:
    return isinstance(read, Call) and read.signature.effect is Effect.WRITE


def _change_in(
    service: Service,
    client: Client,
    writer: Writer,
    preparation: Preparation,
    run: Sequence[Read],
) -> list[Reply]:
    changes = begin_changes(service.engine, writer, service.directory.now(), service.directory)
    desk = Desk(service, client, changes, preparation.finish(changes.records.additions))
    _look_ahead(desk, [one for one in run if isinstance(one, Call)])
    replies = [_run_call(desk, one) for one in run]
    changes.records.flush()
    return replies


def _run_call(desk: Desk, one: Read) -> Reply:
    if isinstance(one, Refusal):
        return one
    try:
        return one.signature.run(desk, one.given)
    except (Refusal, WinnowError) as error:
        return refuse(error)


def _texts(calls: Sequence[Call]) -> Iterator[Place]:
    for call in calls:
        name = find_name(cast(bytes, call.given.get("key", b"")))
        if call.signature.name == "mem.add" and name is not None:
            yield name, cast(str, call.given["text"])


def _look_ahead(desk: Desk, calls: Sequence[Call]) -> None:
    """Look up all records that the calls name, at once."""
    ids: dict[str, list[str]] = {}
    for call in calls:
        named = call.given.get("id")
        name = find_name(cast(bytes, call.given.get("key", b"")))
        if isinstance(named, bytes) and name is not None:
            ids.setdefault(name, []).append(from_bytes(named))
    for name, some in ids.items():
        if len(some) > 1:
            desk.changing().records.look_ahead(name, some)


def _unknown(words: Words) -> str:
    name = words[0].decode("utf-8", "replace")[:_LONGEST_NAME]
    if name.upper().startswith("MEM."):
        return "ERR unknown command"
    shown: list[str] = []
    for word in words[1:]:
        if sum(map(len, shown)) >= _LONGEST_NAME:
            break
        shown.append(f"'{word.decode('utf-8', 'replace')[:_LONGEST_NAME]}'")
    return f"ERR unknown command '{name}', with args beginning with: {', '.join(shown)}"


_LONGEST_NAME: Final = 128
