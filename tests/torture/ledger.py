"""What was tried and what was acknowledged, written outside the store before anybody goes on."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias

Versions: TypeAlias = "Mapping[str, int | None]"
"""Things by name, with the version that a write gives each of them; None deletes it."""


@dataclass(slots=True)
class Expected:
    """What may be found, by what the ledger says.

    A thing has the version of the last acknowledged write, or that of a write that was tried
    after it: whoever tried may have died before he could tell how it ended.
    """

    tries: dict[str, list[tuple[int, int | None]]] = field(
        default_factory=dict[str, list[tuple[int, int | None]]]
    )
    acknowledged: dict[str, int] = field(default_factory=dict[str, int])
    _open: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])

    def apply(self, entry: Mapping[str, Any]) -> None:
        """Take in one line of the ledger."""
        if "ack" in entry:
            self._settle(entry["ack"])
            return
        number, puts = entry["try"], entry["puts"]
        self._open[number] = dict(entry)
        for name, version in puts.items():
            self.tries.setdefault(name, [(0, None)]).append((number, version))

    def allowed(self, name: str) -> set[int | None]:
        """Return the versions of a thing that may be found, None if it may be missing."""
        return {version for _, version in self.tries.get(name, [(0, None)])}

    def _settle(self, number: int) -> None:
        entry = self._open.pop(number)
        self.acknowledged[entry["what"]] = self.acknowledged.get(entry["what"], 0) + 1
        if "upto" in entry:
            self._settle_notes(entry["upto"])
            return
        for name in entry["puts"]:
            self._drop_before(name, number)

    def _settle_notes(self, last: int) -> None:
        """An index has read each note as it was when the reading began, or later.

        It leaves a note that was taken away meanwhile as it knew it, to the next one.
        """
        for name, tries in self.tries.items():
            gone = any(at > last and version is None for at, version in tries)
            if name.startswith("note:") and not gone:
                self._drop_before(name, last)

    def _drop_before(self, name: str, last: int) -> None:
        """Let what was tried before the last try up to a number be no longer expected."""
        tries = self.tries[name]
        begin = max(place for place, (at, _) in enumerate(tries) if at <= last)
        self.tries[name] = tries[begin:]


class Ledger:
    """A file that is only added to; used by many threads."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8")
        self._lock = Lock()
        self._number = self._placed = 0
        self._expected = Expected()
        self._history: dict[str, list[int | None]] = {}

    def attempt(self, by: str, what: str, puts: Versions, *, index: bool = False) -> int:
        """Note that something is about to be written; return its number."""
        with self._lock:
            self._number += 1
            entry: dict[str, Any] = {"try": self._number, "by": by, "what": what, "puts": puts}
            if index:
                entry["upto"] = self._placed
            for name, version in puts.items():
                self._history.setdefault(name, []).append(version)
            self._write(entry)
            return self._number

    def place(self, number: int) -> None:
        """Note that a file is in its place: who begins to read now sees it, not what was before."""
        with self._lock:
            self._placed = number

    def acknowledge(self, number: int) -> None:
        """Note that a write was acknowledged, and wait until the note is on the disk."""
        with self._lock:
            self._write({"ack": number})
            self._file.flush()
        os.fsync(self._file.fileno())

    def now(self, name: str) -> tuple[set[int | None], int]:
        """Return the versions of a thing that may be found now, and how often it was written."""
        with self._lock:
            return self._expected.allowed(name), len(self._history[name])

    def since(self, name: str, writes: int) -> set[int | None]:
        """Return the versions that a thing was given after so many writes of it."""
        with self._lock:
            return set(self._history[name][writes:])

    def names(self) -> list[str]:
        """List the things that were ever written."""
        with self._lock:
            return list(self._history)

    def close(self) -> None:
        self._file.close()

    def _write(self, entry: dict[str, Any]) -> None:
        self._file.write(json.dumps(entry) + "\n")
        self._expected.apply(entry)


def read_ledger(path: Path) -> Expected:
    """Return what the file of a ledger lets one expect, without the memory of who wrote it."""
    expected = Expected()
    for entry in _entries(path):
        expected.apply(entry)
    return expected


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
