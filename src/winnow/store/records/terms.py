"""The dictionary of terms: a number for each, the same in all processes."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

import numpy as np

from winnow.columns.terms import decode_terms, encode_all_terms, encode_terms
from winnow.rank.analyse import Analyser, split_text
from winnow.store.connection import Connection
from winnow.store.reads import text_list
from winnow.store.transaction import Transaction

_Parts: TypeAlias = dict[str, tuple[int, ...]]
"""The numbers of the terms of parts of texts."""


class TermNumbers:
    """The numbers of committed terms that this process has come across.

    Only the transaction under way uses it.
    """

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.parts: dict[str, _Parts] = {}
        """The numbers of all terms of a part of a text, by the rules that they were made by."""
        self.prunings = 0

    def learn(self, committed: Mapping[str, int]) -> None:
        """Keep the numbers of terms that were new, and are committed now."""
        self.known.update(committed)

    def forget(self) -> None:
        """Look all of them up again from now on."""
        self.known.clear()
        self.parts.clear()


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
        if wanted.keys() <= known.keys():
            return dict(zip(wanted, map(known.__getitem__, wanted), strict=True))
        missing = [term for term in wanted if term not in known and term not in new]
        highest = max(new.values(), default=0) or (_read_last(self._transaction) if missing else 0)
        for start in range(0, len(missing), _TERMS_AT_ONCE):
            for number, term in self._look_up(missing[start : start + _TERMS_AT_ONCE], highest):
                (known if number <= last else new)[term] = number
                highest = max(highest, number)
        return {term: known.get(term) or new[term] for term in wanted}

    def encode(self, texts: Sequence[Sequence[str]], analyser: Analyser) -> list[bytes]:
        """Return the terms of records, each of which has some texts.

        Most parts of texts have come before: then nothing but their numbers is looked up.
        """
        self._begin()
        if len(texts) < _FEW:
            own = [[term for text in some for term in analyser.terms(text)] for some in texts]
            numbers = self.numbers_of(chain.from_iterable(own))
            return [encode_terms(map(numbers.__getitem__, terms)) for terms in own]
        known = self._numbers.parts.setdefault(analyser.identity, {})
        split = [
            split_text(some[0]) if len(some) == 1 else [*chain.from_iterable(map(split_text, some))]
            for some in texts
        ]
        parts = [*chain.from_iterable(split)]
        bags = [*map(known.get, parts)]
        if None in bags:
            new = dict.fromkeys(part for part, bag in zip(parts, bags, strict=True) if bag is None)
            made = self._number_parts(new, analyser, known)
            bags = [
                made[part] if bag is None else bag for part, bag in zip(parts, bags, strict=True)
            ]
        return _pack([bag for bag in bags if bag is not None], [*map(len, split)])

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
            self._numbers.forget()
            self._transaction.forget_keys()
        return len(unused)

    def _begin(self) -> int:
        """Return the last number before this transaction; forget what was pruned before it."""
        if self._last is None:
            prunings, self._last = self._transaction.connection.one(
                tuple[int, int],
                """SELECT prunings, coalesce(
                    (SELECT seq FROM sqlite_sequence WHERE name = 'term'), 0
                ) FROM meta""",
            )
            if prunings != self._numbers.prunings or len(self._numbers.known) > _MOST_KNOWN:
                self._numbers.forget()
                self._numbers.prunings = prunings
        return self._last

    def _number_parts(
        self, parts: Iterable[str], analyser: Analyser, known: _Parts
    ) -> Mapping[str, tuple[int, ...]]:
        """Return the numbers of the terms of parts, and keep those that are committed."""
        terms = {part: analyser.terms(part) for part in parts}
        numbers = self.numbers_of(chain.from_iterable(terms.values()))
        made = {part: tuple([numbers[term] for term in own]) for part, own in terms.items()}
        if len(known) > _MOST_PARTS:
            known.clear()
        last = self._begin()
        for part, bag in made.items():
            if len(part) <= _LONGEST_PART and max(bag, default=0) <= last:
                known[part] = bag
        return made

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
        made = [*enumerate((term for term in terms if term not in held), highest + 1)]
        connection.execute_many("INSERT INTO term (number, text) VALUES (?, ?)", made)
        return [*found, *made]


def _read_last(transaction: Transaction) -> int:
    """Return the highest number that any term has or had: some may have been forgotten here."""
    row = transaction.connection.first(
        tuple[int], "SELECT seq FROM sqlite_sequence WHERE name = 'term'"
    )
    return 0 if row is None else row[0]


def find_terms(connection: Connection, texts: Sequence[str]) -> dict[str, int]:
    """Return the numbers of terms, as far as there are any."""
    found: dict[str, int] = {}
    for start in range(0, len(texts), _TERMS_AT_ONCE):
        marks, values = text_list(texts[start : start + _TERMS_AT_ONCE])
        sql = f"SELECT text, number FROM term WHERE text IN ({marks})"
        found.update(connection.all(tuple[str, int], sql, values))
    return found


def _pack(bags: Sequence[tuple[int, ...]], counts: Sequence[int]) -> list[bytes]:
    """Return the terms of records, of which each has so many of the bags."""
    ends = np.zeros(len(bags) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, bags), np.int64, len(bags)), out=ends[1:])
    numbers = np.fromiter(chain.from_iterable(bags), np.int64, int(ends[-1]))
    return encode_all_terms(numbers, np.diff(ends[np.cumsum([0, *counts])]))


_BLOBS_AT_ONCE = 4096
_TERMS_AT_ONCE = 512
_MOST_KNOWN = 200_000
_FEW = 8  # texts of which each by itself is the quicker
_MOST_PARTS = 100_000
_LONGEST_PART = 32
