"""The last change of a store."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """The number of a change, and when it was made (ISO 8601 UTC, milliseconds)."""

    number: int
    time: str
