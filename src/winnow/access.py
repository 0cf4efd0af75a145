"""Who may do what: the scopes and the namespaces of a key, and the secret that proves it."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from winnow.errors import Forbidden

SECRET_MARK = "winnow_"
"""What every secret begins with, so that one is recognized where it should not stand."""
SECRET_BYTES = 32
"""So much chance that a secret can't be guessed, nor found from a plain hash of it."""


class Scope(StrEnum):
    """What a key allows: to read, to write, or to change how the store works."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Access:
    """What somebody may do. `namespaces` are those that they may see, None for all.

    `seal` hides in their cursors what numbers of the store would tell of others; it is a secret
    of the store, which nobody is shown.
    """

    scopes: frozenset[Scope]
    namespaces: frozenset[str] | None = None
    seal: bytes = field(default=b"", compare=False, repr=False)

    def require(self, scope: Scope) -> None:
        """Raise Forbidden if this needs more than was granted."""
        if scope not in self.scopes:
            raise Forbidden(f"this needs the scope {scope.value}, which the key does not have")

    def require_namespace(self, name: str) -> None:
        """Raise Forbidden for a namespace that must not be seen, whether it exists or not."""
        if self.namespaces is not None and name not in self.namespaces:
            own = ", ".join(map(repr, sorted(self.namespaces))) or "none"
            raise Forbidden(f"the key does not reach the namespace {name!r} (it reaches: {own})")

    def require_everything(self, what: str) -> None:
        """Raise Forbidden for what can't be bounded to some namespaces."""
        if self.namespaces is not None:
            raise Forbidden(f"{what} needs a key for all namespaces")

    def visible(self, names: Iterable[str]) -> list[str]:
        """Return those of some namespaces that may be seen."""
        return [name for name in names if self.namespaces is None or name in self.namespaces]

    def usual(self, default: str) -> str:
        """Return the namespace that is meant if none is named: the only one, if there is one."""
        only = self.namespaces if self.namespaces and len(self.namespaces) == 1 else {default}
        return next(iter(only))

    def own(self) -> list[str]:
        """Return the namespaces that were granted by name, of which there may be nothing yet.

        Raise Forbidden if there is none.
        """
        if not self.namespaces:
            raise Forbidden("the key reaches no namespace")
        return sorted(self.namespaces)


FULL = Access(frozenset(Scope))
"""All of it: who has the file may do everything with it."""


def make_secret() -> str:
    """Return a new secret, which nobody can guess."""
    import secrets  # only few commands need it

    return SECRET_MARK + secrets.token_urlsafe(SECRET_BYTES)


def digest_of(secret: str) -> bytes:
    """Return what is kept of a secret.

    One hash is enough: slow ones are for passwords that a person has thought of.
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
