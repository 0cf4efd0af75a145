"""Keys that stand twice in one object of a message, of which the SDK would keep the last alone."""

import json


def complain_of_double(message: bytes) -> str | None:
    """Say which key stands twice in an object of a message; None also if that can't be told."""
    try:
        json.loads(message, object_pairs_hook=_read_object)
    except _Double as found:
        return f"the key {found} stands twice in one object"
    except (ValueError, RecursionError):  # what is wrong there is told by who reads it
        return None
    return None


class _Double(Exception):
    """A key that stands twice."""


def _read_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _Double(repr(next(key for key in keys if keys.count(key) > 1)))
    return members
