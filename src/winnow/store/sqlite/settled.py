"""Since when the settings of all namespaces are what they are, as far as this process can tell."""

from threading import Lock


class Settled:
    """Remembers a stretch of changes that left all settings as they were.

    Most changes don't touch settings; of those that other processes make nobody knows. Safe to use
    from several threads.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._first = self._last = -1

    def since(self, change: int) -> int:
        """Return the first change from which on, up to `change`, settings have surely stayed."""
        with self._lock:
            if not self._first <= change <= self._last:
                self._first = self._last = change
            return self._first

    def carry(self, before: int, after: int) -> None:
        """Note a change of this process, which came after `before` and touched no settings."""
        with self._lock:
            if before == self._last:
                self._last = after
