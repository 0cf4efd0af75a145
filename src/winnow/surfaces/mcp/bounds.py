"""Answers that an agent can take in: what is too long for its context is shortened, and says so."""

import json
from collections.abc import Iterator, Sequence
from typing import TypeAlias, cast

from winnow.errors import counted
from winnow.values import Json

CHARACTERS_A_TOKEN = 4
MOST_TOKENS = 10_000
MOST_CHARACTERS = MOST_TOKENS * CHARACTERS_A_TOKEN
_LEAST_TEXT = 280  # characters; as long as a snippet
_READ_WHOLE = "read one in full by its id, or ask for fewer"
_MARK = 40  # characters that say how much is missing, and escapes
_TEXTS = ("text", "snippet", "message")
_LISTS = ("groups", "errors", "problems")
_Object: TypeAlias = dict[str, Json]


def fit(payload: _Object) -> _Object:
    """Return an answer in at most 10,000 tokens: its texts cut, the longest first, and lists too.

    What was cut is told in `warnings`. An answer that is long for another reason, such as a high
    limit, stays so.
    """
    if measure(payload) <= MOST_CHARACTERS:
        return payload
    fitted = cast(_Object, json.loads(json.dumps(payload)))  # what is cut is ours to change
    warnings = [said for cut in (_cut_texts, _cut_lists) if (said := cut(fitted))]
    if warnings:
        known = cast(list[Json], fitted.get("warnings") or [])
        fitted["warnings"] = [*known, *warnings]
    return fitted


def measure(payload: Json) -> int:
    """Return how many characters an answer has as JSON."""
    return len(json.dumps(payload, ensure_ascii=False))


def _cut_texts(payload: _Object) -> str | None:
    """Cut the longest texts to one length, so that the whole fits if that can be."""
    texts = list(_texts(payload))
    longest = _find_length([len(text) for _, _, text in texts], measure(payload) - MOST_CHARACTERS)
    cut = [(holder, key, text) for holder, key, text in texts if len(text) > longest]
    for holder, key, text in cut:
        left = len(text) - longest
        holder[key] = f"{text[:longest]} … [{counted(left, 'more characters')}]"
    if not cut:
        return None
    count = "1 text is" if len(cut) == 1 else f"{len(cut)} texts are"
    return f"{count} cut to keep the answer under {MOST_TOKENS:,} tokens; {_READ_WHOLE}"


def _texts(payload: _Object) -> Iterator[tuple[_Object, str, str]]:
    """Yield the texts of an answer and of its hits, each with what holds it."""
    holders = [payload]
    for value in payload.values():
        if isinstance(value, list):
            holders += [one for one in value if isinstance(one, dict)]
    for holder in holders:
        for key in _TEXTS:
            text = holder.get(key)
            if isinstance(text, str) and len(text) > _LEAST_TEXT:
                yield holder, key, text


def _find_length(lengths: Sequence[int], surplus: int) -> int:
    """Return the length to cut texts to, so that at least `surplus` characters are gone."""
    surplus += _MARK * len(lengths)
    low, high = _LEAST_TEXT, max(lengths, default=_LEAST_TEXT)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(max(one - middle, 0) for one in lengths) >= surplus:
            low = middle
        else:
            high = middle - 1
    return low


def _cut_lists(payload: _Object) -> str | None:
    """Leave out the last of a list that alone is too long."""
    surplus = measure(payload) - MOST_CHARACTERS
    for name in _LISTS if surplus > 0 else ():
        items = payload.get(name)
        if isinstance(items, list) and items:
            kept = _keep(items, measure(items) - surplus)
            payload[name] = kept
            return f"{len(kept)} of {len(items)} {name} are shown; ask for fewer"
    return None


def _keep(items: list[Json], room: int) -> list[Json]:
    """Return as many of the first items as there is room for, but one at least."""
    used = 0
    for index, item in enumerate(items):
        used += measure(item) + len(", ")
        if used > room and index:
            return items[:index]
    return items
