"""The table of irregular forms leads each to its word, in one step, and has no line too many."""

from itertools import pairwise

import pytest

from winnow.rank.analyse import Analyser
from winnow.rank.irregular import IRREGULAR
from winnow.rank.stopwords import STOP_WORDS

FORMS = IRREGULAR["english"]
ENGLISH = Analyser()
# The stems are Snowball's own under a name that has no table.
PLAIN = Analyser("porter")


def test_every_form_has_the_terms_of_its_word() -> None:
    for form, word in FORMS.items():
        assert ENGLISH.terms(form) == ENGLISH.terms(word), form


def test_no_word_is_itself_a_form_of_another() -> None:
    assert not set(FORMS.values()) & set(FORMS)


def test_the_stemmer_alone_would_miss_every_one() -> None:
    assert [form for form, word in FORMS.items() if PLAIN.terms(form) == PLAIN.terms(word)] == []


def test_words_are_in_order_and_as_they_are_looked_up() -> None:
    words = list(dict.fromkeys(FORMS.values()))
    assert all(first < second for first, second in pairwise(words))
    assert all(text.isascii() and text.islower() for text in (*FORMS, *words))


def test_none_is_a_word_that_a_query_is_asked_without() -> None:
    assert not STOP_WORDS & {*FORMS, *FORMS.values()}


@pytest.mark.parametrize("language", ["english", "English", "en", "eng"])
def test_every_name_of_the_language_has_them(language: str) -> None:
    assert Analyser(language).terms("Went") == ["go"]


def test_another_language_keeps_its_own_words() -> None:
    assert Analyser("german").terms("man sang") == ["man", "sang"]


def test_the_parts_of_a_compound_are_led_back_too() -> None:
    assert "write" in ENGLISH.terms("hand-written")
    assert "child" in ENGLISH.terms("grandChildren")
