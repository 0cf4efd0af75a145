"""Values in English prose by a pack's patterns.

A value that is missed is undetermined, a wrong one is a lie: so a sentence counts only if it
states the value plainly and names no other entity.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from winnow.expressions import compile_own
from winnow.quantities import QUANTITIES, read_quantity
from winnow.schema import Field
from winnow.values import Type, UnreadableValue, Value
from winnow.vault.guards import is_bound, is_denied, is_doubtful, is_joined
from winnow.vault.rules import Gate, ProseRule, SchemaRules
from winnow.vault.statements import QUOTE_LENGTH

LONGEST_PASSAGE = 100_000
"""Characters; what is longer is data rather than prose, and is left unread."""
LONGEST_SENTENCE = 1_000
"""Characters; what is longer is no sentence, and is left unread."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of prose that belong together: a paragraph, a list item, a heading, a table row."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """A value that prose gives a field, or the reason why it can't be read."""

    field: Field
    value: Value | None
    line: int
    quote: str
    fault: str = ""


def split_passages(lines: Iterable[tuple[int, str]]) -> Iterator[Passage]:
    """Join numbered lines to passages; open tasks are left out, since they state nothing yet."""
    start, joined, last, alone = 0, list[str](), 0, False
    for number, line in lines:
        begins = _BEGINNING.match(line)
        if joined and (begins or alone or number != last + 1):
            yield Passage(start, "\n".join(joined))
            joined = []
        if not joined:
            start = number
        alone = begins is not None and begins["alone"] is not None
        if _OPEN_TASK.match(line):
            alone = True
        else:
            joined.append(line)
        last = number
    if joined:
        yield Passage(start, "\n".join(joined))


def read_passage(rules: SchemaRules, entity: str, passage: Passage) -> Iterator[Found]:
    """Find the values that a passage in a note about `entity` gives."""
    lowered = passage.text.lower()
    gates = [gate for gate in rules.gates if gate.opens(lowered)]
    if not gates or len(lowered) > LONGEST_PASSAGE:
        return
    raw = even(passage.text)
    plain = without_marks(raw)
    words: Sequence[tuple[int, int]] = ()
    start = 0
    for sentence in _SENTENCE_END.split(plain):
        for rule, match in _read_sentence(rules, gates, entity, sentence):
            words = words or _align(raw, plain)
            begin, end, value = match.start(), match.end(), match.start("value")
            places = [_place(words, start + at) for at in (begin, value, end - 1)]
            yield _found(rules, rule, match["value"], passage, places)
        start += len(sentence) + 1


_BEGINNING = re.compile(r"[ \t]*(?:(?P<alone>#{1,6}[ \t]|>|\|)|(?:[-*+•]|\d{1,9}[.)])[ \t])")
_OPEN_TASK = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[^xX\]]\][ \t]")


# --- sentences -----------------------------------------------------------------------------------

_SAME_LENGTH = str.maketrans("\n\xa0\u202f\u2010\u2011\u2012\u2018\u2019", "   ---''")
_STRUCK = re.compile(r"~~.+?~~")
_EMPHASIS = re.compile(r"[*`]+|(?<![^\W_])_+|_+(?![^\W_])")
_MARKS = "*`_ \t\n\r\f\v\xa0"
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[\"“(\[]?[A-Z])|(?<=;) ")


def _read_sentence(
    rules: SchemaRules, gates: Sequence[Gate], entity: str, sentence: str
) -> Iterator[tuple[ProseRule, re.Match[str]]]:
    """Match the rules that can match a sentence which states something of this entity."""
    lowered = sentence.lower()
    gates = [gate for gate in gates if gate.opens(lowered)]
    if not gates or len(sentence) > LONGEST_SENTENCE or is_doubtful(sentence):
        return
    if any(other != entity for other in rules.find_ids(sentence)):
        return
    spans: dict[str, list[tuple[int, int]]] = {}
    found: list[tuple[ProseRule, re.Match[str]]] = []
    for gate in gates:
        if gate.kind not in spans:
            quantity = compile_own(QUANTITIES[gate.kind].expression)
            spans[gate.kind] = [match.span() for match in quantity.finditer(sentence)]
        for rule in gate.rules if spans[gate.kind] else ():
            matches = _matches(rules, rule, sentence, spans[gate.kind])
            found += [(rule, match) for match in matches]
    taken = {match.start("value") for _, match in found}
    for rule, match in found:
        if _stands_alone(sentence, match, spans[rule.pattern.quantity], taken):
            yield rule, match


