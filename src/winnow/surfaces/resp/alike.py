"""Commands of a pipeline that are alike: many memories for one index, read column by column.

Most of what is stored in bulk comes so. What is out of the ordinary in any way, and every error,
is left to the commands themselves: here it only has to be noticed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast

from winnow.embed.floats import SIZE, is_finite
from winnow.surfaces.resp.config import Config
from winnow.surfaces.resp.grammar import read_float, read_integer
from winnow.surfaces.resp.protocol import Broken, Received, Words
from winnow.surfaces.resp.replies import Refusal

FEWEST: Final = 8
"""Commands that are read one by one as quickly."""
MOST: Final = 1_000
"""Commands of one transaction: others wait for it."""


@dataclass(frozen=True, slots=True)
class Group:
    """Commands in a row that add to one index, and have as many words."""

    commands: Sequence[Words]


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


def group_alike(received: Received) -> Iterator[Group | Words | Broken]:
    """Yield what was received in its order, with commands in a row that may be alike together."""
    group: list[Words] = []
    shape: tuple[int, bytes] | None = None
    for one in received:
        own = _shape_of(one)
        if group and (own != shape or len(group) == MOST):
            yield from _close(group)
            group = []
        if own is None:
            yield one
        else:
            shape = own
            group.append(cast(Words, one))
    yield from _close(group)


def read_alike(group: Group, config: Config) -> Alike | None:
    """Read commands by their columns; None if they have to be read one by one."""
    columns = [*zip(*group.commands, strict=True)]
    alike = Alike(group.commands[0][1])
    at = _OPTIONS_AT
    try:
        while at < len(columns):
            option = _OPTIONS.get((_same(columns[at]) or b"").upper())
            if option is None or at + option.words > len(columns):
                return None
            if not option.read(alike, columns[at + 1 : at + option.words]):
                return None
            at += option.words
    except (Refusal, UnicodeDecodeError):
        return None
    if alike.texts is None or alike.longest > config["mem-max-text-bytes"]:
        return None
    return alike


def _shape_of(one: Words | Broken) -> tuple[int, bytes] | None:
    """Return what commands that may be alike have in common, None for any other command."""
    if isinstance(one, Broken) or len(one) < _FEWEST_WORDS or one[0] not in _NAMES:
        return None
    return len(one), one[1]


def _close(group: list[Words]) -> Iterator[Group | Words]:
    if len(group) >= FEWEST:
        yield Group(group)
    else:
        yield from group


# --- options, each of which may stand once, but for the metadata -----------------------------

_Columns: TypeAlias = Sequence[Sequence[bytes]]


def _read_ids(alike: Alike, columns: _Columns) -> bool:
    was, alike.ids = alike.ids, _decode(columns[0])
    return was is None


def _read_texts(alike: Alike, columns: _Columns) -> bool:
    was, alike.texts = alike.texts, _decode(columns[0])
    alike.longest = max(map(len, columns[0]))
    return was is None


def _read_vectors(alike: Alike, columns: _Columns) -> bool:
    (given,) = columns
    was, alike.vectors = alike.vectors, given
    if was is not None or len({*map(len, given)}) != 1 or len(given[0]) % SIZE:
        return False
    return is_finite(b"".join(given))


def _read_importances(alike: Alike, columns: _Columns) -> bool:
    was, alike.importances = alike.importances, [*map(read_float, columns[0])]
    return was is None and all(0 <= one <= 1 for one in alike.importances)


def _read_seconds(alike: Alike, columns: _Columns) -> bool:
    was, alike.seconds = alike.seconds, [*map(read_integer, columns[0])]
    return was is None and min(alike.seconds) > 0


def _read_metadata(alike: Alike, columns: _Columns) -> bool:
    named = _same(columns[0])
    if named is None or (key := named.decode()) in alike.metadata:
        return False
    alike.metadata[key] = _decode(columns[1])
    return True


@dataclass(frozen=True, slots=True)
class _Option:
    """An option: how many words it takes with its token, and what reads their columns."""

    words: int
    read: Callable[[Alike, _Columns], bool]


def _same(column: Sequence[bytes]) -> bytes | None:
    """Return the word that stands in all commands, None if it is not the same."""
    return column[0] if column.count(column[0]) == len(column) else None


def _decode(column: Sequence[bytes]) -> list[str]:
    return [*map(bytes.decode, column)]


_NAMES: Final = frozenset({b"MEM.ADD", b"mem.add"})
_OPTIONS_AT: Final = 2
_FEWEST_WORDS: Final = 4
_OPTIONS: Final[Mapping[bytes, _Option]] = {
    b"ID": _Option(2, _read_ids),
    b"TEXT": _Option(2, _read_texts),
    b"VEC": _Option(2, _read_vectors),
    b"META": _Option(3, _read_metadata),
    b"IMPORTANCE": _Option(2, _read_importances),
    b"TTL": _Option(2, _read_seconds),
}
