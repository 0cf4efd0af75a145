"""The tree of a filter: as written (`Test` leaves) and as resolved (`Match` leaves)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from winnow.schema import Field, Reverse
from winnow.values import Json, Moment, Scalar

MAX_DEPTH = 64
MAX_NODES = 10_000

L = TypeVar("L")


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a request something was written: a JSON pointer, a character in a text."""

    pointer: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Not(Generic[L]):
    """Holds where its part does not."""

    part: "Node[L]"


@dataclass(frozen=True, slots=True)
class All(Generic[L]):
    """Holds where every part does; without parts, everywhere."""

    parts: "tuple[Node[L], ...]"


@dataclass(frozen=True, slots=True)
class Any(Generic[L]):
    """Holds where some part does; without parts, nowhere."""

    parts: "tuple[Node[L], ...]"


Node: TypeAlias = L | Not[L] | All[L] | Any[L]


@dataclass(frozen=True, slots=True)
class Test:
    """A test as written: `name` in its parts, `()` for the item that `any` and its kin speak of.

    `operand` is a filter for `any`, `all` and `none`, otherwise plain JSON.
    """

    name: tuple[str, ...]
    op: str
    operand: "Json | Expr"
    at: Place


Expr: TypeAlias = Node[Test]


@dataclass(frozen=True, slots=True)
class Match:
    """A resolved test: follow the references of `path`, then apply `op` to `field`.

    Inside `any`, `all` and `none` over a list of values, `field` is the item (its name is "").
    `args` are typed: Moments for dates; one filter for `any`, `all` and `none`.
    """

    path: tuple[Field, ...]
    field: Field | Reverse
    op: str
    args: "tuple[Arg, ...]"

    @property
    def name(self) -> str:
        """The dotted name, as the schema spells it."""
        return ".".join(step.name for step in (*self.path, self.field))


Pred: TypeAlias = Node[Match]
Arg: TypeAlias = "Scalar | Moment | Pred"
EVERYTHING: Pred = All(())
NOTHING: Pred = Any(())


def tests(expr: Expr) -> Iterator[Test]:
    """Yield the tests of a filter as written, left to right; nested filters are not entered."""
    match expr:
        case Test():
            yield expr
        case Not(part):
            yield from tests(part)
        case All(parts) | Any(parts):
            for part in parts:
                yield from tests(part)


def matches(pred: Pred) -> Iterator[Match]:
    """Yield the tests of a resolved filter, left to right; nested filters are not entered."""
    match pred:
        case Match():
            yield pred
        case Not(part):
            yield from matches(part)
        case All(parts) | Any(parts):
            for part in parts:
                yield from matches(part)


def speaks_of_items(pred: Pred) -> bool:
    """Tell whether a filter inside `any`, `all` or `none` is about bare items, not entities."""
    return any(match.name == "" for match in matches(pred))
