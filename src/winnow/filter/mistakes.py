"""What people write in a filter instead of what the language has, and what to write."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import StrEnum

from winnow.errors import nearest, unknown
from winnow.filter.ops import CONNECTIVES, OPERATORS, SPELLINGS, TRIPLES, TYPED


class Expecting(StrEnum):
    """What a text filter may go on with at some point; the value says it to a person."""

    TEST = "the name of a field, 'not' or '('"
    OPERATOR = "an operator"
    VALUE = "a value"
    LIST = "'('"
    ITEMS = "',' or ')'"
    UPPER_BOUND = "'and'"
    JOINT = "'and', 'or'"


def explain_operator_in_json(key: str, name: str) -> str:
    """Say what to write for a key that stands where a JSON filter has an operator of `name`."""
    meant = _FOREIGN.get(_plain(key))
    if meant:
        return f"unknown operator {key!r}; write {_either(_IN_JSON.get(op, op) for op in meant)}"
    words = (*TYPED, *CONNECTIVES)
    follow = f"; a field of what it refers to is {name}.{key}" if name else ""
    return unknown("operator", key, words) + ("" if nearest(key, words) else follow)


def explain_operator_in_triple(word: str) -> str:
    """Say what to write for a word or sign that stands where a triple has an operator."""
    known = [op.upper() for op in _FOREIGN.get(_plain(word), ()) if op.upper() in TRIPLES]
    return (
        f"unknown operator {word!r}; write {_either(known)}"
        if known
        else (unknown("operator", word, TRIPLES))
    )


def explain_operator_in_text(word: str) -> str | None:
    """Say what to write for a word or sign that stands where a text filter has an operator."""
    meant = _FOREIGN.get(_plain(word))
    if meant is None:
        known = SPELLINGS.get(word) or nearest(word, TYPED)
        meant = (known,) if known else ()
    return f"write {_either(_IN_TEXT[op] for op in meant)}" if meant else None


def explain_syntax(text: str, position: int, expecting: Expecting) -> str | None:
    """Say what to write where a text filter can't be read, if it is a mistake that we know."""
    before, here = text[max(0, position - _LOOK_BACK) : position], text[position:]
    for states, behind, ahead, hint in _SYNTAX:
        if states and expecting not in states:
            continue
        left, right = re.search(rf"(?:{behind})\Z", before, _FLAGS), re.match(ahead, here, _FLAGS)
        if left and right:
            return _shorten(hint.format(left, right))
    if expecting is not Expecting.OPERATOR:
        return None
    word = _OPERATOR_WORD.match(here)
    return (explain_operator_in_text(word[0]) if word else None) or _ALL_OPERATORS


def explain_number(text: str, name: str, unit: str | None) -> str:
    """Say what to write for a text where a number is needed, "" if nobody can tell.

    `unit` is that of the field of that name.
    """
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return ""
    word = (found["word"] or "").lower()
    is_unit = word not in ("", "%") and unit is not None and unit.lower().startswith(word[:2])
    size = 1 if is_unit or word in ("", "%") else _SIZES.get(word)
    if size is None:
        return f" (the unit of {name} is {unit})" if unit else ""
    number = Decimal(_SEPARATORS.sub("", found["digits"])) * size
    told = f"{number:f}".rstrip("0").rstrip(".") if "." in f"{number:f}" else f"{number:f}"
    if is_unit:
        return f" (write {told}: the unit of {name} is {unit})"
    return f" (write {told}{' without quotes' if told == text else ''})"


_NUMBER = re.compile(
    r"[$€£]?\s*(?P<digits>[+-]?\d{1,40}(?:[_,]\d{3}){0,20}(?:\.\d{1,40})?)\s*(?P<word>%|[^\W\d_]+)?",
    re.ASCII,
)
_SEPARATORS = re.compile(r"[_,]")
_SIZES: Mapping[str, int] = {
    "k": 10**3,
    "thousand": 10**3,
    "m": 10**6,
    "mm": 10**6,
    "mn": 10**6,
    "million": 10**6,
    "b": 10**9,
    "bn": 10**9,
    "billion": 10**9,
}


# --- operators of other languages ----------------------------------------------------------------

