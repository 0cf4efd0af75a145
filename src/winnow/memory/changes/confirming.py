"""Whether a change of many memories is meant: one of three arguments has to say so."""

from collections.abc import Sequence
from dataclasses import MISSING, fields, replace
from typing import Protocol

from winnow.errors import Conflict, Fault, InvalidRequest
from winnow.filter.ast import Pred
from winnow.filter.rewrite import Conjunction, rewrite
from winnow.operations.requests import Conditions
from winnow.wire import camel_case

ONE_OF_THREE = "one of dryRun, expectedCount and all"
_EVERYTHING = (
    "without a condition this means every memory of the namespace: give a condition, or"
    " expectedCount with their number, which dryRun tells"
)
_HOLDS = (
    "this holds for every memory: give a condition that does not, or expectedCount with their"
    " number, which dryRun tells"
)


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


def read_confirmation(
    request: Confirmable, faults: list[Fault], *, counts_everything: bool = False
) -> bool:
    """Tell whether a request speaks of many memories; what is wrong with that is a fault.

    By conditions exactly one of three arguments has to say how many are meant. An id means one,
    so that nothing else may. With `counts_everything` a whole namespace can't be meant by `all`
    alone, but by the count of it.
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
    elif request.all and counts_everything and not conditions:
        faults.append(Fault("/all", _EVERYTHING))
    detail = f"give only {ONE_OF_THREE}"
    faults.extend(Fault(f"/{name}", detail) for name in said[1:])
    return True


def check_meant(request: Confirmable, asked: Pred, faults: list[Fault]) -> None:
    """Refuse conditions that hold for every memory, by `all` alone: a list that is empty, say."""
    if request.all and not faults and rewrite(asked) == Conjunction(()):
        faults.extend(Fault(f"/{name}", _HOLDS) for name in _given_conditions(request))


def warn_of_refusal(count: int, unknown: Sequence[Fault]) -> list[str]:
    """Say in a dry run that `check_count` would refuse the change itself."""
    refused = bool(count and unknown)
    return ["the change itself would be refused, as a name is not known"] if refused else []


def check_count(request: Confirmable, count: int, unknown: Sequence[Fault] = ()) -> None:
    """Refuse to go on if another number of memories matches than was expected.

    Refuse it, too, if any match though the filter names keys that are `unknown`, as nothing has
    them: through `not` or `or` that is everything, where a name was only misspelled.
    """
    if count and unknown:
        detail = f"{count} match all the same, and nothing was changed"
        detail += " (mend the name, or leave the test out)"
        raise InvalidRequest(replace(one, detail=f"{one.detail}; {detail}") for one in unknown)
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


def _given_conditions(request: Confirmable) -> list[str]:
    """Name the conditions that a request has, beside the namespace that it is about."""
    return [
        camel_case(one.name)
        for one in fields(Conditions)
        if one.name != "namespace"
        and one.default is not MISSING
        and getattr(request, one.name, one.default) != one.default
    ]
