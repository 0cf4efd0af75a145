"""Files of what was made from the rows of a store: which there are, and who may write them."""

import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol


@dataclass(frozen=True, slots=True)
class Segment:
    """One part in a file: number `entry` there. `label` says what it is a part of.

    `size` and `checksum` are those of the whole file. `dead` are compressed bits, a one for each
    row that is no longer alive; None if all are.
    """

    label: str
    file: str
    entry: int
    rows: int
    size: int
    checksum: int
    dead: bytes | None


@dataclass(frozen=True, slots=True)
class Derived:
    """What the files have of a topic: its rows as they stood at a change, in the order of parts.

    It is of use only to a program with the same stamp.
    """

    topic: str
    stamp: str
    change: int
    segments: Sequence[Segment]


class SegmentReader(Protocol):
    """Finds the files. Safe to use from several threads."""

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        ...

    def find(self, topic: str) -> Derived | None:
        """Return what there is of a topic in the state that this thread sees."""
        ...

    def list(self) -> Sequence[Derived]:
        """Return what there is of all topics."""
        ...

    def claim(self) -> AbstractContextManager[bool]:
        """Return a block that may write files; it gets False while another process does.

        Threads of this process wait for each other.
        """
        ...


class SegmentWriter(Protocol):
    """Names files in a transaction; no answer changes by it, so no change number moves."""

    def put(self, derived: Derived) -> bool:
        """Name the files of a topic in place of those before; False if newer ones are named."""
        ...

    def forget(self, topics: Iterable[str]) -> None:
        """Take topics out; their files are litter then."""
        ...


def new_name() -> str:
    """Return a name that no file has had."""
    return secrets.token_hex(8) + ENDING


def find_litter(folder: Path, named: Iterable[str]) -> Iterator[Path]:
    """Yield the files of segments that none of these names is of, in order."""
    kept = frozenset(named)
    try:
        found = sorted(os.listdir(folder))
    except FileNotFoundError:
        return
    for name in found:
        if ENDING in name and name not in kept:
            yield folder / name


ENDING: Final = ".seg"
