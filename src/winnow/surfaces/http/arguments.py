"""From a request to the arguments of its operation."""

from collections.abc import Iterable, Mapping
from functools import cache
from urllib.parse import unquote_to_bytes

from winnow.errors import Fault, InvalidRequest, settle
from winnow.operations import Operation
from winnow.surfaces.http.routes import Found, Route
from winnow.surfaces.texts import kind_of, read_texts
from winnow.wire import Argument, arguments, pointer


def gather(found: Found, query: bytes, body: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments of a request, as they were named; the operation judges them."""
    route = found.route
    asked = read_query(query)
    settle(_misplaced(route, asked) if route.body else ())
    named = {name: _read(route.operation, name, texts) for name, texts in asked.items()}
    settle(_repeated(found, named, body))
    return {**named, **body, **found.placed}


def read_query(query: bytes) -> dict[str, list[str]]:
    """Return the texts of a query by name, in the order in which they stand there."""
    texts: dict[str, list[str]] = {}
    for part in query.split(b"&"):
        if part:
            name, _, value = part.partition(b"=")
            texts.setdefault(_decode(name), []).append(_decode(value))
    return texts


def _decode(part: bytes) -> str:
    try:
        return unquote_to_bytes(part.replace(b"+", b" ")).decode()
    except UnicodeDecodeError:
        raise InvalidRequest([Fault("", "the query of the address is not UTF-8")]) from None


def _read(operation: Operation, name: str, texts: list[str]) -> object:
    argument = _spellings(operation).get(name)
    if argument is None:
        return texts[0]  # the operation knows what it may have meant
    return read_texts(kind_of(argument), texts)


@cache
def _spellings(operation: Operation) -> Mapping[str, Argument]:
    """Return the arguments of an operation that the outside may give, by all their names."""
    return {
        spelling: one
        for one in arguments(operation.request)
        if not one.raw
        for spelling in (one.name, one.wire_name, *one.aliases)
    }


def _misplaced(route: Route, asked: Iterable[str]) -> Iterable[Fault]:
    """Yield what stands in the query and belongs into the body."""
    spellings = _spellings(route.operation)
    for name in asked:
        argument = spellings.get(name)
        if argument is None or argument.name not in route.beside:
            yield Fault(pointer(name), "this request takes its arguments in the body, as JSON")


def _repeated(
    found: Found, named: Mapping[str, object], body: Mapping[str, object]
) -> Iterable[Fault]:
    """Yield what is given twice: in the path or the query, and once more."""
    spellings = _spellings(found.route.operation)
    for name in (*named, *body):
        argument = spellings.get(name)
        if argument is not None and argument.name in found.placed:
            yield Fault(pointer(name), "this stands in the path already")
    for name in named:
        if name in body:
            yield Fault(pointer(name), "this stands in the query already")
