"""Klyro's words: runs of ASCII letters, digits, `_` and bytes above 127, in lower case.

Only ASCII has a lower case here. Single bytes and stop words are left out, and nothing is stemmed.
"""

import re
from typing import Final


def find_words(text: bytes) -> list[bytes]:
    """Return the words of a text, in order and as often as they come."""
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


STOP_WORDS: Final = frozenset(
    b"an and are as at be but by for from had has have he her his in is it its of on or she that"
    b" the their them then there these they this to was were with".split()
)
_WORD = re.compile(rb"[0-9a-z_\x80-\xff]{2,}")
