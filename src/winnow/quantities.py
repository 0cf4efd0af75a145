"""Quantities in English prose: what `{percent}` or `{months}` stands for in a pack's patterns.

Each is a regular expression without named groups, compiled without regard to case, and a
reader for what it matched. An expression takes a whole run of number words, and its reader
understands all of the run or nothing, so that "ten and twelve percent" never becomes 12.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from winnow.values import UnreadableValue


@dataclass(frozen=True, slots=True)
class Quantity:
    """A kind of value in prose.

    Text that matches `expression` holds one of the lower-case `marks`, if there are any; `read`
    raises UnreadableValue.
    """

    expression: str
    read: Callable[[str], str | int | float]
    marks: tuple[str, ...] = ()


def read_quantity(name: str, text: str) -> str | int | float:
    """Read what the placeholder `name` matched: money in US dollars, durations in months.

    Raises UnreadableValue.
    """
    return QUANTITIES[name].read(_SPACES.sub(" ", text).strip())


def read_number_words(text: str) -> int | None:
    """Read an English number such as "one hundred and twenty-five", None if it is not one."""
    words = [word for word in _SEPARATORS.split(text.lower()) if word]
    return _sum_words(words, _SCALES) if words else None


# --- numbers -----------------------------------------------------------------------------------

_SPACES = re.compile(r"\s+")
_SEPARATORS = re.compile(r"[\s,-]+")
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_SMALL: Mapping[str, int] = {word: value for value, word in enumerate(_ONES.split())}
_TENS_IN_ORDER = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS: Mapping[str, int] = {
    word: 10 * value for value, word in enumerate(_TENS_IN_ORDER.split(), start=2)
}
_SCALES: tuple[tuple[str, int], ...] = (
    ("trillion", 10**12),
    ("billion", 10**9),
    ("million", 10**6),
    ("thousand", 10**3),
    ("hundred", 100),
)
_FRACTIONS: Mapping[str, Decimal] = {
    "half": Decimal("0.5"),
    "quarter": Decimal("0.25"),
    "quarters": Decimal("0.75"),
}


def _sum_words(words: list[str], scales: tuple[tuple[str, int], ...]) -> int | None:
    """Split at the largest scale and read both sides with the smaller ones."""
    if not scales:
        return _below_hundred(words)
    (name, size), *smaller = scales
    if name not in words:
        return _sum_words(words, tuple(smaller))
    head, tail = words[: words.index(name)], words[words.index(name) + 1 :]
    count = 1 if head in (["a"], ["one"]) else _sum_words(head, tuple(smaller))
    if not tail:
        return count * size if count else None
    rest = _sum_words(tail[1:] if tail[0] == "and" else tail, tuple(smaller))
    return count * size + rest if count and rest else None


def _below_hundred(words: list[str]) -> int | None:
    if len(words) == 1:
        return _SMALL.get(words[0], _TENS.get(words[0]))
    if len(words) != 2 or words[0] not in _TENS:
        return None
    ones = _SMALL.get(words[1], 0)
    return _TENS[words[0]] + ones if 1 <= ones <= 9 else None


_BOTH = re.compile(r"(?P<outside>[^()]+)\((?P<inside>[^()]+)\)(?P<after>.*)")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?", re.ASCII)
_MIXED = re.compile(r"(.+?)[ -]and[ -](?:a|one|three)[ -](half|quarters?)")
_LONGEST = 40


def _decimal(text: str) -> Decimal:
    """Read digits or words; what stands in brackets behind must say the same."""
    twice = _BOTH.fullmatch(text)
    if twice is None:
        return _one_decimal(text)
    first, second = _one_decimal(twice["outside"]), _one_decimal(twice["inside"])
    if first != second:
        raise UnreadableValue(f"{text!r} says two different numbers")
    return first


def _one_decimal(text: str) -> Decimal:
    plain = text.strip(" -%").lower()
    if _GROUPED.fullmatch(plain) and len(plain) <= _LONGEST:
        return Decimal(plain.replace(",", ""))
    if mixed := _MIXED.fullmatch(plain):
        return _one_decimal(mixed[1]) + _FRACTIONS[mixed[2]]
    whole, point, digits = plain.partition(" point ")
    number = read_number_words(whole)
    fraction = "".join(str(_SMALL.get(word, "x")) for word in digits.split())
    if number is None or (point and not fraction.isdecimal()):
        raise UnreadableValue(f"{text.strip()!r} is not one number")
    return Decimal(f"{number}.{fraction or 0}")


def _plain_number(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)


# --- readers -------------------------------------------------------------------------------------

_PERCENT_SIGN = re.compile(r" ?(?:%|per ?cent|pct\.?)", re.IGNORECASE)
_YEARS = re.compile(r"[ -]?(?:years?|yrs?)\b\.?", re.IGNORECASE)
_MONTHS = re.compile(r"[ -]?(?:months?|mos?)\b\.?", re.IGNORECASE)
_MONEY_WORDS = re.compile(r"(?:us|u\.s\.)?\$|\busd|(?:\bus |\bu\.s\. )?\bdollars?\b")
_MONEY_SCALE = re.compile(r"[ -]?(thousand|million|billion|trillion|k|mm|mn|m|bn|b)$")
_MONEY_SCALES: Mapping[str, int] = {
    **dict.fromkeys(("k", "thousand"), 10**3),
    **dict.fromkeys(("m", "mm", "mn", "million"), 10**6),
    **dict.fromkeys(("b", "bn", "billion"), 10**9),
    "trillion": 10**12,
}


def _read_number(text: str) -> int | float:
    return _plain_number(_decimal(text))


def _read_percent(text: str) -> int | float:
    return _plain_number(_decimal(_PERCENT_SIGN.sub("", text)))


def _read_months(text: str) -> int | float:
    outside, _, inside = text.rpartition("(")
    if not outside or not text.endswith(")"):
        return _plain_number(_months(text))
    first, second = _months(outside), _months(inside[:-1])
    if first != second:
        raise UnreadableValue(f"{text!r} says two different durations")
    return _plain_number(first)


def _months(text: str) -> Decimal:
    """Read "18 months", "two years and six months" or "a year and a half"."""
    plain = text.strip().lower()
    years = _YEARS.search(plain)
    if years is None:
        return _decimal(_MONTHS.sub("", plain))
    count, rest = plain[: years.start()], plain[years.end() :].strip(" -")
    whole = Decimal(1) if count in ("a", "one") else _decimal(count)
    if not rest:
        return whole * 12
    rest = rest.removeprefix("and").strip(" -")
    extra = Decimal(6) if rest in ("a half", "a-half") else _decimal(_MONTHS.sub("", rest))
    return whole * 12 + extra


def _read_money(text: str) -> int | float:
    amount = _MONEY_WORDS.sub("", text.lower()).strip()
    scale = _MONEY_SCALE.search(amount)
    if scale is None or not amount[0].isdigit():
        return _plain_number(_decimal(amount))
    return _plain_number(_decimal(amount[: scale.start()]) * _MONEY_SCALES[scale[1]])


_MONTHS_IN_ORDER = "jan feb mar apr may jun jul aug sep oct nov dec"
_DATE_PARTS = re.compile(r"[a-z]+|[0-9]+")
_ORDINALS = frozenset({"st", "nd", "rd", "th", "of"})


def _read_date(text: str) -> str:
    if text[:4].isdecimal():
        return text
    words = [word for word in _DATE_PARTS.findall(text.lower()) if word not in _ORDINALS]
    month = next(_MONTHS_IN_ORDER.index(word[:3]) // 4 + 1 for word in words if word.isalpha())
    *day, year = (int(word) for word in words if word.isdecimal())
    if not day:
        return f"{year:04}-{month:02}"
    try:
        return date(year, month, day[0]).isoformat()
    except ValueError as error:
        raise UnreadableValue(f"{text!r} is not a date: {error}") from None


def _read_words(text: str) -> str:
    return text.strip(" .\"'")


# --- expressions ---------------------------------------------------------------------------------

_WORD = (
    r"(?:(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty"
    r"|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|hundred|thousand|million|billion|trillion)\b"
)
_WORDS = (
    rf"(?<!-)(?:a (?=hundred|thousand|million|billion))?{_WORD}"
    rf"(?:(?:,? and |-and-|,? |-){_WORD})*"
    rf"(?: point(?: {_WORD})+|[ -]and[ -](?:(?:a|one)[ -](?:half|quarter)|three[ -]quarters)\b)?"
)
_AMOUNT = r"[0-9]+(?:,[0-9]+)*(?:\.[0-9]+)?(?![0-9])"
_NUMBER = rf"\b(?=[0-9abefhmnostz])(?:(?<![.,/$€£%+~≈<>≤≥–—-]){_AMOUNT}|{_WORDS})"
_IN_BRACKETS = rf"(?: ?\( ?(?:[0-9][0-9.,]*|{_WORD}(?:[ -]{_WORD})*) ?\))?"
_PERCENT = rf"{_NUMBER}{_IN_BRACKETS} ?(?:%|per ?cent\b|pct\b)(?: ?\( ?[0-9][0-9.,]* ?% ?\))?(?!\+)"
_YEARS_AND_MONTHS = (
    rf"{_NUMBER}{_IN_BRACKETS}[ -]?(?:years?|yrs?)\b(?:,? and {_NUMBER} months?\b)?"
    rf"(?:[ -]and[ -]a[ -]half\b)?"
    r"|\b(?<!-)(?<!half )(?<!once )(?<!twice )(?<!times )a[ -]year\b(?:[ -]and[ -]a[ -]half\b)?"
)
_DURATION = (
    rf"(?:{_NUMBER}{_IN_BRACKETS}[ -]?(?:months?|mos?)\b|{_YEARS_AND_MONTHS})"
    rf"(?: ?\( ?{_NUMBER}[ -](?:months?|years?) ?\))?(?!\+)"
)
_SCALE = r"[ -]?(?:thousand|million|billion|trillion|k|mm|mn|m|bn|b)(?![\w&])"
# What would make a sum another one than it seems: a scale not known here, a range, a rate,
# another currency.
_NO_OTHER_SUM = (
    r"(?![\w+]|[.,][0-9]| ?(?:[kmbt]|m[mn]|mil|mio|[bt]n|thousand|\w*illions?)(?!\w)"
    r"| ?(?:-|–|—|to|or) ?\$?[0-9]| ?/| ?(?:per|each|a (?:share|unit|year|month))\b"
    r"| ?(?:cad|aud|nzd|sgd|hkd|canadian|australian|singapore|hong kong)\b)"
)
_MONEY = (
    rf"(?:(?:(?<![\w$])(?:us|u\.s\.)?\$ ?|\busd ?){_AMOUNT}(?:{_SCALE})?(?: usd\b)?{_NO_OTHER_SUM}"
    rf"|{_NUMBER}(?:{_SCALE})? (?:us |u\.s\. )?(?:dollars?|usd)\b{_NO_OTHER_SUM})"
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"[0-9]{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20|21)[0-9]{2}"
_DATE = (
    r"(?<![\w/.-])(?:(?:19|20|21)[0-9]{2}-[0-9]{2}(?:-[0-9]{2})?(?![\w-])"
    rf"|{_MONTH} {_DAY}(?:, ?| ){_YEAR}\b|{_DAY}(?: of)? {_MONTH},? {_YEAR}\b"
    rf"|{_MONTH},? {_YEAR}\b)"
)
_RUN = r"[^ ,;:.()|](?:[^,;:()|]|,(?= (?:inc|llc|ltd|l\.p|corp)\b)){0,120}"

QUANTITIES: Mapping[str, Quantity] = {
    "number": Quantity(rf"{_NUMBER}{_IN_BRACKETS}(?![\w%]|[.,][0-9])", _read_number),
    "percent": Quantity(_PERCENT, _read_percent, ("%", "cent", "pct")),
    "money": Quantity(_MONEY, _read_money, ("$", "usd", "dollar")),
    "months": Quantity(_DURATION, _read_months, ("month", "mo", "year", "yr")),
    "date": Quantity(_DATE, _read_date, ("19", "20", "21")),
    "words": Quantity(_RUN, _read_words),
    "id": Quantity(r"(?<![\w-])[a-z0-9](?:[\w.-]*\w)?", str),
}
