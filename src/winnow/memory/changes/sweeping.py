"""Purging what is over, now and then, while something else is written."""

from winnow.store.memories import RecordWriter

RETENTION = 30 * 86_400_000  # milliseconds for which what is deleted can be brought back
_EVERY = 60_000  # milliseconds between one sweep and the next
_MOST = 1_000  # records at a time, so that nobody waits long


class Sweeper:
    """Purges the records of one store that have expired, or were deleted long ago.

    It is used inside write transactions alone, of which there is one at a time.
    """

    def __init__(self) -> None:
        self._last: int | None = None

    def sweep(self, records: RecordWriter, now: int) -> None:
        """Purge some of what is over if a minute has passed since; the next ones if more is left.

        `now` is in milliseconds.
        """
        if self._last is not None and 0 <= now - self._last < _EVERY:
            return
        left = records.sweep(now, RETENTION, limit=_MOST) == _MOST
        self._last = None if left else now
