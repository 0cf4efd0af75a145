"""The dictionary of terms: a number for each, the same in all processes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

import numpy as np

from winnow.columns.arrays import Rows
from winnow.columns.terms import decode_terms, encode_owned_terms, encode_terms
from winnow.rank.analyse import Analyser
from winnow.rank.vocabulary import UNKNOWN, FoundWords, Vocabulary, find_words
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.reads import text_list
from winnow.store.sqlite.transaction import Transaction

_Bag: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Parts:
    """The numbers of the terms of parts of texts; those of most words are found as `words`."""

    bags: dict[str, _Bag] = field(default_factory=dict[str, _Bag])
    words: Vocabulary = field(default_factory=Vocabulary)
    pending: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The terms of parts that have a term which is not committed yet."""

    def learn(self, words: FoundWords, places: Rows, parts: Iterable[str]) -> None:
        """Keep the numbers of words at places, which have these parts, as far as they are known."""
        bags = [self.bags.get(part, ()) for part in parts]
        single = np.array([len(bag) == 1 for bag in bags], np.bool_)
        numbers = [number for bag in bags if len(bag) == 1 for number in bag]
        self.words.learn(words, places[single], np.array(numbers, np.int64))


class TermNumbers:
    """The numbers of committed terms that this process has come across.

    Only the transaction under way uses it.
    """

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self._parts: dict[str, _Parts] = {}
        self.prunings = 0

    def parts_by(self, analyser: Analyser) -> _Parts:
        """Return the parts of texts whose terms these rules have made; too many are forgotten."""
        parts = self._parts.get(analyser.identity)
        if parts is None or len(parts.bags) > _MOST_PARTS:
            parts = self._parts[analyser.identity] = _Parts()
        return parts

    def learn(self, committed: Mapping[str, int]) -> None:
        """Keep the numbers of terms that were new, and are committed now."""
        self.known.update(committed)
        for parts in self._parts.values():
            for part, terms in parts.pending.items():
                if all(map(self.known.__contains__, terms)):
                    parts.bags[part] = tuple(map(self.known.__getitem__, terms))
            parts.pending.clear()

    def forget(self) -> None:
        """Look all of them up again from now on."""
        self.known.clear()
        self._parts.clear()


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
        # A step that failed has undone its terms, of which others may be known by now.
        highest = max(new.values(), default=0)
        highest = max(highest, _read_last(self._transaction)) if missing else highest
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
        flat = [*chain.from_iterable(texts)]
        whose = np.repeat(np.arange(len(texts)), [*map(len, texts)])
        is_plain = np.array([*map(str.isascii, flat)], np.bool_)
        words = find_words([text for text in flat if text.isascii()])
        owners = whose[is_plain][words.owners]
        known = self._numbers.parts_by(analyser)
        numbers = known.words.look_up(words)
        found, unsure = np.flatnonzero(numbers), np.flatnonzero(numbers == UNKNOWN)
        parts = [*words.spell(unsure), *(text for text in flat if not text.isascii())]
        bags = self._find_bags(parts, analyser, known)
        known.learn(words, unsure, parts[: len(unsure)])
        more = np.concatenate((owners[unsure], whose[~is_plain]))
        sizes = np.fromiter(map(len, bags), np.int64, len(bags))
        rest = np.fromiter(chain.from_iterable(bags), np.int64, int(sizes.sum()))
        return encode_owned_terms(
            np.concatenate((numbers[found], rest)),
            np.concatenate((owners[found], np.repeat(more, sizes))),
            len(texts),
        )

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
            prunings, self._last = self._transaction.prunings, self._transaction.last_term
            if prunings != self._numbers.prunings or len(self._numbers.known) > _MOST_KNOWN:
                self._numbers.forget()
                self._numbers.prunings = prunings
        return self._last

    def _find_bags(self, parts: Sequence[str], analyser: Analyser, known: _Parts) -> Sequence[_Bag]:
        """Return the numbers of all terms of each part."""
        new = dict.fromkeys(part for part in parts if part not in known.bags)
        made = self._number_parts(new, analyser, known)
        return [made[part] if part in made else known.bags[part] for part in parts]

    def _number_parts(
        self, parts: Iterable[str], analyser: Analyser, known: _Parts
    ) -> Mapping[str, _Bag]:
        """Return the numbers of the terms of parts, and keep those that are committed."""
        terms = {part: analyser.terms(part) for part in parts}
        numbers = self.numbers_of(chain.from_iterable(terms.values()))
        made = {part: tuple([numbers[term] for term in own]) for part, own in terms.items()}
        last = self._begin()
        for part, bag in made.items():
            if len(part) > _LONGEST_PART:
                continue
            if max(bag, default=0) <= last:
                known.bags[part] = bag
            else:
                known.pending[part] = terms[part]
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


_BLOBS_AT_ONCE = 4096
_TERMS_AT_ONCE = 512
_MOST_KNOWN = 200_000
_FEW = 8  # texts of which each by itself is the quicker
_MOST_PARTS = 100_000
_LONGEST_PART = 32
