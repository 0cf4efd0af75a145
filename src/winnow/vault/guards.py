"""Guards of English prose: which sentences only seem to state a value.

A sentence that asks, proposes, compares, denies or speaks of the past gives nothing, and so does
a value that is a bound, a part or an end of a range.
"""

import re

_DOUBTS = """
propose proposes proposed proposing proposal proposals request requests requested ask asks asked
asking demand demands demanded offer offers offered offering counter counters countered
counteroffer seek seeks seeking sought want wants wanted suggest suggests suggested suggestion
discuss discusses discussed discussing discussion discussions consider considers considered
considering negotiating negotiation negotiations would could might should if unless whether
possible possibly perhaps maybe likely potential potentially reject rejects rejected rejecting
rejection refuse refuses refused refusing refusal decline declines declined withdraw withdraws
withdrawn withdrew waive waives waived waiver struck delete deletes deleted remove removes removed
drop drops dropped replace replaces replaced replacing reduced increased raised lowered instead
rather previous previously former formerly original originally initial initially earlier prior
used typical typically usual usually normal normally average median example instance suppose
assume assumes assumed assuming hypothetical hypothetically versus vs compared unlike another
precedent precedents bid bids wish wishes wished hope hopes hoped plan plans planned cut cuts fell
moved grew rose changed shortened extended lengthened trimmed halved doubled revised renegotiated
practice practices comparable comparables benchmark benchmarks draft drafts redline markup
"""
_DENIALS = "no not never without neither nor none lack lacks lacking cannot nothing"
_BOUNDS = """
least most than over under above below about approximately approx approx. around roughly nearly
almost circa ca ca. some max max. maximum min min. minimum cap floor exceed exceeds exceeding from
half quarter quarters third thirds point per every each hundred thousand million billion article
section clause no. beyond within
"""
_PHRASES = ("market ", "other deal", "other matter", "other transaction", "e.g.", "?", "->", "→")

DOUBTS = frozenset(_DOUBTS.split())
"""Words that make a whole sentence say nothing of how things are now, or not for this entity."""
DENIALS = frozenset(_DENIALS.split())
"""Words that deny what stands in the same clause."""
BOUNDS = frozenset(_BOUNDS.split())
"""Words just before a value, or before "of" and a value, that make it a bound or a part."""


def is_doubtful(sentence: str) -> bool:
    """Tell whether a sentence asks, proposes, compares or speaks of the past."""
    lowered = sentence.lower()
    if not DOUBTS.isdisjoint(_WORD.findall(lowered)):
        return True
    if any(phrase in lowered for phrase in _PHRASES):
        return True
    return bool(_MODAL.search(sentence) or _OF_A_YEAR.search(lowered))


def is_denied(sentence: str, start: int, end: int) -> bool:
    """Look for a denial in the clause around `sentence[start:end]`, but not inside it."""
    before = _CLAUSE_END.split(sentence[:start])[-1]
    after = _CLAUSE_END.split(sentence[end:], maxsplit=1)[0]
    return _denies(before) or _denies(after) or _DISAGREED.match(sentence, end) is not None


def is_bound(sentence: str, start: int, end: int) -> bool:
    """Tell whether the value in `sentence[start:end]` is a bound, a part or an end of a range."""
    before = _ARTICLE.sub("", sentence[max(0, start - _REACH) : start].lower()).rstrip(" (")
    if before and (before[-1] in _BOUND_SIGNS or before[-1].isdigit()):
        return True
    *_, third, second, last = ["", "", "", *before.split(" ")]
    if last == "of":
        last = second
    if last == "and":
        return "between" in before
    if last in _RANGE_WORDS or before[-1:] in _DASHES:
        return second == "up" or _ENDS_IN_NUMBER.search(f"{third} {second}") is not None
    if last in BOUNDS or _begins_range(sentence, start, end):
        return True
    return _BOUND_AFTER.match(sentence, end) is not None


def is_joined(between: str) -> bool:
    """Tell whether two values with this text between them share what is said of the first."""
    return _JOINT.fullmatch(between) is not None


def _denies(clause: str) -> bool:
    lowered = _NUMBERED.sub(" ", clause.lower())
    return not DENIALS.isdisjoint(_WORD.findall(lowered)) or "n't" in lowered


_WORD = re.compile(r"[a-z]+")
_JOINT = re.compile(
    r" ?(?:,|and|or|plus|then|[/+&])(?: and| or| then)? ?"
    r"| (?:for|to|in|on) [\w' ]{1,30}(?:,|;| and|, and) "
    r"| ?\([\w' ]{1,30}\)(?:,|;| and|, and) ",
    re.IGNORECASE,
)
_MODAL = re.compile(r"\b(?:may|can)\b")  # in lower case, since May is a month
_OF_A_YEAR = re.compile(r"\b(?:19|20)[0-9]{2} (?:deal|matter|transaction|round|sale)\b")
_NUMBERED = re.compile(r"\bno\.")  # MAT no. 12
_DISAGREED = re.compile(r"[ ,(]*not (?:yet )?(?:agreed|accepted|final|signed)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(
    r"[,;:()—–]|[.!?] | (?:but|while|whereas|although|though|however) ", re.IGNORECASE
)
_NUMBER = (
    r"(?:[0-9]|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand"
    r"|[a-z]+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\b)"
)
_REACH = 60
_ARTICLE = re.compile(r"\b(?:an?|the) $")
_BOUND_SIGNS = frozenset("~≈<>≤≥±/")
_DASHES = frozenset("-–—")
_RANGE_WORDS = frozenset({"to", "or", "through", "until"})
_ENDS_IN_NUMBER = re.compile(
    rf"(?:{_NUMBER}[a-z0-9.,]*[%mkb]?|percent|cent|pct|months?|years?)[-–—]*$", re.IGNORECASE
)
_RANGE_AFTER = re.compile(
    rf" ?(?:to|or|through|[-–—/]) ?\(?(?:us)?\$?(?:{_NUMBER}[a-z0-9.,-]*)[ -]?(?P<unit>%|[a-z]+)?",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile(
    r" ?(?:,? ?(?:or|and) (?:more|less|longer|shorter|fewer|above|below|up|higher|lower)\b"
    r"|\(?(?:at (?:least|most)|min(?:imum|\.)|max(?:imum|\.))(?!\w))",
    re.IGNORECASE,
)
_SHARE = re.compile(r"%|per ?cent|pct", re.IGNORECASE)
_TIME = re.compile(r"months?|mos?\b|years?|yrs?", re.IGNORECASE)


def _begins_range(sentence: str, start: int, end: int) -> bool:
    """Look for a second number behind a value, unless it is of another kind: 12% / 24 months."""
    found = _RANGE_AFTER.match(sentence, end)
    if found is None:
        return False
    value, unit = sentence[start:end], found["unit"] or ""
    other = (_SHARE.search(value) and _TIME.match(unit)) or (
        _TIME.search(value) and _SHARE.match(unit)
    )
    return not other
