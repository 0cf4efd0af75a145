"""The dictionary of terms: a number for each, the same in all processes."""

from collections.abc import Iterable

import numpy as np

from winnow.columns.terms import decode_terms
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
        known = self._numbers.known
        found: dict[str, int] = {}
        for term in terms:
            number = known.get(term) or self._look_up(term)
            found[term] = number
            if number <= last:
                known[term] = number
        return found

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

    def _look_up(self, term: str) -> int:
        return self._transaction.key_of(
            term,
            "SELECT number FROM term WHERE text = ?",
            "INSERT INTO term (text) VALUES (?) RETURNING number",
        )


_BLOBS_AT_ONCE = 4096
_MOST_KNOWN = 200_000