_PARTS_OF_TEXT = ("contains", "startsWith", "endsWith")
_FOREIGN: Mapping[str, tuple[str, ...]] = {
    "=": ("eq",),
    "==": ("eq",),
    "===": ("eq",),
    "!==": ("ne",),
    "=>": ("gte",),
    "=<": ("lte",),
    "is": ("eq", "isNull"),
    "equal": ("eq",),
    "equals": ("eq",),
    "!=": ("ne",),
    "≠": ("ne",),
    "<>": ("ne",),
    "neq": ("ne",),
    "noteq": ("ne",),
    "isnot": ("ne",),
    ">": ("gt",),
    "after": ("gt",),
    ">=": ("gte",),
    "≥": ("gte",),
    "ge": ("gte",),
    "from": ("gte",),
    "min": ("gte",),
    "since": ("gte",),
    "<": ("lt",),
    "before": ("lt",),
    "<=": ("lte",),
    "≤": ("lte",),
    "le": ("lte",),
    "max": ("lte",),
    "to": ("lte",),
    "until": ("lte",),
    "range": ("between",),
    "oneof": ("in",),
    "notin": ("nin",),
    "like": _PARTS_OF_TEXT,
    "ilike": _PARTS_OF_TEXT,
    "match": _PARTS_OF_TEXT,
    "matches": _PARTS_OF_TEXT,
    "regex": _PARTS_OF_TEXT,
    "regexp": _PARTS_OF_TEXT,
    "search": _PARTS_OF_TEXT,
    "~": _PARTS_OF_TEXT,
    "=~": _PARTS_OF_TEXT,
    "~=": _PARTS_OF_TEXT,
    "contain": ("contains",),
    "icontains": ("contains",),
    "prefix": ("startsWith",),
    "suffix": ("endsWith",),
    "include": ("contains", "has"),
    "includes": ("contains", "has"),
    "containsany": ("any",),
    "elemmatch": ("any",),
    "some": ("any",),
    "every": ("all",),
    "noneof": ("none",),
    "exist": ("isNotNull",),
    "exists": ("isNotNull",),
    "isnotnull": ("isNotNull",),
    "notnull": ("isNotNull",),
    "empty": ("isNull",),
    "isempty": ("isNull",),
    "missing": ("isNull",),
    "&&": ("and",),
    "||": ("or",),
    "!": ("not",),
    "nor": ("not",),
}
_IN_JSON: Mapping[str, str] = {"isNotNull": '"isNull": false'}
_IN_TEXT: Mapping[str, str] = {
    "isNotNull": "is not null",
    **{word: word for word in CONNECTIVES},
    **{name: row.symbol for name, row in OPERATORS.items()},
}


def _plain(word: str) -> str:
    return re.sub(r"[$_\-\s]", "", word).lower()


