"""What clients send, read from bytes: commands, each a list of words. No socket is needed."""

import re
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Final, TypeAlias

from winnow.surfaces.resp.runs import SIZES, Form, Run, Words

MEBIBYTE: Final = 1 << 20
LONGEST_LINE: Final = 64 * 1024
"""Bytes of an inline command, or of the line before a word, as in Redis."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How large what a client sends may be: words of a command, bytes of a word and of all."""

    words: int = MEBIBYTE
    word: int = 64 * MEBIBYTE
    command: int = 256 * MEBIBYTE


STRANGER: Final = Bounds(words=10, word=16 * 1024)
"""What is taken from somebody who has to give a key first, and has not."""


@dataclass(frozen=True, slots=True)
class Broken:
    """What can't be understood; nothing that comes after it can be, either."""

    reason: str

    def __str__(self) -> str:
        return f"Protocol error: {self.reason}"


Received: TypeAlias = list[Words | Run | Broken]
FindForm: TypeAlias = Callable[[Words], Form | None]
"""Returns the form of commands that may be taken together, by one of them."""


def read_commands(
    bounds: Callable[[], Bounds], find_form: FindForm = lambda _: None
) -> Generator[Received, bytes]:
    """Take bytes by `send`, and yield each time what they have completed.

    It begins with an empty yield. After something Broken it is at its end.
    """
    ready: Received = []
    left = _Bytes(find_form)
    while True:
        left.take_plain(ready, bounds())
        if left.is_empty():
            yield from left.receive(ready)
            continue
        start = left.at
        try:
            words = yield from _read_command(left, ready, bounds)
        except _Nonsense as error:
            ready.append(Broken(str(error)))
            yield ready
            return
        if words:
            ready.append(words)
        left.pass_over(start)


def count_commands(received: Received) -> int:
    """Count what each gets a reply."""
    return sum(len(one) if isinstance(one, Run) else 1 for one in received)


class _Nonsense(Exception):
    """A frame that is broken."""


class _Bytes:
    """The bytes that were not read yet, and the size of the word that comes next."""

    __slots__ = ("_find_form", "_form", "_parts", "_place", "at", "data", "size")

    def __init__(self, find_form: FindForm, data: bytes = b"", at: int = 0) -> None:
        self.data = data
        self.at = at
        self.size = _UNKNOWN
        self._find_form = find_form
        self._form: Form | None = None
        """That of the last run of commands."""
        self._parts: list[bytes] | None = None
        """What stands between the ends of lines, from `at` on: part number `_place` is the next."""
        self._place = 0

    def is_empty(self) -> bool:
        """Tell whether all was read."""
        return self.at == len(self.data)

    def take_plain(self, ready: Received, limits: Bounds) -> None:
        """Take the commands that are there whole, as long as each is as clients write them.

        All ends of lines are found in one go. A word that has one in it, or anything that is out
        of the ordinary, is left to be read word by word.
        """
        if not self._is_usual():
            return
        if self._parts is None:
            self._take_run(ready, limits)
            self._parts, self._place = self.data[self.at :].split(b"\r\n"), 0
        parts, place, last = self._parts, self._place, len(self._parts) - 1
        most = min(limits.word, limits.command)
        while place < last and (count := _COUNTS.get(parts[place], _MANY)) <= limits.words:
            end = place + 1 + 2 * count
            sizes, words = parts[place + 1 : end : 2], parts[place + 2 : end : 2]
            lengths = [*map(len, words)]
            size = sum(lengths)
            if end > last or size > most or sizes != [*map(SIZES.__getitem__, lengths)]:
                break
            ready.append(words)
            self.at += len(parts[place]) + 2 + sum(map(len, sizes)) + size + 4 * count
            place = end
        self._place = place

    def _take_run(self, ready: Received, limits: Bounds) -> None:
        """Take the commands that come first, if there is much and they have one form.

        What stands behind them is never looked through for another run: that would be done again
        and again where forms alternate.
        """
        size = len(self.data)
        if size - self.at < _MUCH or size > min(limits.word, limits.command):
            return
        taken = None if self._form is None else self._form.take(self.data, self.at)
        if taken is None:
            self._form = _look_ahead(self.data, self.at, self._find_form, limits)
            taken = None if self._form is None else self._form.take(self.data, self.at)
        if taken is not None and len(taken[0].form.words) <= limits.words:
            run, self.at = taken
            ready.append(run)

    def _is_usual(self) -> bool:
        """Tell whether a line comes that begins a command as clients write it.

        The part that it is in may have begun with lines that end otherwise.
        """
        if not self.data.startswith(b"*", self.at):
            return False
        end = self.data.find(b"\n", self.at) - 1
        if not self.data.startswith(b"\r", max(end, self.at)):
            return False
        if self._parts is not None:
            self._parts[self._place] = self.data[self.at : end]
        return True

    def pass_over(self, start: int) -> None:
        """Go on behind what was read word by word since `start`."""
        if self._parts is not None:
            self._place += self.data.count(b"\r\n", start, self.at)

    def take_line(self) -> bytes | None:
        """Take a line without its end, None if it is not all there."""
        end = self.data.find(b"\n", self.at)
        if end < 0:
            return None
        line = self.data[self.at : end]
        self.at = end + 1
        return line[:-1] if line.endswith(b"\r") else line

    def take_word(self, limits: Bounds) -> bytes | None:
        """Take a word with the line before it, None if it is not all there."""
        data, start = self.data, self.at
        if self.size == _UNKNOWN:
            line_end = data.find(b"\n", start)
            if line_end < 0:
                self.check_line("too big bulk count string")
                return None
            self.size = _read_size(data[start:line_end].removesuffix(b"\r"), limits)
            self.at = start = line_end + 1
        end = start + self.size
        if end + 2 > len(data):
            return None
        if data[end : end + 2] != b"\r\n":
            raise _Nonsense("expected CRLF after the bytes of a word")
        self.at, self.size = end + 2, _UNKNOWN
        return data[start:end]

    def check_line(self, reason: str) -> None:
        """Refuse a line that is longer than any should be, before it has come to its end."""
        if len(self.data) - self.at > LONGEST_LINE:
            raise _Nonsense(reason)

    def receive(self, ready: Received) -> Generator[Received, bytes]:
        """Hand out what is ready, and wait for more bytes: for all of a word whose size is known.

        Those of a word are put together once, however many pieces they come in.
        """
        self._parts = None
        chunks = [self.data[self.at :]]
        missing = max(self.size + 2 - len(chunks[0]), 1)
        while missing > 0:
            handed = ready.copy()
            ready.clear()
            data = yield handed
            chunks.append(data)
            missing -= len(data)
        self.data, self.at = b"".join(chunks), 0


