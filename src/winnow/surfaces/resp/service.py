"""What all connections share, what each has for itself, and what a command works with."""

import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Final

from winnow.access import FULL, Access
from winnow.filter.raw import from_bytes, is_broken
from winnow.memory import Memory
from winnow.memory.engine import Engine
from winnow.memory.indexes.asking import Asking
from winnow.memory.indexes.changing import Changes
from winnow.memory.indexes.directory import Directory
from winnow.memory.indexes.preparing import Place, Prepared
from winnow.memory.indexes.settings import Index
from winnow.surfaces.authenticate import Attempts
from winnow.surfaces.resp.config import Config
from winnow.surfaces.resp.replies import RESP2, Refusal
from winnow.surfaces.resp.runs import Words
from winnow.surfaces.resp.signatures import Signature
from winnow.surfaces.resp.strings import Strings

WRONG_TYPE: Final = "WRONGTYPE Operation against a key holding the wrong kind of value"
NO_INDEX: Final = "ERR no such memory index"


@dataclass(slots=True)
class Client:
    """One connection. `access` is None until a key is given, where one is needed."""

    id: int
    address: str = ""
    access: Access | None = FULL
    secret: str | None = None
    version: int = RESP2
    name: str = ""
    library: dict[str, str] = field(default_factory=dict[str, str])
    queue: list[Words] | None = None
    closing: bool = False
    since: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
class Counters:
    """What happened since the server began."""

    connections: int = 0
    commands: int = 0
    refused: int = 0


class Service:
    """One open store as all connections use it. Safe to use from several threads."""

    def __init__(
        self,
        memory: Memory,
        table: Mapping[str, Signature],
        config: Config,
        *,
        local: bool = True,
    ) -> None:
        self.memory = memory
        self.table = table
        self.engine: Engine = memory.engine
        self.config = config
        self.local = local
        self.directory = Directory(memory.engine)
        self.asking = Asking(memory.engine, lambda: config["mem-max-terms-per-doc"])
        self.strings = Strings()
        self.cursors = Cursors()
        self.attempts = Attempts()
        self.writing = RLock()
        """Held by whoever changes anything over this protocol, and by a transaction to its end."""
        self.clients: dict[int, Client] = {}
        self.counters = Counters()
        self.began = time.monotonic()


@dataclass(frozen=True, slots=True)
class Desk:
    """What a command works with; one that changes something has `changes`.

    `prepared` has what was made of the texts that the commands of its run store.
    """

    service: Service
    client: Client
    changes: Changes | None = None
    prepared: Mapping[Place, Prepared] = field(default_factory=dict[Place, Prepared])

    @property
    def engine(self) -> Engine:
        """The open store."""
        return self.service.engine

    @property
    def access(self) -> Access:
        """What the client may do."""
        if self.client.access is None:
            raise Refusal("NOAUTH Authentication required.")
        return self.client.access

    @property
    def now(self) -> int:
        """The time in milliseconds."""
        return self.service.directory.now() if self.changes is None else self.changes.now

    def find(self, key: bytes) -> Index | None:
        """Return the index of a key, None if there is none."""
        name = find_name(key)
        if name is None:
            return None
        self.access.require_namespace(name)
        if self.changes is None:
            return self.service.directory.find(name)
        return self.changes.indexes.find(name)

    def require(self, key: bytes) -> Index:
        """Return the index of a key; refuse a text, and a key that there is not."""
        if self.service.strings.get(key) is not None:
            raise Refusal(WRONG_TYPE)
        index = self.find(key)
        if index is None:
            raise Refusal(NO_INDEX)
        return index

    def changing(self) -> Changes:
        """Return what the transaction changes."""
        if self.changes is None:
            raise TypeError("a command that changes something has no transaction")
        return self.changes


def find_name(key: bytes) -> str | None:
    """Return the namespace that a key names, None for one that is no text, or blank."""
    name = from_bytes(key)
    return None if is_broken(name) or not name.strip() else name


class Cursors:
    """Remembers behind which id each cursor of MEM.SCAN stands. Safe to use from several threads.

    A cursor is the number of records before it, or a number of its own where others use that one
    for another place.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._places: OrderedDict[tuple[str, int], str] = OrderedDict()
        self._next = OWN_CURSORS

    def find(self, name: str, cursor: int) -> str | None:
        """Return the id behind which a cursor of an index stands, None if it is not known."""
        with self._lock:
            place = self._places.get((name, cursor))
            if place is not None:
                self._places.move_to_end((name, cursor))
            return place

    def keep(self, name: str, wanted: int, place: str) -> int:
        """Return a cursor for a place, the wanted number if no other place has it."""
        with self._lock:
            number = wanted
            if self._places.get((name, wanted), place) != place:
                number, self._next = self._next, self._next + 1
            self._places[name, number] = place
            self._places.move_to_end((name, number))
            if len(self._places) > _MOST_CURSORS:
                self._places.popitem(last=False)
            return number

    def forget(self, name: str) -> None:
        """Forget the cursors of an index that is gone."""
        with self._lock:
            for key in [key for key in self._places if key[0] == name]:
                del self._places[key]


OWN_CURSORS: Final = 2**40
"""The first cursor that is no number of records."""
_MOST_CURSORS: Final = 100_000