def _stands_alone(
    sentence: str, match: re.Match[str], spans: Sequence[tuple[int, int]], taken: set[int]
) -> bool:
    """Tell whether a value is no bound, not denied and not one of several of which one is meant."""
    start, end = match.span("value")
    if is_bound(sentence, start, end) or is_denied(sentence, *match.span()):
        return False
    others = [(first, last) for first, last in spans if first not in taken]
    return not any(
        is_joined(sentence[end:first] if first >= end else sentence[last:start])
        for first, last in others
        if first >= end or last <= start
    )


def _matches(
    rules: SchemaRules, rule: ProseRule, sentence: str, spans: Sequence[tuple[int, int]]
) -> Iterator[re.Match[str]]:
    """Match a rule; one that begins with its quantity is tried only where there is one."""
    expression = rules.compile(rule.pattern.expression)
    if not rule.pattern.leads:
        yield from (found for found in expression.finditer(sentence) if found["value"])
        return
    for start, _ in spans:
        match = expression.match(sentence, start)
        if match is not None:
            yield match


def even(text: str) -> str:
    """Make white space, hyphens and apostrophes plain and blank what is struck out.

    The length stays the same.
    """
    text = text.replace("\n", " ") if text.isascii() else text.translate(_SAME_LENGTH)
    return _STRUCK.sub(lambda struck: " " * len(struck[0]), text) if "~~" in text else text


def without_marks(text: str) -> str:
    """Return a text without emphasis, all white space as single spaces."""
    return " ".join(_EMPHASIS.sub("", text).split())


def _align(raw: str, plain: str) -> Sequence[tuple[int, int]]:
    """Map where words begin in the plain text to the raw one, which only has more in it.

    Letters that marks part from the rest of their word count as words of their own.
    """
    if raw == plain:
        return [(0, 0)]
    at, begin, words = 0, 0, list[tuple[int, int]]()
    for word in plain.split(" "):
        start = raw.find(word, at)
        if start < 0 or raw[at:start].strip(_MARKS):
            start, pieces = _align_letters(raw, word, at)
            words += [(begin + offset, place) for offset, place in pieces]
            at = start
        else:
            words.append((begin, start))
            at = start + len(word)
        begin += len(word) + 1
    return words


def _align_letters(raw: str, word: str, at: int) -> tuple[int, list[tuple[int, int]]]:
    pieces: list[tuple[int, int]] = []
    for offset, letter in enumerate(word):
        place = raw.index(letter, at)
        pieces.append((offset, place))
        at = place + 1
    return at, pieces


def _place(words: Sequence[tuple[int, int]], at: int) -> int:
    begin, place = words[bisect_right(words, (at, LONGEST_PASSAGE)) - 1]
    return place + at - begin


def _found(
    rules: SchemaRules, rule: ProseRule, text: str, passage: Passage, places: Sequence[int]
) -> Found:
    """Read a value; `places` are the first character of the match, of the value, and the last.

    Line and quote are those of the line where the value begins.
    """
    begin = passage.text.rfind("\n", 0, places[1]) + 1
    end = passage.text.find("\n", places[1])
    last = places[-1] + 1 if end < 0 else min(end, places[-1] + 1)
    quote = passage.text[max(begin, places[0]) : last].strip()[:QUOTE_LENGTH].rstrip()
    line = passage.line + passage.text.count("\n", 0, places[1])
    try:
        return Found(rule.field, _read(rules, rule, text), line, quote)
    except UnreadableValue as error:
        return Found(rule.field, None, line, quote, str(error))


def _read(rules: SchemaRules, rule: ProseRule, text: str) -> Value | None:
    field = rule.field
    if field.type is not Type.REF:
        return field.read(read_quantity(rule.pattern.quantity, text))
    entity = rules.targets[field.target or ""].fit(text)
    return (entity,) if entity and field.is_list else entity
