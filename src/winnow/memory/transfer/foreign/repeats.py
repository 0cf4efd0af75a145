"""Records of one import that have one id: the second would take the place of the first."""

from collections.abc import Iterator
from typing import TypeAlias

from winnow.memory.transfer.lines import Raw
from winnow.memory.transfer.slots import as_line
from winnow.values import UnreadableValue

_First: TypeAlias = tuple[int | str, int]
"""Where a record stands, and a hash of what it says."""


def refuse_repeats(found: Iterator[Raw]) -> Iterator[Raw]:
    """Yield what is found; an id that comes again with something else makes a record unreadable.

    One that says the same is yielded, and changes nothing.
    """
    firsts: dict[str, _First] = {}
    for place, raw in found:
        yield place, _find_repeat(firsts, place, raw) or raw


def _find_repeat(
    firsts: dict[str, _First], place: int | str, raw: object
) -> UnreadableValue | None:
    line = as_line(raw)
    name = None if line is None else line.get("id")
    if not isinstance(name, str):
        return None
    said = hash(repr(line))
    first, before = firsts.setdefault(name, (place, said))
    if said == before:
        return None
    where = f"in line {first}" if isinstance(first, int) else f"at {first}"
    return UnreadableValue(f"the id {name!r} stands {where} already, with something else")
