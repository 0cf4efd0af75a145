"""What a record was before each of its changes, kept as the columns that were different."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from winnow.store.memories import Past, Record
from winnow.store.sqlite.records.rows import Place, Row, decode_record, encode_row
from winnow.store.sqlite.rows import decode_json, encode_json
from winnow.store.sqlite.transaction import Transaction

# What no history has: it is made from the rest, or belongs to pieces, which have none.
_LEFT_OUT = {"model": None, "terms": b"", "heading": None, "line": None}
_DELETED_AT = "deleted_at"

_State: TypeAlias = dict[str, Any]
Change: TypeAlias = tuple[int, str]
"""When a change was made, and the columns that it gave another value, as they were, as JSON."""


def trace(
    place: Place, row: Row, deleted_at: int | None, changes: Iterable[Change]
) -> Iterator[Past]:
    """Yield the changes of a record from what was different before each, the last one first."""
    place = place._replace(model=None, vector=None)
    state = make_state(row, deleted_at)
    for at, before in changes:
        state |= decode_json(before)
        yield Past(at, None if state[_DELETED_AT] is not None else _decode(place, state))


def make_state(row: Row, deleted_at: int | None) -> _State:
    """Return what the history keeps of a record as it is."""
    return {**row._asdict(), **_LEFT_OUT, _DELETED_AT: deleted_at}


def add_past(transaction: Transaction, key: int, at: int, before: _State, after: _State) -> None:
    """Keep what a record was before a change; nothing if the history sees no difference."""
    if different := _difference(before, after):
        transaction.connection.execute(
            """INSERT INTO past (record, step, at, before)
            VALUES (?1, 1 + (SELECT coalesce(max(step), 0) FROM past WHERE record = ?1), ?2, ?3)""",
            (key, at, encode_json(different)),
        )


def put_history(transaction: Transaction, key: int, after: _State, pasts: Sequence[Past]) -> None:
    """Give a record another history, which ends at what it is now."""
    states = [after]
    for past in pasts:
        states.append(_state_before(past, states[-1]))
    transaction.connection.execute("DELETE FROM past WHERE record = ?", (key,))
    transaction.connection.execute_many(
        "INSERT INTO past (record, step, at, before) VALUES (?, ?, ?, ?)",
        [
            (key, len(pasts) - number, past.at, encode_json(_difference(before, later)))
            for number, (past, (later, before)) in enumerate(
                zip(pasts, pairwise(states), strict=True)
            )
        ],
    )


def _state_before(past: Past, after: _State) -> _State:
    """Return what a change started from; when it was deleted, if it was, is of no account."""
    if past.before is None:
        return {**after, _DELETED_AT: past.at}
    return make_state(encode_row(past.before, None), None)


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> _State:
    return {name: value for name, value in before.items() if value != after[name]}


def _decode(place: Place, state: _State) -> Record:
    return decode_record(place, Row(**{name: state[name] for name in Row._fields}))
