"""Keys: what is asked of those who administer them, and what they are told."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from winnow.operations.memories import AsOf
from winnow.wire import Arg


@dataclass(frozen=True, slots=True)
class CreateKeyRequest:
    """Make a key for servers; its secret is shown this once."""

    name: Annotated[str, Arg("what the key is called, to revoke it by")]
    _: KW_ONLY
    scopes: Annotated[
        Sequence[str] | str, Arg("what it allows: read, write, admin; a list or comma text")
    ] = "read"
    namespaces: Annotated[
        Sequence[str] | str | None,
        Arg("the namespaces that it reaches, a list or comma text; all of them if not given"),
    ] = None


@dataclass(frozen=True, slots=True)
class KeysRequest:
    """List the keys, without their secrets."""


@dataclass(frozen=True, slots=True)
class RevokeKeyRequest:
    """Revoke a key: no server takes it any more."""

    name: Annotated[str, Arg("what the key is called")]


@dataclass(frozen=True, slots=True)
class KeyDescription:
    """What a key allows, and where; it reaches all namespaces if none is told."""

    name: str
    scopes: Sequence[str]
    namespaces: Sequence[str] | None
    created_at: str


@dataclass(frozen=True, slots=True)
class CreateKeyAnswer:
    """A new key. Its `secret` is kept nowhere, and can't be shown again."""

    name: str
    scopes: Sequence[str]
    namespaces: Sequence[str] | None
    created_at: str
    secret: str
    as_of: AsOf


@dataclass(frozen=True, slots=True)
class KeysAnswer:
    """The keys by name."""

    keys: Sequence[KeyDescription]
    as_of: AsOf


@dataclass(frozen=True, slots=True)
class RevokeKeyAnswer:
    """Which key was revoked."""

    name: str
    warnings: Sequence[str] | None
    as_of: AsOf
