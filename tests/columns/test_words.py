"""Texts that stand as bytes in arrays read as those in memory do."""

from bisect import bisect_left

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.arrays import text_array
from winnow.columns.words import CodedWords, as_words, find_word, pack_words

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SORTED = st.lists(TEXTS, unique=True, max_size=30).map(sorted)


@given(SORTED)
def test_packed_words_are_the_words(texts: list[str]) -> None:
    packed = pack_words(text_array(texts))
    assert packed.tolist() == texts == list(packed)
    assert [packed[place] for place in range(len(packed))] == texts
    assert as_words(packed).tolist() == texts


@given(SORTED, TEXTS)
def test_a_word_is_found_among_packed_words_as_among_others(texts: list[str], word: str) -> None:
    packed = pack_words(text_array(texts))
    assert bisect_left(packed, word) == bisect_left(texts, word)
    assert find_word(packed, word) == (texts.index(word) if word in texts else None)


@given(SORTED, st.data())
def test_some_of_the_words_come_as_an_array(texts: list[str], data: st.DataObject) -> None:
    packed = pack_words(text_array(texts))
    places = st.integers(0, max(len(texts) - 1, 0))
    chosen = data.draw(st.lists(places, max_size=40 if texts else 0))
    assert packed[np.array(chosen, np.int64)].tolist() == [texts[place] for place in chosen]
    first, end = sorted(data.draw(st.tuples(st.integers(0, 30), st.integers(0, 30))))
    assert packed[first:end].tolist() == texts[first:end]
    mask = np.array([data.draw(st.booleans()) for _ in texts], np.bool_)
    assert packed[mask].tolist() == [text for text, kept in zip(texts, mask, strict=True) if kept]


@given(SORTED.filter(bool), st.data())
def test_words_of_rows_are_found_by_their_codes(texts: list[str], data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=20))
    coded = CodedWords(pack_words(text_array(texts)), np.array(places, np.int32))
    expected = [texts[place] for place in places]
    assert coded.tolist() == expected == as_words(coded).tolist()
    assert [coded[row] for row in range(len(coded))] == expected
    assert coded[np.arange(len(places))].tolist() == expected


def test_one_of_many_words_is_read_without_reading_the_others() -> None:
    texts = [f"word {number:05}" for number in range(10_000)]
    packed = pack_words(text_array(texts))
    assert packed[np.array([7, 9_999])].tolist() == ["word 00007", "word 09999"]


def test_packed_words_can_be_packed_again() -> None:
    packed = pack_words(text_array(["a", "b"]))
    assert pack_words(packed) is packed
