"""Whether a change of many memories is meant: one of three arguments has to say so."""

from dataclasses import MISSING, fields
from typing import Protocol

from winnow.errors import Conflict, Fault
from winnow.operations.requests import Conditions
from winnow.wire import camel_case

ONE_OF_THREE = "one of dryRun, expectedCount and all"
_NAMES = tuple(
    one.name for one in fields(Conditions) if one.default is None and one.name != "namespace"
)
"""The conditions that say nothing where they are not given."""


class Confirmable(Protocol):
    """What all requests have that change one memory by its id, or many by conditions."""

    @property
    def id(self) -> str | None: ...  # noqa: D102
    @property
    def dry_run(self) -> bool: ...  # noqa: D102
    @property
    def expected_count(self) -> int | None: ...  # noqa: D102
    @property
    def all(self) -> bool: ...  # noqa: D102


def read_confirmation(request: Confirmable, faults: list[Fault]) -> bool:
    """Tell whether a request speaks of many memories; what is wrong with that is a fault.

    By conditions exactly one of three arguments has to say how many are meant. An id means one,
    so that nothing else may.
    """
    conditions, said = _given_conditions(request), _confirmations(request)
    if request.id is not None:
        needless = [*conditions, *(one for one in said if one != "dryRun")]
        detail = "an id names one memory; leave this out, or the id"
        faults.extend(Fault(f"/{name}", detail) for name in needless)
        return False
    if not conditions and not said:
        detail = f"give the id of one memory, or conditions with {ONE_OF_THREE}"
        faults.append(Fault("/id", detail))
    elif not said:
        faults.append(Fault("/all", f"say that so many are meant: give {ONE_OF_THREE}"))
    elif request.all:
        faults.extend(_refuse_blanks(request))
    detail = f"give only {ONE_OF_THREE}"
    faults.extend(Fault(f"/{name}", detail) for name in said[1:])
    return True


def check_count(request: Confirmable, count: int) -> None:
    """Refuse to go on if another number of memories matches than was expected."""
    expected = request.expected_count
    if expected is not None and expected != count:
        raise Conflict(f"{count} match, and {expected} were expected; nothing was changed")


def _confirmations(request: Confirmable) -> list[str]:
    given = {
        "dryRun": request.dry_run,
        "expectedCount": request.expected_count is not None,
        "all": request.all,
    }
    return [name for name, is_given in given.items() if is_given]


def _refuse_blanks(request: Confirmable) -> list[Fault]:
    """Refuse conditions that say nothing, if no other does: a list that happens to be empty."""
    given = {name: getattr(request, name, None) for name in _NAMES}
    said = [value for value in given.values() if value is not None]
    if any(not _is_blank(value) for value in said):
        return []
    detail = "it is empty, so that every memory would be meant; leave it out if that is so"
    return [Fault(f"/{camel_case(name)}", detail) for name in given if given[name] is not None]


def _is_blank(value: object) -> bool:
    return not (value.strip() if isinstance(value, str) else value)


def _given_conditions(request: Confirmable) -> list[str]:
    """Name the conditions that a request has, beside the namespace that it is about."""
    return [
        camel_case(one.name)
        for one in fields(Conditions)
        if one.name != "namespace"
        and one.default is not MISSING
        and getattr(request, one.name, one.default) != one.default
    ]
