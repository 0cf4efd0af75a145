"""Rules that find a record's kind in its words: the first one that fires, in a fixed order.

A phrase is looked for by one plain word of it; only where that stands is an expression matched,
in a window of bounded length, so that the cost grows with the length of a text and no faster.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from winnow.kinds.guards import is_dated, is_decided, is_no_idiom, is_settled, is_verb
from winnow.kinds.speech import has_turn

Guard = Callable[[str, int, int], bool]


def classify(title: str, text: str) -> str | None:
    """Return the kind that a title or a text gives away, None if no rule fires."""
    passages = [(part, _lower(part)) for part in (title, text)]
    if any(has_turn(part, lowered) for part, lowered in passages):
        return "conversation"
    rank = min(_first_phrase(lowered) for _, lowered in passages)
    return _RULES[rank].kind if rank < len(_RULES) else None


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that give a kind away, in lower case.

    `anchor` is the part that is searched for; `pattern` matches all of them from at most `_BEFORE`
    characters before the anchor to `_AFTER` behind its beginning. `guard` gets the text and where
    the match begins and ends, and has the last word.
    """

    kind: str
    anchor: str
    pattern: str
    guard: Guard | None = None


_BEFORE, _AFTER = 24, 64
# A text that has a phrase so often without meaning it is not searched for more of it.
_MOST_REFUSALS = 100


def _first_phrase(lowered: str) -> int:
    """Return the place in `_RULES` of the first one that fires, their number if none does."""
    for rank, phrase in enumerate(_RULES):
        if phrase.anchor in lowered and _stands_in(lowered, phrase):
            return rank
    return len(_RULES)


def _stands_in(lowered: str, phrase: Phrase) -> bool:
    pattern, done, refused = _compile(phrase.pattern), 0, 0
    at = lowered.find(phrase.anchor)
    while at >= 0 and refused < _MOST_REFUSALS:
        found = pattern.search(lowered, max(done, at - _BEFORE), at + _AFTER)
        if found and (phrase.guard is None or phrase.guard(lowered, *found.span())):
            return True
        if found:
            done, refused = found.end(), refused + 1
        at = lowered.find(phrase.anchor, max(done, at + len(phrase.anchor)))
    return False


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Compile when first used: a command that writes nothing need not wait for it."""
    return re.compile(pattern, re.MULTILINE)


def _lower(text: str) -> str:
    """Return a text of the same length in lower case; only İ would become two characters."""
    return text.replace("İ", "I").lower()


# --- the rules -----------------------------------------------------------------------------------

_WORD_BEGINS, _WORD_ENDS = r"(?<!\w)(?<!\w[-‐‑])", r"(?!\w|[-‐‑]\w)"


def _words(kind: str, words: str, guard: Guard | None = None, anchor: str = "") -> Phrase:
    """Make a phrase of whole words, with any white space between; the first one is its anchor."""
    spaced = words.replace(" ", r"\s{1,8}")
    pattern = rf"{_WORD_BEGINS}(?:{spaced}){_WORD_ENDS}"
    return Phrase(kind, anchor or words.partition(" ")[0], pattern, guard)


def _label(word: str, guard: Guard | None = None, kind: str = "") -> Phrase:
    """Make a phrase of a word with a colon; inside a line, only if a space and words follow."""
    begun, marked = r"^[ \t>*_#+•–—-]{0,16}", r"[*_]{0,3}[ \t]?"
    at_start = rf"{begun}{word}{marked}(?::(?!/)|：)"
    inside = rf"{_WORD_BEGINS}{word}{marked}(?::(?=[*_]{{0,3}}[ \t]+\S)|：)"
    return Phrase(kind or word, word, f"{at_start}|{inside}", guard)


def _thing(noun: str, anchor: str = "") -> Phrase:
    """Make a phrase that says what something is, but not "there is a person", "a person's"."""
    words = rf"(?<!there\s)is an? {noun}(?!['’]s\b)"
    return _words("entity", words, anchor=anchor or noun)


# In the order in which they are tried; a conversation comes before them all: see `speech`.
_RULES: tuple[Phrase, ...] = (
    _words("decision", "decided to", is_decided),
    _words("decision", "chose to", is_decided),
    _words("decision", "we will", is_decided, anchor="will"),
    _words("decision", "approved the", is_decided),
    _label("decision", is_settled),
    _words("event", "happened (?:on|at)", is_dated),
    _words("event", "occurred (?:on|at)", is_dated),
    _words("event", "deployed at", is_dated),
    _words("event", "incident at", is_dated),
    _label("event", is_no_idiom),
    _words("relation", "depends on"),
    _words("relation", "derives from"),
    _words("relation", "is part of", anchor="part"),
    _words("relation", "supersedes"),
    _words("relation", "contradicts"),
    _words("relation", "relates to"),
    _thing("person"),
    _thing("product"),
    _thing("service"),
    _thing("system"),
    _thing("team"),
    _thing("organi[sz]ation", anchor="organi"),
    _thing("company"),
    _label("claim"),
    _words("claim", "we claim", anchor="claim"),
    _words("claim", "asserts that"),
    _words("claim", "states that", is_verb),
    _words("claim", "is (?:true|false) that", anchor="that"),
    _words("concept", "is_a"),
    _words("concept", "is defined as", anchor="defined"),
    _label("definition", kind="concept"),
    _words("concept", "refers to"),
    _words("concept", "concept of"),
)
