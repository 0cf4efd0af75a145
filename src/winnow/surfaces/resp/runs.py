"""Commands in a row that have one form, taken out of bytes at once.

A pipeline that stores much says the same in each command, but for some words. One pattern finds
all such commands, and they come as columns: for each of those words what the commands have there.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat
from typing import Final, TypeAlias

Words: TypeAlias = list[bytes]


@dataclass(frozen=True, slots=True)
class Form:
    """What commands have in common: the words that are the same in all of them.

    In place of a word that differs stands its size if that is the same in all, else None.
    """

    words: tuple[bytes | int | None, ...]

    def join(self, commands: Iterable["Words | Run"]) -> "Run":
        """Return commands, all of which have this form, as one run."""
        parts = [one.columns if isinstance(one, Run) else self._pick(one) for one in commands]
        if len(parts) == 1:
            return Run(self, parts[0])
        columns = zip(*parts, strict=True)
        return Run(self, [[*chain.from_iterable(column)] for column in columns])

    def take(self, data: bytes, at: int) -> "tuple[Run, int] | None":
        """Take the commands of this form that begin at a place, one behind the other.

        Return them, and where they end; None if there are none, or one is not as clients write it.
        """
        found = _compile(self).findall(data, at)
        rest = found.pop()[-1] if found and found[-1][-1] else b""
        groups = iter([*zip(*found, strict=True)])
        columns: list[Sequence[bytes]] = []
        for word in self.words:
            if isinstance(word, bytes):
                continue
            sizes, column = next(groups, ()) if word is None else (), next(groups, ())
            if word is None and [*sizes] != [*map(SIZES.__getitem__, map(len, column))]:
                return None
            columns.append(column)
        return (Run(self, columns), len(data) - len(rest)) if found else None

    def _pick(self, words: Words) -> list[Sequence[bytes]]:
        """Return the words that the form leaves open."""
        own = zip(words, self.words, strict=True)
        return [(word,) for word, same in own if not isinstance(same, bytes)]


@dataclass(frozen=True, slots=True)
class Run:
    """Commands in a row of one form: a column for each word that the form leaves open."""

    form: Form
    columns: Sequence[Sequence[bytes]]

    def __len__(self) -> int:
        """Count the commands."""
        return len(self.columns[0])

    def split(self, most: int) -> Iterator["Run"]:
        """Yield the commands, so many at a time."""
        for start in range(0, len(self), most):
            yield Run(self.form, [column[start : start + most] for column in self.columns])

    def commands(self) -> Iterator[Words]:
        """Yield the commands one by one."""
        columns = iter(self.columns)
        words = [repeat(w) if isinstance(w, bytes) else next(columns) for w in self.form.words]
        return map(list, zip(*words))  # noqa: B905 - what all have has no end


class _Sizes(dict[int, bytes]):
    """The line before a word, by the length of the word."""

    def __missing__(self, size: int) -> bytes:
        return b"$%d" % size


SIZES: Final = _Sizes((size, b"$%d" % size) for size in range(8_193))


@lru_cache(64)
def _compile(form: Form) -> re.Pattern[bytes]:
    """Return the pattern of a command, which leaves what comes behind the last in one piece."""
    parts = [re.escape(b"*%d\r\n" % len(form.words))]
    for word in form.words:
        if word is None:
            parts.append(rb"(\$[0-9]++)\r\n([^\r]*+)\r\n")
        elif isinstance(word, int):
            parts.append(rb"\$%d\r\n(.{%d})\r\n" % (word, word))
        else:
            parts.append(re.escape(b"$%d\r\n%b\r\n" % (len(word), word)))
    return re.compile(b"%b|(.+)" % b"".join(parts), re.DOTALL)
