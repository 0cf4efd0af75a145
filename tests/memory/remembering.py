"""Memories to ask about, stored under a clock that the test moves."""

import tempfile
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from winnow.app import open_memory
from winnow.errors import InvalidRequest
from winnow.memory import Memory
from winnow.memory.changes.finishing import finish
from winnow.memory.changes.saying import begin
from winnow.memory.times import milliseconds
from winnow.operations.answers import RecallAnswer
from winnow.operations.memories import MemoryHit
from winnow.store.memories import NamespaceRow
from winnow.wire import encode_text

START = datetime(2026, 3, 5, 12, 0, 0, 500_000, UTC)

# All that can be said of a memory beside its text.
WHOLE: Mapping[str, Any] = {
    "title": "A title",
    "kind": "claim",
    "tags": ["law/ip", "a,b"],
    "entity": "chopper",
    "memory_type": "semantic",
    "importance": 0.9,
    "source": "mail",
    "metadata": {"project": "x", "n": 3},
    "expires_at": "2030-01-01",
}
LONE = "half \ud800"


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


def open_at(path: Path, clock: Clock) -> Memory:
    """Open a store under a clock."""
    return Memory(replace(open_memory(path).engine, clock=clock))


@contextmanager
def temporary_memory() -> Generator[Memory]:
    """A store for one case of a property."""
    with tempfile.TemporaryDirectory() as folder, open_at(Path(folder) / "w.db", Clock()) as memory:
        yield memory


def store_all(memory: Memory, records: Iterable[Mapping[str, Any]]) -> None:
    """Store many in one transaction; each needs an id, and may have a `given` vector."""
    engine = memory.engine
    with engine.store.write() as writer:
        for given in records:
            fields = {"kind": "observation", **given}
            vector = fields.pop("given", None)
            home, now = fields.get("namespace", "default"), milliseconds(engine.clock())
            plain = begin(home, fields["id"], now)
            record = replace(plain, **fields)
            writer.records.put(finish(engine, record, writer.records, vector, None))


def set_namespace(memory: Memory, name: str, **settings: Any) -> None:
    """Keep the settings of a namespace."""
    with memory.engine.store.write() as writer:
        writer.records.put_namespace(NamespaceRow(name, settings))


def ids(answer: RecallAnswer) -> list[str]:
    return [hit.id for hit in answer.memories]


def scores(answer: RecallAnswer) -> Mapping[str, float]:
    return {f"{hit.namespace}/{hit.id}": hit.score for hit in answer.memories}


def find(hits: Sequence[MemoryHit], record: str) -> MemoryHit:
    return next(hit for hit in hits if hit.id == record)


def everything(memory: Memory) -> str:
    """All that can be seen of a store, and the number of its last change."""
    return encode_text(memory.recall(limit=1_000))


def pointers(error: InvalidRequest) -> list[str]:
    return [fault.pointer for fault in error.faults]
