"""Keys: making, listing and revoking them, and what the secret of one allows."""

import hmac
import re
from collections.abc import Sequence

from winnow.access import Access, Scope, digest_of, make_secret
from winnow.errors import Conflict, Fault, NotFound, nearest, settle, unknown
from winnow.filter.plain import copy_plain
from winnow.memory.engine import Engine
from winnow.memory.times import milliseconds, show_time
from winnow.operations.access import (
    CreateKeyAnswer,
    CreateKeyRequest,
    KeyDescription,
    KeysAnswer,
    KeysRequest,
    RevokeKeyAnswer,
    RevokeKeyRequest,
)
from winnow.store.keys import KeyRow

LAST_KEY = (
    "this was the last key: servers on loopback ask for none from now on, all others refuse"
    " everybody until there is one"
)


def create_key(engine: Engine, request: CreateKeyRequest, faults: list[Fault]) -> CreateKeyAnswer:
    """Make a key, with no scope that whoever makes it does not have."""
    if not _NAME.fullmatch(request.name):
        detail = "a key's name has 1 to 100 letters, digits, dots, hyphens and underscores"
        faults.append(Fault("/name", detail))
    scopes = _read_scopes(request.scopes, faults)
    namespaces = _read_namespaces(request.namespaces, faults)
    settle(faults)
    _require_all(engine)
    for scope in scopes:
        engine.access.require(scope)
    secret, created = make_secret(), show_time(milliseconds(engine.clock()))
    row = KeyRow(request.name, digest_of(secret), scopes, namespaces, created)
    with engine.store.write() as writer:
        if not writer.keys.put(row):
            raise Conflict(f"there is a key called {request.name!r} already")
    return CreateKeyAnswer(row.name, scopes, namespaces, created, secret, engine.as_of())


def list_keys(engine: Engine, request: KeysRequest, faults: list[Fault]) -> KeysAnswer:
    """List the keys by name."""
    settle(faults)
    _require_all(engine)
    shown = [
        KeyDescription(one.name, one.scopes, one.namespaces, one.created_at)
        for one in engine.store.access.read_keys()
    ]
    return KeysAnswer(shown, engine.as_of())


def revoke_key(engine: Engine, request: RevokeKeyRequest, faults: list[Fault]) -> RevokeKeyAnswer:
    """Revoke a key: it is refused from now on, by servers that run already as well."""
    settle(faults)
    _require_all(engine)
    with engine.store.write() as writer:
        revoked = writer.keys.delete(request.name)
    left = [one.name for one in engine.store.access.read_keys()]
    if not revoked:
        guess = nearest(request.name, left)
        hint = f"; did you mean {guess!r}?" if guess else ""
        raise NotFound(f"no key is called {request.name!r}{hint}")
    return RevokeKeyAnswer(request.name, None if left else [LAST_KEY], engine.as_of())


def has_keys(engine: Engine) -> bool:
    """Tell whether there is any key; as long as there is, servers ask for one."""
    return bool(engine.store.access.read_keys())


def find_access(engine: Engine, secret: str) -> Access | None:
    """Return what a secret allows, as the store says now; None if it is that of no key."""
    digest = digest_of(secret)
    found: Access | None = None
    for one in engine.store.access.read_keys():  # all of them, so that the time tells nothing
        if hmac.compare_digest(one.digest, digest):
            found = _grant(one, engine.store.access.secret())
    return found


_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
_SCOPES = [scope.value for scope in Scope]


def _require_all(engine: Engine) -> None:
    engine.access.require_everything("to see or change keys")


def _grant(key: KeyRow, secret: bytes) -> Access:
    """Return what a key allows; a scope that only a newer version knows is none here."""
    scopes = frozenset(Scope(name) for name in key.scopes if name in _SCOPES)
    seal = hmac.digest(secret, key.digest, "sha256")
    return Access(scopes, None if key.namespaces is None else frozenset(key.namespaces), seal)


def _read_scopes(raw: Sequence[str] | str, faults: list[Fault]) -> tuple[Scope, ...]:
    scopes: list[Scope] = []
    names = _split(raw)
    for index, name in enumerate(names):
        if name in _SCOPES:
            scopes.append(Scope(name))
        else:
            faults.append(Fault(f"/scopes/{index}", unknown("scope", name, _SCOPES)))
    if not names:
        faults.append(Fault("/scopes", f"a key has at least one of: {', '.join(_SCOPES)}"))
    return tuple(scope for scope in Scope if scope in scopes)


def _read_namespaces(
    raw: Sequence[str] | str | None, faults: list[Fault]
) -> tuple[str, ...] | None:
    if raw is None:
        return None
    names = _split(raw)
    if not names:
        faults.append(Fault("/namespaces", "name at least one; leave it out for all of them"))
    for index, name in enumerate(names):
        faults.extend(copy_plain(name, f"/namespaces/{index}")[1])
    return tuple(sorted(set(names)))


def _split(raw: Sequence[str] | str) -> list[str]:
    items = raw.split(",") if isinstance(raw, str) else raw
    return [name for item in items if (name := item.strip())]
