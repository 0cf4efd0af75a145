"""Cursors: the place behind the last hit of a page, bound to the request that made it."""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import cast

from winnow.access import Access
from winnow.errors import Fault, InvalidRequest
from winnow.plan.order import Bound, SortKey
from winnow.values import TEMPORAL, Json, Moment, Scalar, UnreadableValue, read_moment


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a request is, apart from its page.

    `seal` hides the numbers of records in its cursors: they would tell how many others store.
    """

    digest: str
    seal: bytes = b""


def fingerprint(*parts: object) -> Fingerprint:
    """Return the fingerprint of the parts of a request that its cursor depends on."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, default=repr)
    return Fingerprint(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16])


def bind(request: Fingerprint, access: Access) -> Fingerprint:
    """Return a fingerprint that is another one for who may see other namespaces."""
    if access.namespaces is None:
        return request
    own = fingerprint(request.digest, sorted(access.namespaces))
    return Fingerprint(own.digest, access.seal)


def write_cursor(
    request: Fingerprint, values: Sequence[Scalar | None], entity: str, namespace: str
) -> str:
    """Spell the place behind an entity as a cursor."""
    state = [request.digest, list(values), entity, namespace]
    text = json.dumps(state, ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(cursor: str, request: Fingerprint, keys: Sequence[SortKey], zone: tzinfo) -> Bound:
    """Read a cursor; raise InvalidRequest if it is damaged or belongs to another request."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        state = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        digest, values, entity, namespace = _check_shape(state)
    except (ValueError, binascii.Error):
        raise _refuse("this is not a cursor of an answer") from None
    if digest != request.digest:
        raise _refuse("this cursor belongs to another request; give the same arguments with it")
    if len(values) != len(keys):
        raise _refuse("this is not a cursor of an answer")
    return Bound(
        tuple(_revive(key, value, zone) for key, value in zip(keys, values, strict=True)),
        entity,
        namespace,
    )


def write_seen(request: Fingerprint, seen: Iterable[int]) -> str:
    """Spell the keys of the hits that were shown as a cursor of a ranked answer."""
    keys = (_hide(key, request.seal) for key in seen) if request.seal else seen
    text = json.dumps([request.digest, sorted(keys)], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_seen(cursor: str, request: Fingerprint) -> list[int]:
    """Read the keys that must not be shown again; raise InvalidRequest as `read_cursor` does."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        state: Json = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, binascii.Error):
        raise _refuse("this is not a cursor of an answer") from None
    if not isinstance(state, list) or len(state) != 2 or not isinstance(state[1], list):
        raise _refuse("this is not a cursor of an answer")
    if state[0] != request.digest:
        raise _refuse("this cursor belongs to another request; give the same arguments with it")
    keys = [key for key in state[1] if isinstance(key, int) and 0 <= key < 1 << 2 * _HALF]
    return [_show(key, request.seal) for key in keys] if request.seal else keys


_HALF = 32  # bits
_ROUNDS = range(4)


def _hide(key: int, seal: bytes) -> int:
    """Exchange a number of 64 bits for another; who has no seal can't tell which it was."""
    left, right = key >> _HALF, key & ((1 << _HALF) - 1)
    for step in _ROUNDS:
        left, right = right, left ^ _mix(right, step, seal)
    return left << _HALF | right


def _show(hidden: int, seal: bytes) -> int:
    """Return the number that was hidden."""
    left, right = hidden >> _HALF, hidden & ((1 << _HALF) - 1)
    for step in reversed(_ROUNDS):
        left, right = right ^ _mix(left, step, seal), left
    return left << _HALF | right


def _mix(half: int, step: int, seal: bytes) -> int:
    text = bytes([step]) + half.to_bytes(_HALF // 8, "big")
    return int.from_bytes(hashlib.blake2b(text, digest_size=_HALF // 8, key=seal).digest(), "big")


def _check_shape(state: Json) -> tuple[str, list[Scalar | None], str, str]:
    if not isinstance(state, list) or len(state) != 4:
        raise ValueError("shape")
    digest, values, entity, namespace = state
    texts = (digest, entity, namespace)
    if not isinstance(values, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError("shape")
    return str(digest), cast(list[Scalar | None], values), str(entity), str(namespace)


def _revive(key: SortKey, value: Scalar | None, zone: tzinfo) -> Scalar | Moment | None:
    if value is None or key.steps[-1].type not in TEMPORAL:
        return value
    try:
        return read_moment(str(value), zone)
    except UnreadableValue:
        raise _refuse("this is not a cursor of an answer") from None


def _refuse(detail: str) -> InvalidRequest:
    return InvalidRequest([Fault("/cursor", detail)])
