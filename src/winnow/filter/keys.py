"""Names of memories: a memory's own fields, keys of its metadata, and names with `@`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from winnow.errors import nearest, unknown
from winnow.filter.loose import read_float
from winnow.filter.names import name_in_text
from winnow.memories import AT_FIELDS, METADATA, RECORDS
from winnow.schema import Field
from winnow.values import NUMERIC, Type, UnreadableValue

Key: TypeAlias = tuple[str, ...]


class KnownKeys(Protocol):
    """The keys of metadata that there are, of memories that can be seen."""

    def __contains__(self, key: object, /) -> bool:
        """Tell whether there is a key."""
        ...

    def differ(self, key: Key, own: str, /) -> bool:
        """Tell whether a key may say something else than a memory's own field."""
        ...

    def __iter__(self) -> Iterator[Key]:
        """Yield keys that may have been meant: of very many, only some."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """What a name leads to: a field, or a key of metadata behind METADATA and the objects in it."""

    path: tuple[Field, ...]
    field: Field

    @property
    def key(self) -> Key | None:
        """The path of a key in metadata, None for a memory's own field."""
        return (*(step.name for step in self.path[1:]), self.field.name) if self.path else None


def find_key(name: Sequence[str], *, loose: bool = False) -> Found:
    """Look up a name of a memory; raise UnreadableValue if nothing can be called that.

    With `loose`, as triples name things, a plain name is always a key of metadata.
    """
    first, *rest = name
    own = None if loose else RECORDS.spellings.get(first)
    if first.startswith("@"):
        return _find_at(name, loose)
    if first == METADATA.name and rest:
        return _open(rest)
    if own is not None:
        return _find_own(own, name)
    if first == METADATA.name and not loose:
        raise UnreadableValue("metadata holds keys; name one of them (write metadata.key)")
    return _open(name)


def doubt(
    name: Sequence[str], found: Found, known: KnownKeys, *, loose: bool, guesses: bool = True
) -> str | None:
    """Say what is doubtful about what a name leads to, and with `guesses` what may be meant."""
    if found.key is not None and found.key not in known:
        shown = name_in_text(found.key)
        others = [*(AT_FIELDS if loose else RECORDS.fields), *map(name_in_text, known)]
        guess = nearest(shown, others) if guesses else None
        hint = f"; did you mean {guess}?" if guess else ""
        return f"no memory has the key {shown} in its metadata{hint}"
    if found.key is None and known.differ(tuple(name), found.field.name):
        meant = name_in_text((METADATA.name, *name))
        return f"{name[0]} is a memory's own field; the key in metadata is {meant}"
    return None


def doubt_words(name: str, op: str, words: Iterable[str]) -> Iterator[str]:
    """Say which operands of a triple are texts, where a memory has a number under a name with @."""
    field = AT_FIELDS.get(name)
    if field is None or field.type not in NUMERIC or op == "~CONTAINS":
        return
    what = "in milliseconds since 1970" if field.type is Type.INTEGER else "a number"
    for word in words:
        if read_float(word) is None:
            yield f"{name} is {what}, and {word!r} is not: they are compared as texts"


def _find_at(name: Sequence[str], loose: bool) -> Found:
    found = AT_FIELDS.get(name[0].lower())
    if found is None:
        raise UnreadableValue(unknown("field", name[0], AT_FIELDS))
    if len(name) > 1:
        raise UnreadableValue(f"{found.name!r} is no object, so no '.' can follow it")
    return Found((), Field(found.name, Type.OPEN) if loose else found)


def _find_own(own: str, name: Sequence[str]) -> Found:
    if len(name) > 1:
        meant = name_in_text((METADATA.name, *name))
        detail = f"{name[0]!r} is a memory's own field and no object, so no '.' can follow it"
        raise UnreadableValue(f"{detail} (write {meant} for a key of metadata)")
    return Found((), RECORDS.fields[own])


def _open(keys: Sequence[str]) -> Found:
    *steps, last = (Field(key, Type.OPEN) for key in keys)
    return Found((METADATA, *steps), last)
