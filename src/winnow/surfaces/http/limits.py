"""How much a server takes on, so that nobody can bring it down by asking."""

from dataclasses import dataclass

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 7070


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a server: bytes, seconds, and numbers of calls.

    `body` bounds a body, which has to be there within `body_seconds`. Of the calls, `running` are
    carried out at once and `waiting` more may wait for it; the others are told to come again.
    After a signal to stop, calls have `grace_seconds` to end.
    """

    body: int = 10_000_000
    body_seconds: float = 30.0
    running: int = 8
    waiting: int = 64
    grace_seconds: int = 5
    head: int = 65_536
    head_seconds: float = 30.0
