"""Klyro's words: runs of ASCII letters, digits, `_` and bytes above 127, in lower case.

Only ASCII has a lower case here. Single bytes and stop words are left out, and nothing is stemmed.
"""

from typing import Final


def find_words(text: bytes) -> list[bytes]:
    """Return the words of a text, in order and as often as they come."""
    return [part for part in split_text(text) if is_word(part)]


def split_text(text: bytes) -> list[bytes]:
    """Return the runs of a text, in lower case; those that are no words are among them."""
    return text.translate(_LETTERS).split()


def is_word(part: bytes) -> bool:
    """Tell whether a run counts as a word."""
    return len(part) > 1 and part not in STOP_WORDS


STOP_WORDS: Final = frozenset(
    b"an and are as at be but by for from had has have he her his in is it its of on or she that"
    b" the their them then there these they this to was were with".split()
)
# What is no part of a word becomes a space.
_LETTERS: Final = bytes(
    byte if byte >= 0x80 or chr(byte).isalnum() or byte == ord("_") else ord(" ")
    for byte in bytes(range(256)).lower()
)
