"""Columns that are being made of rows: what other threads may tell of it."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar


class Batch(Protocol):
    """Some rows."""

    @property
    def keys(self) -> Sequence[int]:
        """The key of each row."""
        ...


B = TypeVar("B", bound=Batch)


class Building:
    """How far the making of columns of some rows has come. Any thread may ask."""

    def __init__(self, rows: str) -> None:
        """Begin with nothing under way; `rows` names what is read."""
        self._rows = rows
        self._read: int | None = None

    @contextmanager
    def under_way(self) -> Generator[None]:
        """Let others know that columns are made in the block."""
        self._read = 0
        try:
            yield
        finally:
            self._read = None

    def count(self, batches: Iterable[B]) -> Iterator[B]:
        """Yield the batches, and count their rows."""
        for batch in batches:
            yield batch
            if self._read is not None:
                self._read += len(batch.keys)

    def told(self) -> str | None:
        """Tell what is under way, None if nothing is."""
        read = self._read
        return None if read is None else f"making columns: {read:,} {self._rows} read"
