"""Guards of the rules: where a phrase only seems to give a kind away.

Each gets a text in lower case and where the phrase in it begins and ends.
"""

import re
from functools import cache

_REACH = 100


def is_decided(lowered: str, start: int, end: int) -> bool:
    """Tell whether a decision is made, not denied: "we have not decided to", "we will not"."""
    before = _clause_before(lowered, start)
    if before and (_compile(_DENIED).search(before) or _compile(_DENIED_AFAR).search(before)):
        return False
    will = lowered.startswith("will", end - len("will"))
    return not (will and _compile(_NOT_NEXT).match(lowered, end, end + _REACH))


def is_settled(lowered: str, start: int, end: int) -> bool:
    """Tell whether a line "decision: …" names one, unlike "no decision:", "decision: pending"."""
    if _compile(_NO_BEFORE).search(lowered, max(0, start - _REACH), start):
        return False
    return _compile(_OPEN).match(lowered[end : end + _REACH]) is None


def is_dated(lowered: str, start: int, end: int) -> bool:
    """Tell whether a date or a clock time stands in the sentence of a phrase."""
    before = lowered[max(0, start - _REACH) : start]
    after = lowered[end : end + _REACH]
    sentence_end = _compile(_SENTENCE_END)
    sentence = sentence_end.split(before)[-1] + "\n" + sentence_end.split(after, maxsplit=1)[0]
    return _compile(_DATE_OR_TIME).search(sentence) is not None


def is_no_idiom(lowered: str, start: int, end: int) -> bool:
    """Tell "event: …" from "in any event: …"."""
    return _compile(_IN_ANY).search(lowered, max(0, start - _REACH), start) is None


def is_verb(lowered: str, start: int, end: int) -> bool:
    """Tell "the lease states that" from "the United States that" and "the member states that"."""
    return _compile(_OF_STATES).search(lowered, max(0, start - _REACH), start) is None


# --- denial --------------------------------------------------------------------------------------

_CLAUSE_END = r"[.;:!?,()—–]|\n\s*(?:\n|[-*+>#•])"
_NOT = r"(?:\bnot|\bnever|\bcannot|\bhardly|\bscarcely|\bbarely|n['’]t|\bcant|\bdont|\bdidnt)"
_DENIED = (
    rf"(?:{_NOT}|\bwithout|\bwhether|\bif|\bunless)\s+"
    r"(?:(?:yet|ever|even|really|actually|been|be|having|have|has|had|so|far|to|we|they|he|she|you"
    r"|i|it|all|(?!only\b)\w+ly)\s+){0,4}\Z"
)
_DENIED_AFAR = (
    r"(?:\b(?:nobody|no[ -]one|none|neither|nor|whether|doubts?|doubtful|unlikely)"
    rf"|{_NOT}\s+(?:\w+ly\s+)?(?:think|believe|know|say|said|mean|agree|true|sure|certain|clear"
    r"|confirm(?:ed)?|claim))\s+(?:(?!(?:and|but|so|then|because)\b)[\w'’-]+\s+){0,6}\Z"
)
_NOT_NEXT = r"\s+(?:\w+ly\s+)?(?:(?:not|never|neither)\b(?!\s+(?:only|just|merely)\b)|see\b)"
_NO_BEFORE = r"\b(?:no|not a|without a|without any)\s+(?:\w+\s+)?\Z"
_OPEN = (
    r"[\s*_]*(?:(?:none|nothing|n/a|nil|tbd|tba|tbc|undecided|pending|open|deferred|postponed)"
    r"(?=[*_\s]*(?:[.,;!)\n]|\Z))|pending\b|undecided\b|tb[acd]\b"
    r"|(?:none|nothing|not)\s+(?:yet|so far|been|made|taken|reached)\b)"
)
_IN_ANY = r"\b(?:in|at)\s+(?:any|the|that|either|this)\s+\Z"
_OF_STATES = (
    r"(?:\b(?:united|member|the|these|those|all|some|many|most|several|other|few|between|of|in|two"
    r"|three|possible|different|both|such|which|what|nation|neighbou?ring|southern|northern|eastern"
    r"|western|gulf|baltic))\s+\Z"
)


def _clause_before(lowered: str, start: int) -> str:
    """Return what stands before a place in its clause, as far as it matters."""
    return _compile(_CLAUSE_END).split(lowered[max(0, start - _REACH) : start])[-1]


# --- dates and times -----------------------------------------------------------------------------

_SENTENCE_END = (
    r"(?<!jan)(?<!feb)(?<!mar)(?<!apr)(?<!jun)(?<!jul)(?<!aug)(?<!sep)(?<!ept)(?<!oct)(?<!nov)"
    r"(?<!dec)[.!?][\"”’')\]]*\s|[。！？;]|\n\s*(?:\n|[-*+>#•|])"
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"(?:3[01]|[12]?\d|0\d)(?:st|nd|rd|th)?"
_HOUR = r"(?:2[0-4]|[01]?\d)"
_HOUR_WORD = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,2})"
_DATE_OR_TIME = "|".join(
    (
        rf"(?<![\d:：.,]){_HOUR}[:：][0-5]\d(?:[:：][0-5]\d)?(?![\d:：])",
        rf"(?<![\d:：.]){_HOUR}(?:[:.][0-5]\d)?\s?[ap]\.?m\b",
        rf"\b{_HOUR}h[0-5]\d\b|\b(?:2[0-4]|[01]\d)[0-5]\d\s?(?:h|hrs?|hours|utc|gmt|z)\b",
        rf"\b{_HOUR_WORD}\s(?:o['’]?clock|[ap]\.?m\b)|\b(?:half|quarter)\s(?:past|to)\s",
        r"\b(?:noon|midday|midnight)\b",
        r"(?<![\d.-])\d{4}([-/.])(?:1[0-2]|0?[1-9])(?:\1(?:3[01]|[12]\d|0?[1-9]))?(?![\d-])",
        r"(?<![\d./])(?:3[01]|[12]\d|0?[1-9])([./-])(?:3[01]|[12]\d|0?[1-9])\2\d{4}(?![\d.])",
        r"(?<![\d./])(?:3[01]|[12]\d|0?[1-9])/(?:3[01]|[12]\d|0?[1-9])(?:/\d\d)?(?![\d/])",
        rf"\b{_DAY}\s(?:of\s)?{_MONTH}|\b{_MONTH}\s(?:the\s)?(?:{_DAY}|\d{{4}})\b",
        rf"\bthe\s\d{{1,2}}(?:st|nd|rd|th)(?=\s*(?:[,.;!?)]|\Z|at\b|of\s{_MONTH}))",
        r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:yesterday|today|tonight)\b",
        r"\d{1,2}\s?[月月]\s?\d{1,2}\s?[日号號]",
    )
)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Compile when first used: a command that writes nothing need not wait for it."""
    return re.compile(pattern)
