"""Which values of lines read as themselves: most do, and of many at a time that is told quickly.

Each answer holds for what anybody says as well as for what a store has written; it is yes only
where reading the values one by one would return every one of them as it is, and refuse none.
"""

from collections.abc import Sequence
from itertools import chain
from types import NoneType
from typing import Final, cast

from winnow.filter.raw import KEY_MARK
from winnow.kinds import KINDS
from winnow.memories import MEMORY_TYPES
from winnow.values import LARGEST_NUMBER


def are_texts(values: Sequence[object]) -> bool:
    """Tell whether all are texts, and none has half of a surrogate pair."""
    if not _TEXT.issuperset(map(type, values)):
        return False
    joined = "".join(cast("Sequence[str]", values))
    if joined.isascii():
        return True
    try:
        joined.encode()
    except UnicodeEncodeError:
        return False
    return True


def are_kinds(values: Sequence[object]) -> bool:
    """Tell whether all are kinds that this version knows."""
    return _TEXT.issuperset(map(type, values)) and _KINDS.issuperset(values)


def are_memory_types(values: Sequence[object]) -> bool:
    """Tell whether all are types of memories."""
    return _TEXT.issuperset(map(type, values)) and _MEMORY_TYPES.issuperset(values)


def are_flat(values: Sequence[object]) -> bool:
    """Tell whether all are objects of plain texts, numbers, true, false and null."""
    if not _OBJECT.issuperset(map(type, values)):
        return False
    objects = cast("Sequence[dict[object, object]]", values)
    keys = [*chain.from_iterable(objects)]
    inside = [*chain.from_iterable(map(dict[object, object].values, objects))]
    if not _SCALARS.issuperset(map(type, inside)) or not are_texts(keys):
        return False
    if any(key.startswith(KEY_MARK) for key in cast("set[str]", set(keys))):
        return False
    numbers = [one for one in inside if isinstance(one, int | float)]
    texts = [one for one in inside if isinstance(one, str)]
    return all(-LARGEST_NUMBER <= one <= LARGEST_NUMBER for one in numbers) and are_texts(texts)


_TEXT: Final = frozenset({str})
_OBJECT: Final = frozenset({dict})
_SCALARS: Final = frozenset({str, int, float, bool, NoneType})
_KINDS: Final = frozenset(KINDS)
_MEMORY_TYPES: Final = frozenset(MEMORY_TYPES)
