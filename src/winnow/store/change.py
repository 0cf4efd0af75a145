"""The last change of a store."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Change:
    """The number of a change, and when it was made (ISO 8601 UTC, milliseconds).

    Numbers count the changes of one `origin`: what a backup holds gets another when it takes the
    place of a store, and then nothing that is remembered of rows holds any more.
    """

    number: int
    time: str
    origin: str = field(default="", compare=False)
