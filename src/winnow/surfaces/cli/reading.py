"""Options of the commands that serve, read as the arguments of operations are."""

from collections.abc import Mapping
from typing import TypeVar

from winnow.errors import InvalidRequest, settle
from winnow.surfaces.texts import kind_of, read_texts
from winnow.wire import arguments, decode

R = TypeVar("R")


def read_request(kind: type[R], given: Mapping[str, str | None]) -> R:
    """Read the options; what is wrong with them is told all at once."""
    known = {one.name: one for one in arguments(kind)}
    texts = {name: text for name, text in given.items() if text is not None}
    read = {name: read_texts(kind_of(known[name]), [text]) for name, text in texts.items()}
    request, faults = decode(kind, read)
    settle(faults)
    if request is None:
        raise InvalidRequest(faults)
    return request
