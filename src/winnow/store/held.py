"""What a file of a store holds, and what a copy of one came to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Counts: TypeAlias = Mapping[str, Mapping[str, int]]
"""How many memories, deleted ones, pieces of notes and entities each namespace has."""
Report: TypeAlias = Callable[[int, int], None]
"""Is told how many pages of how many are copied."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a file of a store holds: its last change, its version, and how many rows."""

    change: int
    changed_at: str
    version: int
    namespaces: Counts


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy that was checked: what is in it, how many bytes it has, and what is odd in it."""

    path: Path
    held: Held
    size: int
    oddities: tuple[str, ...] = ()
