"""What a source of recall is, and what it finds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from winnow.values import Json


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that a source found.

    `path` is where it is: a path, or an address. `score` is from 0 to 1, higher is better; None
    where the source gives none.
    """

    title: str
    text: str
    path: str | None = None
    score: float | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict[str, Json])


class Provider(Protocol):
    """A source of recall. Safe to use from several threads."""

    def search(self, query: str, limit: int, timeout: float, /) -> Sequence[Found]:
        """Return at most `limit` things, the best first, within `timeout` seconds.

        Raises SourceError with what a person may read; any other exception is told with its type.
        """
        ...


Opener: TypeAlias = Callable[[Mapping[str, str]], Provider | None]
"""Makes a provider from settings, which are those of the environment; None if they name none."""
