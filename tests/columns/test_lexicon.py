"""Postings by another analyser, made of the texts of memories."""

from collections.abc import Callable
from datetime import UTC

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.lexicon import Analysis, Lexicon, describe_words
from winnow.columns.memories import MemoryChanges
from winnow.columns.pieces import Pieces, build_pieces
from winnow.columns.table import Table
from winnow.memories import RECORDS
from winnow.rank.klyro.words import find_words, is_word, split_text

Row = tuple[str, str, str, int]  # id, namespace, text, note


class Shelf:
    """A table that grows, and which rows are pieces of notes."""

    def __init__(self) -> None:
        self.table = Table(RECORDS, UTC)
        self.notes: list[list[int]] = []
        self.key = 0

    def add(self, *rows: Row) -> None:
        rows = tuple(sorted(rows))
        keys = [self.key + number for number in range(len(rows))]
        self.key += len(rows)
        fields = {"namespace": [row[1] for row in rows], "text": [row[2] for row in rows]}
        changes = MemoryChanges([], keys, [row[0] for row in rows], fields, [{} for _ in rows])
        self.table = self.table.changed(changes)
        self.notes.append([row[3] for row in rows])

    @property
    def pieces(self) -> Pieces:
        return Pieces(tuple(map(build_pieces, self.notes)), self.table.alive)


def words(text: str) -> list[bytes]:
    return text.encode().split()


def lexicon_of(split: Callable[[str], list[bytes]] = words, most: int = 1_000) -> Lexicon:
    return Lexicon(Analysis(split, lambda part: part != b"stop", lambda: most))


def scores(lexicon: Lexicon, shelf: Shelf, space: str, query: str) -> dict[str, float]:
    postings = lexicon.postings(shelf.table, shelf.pieces)
    terms = lexicon.find(words(query))
    found = postings.score(terms, None, (lexicon.space(space),))
    return {
        shelf.table.id_of(row): score
        for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True)
    }


def test_memories_are_found_by_these_words_and_pieces_of_notes_are_not() -> None:
    shelf, lexicon = Shelf(), lexicon_of()
    shelf.add(("a", "k", "x y y", 0), ("b", "k", "x", 0), ("n", "k", "x x", 7), ("c", "o", "x", 0))
    assert set(scores(lexicon, shelf, "k", "x")) == {"a", "b"}
    assert set(scores(lexicon, shelf, "o", "x y")) == {"c"}
    assert scores(lexicon, shelf, "none", "x") == {}
    assert scores(lexicon, shelf, "k", "z") == {}


def test_scores_are_the_same_whether_texts_came_at_once_or_one_by_one() -> None:
    rows: list[Row] = [
        (f"r{number}", "k", " ".join(["x"] * (number % 3) + ["y"] * (number % 4)), number % 5 == 4)
        for number in range(20)
    ]
    at_once, one_by_one = Shelf(), Shelf()
    at_once.add(*rows)
    lexicon = lexicon_of()
    for row in rows:
        one_by_one.add(row)
        scores(lexicon, one_by_one, "k", "x")
    assert scores(lexicon, one_by_one, "k", "x y") == scores(lexicon_of(), at_once, "k", "x y")


def test_words_are_analysed_once_for_each_part() -> None:
    seen: list[str] = []

    def analyse(text: str) -> list[bytes]:
        seen.append(text)
        return words(text)

    shelf, lexicon = Shelf(), lexicon_of(analyse)
    shelf.add(("a", "k", "x", 0), ("b", "k", "x", 0))
    shelf.add(("c", "k", "y", 0))
    for _ in range(3):
        lexicon.postings(shelf.table, shelf.pieces)
    assert sorted(seen) == ["x", "y"]


def test_the_words_of_a_namespace_are_counted() -> None:
    shelf, lexicon = Shelf(), lexicon_of()
    shelf.add(("a", "k", "x y y", 0), ("b", "k", "", 0), ("n", "k", "z z z", 3), ("c", "o", "w", 0))
    shelf.add(("d", "k", "x v", 0))
    postings = lexicon.postings(shelf.table, shelf.pieces)
    assert describe_words(postings, lexicon.space("k")) == (3, 5)
    assert describe_words(postings, lexicon.space("o")) == (1, 1)
    assert describe_words(postings, lexicon.space("none")) == (0, 0)
    assert np.array_equal(postings.alive[0], shelf.table.alive[0])


def test_parts_that_are_no_words_are_in_no_posting_and_do_not_count() -> None:
    shelf, lexicon = Shelf(), lexicon_of(most=2)
    shelf.add(("a", "k", "stop x stop y z", 0), ("b", "k", "stop stop", 0))
    postings = lexicon.postings(shelf.table, shelf.pieces)
    assert describe_words(postings, lexicon.space("k")) == (2, 2)
    assert lexicon.find([b"stop"]) == [None]
    assert set(scores(lexicon, shelf, "k", "x")) == {"a"}
    assert scores(lexicon, shelf, "k", "z") == {}


@given(texts=st.lists(st.text("ab xX_é", max_size=12), min_size=1), most=st.integers(1, 4))
def test_each_text_has_the_words_that_it_has_by_itself(texts: list[str], most: int) -> None:
    shelf = Shelf()
    shelf.add(*((f"r{place:03}", "k", text, 0) for place, text in enumerate(texts)))
    lexicon = Lexicon(Analysis(lambda text: split_text(text.encode()), is_word, lambda: most))
    found = lexicon.postings(shelf.table, shelf.pieces)
    own = [find_words(text.encode())[:most] for text in texts]
    (part,) = found.parts
    assert part.lengths.tolist() == [*map(len, own)]
    for word in {word for some in own for word in some}:
        first, end = part.span(*lexicon.find([word]))
        counts = dict(
            zip(part.texts[first:end].tolist(), part.counts[first:end].tolist(), strict=True)
        )
        assert counts == {place: some.count(word) for place, some in enumerate(own) if word in some}
