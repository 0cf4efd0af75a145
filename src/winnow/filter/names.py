r"""Dotted names and quoted texts, as both spellings of a filter write them.

A name is parts between dots. A part that holds a dot, or is a word of the language, stands in
quotes: `metadata."a.b"`. In quotes a doubled quote is one, and `\\ \" \' \n \r \t \uXXXX` escape.
"""

import re
from collections.abc import Mapping, Sequence

from winnow.filter.ops import RESERVED, SPELLINGS

# Words that have to be quoted where they are the whole name of a field, in lower case.
WORDS = frozenset(word.casefold() for word in (*RESERVED, *SPELLINGS))


class UnreadableName(ValueError):
    """A name or quoted text that can't be read; `offset` is where in it, in characters."""

    def __init__(self, detail: str, offset: int) -> None:
        super().__init__(detail)
        self.offset = offset


def split_name(text: str) -> tuple[str, ...]:
    """Split a dotted name into its parts, quotes taken off; raise UnreadableName."""
    parts: list[str] = []
    start = 0
    while True:
        part, end = _read_part(text, start)
        parts.append(part)
        if end == len(text):
            return tuple(parts)
        if text[end] != ".":
            raise UnreadableName(
                "a quoted part of a name ends at its quote or goes on with '.'", end
            )
        start = end + 1


def name_in_text(parts: Sequence[str]) -> str:
    """Spell a name as the text of a filter does."""
    return _spell(parts, _BARE_IN_TEXT)


def name_in_json(parts: Sequence[str]) -> str:
    """Spell a name as a key of a JSON filter."""
    return _spell(parts, _BARE_IN_JSON)


def quote(text: str) -> str:
    """Put a text in double quotes."""
    return f'"{_SPECIAL.sub(_escape, text)}"'


def unquote(quoted: str) -> str:
    """Take off the quotes of a text, of either kind, and its escapes; raise UnreadableName."""
    return _ESCAPES[quoted[0]].sub(_unescape, quoted[1:-1])


_PART = re.compile(
    r'(?P<quoted>"(?:[^"\\]|\\.|"")*"|\'(?:[^\'\\]|\\.|\'\')*\')|(?P<bare>[^."\'][^.]*)', re.DOTALL
)
_BARE_IN_TEXT = re.compile(r"@?[^\W\d]\w*(?:-\w+)*")
_BARE_IN_JSON = re.compile(r"[^.\"'$][^.]*", re.DOTALL)
_SPECIAL = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029]')
_ESCAPES: Mapping[str, re.Pattern[str]] = {
    mark: re.compile(rf"\\(?:u(?P<code>[0-9A-Fa-f]{{4}})|(?P<sign>.))|{mark}{mark}", re.DOTALL)
    for mark in ('"', "'")
}
_SIGNS: Mapping[str, str] = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "'": "'"}
_SHORT: Mapping[str, str] = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _read_part(text: str, start: int) -> tuple[str, int]:
    match = _PART.match(text, start)
    if match is None:
        unclosed = text[start : start + 1] in ('"', "'")
        raise UnreadableName(
            "a quote is never closed" if unclosed else "a part of the name is empty", start
        )
    if match["bare"] is not None:
        return match["bare"], match.end()
    try:
        return unquote(match["quoted"]), match.end()
    except UnreadableName as error:
        raise UnreadableName(str(error), start + error.offset) from None


def _spell(parts: Sequence[str], bare: re.Pattern[str]) -> str:
    if len(parts) == 1 and parts[0].casefold() in WORDS:
        return quote(parts[0])
    return ".".join(part if bare.fullmatch(part) else quote(part) for part in parts)


def _escape(match: re.Match[str]) -> str:
    return _SHORT.get(match[0]) or f"\\u{ord(match[0]):04x}"


def _unescape(match: re.Match[str]) -> str:
    offset = match.start() + 1
    if match["code"] is not None:
        return _character(int(match["code"], 16), offset)
    if match["sign"] is None:
        return match[0][0]  # a doubled quote
    if match["sign"] not in _SIGNS:
        raise UnreadableName("no such escape (write \\\\ for a backslash)", offset)
    return _SIGNS[match["sign"]]


def _character(code: int, offset: int) -> str:
    if 0xD800 <= code <= 0xDFFF:
        raise UnreadableName("half a surrogate pair (write the character itself)", offset)
    return chr(code)
