"""Looking for damage in a store's file, and for rows that don't fit together."""

import time
from collections import Counter
from collections.abc import Iterator

import numpy as np

from winnow.columns.arrays import Mask
from winnow.columns.terms import decode_terms
from winnow.errors import StoreError
from winnow.store.problems import DAMAGED, WRONG_TERMS, Problem
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.upkeep.rules import OWNED, RULES

MOST_PURGED = 100_000
"""Keys of purged records that may be kept for those who have read them before."""
MOST_UNUSED = 1_000
"""Words that no record has, and that may stay in the dictionary."""
UNUSED_TERMS = "unused_terms"
MANY_PURGED = "many_purged"
ORPHANS = "orphans"

_BLOBS_AT_ONCE = 4096


def now_in_milliseconds() -> int:
    """Return the time."""
    return time.time_ns() // 1_000_000


def find_problems(connection: Connection, now: int) -> Iterator[Problem]:
    """Yield what is wrong with a store of the newest version; reads the whole file.

    `now` is in milliseconds. What is damaged is told, and nothing else then.
    """
    damage = list(find_damage(connection))
    yield from damage
    if damage:
        return
    try:
        yield from _find_orphans(connection)
        for rule in RULES:
            (count,) = connection.one(tuple[int], rule.count, (now,) if "?1" in rule.count else ())
            if count:
                told = (rule.detail, rule.repair, rule.serious)
                yield Problem(rule.code, rule.where, count, *told)
        yield from _check_terms(connection)
        yield from _check_purged(connection)
    except StoreError as error:
        yield _damaged(connection, str(error))


def find_damage(connection: Connection) -> Iterator[Problem]:
    """Yield where the file is not what was written."""
    try:
        for (line,) in connection.all(tuple[str], "PRAGMA integrity_check(20)"):
            if line != "ok":
                yield _damaged(connection, line.replace("\n", " "))
    except StoreError as error:
        yield _damaged(connection, str(error))


def _damaged(connection: Connection, detail: str) -> Problem:
    return Problem(DAMAGED, str(connection.path), 1, detail)


def _find_orphans(connection: Connection) -> Iterator[Problem]:
    """Yield rows that belong to something that is gone, and that no rule counts."""
    found = Counter(
        (table, parent)
        for table, parent in connection.all(
            tuple[str, str], 'SELECT "table", parent FROM pragma_foreign_key_check'
        )
        if table not in OWNED and (table, parent) not in _RULED
    )
    for (table, parent), count in sorted(found.items()):
        yield Problem(
            ORPHANS, table, count, f"rows of {table} belong to a {parent} that is missing"
        )


_RULED = frozenset({("record", "note"), ("record", "model")})


def _check_terms(connection: Connection) -> Iterator[Problem]:
    """Yield by namespace how many records have terms that can't be read, or that are no words."""
    numbers = [number for (number,) in connection.all(tuple[int], "SELECT number FROM term")]
    known = np.zeros(1 + max(numbers, default=0), np.bool_)
    known[numbers] = True
    used = np.zeros_like(known)
    wrong = Counter[int]()
    for rows in connection.batches(
        tuple[int, bytes], "SELECT namespace, terms FROM record", (), _BLOBS_AT_ONCE
    ):
        blobs = [terms for _, terms in rows]
        if not _are_known(blobs, known, used):
            bad = (space for space, terms in rows if not _are_known([terms], known, used))
            wrong.update(bad)
    names = dict(connection.all(tuple[int, str], "SELECT key, name FROM namespace"))
    for space, count in sorted(wrong.items()):
        detail, repair = "records have terms that can't be read", "make them again"
        yield Problem(WRONG_TERMS, names.get(space, str(space)), count, detail, repair)
    unused = int(np.count_nonzero(known & ~used))
    if unused > MOST_UNUSED:
        detail = "words of the dictionary are in no record any more"
        yield Problem(UNUSED_TERMS, "term", unused, detail, "forget them", serious=False)


def _are_known(blobs: list[bytes], known: Mask, used: Mask) -> bool:
    """Tell whether terms can be read and are words of the dictionary; note which are used."""
    try:
        found = decode_terms(blobs).terms
    except StoreError:
        return False
    if int(found.max(initial=0)) >= len(known) or not known[found].all():
        return False
    used[found] = True
    return True


def _check_purged(connection: Connection) -> Iterator[Problem]:
    (count,) = connection.one(tuple[int], "SELECT count(*) FROM purged")
    if count > MOST_PURGED:
        detail = "keys of records that were purged are kept for programs that have read them"
        repair = "forget them, if no other program has the store open"
        yield Problem(MANY_PURGED, "purged", count, detail, repair, serious=False)
