"""Text of others made fit for a terminal."""

import re

# Controls, line separators, signs that turn the direction of writing, halves of surrogate pairs:
# a note must not be able to move the cursor, change colors or forge a line.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_BREAK = re.compile(r"[ \t]*[\r\n]+[ \t]*")


def in_one_line(text: str) -> str:
    """Return a text with line breaks as spaces, and what would act on a terminal as escapes."""
    return _UNSAFE.sub(_escape, _BREAK.sub(" ", text).replace("\t", " "))


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
