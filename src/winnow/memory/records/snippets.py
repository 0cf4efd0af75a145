"""Snippets: the part of a text that a query is about."""

import re
from collections.abc import Sequence

from winnow.filter.raw import make_legible

LENGTH = 280
_WORD = re.compile(r"\w+")
_BEFORE = 60


def find_snippet(text: str, query: str) -> str:
    """Return up to 280 characters of a text, around the first of the query's longer words."""
    plain = " ".join(make_legible(text).split())
    place = _find(plain, _WORD.findall(query))
    start = max(place - _BEFORE, 0)
    if start:
        # From the next whole word on, if one begins before the place: not all scripts have spaces.
        start = max(plain.find(" ", start, place) + 1, start)
    return plain[start : start + LENGTH]


def _find(text: str, words: Sequence[str]) -> int:
    """Return where the first of the words stands; short ones stand everywhere in many scripts."""
    telling = [word for word in words if len(word) > 2 or not word.isascii()]
    if not telling or len(text) <= LENGTH:
        return 0
    # Not by lower(), which moves what stands behind letters such as İ.
    found = re.search("|".join(map(re.escape, telling)), text, re.IGNORECASE)
    return found.start() if found else 0
