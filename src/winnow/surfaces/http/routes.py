"""The routes: which operation a method and a path mean, and where its arguments come from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote_to_bytes

from winnow.operations import OPERATIONS, Operation

PREFIX = "/api/v1"


@dataclass(frozen=True)
class Route:
    """One way to ask for an operation.

    A step of the `path` in braces gives the argument of that name. The others stand in the
    query of the address; with a `body` they stand there, as one JSON object, and only those
    of `beside` in the query.
    """

    method: str
    path: str
    name: str
    body: bool = False
    beside: tuple[str, ...] = ()
    status: int = 200

    @property
    def operation(self) -> Operation:
        """What is carried out."""
        return OPERATIONS[self.name]

    @property
    def answer(self) -> type:
        """What it gives: an operation that may speak of several does without an id in the path."""
        several = self.operation.several
        return self.operation.answer if several is None or self.placed else several

    @property
    def template(self) -> str:
        """The whole path, with its arguments in braces."""
        return PREFIX + self.path

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """The steps of the path."""
        return tuple(self.path.strip("/").split("/"))

    @cached_property
    def placed(self) -> tuple[str, ...]:
        """The arguments that stand in the path."""
        return tuple(_named(step) for step in self.steps if _named(step))

    def match(self, steps: Sequence[str]) -> dict[str, str] | None:
        """Return the arguments that stand in a path, None if it is not of this route."""
        if len(steps) != len(self.steps):
            return None
        pairs = list(zip(self.steps, steps, strict=True))
        if any(own != step for own, step in pairs if not _named(own)):
            return None
        return {name: step for own, step in pairs if (name := _named(own))}


ROUTES: tuple[Route, ...] = (
    Route("GET", "/recall", "recall"),
    Route("POST", "/recall", "recall", body=True),
    Route("GET", "/recall/check", "check"),
    Route("POST", "/recall/check", "check", body=True),
    Route("GET", "/count", "count"),
    Route("POST", "/count", "count", body=True),
    Route("GET", "/memories", "list"),
    Route("POST", "/memories", "store", body=True, status=201),
    Route("POST", "/memories/list", "list", body=True),
    Route("POST", "/memories/delete", "delete", body=True),
    Route("POST", "/memories/undelete", "undelete", body=True),
    Route("POST", "/memories/retype", "retype", body=True),
    Route("GET", "/memories/{id}", "get"),
    Route("PATCH", "/memories/{id}", "update", body=True, beside=("namespace",)),
    Route("DELETE", "/memories/{id}", "delete"),
    Route("POST", "/memories/{id}/undelete", "undelete", body=True, beside=("namespace",)),
    Route("GET", "/aggregate", "aggregate"),
    Route("POST", "/aggregate", "aggregate", body=True),
    Route("GET", "/explain", "explain"),
    Route("POST", "/explain", "explain", body=True),
    Route("GET", "/schemas", "schema"),
    Route("GET", "/schemas/{schema}", "schema"),
    Route("GET", "/namespaces", "namespace list"),
    Route("GET", "/namespaces/{name}", "namespace get"),
    Route("PATCH", "/namespaces/{name}", "namespace set", body=True),
    Route("GET", "/capabilities", "capabilities"),
    Route("GET", "/lint", "lint"),
    Route("POST", "/index", "index", body=True),
    Route("POST", "/reembed", "reembed", body=True),
    Route("GET", "/doctor", "doctor"),
    Route("GET", "/keys", "keys list"),
    Route("POST", "/keys", "keys create", body=True, status=201),
    Route("DELETE", "/keys/{name}", "keys revoke"),
)

NOT_SERVED: Mapping[str, str] = {
    "import": "reads a file of the machine that it runs on: use the command, or Python",
    "export": "writes a file of the machine that it runs on: use the command, or Python",
    "backup": "writes a file of the machine that it runs on: use the command, or Python",
}
"""Operations without a route, each with the reason."""


@dataclass(frozen=True, slots=True)
class Found:
    """The route of a request, and the arguments that stand in its path."""

    route: Route
    placed: Mapping[str, str]


def split_path(raw: bytes) -> list[str] | None:
    """Return the steps of a path as it was sent, decoded one by one: an id may hold a slash.

    None if it is not UTF-8.
    """
    try:
        return [unquote_to_bytes(step).decode() for step in raw.lstrip(b"/").split(b"/")]
    except UnicodeDecodeError:
        return None


def find_routes(steps: Sequence[str]) -> dict[str, Found]:
    """Return the routes of a path by method; one without arguments in it comes first."""
    *prefix, first = steps[: len(_PREFIX) + 1] or ("",)
    if prefix != _PREFIX:
        return {}
    found: dict[str, Found] = {}
    for route in _BY_FIRST_STEP.get(first, ()):
        placed = route.match(steps[len(_PREFIX) :])
        if placed is not None and (route.method not in found or not placed):
            found[route.method] = Found(route, placed)
    return found


_PREFIX = PREFIX.strip("/").split("/")
_BY_FIRST_STEP: dict[str, list[Route]] = {}
for _route in ROUTES:  # each begins with a word of its own
    _BY_FIRST_STEP.setdefault(_route.steps[0], []).append(_route)


def _named(step: str) -> str:
    """Return the name of the argument that a step stands for, "" for none."""
    return step[1:-1] if step.startswith("{") else ""
