"""Words of many texts at once are the words of each, and have the number that they were given."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.rank.vocabulary import LONGEST, UNKNOWN, Vocabulary, find_words

CHARACTERS = st.sampled_from([*"ab,.\0\t\n\v\f\r\x1c\x1f\x7f ", " "])
TEXTS = st.lists(st.text(CHARACTERS, max_size=60) | st.text(st.characters(codec="ascii")))


@given(TEXTS)
def test_words_are_found_as_each_text_is_split(texts: Sequence[str]) -> None:
    found = find_words(texts)
    split = [text.split() for text in texts]
    assert found.spell(np.arange(len(found.starts))) == [word for words in split for word in words]
    owners = [number for number, words in enumerate(split) for _ in words]
    assert found.owners.tolist() == owners


@pytest.mark.parametrize("bits", [2, 10])
@given(TEXTS, TEXTS)
def test_a_word_has_its_own_number_or_none(
    bits: int, first: Sequence[str], second: Sequence[str]
) -> None:
    """Many share a place if there are few."""
    known, numbers = Vocabulary(bits), dict[str, int]()
    for texts in (first, second, first):
        words = find_words(texts)
        spelled = words.spell(np.arange(len(words.starts)))
        found = known.look_up(words)
        told = zip(spelled, found.tolist(), strict=True)
        assert all(number in (numbers.get(word), UNKNOWN) for word, number in told)
        unknown = np.flatnonzero(found == UNKNOWN)
        own = [numbers.setdefault(spelled[at], len(numbers) + 1) for at in unknown.tolist()]
        known.learn(words, unknown, np.array(own, np.int64))


def test_words_that_were_learned_are_known_from_then_on() -> None:
    words = find_words(["alpha beta", "x" * LONGEST, "x" * (LONGEST + 1)])
    known = Vocabulary()
    assert known.look_up(words).tolist() == [UNKNOWN] * 4
    known.learn(words, np.arange(4), np.array([7, 8, 9, 10]))
    assert known.look_up(words).tolist() == [7, 8, 9, UNKNOWN]
    known.learn(words, np.array([0]), np.array([70]))  # the first one stays
    assert known.look_up(words)[0] == 7
