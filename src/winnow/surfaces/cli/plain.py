"""Text of others made fit for a terminal."""

import re

# Controls, line separators, signs that turn the direction of writing, halves of surrogate pairs,
# letters that nobody sees: a note must not be able to move the cursor, change colors, forge a line,
# or tell a reader of bytes other than the reader of the screen.
_UNSAFE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
# JSON escapes the other controls itself.
_UNSAFE_IN_JSON = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_BREAK = re.compile(r"[ \t]*[\r\n]+[ \t]*")


def in_one_line(text: str) -> str:
    """Return a text with line breaks as spaces, and what would act on a terminal as escapes."""
    return _UNSAFE.sub(_escape, _BREAK.sub(" ", text).replace("\t", " "))


def in_json(text: str) -> str:
    """Return a JSON document that means the same, without what would act on a terminal."""
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
