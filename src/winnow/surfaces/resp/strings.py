"""Plain texts under keys, in memory only: enough for clients that keep some beside indexes."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock


@dataclass(frozen=True, slots=True)
class Text:
    """A text, and the second at which it is forgotten, None for never."""

    value: bytes
    until: float | None = None


class Strings:
    """The texts. Safe to use from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._texts: dict[bytes, Text] = {}

    def get(self, key: bytes) -> bytes | None:
        """Return the text of a key."""
        found = self._find(key)
        return None if found is None else found.value

    def set(self, key: bytes, value: bytes) -> None:
        """Keep a text under a key, for good."""
        with self._lock:
            self._texts[key] = Text(value)

    def delete(self, key: bytes) -> bool:
        """Forget a key; tell whether there was one."""
        there = self._find(key) is not None
        with self._lock:
            self._texts.pop(key, None)
        return there

    def keys(self) -> list[bytes]:
        """List the keys."""
        with self._lock:
            names = list(self._texts)
        return [name for name in names if self._find(name) is not None]

    def clear(self) -> None:
        """Forget all keys."""
        with self._lock:
            self._texts.clear()

    def move(self, key: bytes, target: bytes) -> None:
        """Give a text another key."""
        with self._lock:
            self._texts[target] = self._texts.pop(key)

    def copy(self, key: bytes, target: bytes) -> None:
        """Keep a text under another key, too."""
        with self._lock:
            self._texts[target] = self._texts[key]

    def expire(self, key: bytes, seconds: float | None) -> None:
        """Forget a text later, or never."""
        until = None if seconds is None else self._clock() + seconds
        with self._lock:
            self._texts[key] = Text(self._texts[key].value, until)

    def seconds_left(self, key: bytes) -> float | None:
        """Return for how long a text is kept, None for ever."""
        found = self._find(key)
        if found is None or found.until is None:
            return None
        return found.until - self._clock()

    def _find(self, key: bytes) -> Text | None:
        with self._lock:
            found = self._texts.get(key)
            if found is not None and found.until is not None and found.until <= self._clock():
                del self._texts[key]
                return None
            return found
