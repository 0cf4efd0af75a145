"""Who may do what: the scopes and the namespaces of a key."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from winnow.errors import Forbidden


class Scope(StrEnum):
    """What a key allows: to read, to write, or to change how the store works."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Access:
    """What somebody may do. `namespaces` are those that they may see, None for all."""

    scopes: frozenset[Scope]
    namespaces: frozenset[str] | None = None

    def require(self, scope: Scope) -> None:
        """Raise Forbidden if this needs more than was granted."""
        if scope not in self.scopes:
            raise Forbidden(f"this needs the scope {scope.value}, which the key does not have")

    def require_namespace(self, name: str) -> None:
        """Raise Forbidden for a namespace that must not be seen, whether it exists or not."""
        if self.namespaces is not None and name not in self.namespaces:
            raise Forbidden(f"the key does not reach the namespace {name!r}")

    def visible(self, names: Iterable[str]) -> list[str]:
        """Return those of some namespaces that may be seen."""
        return [name for name in names if self.namespaces is None or name in self.namespaces]


FULL = Access(frozenset(Scope))
"""All of it: who has the file may do everything with it."""
