"""The regular expressions of a pack: pieces and placeholders put in, faults found at load.

A pack's expressions run without regard to case on text with single spaces. A repetition inside a
repetition, the usual accident, is refused; what else takes too long is given up when it runs.
"""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from winnow.errors import unknown
from winnow.quantities import QUANTITIES
from winnow.schema import Pattern


class BadExpression(ValueError):
    """An expression that can't be used; the message says why."""


def read_pattern(text: str, pieces: Mapping[str, str], *, tried: bool = False) -> Pattern:
    """Read a prose rule, which holds one placeholder and any number of pieces.

    One that was `tried` before is not tried again. Raises BadExpression.
    """
    whole = insert_pieces(text, pieces)
    names = _PLACEHOLDER.findall(whole)
    for name in names:
        if name not in QUANTITIES:
            raise BadExpression(unknown("placeholder", name, [*QUANTITIES, *pieces]))
    if len(names) != 1:
        raise BadExpression(
            f"a pattern needs one placeholder for its value, {text!r} has {len(names)}"
        )
    frame = _PLACEHOLDER.sub(_STAND_IN, whole)
    if not tried:
        check_expression(frame)
    leads = whole.startswith("{") and not re.match(r"\{\w+\}[*+?{]", whole)
    value = f"(?P<value>{QUANTITIES[names[0]].expression})"
    return Pattern(_PLACEHOLDER.sub(lambda _: value, whole), names[0], frame, leads)


def read_mention(text: str, id_pattern: str, *, tried: bool = False) -> str:
    """Read a rule such as `Matter {id}`, whose group `id` will be the id.

    One that was `tried` before is not tried again. Raises BadExpression.
    """
    if _PLACEHOLDER.findall(text) != ["id"]:
        raise BadExpression(f"a mention needs the placeholder {{id}} once: {text!r}")
    if not tried:
        check_expression(text.replace("{id}", _STAND_IN))
    return text.replace("{id}", f"(?P<id>{id_pattern})") + r"(?![^\W_])"


def insert_pieces(text: str, pieces: Mapping[str, str]) -> str:
    """Replace `{name}` by the piece of that name, as a group."""
    return _PLACEHOLDER.sub(
        lambda found: f"(?:{pieces[found[1]]})" if found[1] in pieces else found[0], text
    )


def check_expression(expression: str) -> tuple[str, ...]:
    """Check a regular expression and return its anchors: words of which each match holds one.

    There are none if that can't be said. Raises BadExpression.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # `[[`, which may change its meaning
            re.compile(expression, re.IGNORECASE)
        part, _ = _read_alternatives(_tokens(expression), 0)
    except (re.error, OverflowError, RecursionError, FutureWarning) as error:
        raise BadExpression(f"{expression!r} is not a regular expression: {error}") from None
    return tuple(sorted(_best(part.required)))


_SHORTEST_ANCHOR = 3
_MOST_ANCHORS = 8
_PLACEHOLDER = re.compile(r"(?<!\\)\{([A-Za-z_][A-Za-z0-9_]*)\}")
_STAND_IN = "~{1,9}"  # of no fixed width, so that it is refused where a placeholder would be
_TOKEN = re.compile(
    r"""(?P<plain>\((?:\?[:>])?)(?!\?) | (?P<group>\(\?(?:<?[=!]|[a-zA-Z-]+:))
    | (?P<bar>\|) | (?P<end>\))
    | (?P<refused>\(\?P|\\[1-9])                                # a named group, a reference
    | (?P<repetition>[*+?]|\{[0-9]+(?:,[0-9]*)?\}|\{,[0-9]+\})[?+]?
    | (?P<literal>[A-Za-z0-9]+(?![*+?{])|[A-Za-z0-9])
    | (?P<other>\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_OPTIONAL = re.compile(r"[*?]|\{0?,|\{0\}")
_UNBOUNDED = re.compile(r"[*+]|\{[0-9]*,\}")
_Token: TypeAlias = tuple[str, str]
"""Its kind, which is a group of `_TOKEN`, and its text."""


def _tokens(expression: str) -> list[_Token]:
    tokens = [(found.lastgroup or "", found[0]) for found in _TOKEN.finditer(expression)]
    for kind, token in tokens:
        if _STAND_IN in token:
            raise BadExpression("a placeholder can't stand in a class such as [a-z]")
        if kind == "refused":
            raise BadExpression(f"named groups and references to groups are not allowed: {token!r}")
    return [*tokens, ("end", "")]


_Words: TypeAlias = frozenset[str]


@dataclass(slots=True)
class _Part:
    """A part of an expression: sets of which each match holds a word, the last still growing."""

    required: list[_Words] = field(default_factory=lambda: [_NO_WORD])
    unbounded: bool = False


_NO_WORD: _Words = frozenset({""})


def _best(required: list[_Words]) -> _Words:
    """Choose the set whose shortest word is longest, none if it is too short or large."""
    best = max(required, key=lambda words: min(map(len, words)), default=_NO_WORD)
    good = min(map(len, best)) >= _SHORTEST_ANCHOR and len(best) <= _MOST_ANCHORS
    return best if good else frozenset()


def _read_alternatives(tokens: list[_Token], at: int) -> tuple[_Part, int]:
    """Read up to the closing bracket; return the part and where the bracket stands."""
    first, at = _read_sequence(tokens, at)
    parts = [first]
    while tokens[at][0] == "bar":
        part, at = _read_sequence(tokens, at + 1)
        parts.append(part)
    if len(parts) == 1:
        return first, at
    bests = [_best(part.required) for part in parts]
    either: _Words = frozenset[str]().union(*bests) if all(bests) else _NO_WORD
    return _Part([_NO_WORD, either, _NO_WORD], any(part.unbounded for part in parts)), at


def _read_sequence(tokens: list[_Token], at: int) -> tuple[_Part, int]:
    part = _Part()
    while tokens[at][0] not in ("bar", "end"):
        kind, token = tokens[at]
        at += 1
        inner = _Part([frozenset({token.lower()})] if kind == "literal" else [])
        if kind in ("plain", "group"):
            inner, at = _read_alternatives(tokens, at)
            at += 1
        following = tokens[at] if at < len(tokens) else ("end", "")
        repetition = following[1] if following[0] == "repetition" else ""
        at += bool(repetition)
        _append(part, inner, repetition, whole=kind != "group")
    return part, at


def _append(part: _Part, inner: _Part, repetition: str, *, whole: bool) -> None:
    """Add what stands next; only a plain group's words (`whole`) are sure to be in a match."""
    endless = bool(_UNBOUNDED.match(repetition))
    if endless and inner.unbounded:
        raise BadExpression(
            "a repetition inside a repetition can take forever; give the outer one a limit: {0,5}"
        )
    part.unbounded = part.unbounded or endless or inner.unbounded
    sure = inner.required if whole and not _OPTIONAL.match(repetition) else []
    if len(sure) == 1 and not repetition:
        part.required[-1] = frozenset({one + two for one in part.required[-1] for two in sure[0]})
    else:
        part.required += [*sure, _NO_WORD]
