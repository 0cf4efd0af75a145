"""Faults as Python tells them: arguments are named in snake_case, as its callers write them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

from winnow.errors import Fault, InvalidRequest
from winnow.wire import arguments


def name_in_python(error: InvalidRequest, request: Callable[..., object]) -> InvalidRequest:
    """Return an error that names the arguments of a request as Python does."""
    names = _names(request)
    return InvalidRequest(_rename(fault, names) for fault in error.faults)


@cache
def _names(request: Callable[..., object]) -> Mapping[str, str]:
    return {one.wire_name: one.name for one in arguments(request)}


def _rename(fault: Fault, names: Mapping[str, str]) -> Fault:
    start, *steps = fault.pointer.split("/")
    first = steps[0] if steps else ""
    if first in _OF_FIELDS:  # `memoryType` is the name of a field there, however it is asked for
        names = {first: names.get(first, first)}
    pointer = "/".join([start, *(names.get(step, step) for step in steps[:1]), *steps[1:]])
    return replace(fault, pointer=pointer, detail=_rename_words(fault.detail, names))


def _rename_words(detail: str, names: Mapping[str, str]) -> str:
    told = _GUESS.sub(lambda guess: f"{guess[1]}{names.get(guess[2], guess[2])}'", detail)
    return _WORD.sub(lambda word: names.get(word[0], word[0]), told)


_OF_FIELDS = frozenset({"filters", "where", "orderBy", "groupBy", "metrics", "clear", "map"})
_GUESS = re.compile(r"^(unknown argument .*?; did you mean ')(\w+)'")
_WORD = re.compile(r"(?<!['\"\w.])[a-z]+(?:[A-Z][a-z]+)+(?!['\"\w])")  # what is quoted was given
