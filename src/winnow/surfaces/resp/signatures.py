"""What a command is: its name, the words it takes, what it needs, and what it does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeAlias

from winnow.access import Scope
from winnow.surfaces.resp.config import Config
from winnow.surfaces.resp.grammar import Given, Named, Option, Reader, name_options, read_options
from winnow.surfaces.resp.replies import Refusal, Reply
from winnow.surfaces.resp.runs import Words

if TYPE_CHECKING:
    from winnow.surfaces.resp.service import Desk

Run: TypeAlias = "Callable[[Desk, Given], Reply]"
Check: TypeAlias = "Callable[[Desk, Given], None]"


class Effect(Enum):
    """What a command touches."""

    CONNECTION = "connection"
    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Place:
    """A word that is known by its place; `rest` takes all that are left, at least one."""

    name: str
    type: str = "string"
    rest: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """One command.

    `least` and `most` count its words, its own name too; most is None for any number. `check`
    looks at what was read before anything is looked up. `keys` are the places of the first and
    the last key (-1: the last word), and how many words from one to the next. An `open` command
    is served before a key was given.
    """

    name: str
    summary: str
    run: Run
    effect: Effect
    places: tuple[Place, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict[str, Option])
    least: int = 1
    most: int | None = None
    scope: Scope | None = None
    check: "Check | None" = None
    keys: tuple[int, int, int] = (0, 0, 0)
    open: bool = False
    needs: Scope | None = field(init=False)
    """The scope that it takes."""
    _named: Named = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Work out once what each command would ask for."""
        object.__setattr__(self, "needs", self.scope or _SCOPES.get(self.effect))
        object.__setattr__(self, "_named", name_options(self.options))

    @property
    def group(self) -> str:
        """The group that it is listed in."""
        return "memory" if self.name.startswith("mem.") else _GROUPS[self.effect]

    def read(self, words: Words, config: Config) -> Given:
        """Read the words of a command; what is wrong with them raises Refusal."""
        if len(words) < self.least or (self.most is not None and len(words) > self.most):
            raise Refusal(f"ERR wrong number of arguments for '{self.name}' command")
        reader = Reader(words, config)
        given: Given = {}
        for place in self.places:
            if place.rest:
                given[place.name] = [reader.take() for _ in range(reader.left)]
            elif reader.left:
                given[place.name] = _READERS[place.type](reader)
        read_options(reader, self._named, given)
        return given


KEY: Final = Place("key", "key")
NEW_KEY: Final = Place("newkey", "key")
KEYS: Final = Place("keys", rest=True)
ONE_KEY: Final = (1, 1, 1)
TWO_KEYS: Final = (1, 2, 1)
ALL_KEYS: Final = (1, -1, 1)

_READERS: Final[Mapping[str, Callable[[Reader], object]]] = {
    "key": Reader.take,
    "string": Reader.take,
    "integer": Reader.take_integer,
}
_SCOPES: Final[Mapping[Effect, Scope]] = {Effect.READ: Scope.READ, Effect.WRITE: Scope.WRITE}
_GROUPS: Final[Mapping[Effect, str]] = {
    Effect.CONNECTION: "connection",
    Effect.READ: "generic",
    Effect.WRITE: "generic",
}
