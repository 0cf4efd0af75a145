"""JSON text on its way in, read by the codec many times as fast as by Python's own reader."""

from collections.abc import Iterator
from typing import cast

from pydantic_core import from_json


class Undecided(ValueError):
    """What a text says is for Python's own reader to tell: it may be no JSON, or say a key twice.

    So may a text that is sound but out of the way: half a surrogate pair in it, or deep nesting.
    """


def parse_json(text: str) -> object:
    """Return what a text of JSON says in which no key stands twice; raises Undecided."""
    try:
        found: object = from_json(text)
    except (ValueError, TypeError) as error:  # the second where the text can't be encoded
        raise Undecided from error
    # The codec lets the last of equal keys stand: then there are fewer than the text has.
    if sum(map(len, _list_objects(text, found))) != _count_keys(text):
        raise Undecided
    return found


def _list_objects(text: str, found: object) -> list[dict[str, object]]:
    """Return all objects; a look into lists, which are long if they are vectors, is the last."""
    if type(found) is dict:
        outer = cast("dict[str, object]", found)
        inner = cast("list[dict[str, object]]", [x for x in outer.values() if type(x) is dict])
        if 1 + len(inner) == _count(text, "{"):
            return [outer, *inner]
    return [*_walk(cast(object, found))]


def _walk(value: object) -> Iterator[dict[str, object]]:
    if isinstance(value, dict):
        yield cast("dict[str, object]", value)
        for one in cast("dict[str, object]", value).values():
            yield from _walk(one)
    elif isinstance(value, list):
        for one in cast("list[object]", value):
            yield from _walk(one)


def _count_keys(text: str) -> int:
    """Count what ends as a key does; a text that holds such a thing makes it too many."""
    keys = 0
    colon = text.find(":")
    while colon > 0:
        before = text[colon - 1]
        keys += before == '"' or (before.isspace() and text[:colon].rstrip().endswith('"'))
        colon = text.find(":", colon + 1)
    return keys


def _count(text: str, sign: str) -> int:
    """Count a sign that is rare; the method for it looks at each character by itself."""
    count, place = 0, text.find(sign)
    while place >= 0:
        count, place = count + 1, text.find(sign, place + 1)
    return count
