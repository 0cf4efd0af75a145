"""The dictionary of terms: a number for each, the same in all processes."""

from collections.abc import Iterable

import numpy as np

from winnow.columns.terms import decode_terms
from winnow.store.reads import text_list
from winnow.store.transaction import Transaction


class TermNumbers:
    """The numbers of committed terms that this process has come across.

    Only the transaction under way uses it.
    """

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.prunings = 0


class Dictionary:
    """The dictionary as one transaction sees it."""

    def __init__(self, transaction: Transaction, numbers: TermNumbers) -> None:
        self._transaction = transaction
        self._numbers = numbers
        self._last: int | None = None

    def numbers_of(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the numbers of terms; new ones get the next."""
        last = self._begin()
        known, new = self._numbers.known, self._transaction.terms
        wanted = dict.fromkeys(terms)
        missing = [term for term in wanted if term not in known and term not in new]
        highest = max(new.values(), default=last) if missing else last
        for start in range(0, len(missing), _TERMS_AT_ONCE):
            for number, term in self._look_up(missing[start : start + _TERMS_AT_ONCE], highest):
                (known if number <= last else new)[term] = number
                highest = max(highest, number)
        return {term: known.get(term) or new[term] for term in wanted}

    def prune(self) -> int:
        """Forget the terms that no record has, and return how many."""
        connection = self._transaction.connection
        numbers = connection.all(tuple[int], "SELECT number FROM term")
        used = np.zeros(1 + max((number for (number,) in numbers), default=0), np.bool_)
        for rows in connection.batches(
            tuple[bytes], "SELECT terms FROM record", (), _BLOBS_AT_ONCE
        ):
            found = decode_terms([blob for (blob,) in rows]).terms
            used[found[found < len(used)]] = True
        unused = [(number,) for (number,) in numbers if not used[number]]
        connection.execute_many("DELETE FROM term WHERE number = ?", unused)
        if unused:
            connection.execute("UPDATE meta SET prunings = prunings + 1")
            self._numbers.known.clear()
            self._transaction.forget_keys()
        return len(unused)

    def _begin(self) -> int:
        """Return the last number before this transaction; forget what was pruned before it."""
        if self._last is None:
            prunings, self._last = self._transaction.connection.one(
                tuple[int, int],
                "SELECT prunings, (SELECT coalesce(max(number), 0) FROM term) FROM meta",
            )
            if prunings != self._numbers.prunings or len(self._numbers.known) > _MOST_KNOWN:
                self._numbers.known.clear()
                self._numbers.prunings = prunings
        return self._last

    def _look_up(self, terms: list[str], highest: int) -> list[tuple[int, str]]:
        """Return the numbers of terms; those that are new are made, above the highest so far."""
        connection = self._transaction.connection
        marks, values = text_list(terms)
        found = connection.all(
            tuple[int, str], f"SELECT number, text FROM term WHERE text IN ({marks})", values
        )
        if len(found) == len(terms):
            return found
        held = {term for _, term in found}
        connection.execute_many(
            "INSERT INTO term (text) VALUES (?)", [(term,) for term in terms if term not in held]
        )
        made = connection.all(
            tuple[int, str], "SELECT number, text FROM term WHERE number > ?", (highest,)
        )
        return [*found, *made]


_BLOBS_AT_ONCE = 4096
_TERMS_AT_ONCE = 512
_MOST_KNOWN = 200_000