_UNKNOWN: Final = -1
_MANY: Final = 1 << 62
_MUCH: Final = 4_096
"""Bytes from which on it is worth it to look for commands of one form."""
_COUNTS: Final = {b"*%d" % count: count for count in range(1, 257)}


def _look_ahead(data: bytes, at: int, find_form: FindForm, limits: Bounds) -> Form | None:
    """Return the form that the next two commands have in common."""
    left = _Bytes(find_form, data, at)
    form = find_form(_read_whole(left, limits))
    return form if form is not None and find_form(_read_whole(left, limits)) == form else None


def _read_whole(left: _Bytes, limits: Bounds) -> Words:
    """Read a command; no words if it is not all there, or broken."""
    try:
        next(_read_command(left, [], lambda: limits))
    except StopIteration as end:
        words: Words = end.value
        return words
    except _Nonsense:
        return []
    return []


def _read_command(
    left: _Bytes, ready: Received, bounds: Callable[[], Bounds]
) -> Generator[Received, bytes, Words]:
    """Read one command; none of no words is one."""
    while (line := left.take_line()) is None:
        mark = left.data[left.at : left.at + 1]
        left.check_line(f"too big {'mbulk count string' if mark == b'*' else 'inline request'}")
        yield from left.receive(ready)
    if not line.startswith(b"*"):
        if len(line) > LONGEST_LINE:
            raise _Nonsense("too big inline request")
        return split_words(line)
    limits = bounds()
    words: Words = []
    size = 0
    for _ in range(_read_count(line, limits)):
        while (word := left.take_word(limits)) is None:
            yield from left.receive(ready)
        size += len(word)
        if size > limits.command:
            raise _Nonsense("the command is too large")
        words.append(word)
    return words


def _read_size(line: bytes, limits: Bounds) -> int:
    digits = line[1:]
    if not line.startswith(b"$"):
        raise _Nonsense(f"expected '$', got '{line[:1].decode('latin-1') or ' '}'")
    if not digits.isdigit() or len(digits) > _DIGITS or int(digits) > limits.word:
        raise _Nonsense("invalid bulk length")
    return int(digits)


def _read_count(line: bytes, limits: Bounds) -> int:
    """Read how many words a command has; less than one is none at all."""
    digits = line[1:]
    if digits.startswith(b"-") and digits[1:].isdigit():
        return 0
    if not digits.isdigit() or len(digits) > _DIGITS or int(digits) > limits.words:
        raise _Nonsense("invalid multibulk length")
    return int(digits)


# As many as the largest number of 64 bits has: reading more takes longer than they are worth.
_DIGITS: Final = 19


# --- words that are typed by hand -----------------------------------------------------------------


def split_words(line: bytes) -> Words:
    """Split an inline command at its spaces; what stands in quotes is read as Redis does."""
    words: Words = []
    at = 0
    while (at := _skip_spaces(line, at)) < len(line):
        word, at = _take_part(line, at)
        words.append(word)
    return words


def _skip_spaces(line: bytes, at: int) -> int:
    while at < len(line) and line[at : at + 1].isspace():
        at += 1
    return at


def _take_part(line: bytes, at: int) -> tuple[bytes, int]:
    """Take a word, whose last part may be quoted; return it, and where it ends."""
    bare = _BARE.match(line, at)
    word, at = (bare[0], bare.end()) if bare else (b"", at)
    quoted = _DOUBLE.match(line, at) or _SINGLE.match(line, at)
    if quoted is not None:
        word, at = word + _unquote(quoted[0]), quoted.end()
    if at < len(line) and not line[at : at + 1].isspace():
        raise _Nonsense("unbalanced quotes in request")
    return word, at


def _unquote(part: bytes) -> bytes:
    inner = part[1:-1]
    return _ESCAPE.sub(_read_escape, inner) if part[:1] == b'"' else inner.replace(b"\\'", b"'")


def _read_escape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code[1:], 16)]) if len(code) > 1 else _LETTERS.get(code, code)


_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"a": b"\a"}
_BARE = re.compile(rb"[^\s\"']+")
_DOUBLE = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SINGLE = re.compile(rb"'(?:[^'\\]|\\'|\\(?!'))*'", re.DOTALL)
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)
