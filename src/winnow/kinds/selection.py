"""The argument `kinds`: no filter, some kinds, or nothing at all, each a type of its own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from winnow.errors import Fault, settle, unknown
from winnow.kinds.table import KINDS
from winnow.values import Json, describe


@dataclass(frozen=True, slots=True)
class AnyKind:
    """No filter: every kind, those of newer versions too."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """These kinds, at least one, in the order of `KINDS`."""

    kinds: tuple[str, *tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NoKind:
    """Nothing matches: kinds were named, and none of them is known."""


KindFilter: TypeAlias = AnyKind | OneOf | NoKind

_ALL = "all"
_NAMED = 20
_SHOWN = 60


def read_kinds(raw: Json, pointer: str = "/kinds") -> tuple[KindFilter, tuple[str, ...]]:
    """Read the argument `kinds`, with warnings: comma text, or a list of such texts.

    Empty parts count as absent. Raises InvalidRequest for what is not text.
    """
    words = list(dict.fromkeys(_words(raw, pointer)))
    meant = [word for word in words if word.lower() != _ALL]
    strange = [word for word in meant if word not in KINDS]
    warnings = _warn_of_unknown(strange)
    if len(meant) < len(words):
        return AnyKind(), (*warnings, *_warn_of_all(meant))
    match [kind for kind in KINDS if kind in meant]:
        case [first, *rest]:
            return OneOf((first, *rest)), warnings
        case _ if strange:
            return NoKind(), (*warnings, "kinds: no known kind is named, so nothing matches")
        case _:
            return AnyKind(), warnings


def _words(raw: Json, pointer: str) -> Iterable[str]:
    texts = _texts(raw, pointer)
    return (word for text in texts for part in text.split(",") if (word := part.strip()))


def _texts(raw: Json, pointer: str) -> Sequence[str]:
    if raw is None:
        return ()
    if isinstance(raw, str):
        return (raw,)
    if not isinstance(raw, list):
        wanted = "a list of kinds, or a text with commas between them"
        settle([Fault(pointer, f"expected {wanted}, got {describe(raw)}")])
        return ()
    settle(
        Fault(f"{pointer}/{place}", f"expected the name of a kind, got {describe(item)}")
        for place, item in enumerate(raw)
        if not isinstance(item, str)
    )
    return [item for item in raw if isinstance(item, str)]


def _warn_of_unknown(strange: Sequence[str]) -> tuple[str, ...]:
    """Name what is unknown, with the nearest kind; a flood of such words is counted only."""
    warnings = [
        f"kinds: {unknown('kind', _cut(word), KINDS)}, left out" for word in strange[:_NAMED]
    ]
    if len(strange) > _NAMED:
        warnings.append(f"kinds: {len(strange) - _NAMED} more unknown kinds, left out")
    return tuple(warnings)


def _warn_of_all(others: Sequence[str]) -> tuple[str, ...]:
    if not others:
        return ()
    shown = ", ".join(repr(_cut(word)) for word in others[:_NAMED])
    more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    return (f"kinds: 'all' means no filter, so {shown}{more} has no effect",)


def _cut(word: str) -> str:
    return word if len(word) <= _SHOWN else f"{word[:_SHOWN]}…"
