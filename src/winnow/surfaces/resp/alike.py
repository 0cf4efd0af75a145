"""Commands of a pipeline that are alike: many memories for one index, read column by column.

Most of what is stored in bulk comes so. What is out of the ordinary in any way, and every error,
is left to the commands themselves: here it only has to be noticed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, TypeAlias, cast

from winnow.embed.floats import SIZE, is_finite
from winnow.surfaces.resp.config import Config
from winnow.surfaces.resp.grammar import read_floats, read_integer
from winnow.surfaces.resp.protocol import Broken, Received
from winnow.surfaces.resp.replies import Refusal
from winnow.surfaces.resp.runs import Form, Run, Words

FEWEST: Final = 8
"""Commands that are read one by one as quickly."""
MOST: Final = 1_000
"""Commands of one transaction: others wait for it."""


@dataclass(slots=True)
class Alike:
    """What such commands say: a column for each option that they have, None for one they lack."""

    key: bytes
    ids: Sequence[str] | None = None
    texts: Sequence[str] | None = None
    vectors: Sequence[bytes] | None = None
    importances: Sequence[float] | None = None
    seconds: Sequence[int] | None = None
    metadata: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    longest: int = 0
    """Bytes of the longest text."""


def find_form(words: Words) -> Form | None:
    """Return the form of commands that add memories as this one does, None if it can't be told."""
    if not _FEWEST_WORDS <= len(words) <= _MOST_WORDS or words[0] not in _NAMES:
        return None
    form: list[bytes | int | None] = [*words[:_OPTIONS_AT]]
    while len(form) < len(words):
        at = len(form)
        option = _OPTIONS.get(words[at].upper())
        if option is None or at + option.words > len(words):
            return None
        *same, value = words[at : at + option.words]
        form += [*same, len(value) if option.sized else None]
    return None if sum(map(len, _same_words(form))) > _MOST_SAME else Form(tuple(form))


def group_alike(received: Received) -> Iterator[Run | Words | Broken]:
    """Yield what was received in its order, with commands in a row that may be alike together."""
    if len(received) < FEWEST and Run not in map(type, received):
        yield from received
        return
    for form, some in groupby(received, _form_of):
        if form is None:
            yield from some
        else:
            for run in form.join(cast("Iterable[Words | Run]", some)).split(MOST):
                yield from [run] if len(run) >= FEWEST else run.commands()


def read_alike(run: Run, config: Config) -> Alike | None:
    """Read commands by their columns; None if they have to be read one by one."""
    words, at = run.form.words, _OPTIONS_AT
    alike = Alike(cast(bytes, words[1]))
    try:
        for column in run.columns:
            option = _OPTIONS[cast(bytes, words[at]).upper()]
            at += option.words
            if not option.read(alike, cast(bytes, words[at - 2]), column):
                return None
    except (Refusal, UnicodeDecodeError):
        return None
    if alike.texts is None or alike.longest > config["mem-max-text-bytes"]:
        return None
    return alike


def _same_words(form: Iterable[bytes | int | None]) -> list[bytes]:
    return [word for word in form if isinstance(word, bytes)]


def _form_of(one: Words | Run | Broken) -> Form | None:
    if isinstance(one, Run):
        return one.form
    return None if isinstance(one, Broken) else find_form(one)


# --- options, each of which may stand once, but for the metadata -----------------------------

_Column: TypeAlias = Sequence[bytes]


def _read_ids(alike: Alike, name: bytes, column: _Column) -> bool:
    was, alike.ids = alike.ids, _decode(column)
    return was is None


def _read_texts(alike: Alike, name: bytes, column: _Column) -> bool:
    was, alike.texts = alike.texts, _decode(column)
    alike.longest = max(map(len, column))
    return was is None


def _read_vectors(alike: Alike, name: bytes, column: _Column) -> bool:
    was, alike.vectors = alike.vectors, column
    return was is None and not len(column[0]) % SIZE and is_finite(b"".join(column))


def _read_importances(alike: Alike, name: bytes, column: _Column) -> bool:
    was, alike.importances = alike.importances, read_floats(column)
    return was is None and all(0 <= one <= 1 for one in alike.importances)


def _read_seconds(alike: Alike, name: bytes, column: _Column) -> bool:
    was, alike.seconds = alike.seconds, [*map(read_integer, column)]
    return was is None and min(alike.seconds) > 0


def _read_metadata(alike: Alike, name: bytes, column: _Column) -> bool:
    key = name.decode()
    was = alike.metadata.get(key)
    alike.metadata[key] = _decode(column)
    return was is None


@dataclass(frozen=True, slots=True)
class _Option:
    """An option: how many words it takes with its token, and what reads the column of the last.

    `read` gets the word before it, too, which is the same in all. `sized` values have one size.
    """

    words: int
    read: Callable[[Alike, bytes, _Column], bool]
    sized: bool = False


def _decode(column: _Column) -> list[str]:
    return [*map(bytes.decode, column)]


_NAMES: Final = frozenset({b"MEM.ADD", b"mem.add"})
_OPTIONS_AT: Final = 2
_FEWEST_WORDS: Final = 4
_MOST_WORDS: Final = 256
_MOST_SAME: Final = 4_096
"""Bytes of the words that are the same in all."""
_OPTIONS: Final[Mapping[bytes, _Option]] = {
    b"ID": _Option(2, _read_ids),
    b"TEXT": _Option(2, _read_texts),
    b"VEC": _Option(2, _read_vectors, sized=True),
    b"META": _Option(3, _read_metadata),
    b"IMPORTANCE": _Option(2, _read_importances),
    b"TTL": _Option(2, _read_seconds),
}
