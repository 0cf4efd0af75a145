"""What a store keeps of keys, and of the changes that those who have one may be told of."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # which has one of these readers
    from winnow.store.change import Change


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A key: its name, the digest of its secret, and what it allows.

    `namespaces` is None for all of them; `created_at` is ISO 8601 UTC.
    """

    name: str
    digest: bytes
    scopes: tuple[str, ...]
    namespaces: tuple[str, ...] | None
    created_at: str


class KeyWriter(Protocol):
    """The part of a write transaction that is about keys."""

    def put(self, key: KeyRow) -> bool:
        """Add a key; tell whether its name was free. One that is there stays as it is."""
        ...

    def delete(self, name: str) -> bool:
        """Delete a key; tell whether there was one."""
        ...


class AccessReader(Protocol):
    """Reading what bounds access; safe to use from several threads."""

    def read_keys(self) -> Sequence[KeyRow]:
        """List all keys by name, as other processes have last left them."""
        ...

    def secret(self) -> bytes:
        """Return what this store has for itself, and tells nobody."""
        ...

    def last_change(self, namespaces: Collection[str]) -> "Change":
        """Return the last change of some namespaces; its number counts theirs alone."""
        ...