def _either(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


# --- mistakes of syntax --------------------------------------------------------------------------

_LOOK_BACK = 200
_SHOWN = 160
_ALL_OPERATORS = f"the operators are {', '.join(_IN_TEXT[name] for name in TYPED)}"
_OPERATOR_WORD = re.compile(r"\w+|[=<>!~&|]+")
_BARE = r"[\w.:/+-]+"
_BARE_TOO = rf"(?!(?:and|or|not|in|is|any|all|none|between)\b){_BARE}"
_WORD_OF_THE_LANGUAGE = (
    r"(?P<word>in|between|contains|starts_?with|ends_?with|has|any|all|none|everything|nothing)"
)
_NOTHING = r"(?:missing|empty|absent|undefined|unset|unknown|nil|blank)\b"
_SOMETHING = r"(?:present|set|known|defined|given|there)\b"
_A_NUMBER = r"\s*[+-]?\d+(?:\.\d+)?\s+"
_UNIT = r"(?:percent|pct|usd|eur|dollars?|euros?|minutes?|hours?|days?|weeks?|months?|years?)\b"
_LONE_WORD = r"(?!(?:and|or|not)\b)[^\W\d]\w*\s*(?:\Z|\)|(?:and|or)\b)"
_NUMBER_ALONE = "write the number alone, in the unit of {0[name]}"
_QUOTE_THE_NAME = '{0[word]} is a word of the language; write a field of that name "{0[word]}"'
_FLAGS = re.IGNORECASE | re.DOTALL
_ANYWHERE: tuple[Expecting, ...] = ()
_E = Expecting

# What was expected, the text before the mistake, the text from it on, what to say: the first row
# that fits. `{0[…]}` is a part of the text before, `{1[…]}` one of the text after. Compiled when a
# mistake is made, which saves 5 ms each time that Winnow starts.
_SYNTAX: tuple[tuple[tuple[Expecting, ...], str, str, str], ...] = (
    ((_E.JOINT,), r"\w", r"['‘’]", "write a text with such signs in quotes"),
    (_ANYWHERE, r"", r"[“”„«»‘’‚‹›]", "write straight quotes, \" or '"),
    (_ANYWHERE, r"", r'("(?:[^"\\]|\\.|"")*)\Z', "this quote is never closed"),
    (_ANYWHERE, r"", r"('(?:[^'\\]|\\.|'')*)\Z", "this quote is never closed"),
    (_ANYWHERE, r"", r"&", "write and"),
    (_ANYWHERE, r"", r"\|", "write or"),
    ((_E.TEST,), r"", r"!", "write not"),
    ((_E.TEST,), r"", r"(?P<word>is|and|or)\s*[=<>!≤≥≠]", _QUOTE_THE_NAME.replace("0[", "1[")),
    ((_E.TEST,), r"\(\s*", r"\)", "write everything in the brackets if all will do"),
    ((_E.TEST,), r"^\s*", r"[{\[]", "this looks like JSON, which goes into filters"),
    (
        (_E.OPERATOR,),
        r"\b(?P<word>any|all|none)\s*",
        r"\[",
        'write {0[word]} in ("a", "b")',
    ),
    ((_E.TEST, _E.OPERATOR), r"", r"[`\[]", 'a name is quoted like this: metadata."a.b"'),
    (
        (_E.VALUE, _E.LIST, _E.OPERATOR, _E.JOINT),
        rf"(?:^|\b(?:and|or|not)\s|\()\s*{_WORD_OF_THE_LANGUAGE}\s*",
        r"[=<>!≤≥≠]|(?:in|is)\b",
        _QUOTE_THE_NAME,
    ),
    ((_E.LIST,), r"", r"", 'write a list in brackets, such as in ("a", "b")'),
    ((_E.UPPER_BOUND,), r"", r"", "write between 10 and 20"),
    ((_E.VALUE,), r"\bbetween\s*", r"[(\[]", "write between 10 and 20"),
    ((_E.VALUE,), r"", r"[\[{]", 'write a list in brackets, such as ("a", "b")'),
    ((_E.VALUE,), r"", r"[a-z]\w*", "{1[0]} is a word of the language; write it in quotes"),
    ((_E.VALUE,), r",\s*", r"\)", "leave out the last comma"),
    ((_E.VALUE,), r"", r"[$€£]", "write the number alone"),
    ((_E.VALUE,), r"", r"[^\s),]", "write a text with such signs in quotes"),
    (
        (_E.OPERATOR,),
        r"\b(?P<word>any|all|none)\s*\([^()]*",
        r"[,)]",
        'write {0[word]} in ("a", "b")',
    ),
    (
        (_E.OPERATOR,),
        r"\b(?P<word>any|all|none)\s+",
        r"[\"'\w]",
        'write {0[word]} = "a" or {0[word]} in ("a", "b")',
    ),
    ((_E.OPERATOR,), r"^\s*where\s+", r"", "leave out the word where"),
    ((_E.OPERATOR,), r"(?P<name>\S+)\s+", r"not\b", "write not {0[name]} …, or not in (…)"),
    ((_E.OPERATOR,), r"", rf"is\s+(?:not\s+{_NOTHING}|{_SOMETHING})", "write is not null"),
    ((_E.OPERATOR,), r"", rf"is\s+{_NOTHING}", "write is null"),
    ((_E.OPERATOR,), r"", r"is\s+not\b", "write != (is not goes only with null)"),
    ((_E.OPERATOR,), r"", r"is\b", "write = (is goes only with null)"),
    ((_E.OPERATOR,), r"", r"\.", "a dot stands between two parts of a name"),
    ((_E.OPERATOR,), r"", r"\(", "there are no functions; a test is a field, operator, value"),
    ((_E.OPERATOR,), r"", r"(?:and|or)\b|\)|\Z", "a test is a field, an operator and a value"),
    ((_E.JOINT,), r"with\s+\S+\s*|contains\s+\S+\s*", r"%", "write a text with signs in quotes"),
    ((_E.JOINT, _E.ITEMS), r"\d\s*", r"%", "write the number without %"),
    ((_E.JOINT,), r"\d", r",\d\d\d\b", "write the number without commas"),
    (
        (_E.JOINT,),
        rf"[=<>≤≥≠]{_A_NUMBER}",
        r"(?:hundred|thousand|million|billion)s?\b",
        "write the number in digits alone, such as 45000000",
    ),
    ((_E.JOINT,), rf"(?P<name>{_BARE})\s*[=≤≥≠]{_A_NUMBER}", _UNIT, _NUMBER_ALONE),
    ((_E.JOINT,), rf"(?P<name>{_BARE})\s*[<>≤≥]=?{_A_NUMBER}", _LONE_WORD, _NUMBER_ALONE),
    ((_E.JOINT,), r"", r"(?:order|group|sort)\s+by\b|limit\b", "orderBy and limit stand apart"),
    (
        (_E.JOINT,),
        rf"(?:[=<>]|\b(?:contains|with|has))\s*(?P<words>{_BARE}(?:\s+{_BARE})*)\s+",
        rf"{_BARE_TOO}(?:\s+{_BARE_TOO})*",
        'write a text of several words in quotes: "{0[words]} {1[0]}"',
    ),
    ((_E.JOINT,), r"", r"[=<>!≤≥≠]|between\b", "write a test of its own, joined by and"),
    ((_E.JOINT,), r"", r"[,;]", "join tests by and, or by or"),
    ((_E.JOINT,), r"[\w.:/+-]", r"[^\s\w()\"']", "write a text with such signs in quotes"),
    ((_E.ITEMS,), r"", r"[^\s),]", "put commas between the values of a list"),
)


def _shorten(hint: str) -> str:
    line = " ".join(hint.split())
    line = line if line.isprintable() else line.encode("unicode_escape").decode()
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
