"""What may be a mistake in a filter on metadata: a test that no value is of the right kind for."""

from collections.abc import Iterator, Mapping
from typing import Final, Protocol

from winnow.columns.mixed import Kind
from winnow.filter.ast import Arg, Match, Pred, matches
from winnow.filter.keys import Key
from winnow.filter.names import name_in_text
from winnow.filter.ops import LOOSE
from winnow.schema import Field
from winnow.values import Type


class KindsOfKeys(Protocol):
    """What values there are under the keys of metadata."""

    def kinds_of(self, key: Key, /) -> Mapping[Kind, int]:
        """Count the memories by the kind of their value under a key."""
        ...


def doubt_kinds(pred: Pred, keys: KindsOfKeys) -> Iterator[str]:
    """Say of tests on metadata that no memory has a value there which they could hold for."""
    for test in matches(pred):
        wanted = _wanted(test)
        if not wanted:
            continue
        key = (*(step.name for step in test.path[1:]), test.field.name)
        found = keys.kinds_of(key)
        if found and not any(kind in found for kind in wanted):
            asked = " or ".join(dict.fromkeys(_NAMES.get(kind, kind.value) for kind in wanted))
            how = "tested as" if wanted == [Kind.LIST] else "compared with"
            hint = _hint_year(test, found)
            yield f"{name_in_text(key)} is {_tell(found)}; it is {how} {asked} here{hint}"


def _wanted(test: Match) -> list[Kind]:
    """Return the kinds of values that a test may hold for, none if that is all or not known."""
    field = test.field
    if not test.path or not isinstance(field, Field) or field.type is not Type.OPEN:
        return []
    if test.op in _OF_ALL:
        return []
    if field.is_list:
        return [Kind.LIST]
    return [kind for arg in test.args for kind in _kinds_for(arg)]


def _kinds_for(arg: Arg) -> tuple[Kind, ...]:
    if isinstance(arg, bool):
        return (Kind.FLAG,)
    return _NUMBERS if isinstance(arg, int | float) else (Kind.TEXT,)


def _hint_year(test: Match, found: Mapping[Kind, int]) -> str:
    """Say how a year is written, if a number may be one and there are texts."""
    years = [arg for arg in test.args if type(arg) is int and 1000 <= arg <= 9999]
    return f' (a year is written "{years[0]}")' if years and Kind.TEXT in found else ""


def _tell(found: Mapping[Kind, int]) -> str:
    told = [
        f"{kind.value} in {count} {'memory' if count == 1 else 'memories'}"
        for kind, count in found.items()
        if kind is not Kind.READING
    ]
    return " and ".join(told)


_NUMBERS: Final = (Kind.NUMBER, Kind.READING)
_OF_ALL: Final = frozenset({*LOOSE, "isNull"})
_NAMES: Final[Mapping[Kind, str]] = {Kind.READING: Kind.NUMBER.value}
