"""Cursors: the place behind the last hit of a page, bound to the request that made it."""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import cast

from winnow.errors import Fault, InvalidRequest
from winnow.plan.order import Bound, SortKey
from winnow.values import TEMPORAL, Json, Moment, Scalar, UnreadableValue, read_moment


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a request is, apart from its page."""

    digest: str


def fingerprint(*parts: object) -> Fingerprint:
    """Return the fingerprint of the parts of a request that its cursor depends on."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, default=repr)
    return Fingerprint(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16])


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
    text = json.dumps([request.digest, sorted(seen)], separators=(",", ":"))
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
    return [key for key in state[1] if isinstance(key, int)]


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
