"""Dataview fields of one line: `[key:: value]` and `(key:: value)`, or else `key:: value` alone.

A line comes in two forms of one length: `marked`, where what must not be read is `FILLER`, and
`prose`, from which values are taken.
"""

import re
import unicodedata
from collections.abc import Iterator

from winnow.vault.masks import FILLER

LONGEST_KEY = 200
"""Characters; what is longer before a `::` is prose."""


def line_fields(marked: str, prose: str) -> list[tuple[str, str]]:
    """Find the fields of a line as (key, value); one in brackets excludes one of the whole line."""
    return list(_bracketed(marked, prose)) or list(_whole(marked, prose))


_BRACKETS = re.compile(r"[\[\]()]")
_OPENERS = {"]": "[", ")": "("}


def _bracketed(marked: str, prose: str) -> Iterator[tuple[str, str]]:
    closers = _closers(marked)
    free_from = {"[": 0, "(": 0}  # a field holds no second one in brackets of its own kind
    before, separator = 0, marked.find("::")
    while separator >= 0:
        opener = max(marked.rfind(bracket, before, separator) for bracket in "[]()")
        before, start = separator, separator + 2
        separator = marked.find("::", start)
        closer = closers.get(opener)
        if closer is None or opener < free_from[marked[opener]]:
            continue
        key = _plain(marked[opener + 1 : before])
        if key.strip() and len(key) <= LONGEST_KEY and FILLER not in key:
            free_from[marked[opener]] = closer
            yield key, prose[start:closer].strip()


def _closers(marked: str) -> dict[int, int]:
    """Pair the brackets of a line, round and square ones on their own: opener to closer."""
    pairs: dict[int, int] = {}
    open_at: dict[str, list[int]] = {"[": [], "(": []}
    for found in _BRACKETS.finditer(marked):
        bracket, at = found[0], found.start()
        if bracket in open_at:
            open_at[bracket].append(at)
        elif stack := open_at[_OPENERS[bracket]]:
            pairs[stack.pop()] = at
    return pairs


_LEAD = re.compile(
    r"(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*(?:\[[^\]]\][ \t]+)?"
)
_KEY = re.compile(r"[\w \t/-]*[^\W_][\w \t/-]*")
# What may stand before a key: bullets, quotes, heading marks. A bar begins a row of a table.
_BEFORE_KEY = " \t!\"#$%&'()+,-./:;<>?@[\\]^`{}•·–—"
_EMPHASIS = re.compile(r"[*=~]+|_+")


def _whole(marked: str, prose: str) -> Iterator[tuple[str, str]]:
    lead = _LEAD.match(marked)
    start = lead.end() if lead else 0
    separator = marked.find("::", start)
    if not 0 < separator - start <= LONGEST_KEY:
        return
    written = marked[start:separator].lstrip(_BEFORE_KEY)
    key = _plain(written)
    if _is_key(key):
        yield key, _value(written, prose[separator + 2 :].strip())


def _value(written: str, value: str) -> str:
    """Take off emphasis that began before the key and ends behind the `::`."""
    opening = _EMPHASIS.match(written)
    if opening and not written.rstrip().endswith(opening[0]):
        return value.removeprefix(opening[0]).lstrip()
    return value


def _plain(key: str) -> str:
    key = key.strip(" \t*=~")
    while len(key) > 2 and key[0] == key[-1] == "_":
        key = key[1:-1].strip(" \t*=~")
    return key


def _is_key(key: str) -> bool:
    if _KEY.fullmatch(key):
        return True
    return not key.isascii() and all(
        character in " \t/-_\u200c\u200d" or _is_sign(character) for character in key
    )


def _is_sign(character: str) -> bool:
    """Tell whether a character may stand in a key: letters, marks, digits, emoji."""
    if character.isascii():
        return character.isalnum()
    return unicodedata.category(character)[0] in "LMNS"
