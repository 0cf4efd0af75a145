"""Dialogue turns: a line "Name: …", or somebody who "says:", "said" or "replied"."""

import re
from collections.abc import Iterator
from functools import cache

from winnow.kinds.names import is_name
from winnow.kinds.people import BETWEEN, DETERMINERS, SPEAKERS


def has_turn(text: str, lowered: str) -> bool:
    """Tell whether somebody speaks in a text; `lowered` is the same, and as long, in lower case."""
    return any(_is_turn(text, start) for start in _labelled_lines(text)) or any(
        _speaks(text, verb, at) for verb in _VERBS for at in _occurrences(lowered, verb)
    )


# --- lines "Name: …" -----------------------------------------------------------------------------

_LONGEST_HEAD = 120
_CLOCK = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?Z?"
_STAMP = (
    rf"[\[(]?(?:\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}[,T ]{{1,2}})?{_CLOCK}[\])]?[ \t,–—-]{{0,3}}"
)
_NO_NAME = r"\n:：*_\[\]()<>|=/\\{}\"“”#@,;!?"
_TURN = rf"""
    [\ \t>*_+•–—\-\ufeff]{{0,16}}+        # a bullet, a quote, bold type
    (?:\d{{1,3}}[.)]\s)?                 # a number
    (?:{_STAMP})?
    (?:[*_@]{{0,4}}|\[\[)                # a wikilink, no "[1]: https://…"
    (?P<name>[^\s\d{_NO_NAME}][^{_NO_NAME}]{{0,59}}+)
    (?:[*_]{{0,4}}|\]\])
    (?:(?:(?<=\s)|\ )[(\[][^)\]\n]{{1,40}}[)\]])?  # "(legal)", "[10:32]"
    [*_]{{0,3}}[\ \t]{{0,2}}
    (?::[*_]{{0,3}}(?=[\s"“«「『])|：)
    (?P<said>[^\n]{{0,200}})
"""
_SAYS_SOMETHING = r"[^\W\d_]|[:;=]-?[()]|[?!？！\u2600-\u27bf\U0001f300-\U0001faff]"
# A number with its unit, an address, a date: what stands behind a label.
_VALUE = (
    r"(?=\D*\d)[\W\d_]*+(?:[^\W\d_]{1,3}\.?)?[\W\d_]*+|\d{4}-\d\d-\d\dT\S+"
    r"|\w+://\S+|www\.\S+|[^\s@]+@[^\s@]+"
)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Compile when first used: a command that writes nothing need not wait for it."""
    return re.compile(pattern, re.VERBOSE if pattern is _TURN else 0)


def _labelled_lines(text: str) -> Iterator[int]:
    """Yield where each line begins that has a colon near its beginning."""
    for colon in (mark for mark in ":：" if mark in text):
        start, at = 0, text.find(colon)
        while at >= 0:
            start = text.rfind("\n", start, at) + 1 or start
            if at - start <= _LONGEST_HEAD:
                yield start
            start = text.find("\n", at) + 1
            at = text.find(colon, start) if start else -1


def _is_turn(text: str, start: int) -> bool:
    if "a" <= text[start] <= "z":
        return False
    found = _compile(_TURN).match(text, start)
    return found is not None and is_name(found["name"]) and _is_speech(found["said"])


def _is_speech(said: str) -> bool:
    plain = said.strip(" \t\r*_")
    if _compile(_SAYS_SOMETHING).search(plain) is None:
        return False
    return _compile(_VALUE).fullmatch(plain) is None


# --- "X said" ------------------------------------------------------------------------------------

_VERBS = ("says", "said", "replied")
_REACH = 80
# "what I said", "like she said" speak of a turn without being one.
_RELATIVES = frozenset(
    {"what", "whatever", "everything", "anything", "things", "as", "like", "than"}
)
_CLOSING_QUOTES = "\"”»’'」』"


def _occurrences(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def _speaks(text: str, verb: str, at: int) -> bool:
    """Tell whether the verb at a place has a speaker: "Ravi says:", "she said", "” said Zoë"."""
    after = text[at + len(verb) : at + len(verb) + _REACH]
    before = text[max(0, at - _REACH) : at]
    if after[:1].isalnum() or after[:1] in ("_", "-") or not before or not before[-1].isspace():
        return False
    if verb == "says":
        return after.lstrip(" ")[:1] in (":", "：") and _ends_in_speaker(before)
    return _ends_in_speaker(before) or (
        before.rstrip().endswith(tuple(_CLOSING_QUOTES)) and _starts_with_speaker(after)
    )


def _ends_in_speaker(before: str) -> bool:
    words = before.split()
    while words and (words[-1] in BETWEEN or (words[-1].endswith("ly") and words[-1].islower())):
        words.pop()
    if len(words) > 1 and words[-2].lower() in _RELATIVES and words[-1].lower() in SPEAKERS:
        return False
    return bool(words) and _is_speaker(words[-1])


def _starts_with_speaker(after: str) -> bool:
    words = after.split(maxsplit=2)[:2]
    if not words:
        return False
    named = words[1:] if words[0].lower() in DETERMINERS else words[:1]
    return any(_is_speaker(word.rstrip(".,;:!?")) for word in named)


def _is_speaker(word: str) -> bool:
    plain = word.strip('*_()[]"“”«»')
    folded = plain.lower()
    one = folded.removesuffix("s") if len(folded) > 3 else folded
    return one in SPEAKERS or folded in SPEAKERS or is_name(plain)
