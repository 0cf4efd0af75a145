"""Whether a change of many memories is meant: one of three arguments has to say so."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from typing import Protocol, cast

from winnow.errors import Conflict, Fault, InvalidRequest
from winnow.filter.ast import All, Any, Expr
from winnow.filter.decode import decode_filter, load_json
from winnow.memories import distinct_tags
from winnow.operations.requests import Conditions
from winnow.wire import camel_case

ONE_OF_THREE = "one of dryRun, expectedCount and all"
_EVERYTHING = (
    "without a condition this means every memory of the namespace: give a condition, or"
    " expectedCount with their number, which dryRun tells"
)
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
    elif request.all:
        faults.extend(_refuse_blanks(request))
        if counts_everything and not conditions:
            faults.append(Fault("/all", _EVERYTHING))
    detail = f"give only {ONE_OF_THREE}"
    faults.extend(Fault(f"/{name}", detail) for name in said[1:])
    return True


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


def _refuse_blanks(request: Confirmable) -> list[Fault]:
    """Refuse conditions that say nothing, if no other does: a list that happens to be empty."""
    given = {name: getattr(request, name, None) for name in _NAMES}
    said = {name: value for name, value in given.items() if value is not None}
    if not all(_BLANKS.get(name, _is_blank)(value) for name, value in said.items()):
        return []
    detail = "it is empty, so that every memory would be meant; leave it out if that is so"
    return [Fault(f"/{camel_case(name)}", detail) for name in said]


def _is_blank(value: object) -> bool:
    return not (value.strip() if isinstance(value, str) else value)


def _are_blank(words: object) -> bool:
    """Tell whether a list, or text with commas, has blank words alone."""
    return not distinct_tags(
        words.split(",") if isinstance(words, str) else cast(Iterable[str], words)
    )


def _is_empty(filters: object) -> bool:
    """Tell whether nothing stands in a filter in JSON, in an `and` of it neither."""
    if _is_blank(filters):
        return True
    try:
        raw = load_json(filters, "") if isinstance(filters, str) else filters
        return raw is None or _asks_nothing(decode_filter(raw, ""))
    except InvalidRequest:  # what is wrong with it is told where it is read
        return False


def _asks_nothing(expr: Expr) -> bool:
    if isinstance(expr, All):
        return all(map(_asks_nothing, expr.parts))
    return isinstance(expr, Any) and any(map(_asks_nothing, expr.parts))


_BLANKS: Mapping[str, Callable[[object], bool]] = {
    "filters": _is_empty,
    "kinds": _are_blank,
    "tags": _are_blank,
}


def _given_conditions(request: Confirmable) -> list[str]:
    """Name the conditions that a request has, beside the namespace that it is about."""
    return [
        camel_case(one.name)
        for one in fields(Conditions)
        if one.name != "namespace"
        and one.default is not MISSING
        and getattr(request, one.name, one.default) != one.default
    ]
