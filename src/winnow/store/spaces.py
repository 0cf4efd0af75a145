"""Whole namespaces: what is in each, and what is done to all memories of one at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from winnow.values import Json


@dataclass(frozen=True, slots=True)
class Space:
    """A namespace: its settings, and whether it has live memories, and vaults of notes."""

    name: str
    settings: Mapping[str, Json]
    has_memories: bool = False
    has_vaults: bool = False


class SpaceReader(Protocol):
    """Reading what namespaces there are. Safe to use from several threads."""

    def list(self) -> Sequence[Space]:
        """List the namespaces that were ever written to, by name."""
        ...

    def find(self, name: str) -> Space:
        """Return a namespace, which need not be there."""
        ...

    def settled(self) -> int:
        """Return a number that has moved if the settings of a namespace may have changed.

        In a transaction it is that of the state that it began with.
        """
        ...


class SpaceWriter(SpaceReader, Protocol):
    """The part of a write transaction that is about whole namespaces; pieces of notes stay."""

    def clear(self, name: str) -> int:
        """Remove all memories for good, deleted ones too, and begin the automatic ids anew.

        Return how many live ones there were.
        """
        ...

    def move(self, name: str, target: str) -> None:
        """Give all memories, and the counter, to another namespace, which has no memories.

        Raises StoreError if a piece of a note there has the id of one.
        """
        ...

    def copy(self, name: str, target: str) -> None:
        """Copy the live memories, and the counter, to another namespace, which has none.

        Raises StoreError if a piece of a note there has the id of one.
        """
        ...

    def put_settings(self, name: str, settings: Mapping[str, Json]) -> None:
        """Replace the settings of a namespace."""
        ...
