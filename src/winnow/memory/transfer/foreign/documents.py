"""JSON that is one long document, read item by item: no more than one item is held.

An item that is broken inside, but whose brackets close, costs no other.
"""

import codecs
import re
from collections.abc import Iterator
from io import BufferedReader
from itertools import count
from typing import Final

from winnow.memory.transfer.foreign.decoding import BYTE_ORDER_MARK, describe_byte
from winnow.memory.transfer.lines import read_json
from winnow.values import UnreadableValue

BLOCK: Final = 1 << 16
"""Bytes that are read at a time, at least."""
LONGEST_ITEM: Final = 1 << 26
"""Characters of one item; no memory is as long as that."""


class Broken(UnreadableValue):
    """The document can't be read on from here."""


class Document:
    """What is left to read of a document; `line` is where that begins, from 1."""

    def __init__(self, stream: BufferedReader) -> None:
        self.line = 1
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._text = ""
        self._at = 0
        self._offset = 0  # of the text's first character, in bytes
        self._begin()

    def peek(self) -> str:
        """Return the next character that is not blank, "" at the end."""
        while True:
            found = _SOLID.search(self._text, self._at)
            self._pass(found.start() if found else len(self._text))
            if found:
                return found[0]
            if not self._more():
                return ""

    def take(self, wanted: str) -> str:
        """Pass the next character, which must be one of those; raises Broken."""
        found = self.peek()
        if not found or found not in wanted:
            raise self.broken(f"expected {' or '.join(wanted)}, got {found or 'the end'}")
        self._pass(self._at + 1)
        return found

    def value(self) -> object:
        """Read the next value; an UnreadableValue if it is wrong inside. Raises Broken."""
        line = self.line if self.peek() else 0
        begin, end = self._at, self._find_end()
        text = self._text[begin:end]
        bad = _NOT_UTF8.search(text)
        offset = 0 if bad is None else self._count_bytes(begin + bad.start())
        self._pass(end)
        if bad is not None:
            return describe_byte(ord(bad[0]) - _ESCAPED, offset)
        found = read_json(text)
        return UnreadableValue(f"line {line}: {found}") if is_wrong(found) else found

    def items(self) -> Iterator[tuple[int, object]]:
        """Read a list, each item with its number from 0."""
        self.take("[")
        if self.peek() == "]":
            self.take("]")
            return
        for number in count():
            yield number, self.value()
            if self.take(",]") == "]":
                return

    def names(self) -> Iterator[object]:
        """Read an object as far as each value, which must be read before the next key."""
        self.take("{")
        if self.peek() == "}":
            self.take("}")
            return
        while True:
            if self.peek() != '"':
                raise self.broken("expected a key in quotes")
            key = self.value()
            self.take(":")
            yield key
            if self.take(",}") == "}":
                return

    def broken(self, detail: str) -> Broken:
        """Say what is wrong here, and that nothing more is read."""
        return Broken(f"line {self.line}: {detail}; what follows was not read")

    def _find_end(self) -> int:
        """Return where the value that begins here ends."""
        scalar = self._text[self._at : self._at + 1] not in _OPENINGS
        depth, at, in_text = 0, self._at, False
        while True:
            pattern = _AFTER_SCALAR if scalar else _IN_TEXT if in_text else _MARK
            found = pattern.search(self._text, at)
            if found is None:
                at = max(at, len(self._text))
                if not self._more():
                    return self._end_of_file(scalar=scalar)
                continue
            mark, at = found[0], found.end()
            if scalar and found.start() == self._at:  # nothing may be read twice
                raise self.broken(f"expected a value, got {mark}")
            if scalar:
                return found.start()
            if mark == "\\":
                at += 1  # whatever is escaped
            elif mark == '"':
                in_text = not in_text
            else:
                depth += 1 if mark in "{[" else -1
            if depth == 0 and not in_text:
                return at

    def _end_of_file(self, *, scalar: bool) -> int:
        if not scalar or self._at == len(self._text):
            raise self.broken("what begins here never ends")
        return len(self._text)

    def _begin(self) -> None:
        if self._stream.peek(len(BYTE_ORDER_MARK)).startswith(BYTE_ORDER_MARK):
            self._offset = len(self._stream.read(len(BYTE_ORDER_MARK)))

    def _pass(self, at: int) -> None:
        self.line += self._text.count("\n", self._at, at)
        self._at = at
        if at > BLOCK:
            self._offset = self._count_bytes(at)
            self._text = self._text[at:]
            self._at = 0

    def _more(self) -> bool:
        """Read more behind the text; the more of it there is, the more, so that it ends soon."""
        if len(self._text) - self._at > LONGEST_ITEM:
            raise self.broken(f"longer than {LONGEST_ITEM:,} characters")
        block = self._stream.read(max(BLOCK, len(self._text)))
        self._text += self._decoder.decode(block, not block)
        return bool(block)

    def _count_bytes(self, at: int) -> int:
        return self._offset + len(self._text[:at].encode("utf-8", "surrogateescape"))


def is_wrong(value: object) -> bool:
    """Tell whether something stands for a value that can't be read."""
    return isinstance(value, UnreadableValue)


_SOLID = re.compile(r"[^ \t\r\n]")
_MARK = re.compile(r'["{}\[\]]')
_IN_TEXT = re.compile(r'["\\]')
_AFTER_SCALAR = re.compile(r"[\s,\]}:]")
_OPENINGS: Final = ('"', "{", "[")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_ESCAPED: Final = 0xDC00
