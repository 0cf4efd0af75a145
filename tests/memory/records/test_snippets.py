"""Snippets show the part of a text that a query is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.memory.records.snippets import LENGTH, find_snippet

FILLER = "filler " * 200


def test_a_short_text_is_shown_whole_with_its_spaces_made_one() -> None:
    assert find_snippet("a  river\n\nbank ", "bank") == "a river bank"


def test_a_long_text_begins_at_its_start_where_nothing_is_found() -> None:
    for query in ("", "zebra", "of a", "?"):
        assert find_snippet(FILLER, query) == FILLER[:LENGTH]


@pytest.mark.parametrize("query", ["river", "RIVER?", "where is the river", "riv"])
def test_the_word_is_shown_between_whole_words(query: str) -> None:
    shown = find_snippet(f"{FILLER}a River {FILLER}", query)
    assert "a River" in shown
    assert shown.startswith("filler ")
    assert len(shown) == LENGTH


@pytest.mark.parametrize(
    ("filler", "word"), [("我们在工厂", "设备"), ("İ", "straße"), ("x", "ｒｉｖｅｒ"), ("漢", "Б")]
)
def test_the_word_is_shown_in_every_script(filler: str, word: str) -> None:
    text = filler * 500 + word + filler * 500
    shown = find_snippet(text, word)
    assert word in shown
    assert len(shown) == LENGTH


def test_a_long_word_before_the_place_does_not_push_it_out() -> None:
    assert "river" in find_snippet(FILLER + "x" * 100 + "river " + "y" * 300, "river")


@given(st.text(), st.text(max_size=20), st.integers(0, 300))
def test_a_snippet_is_a_part_of_the_text(text: str, query: str, times: int) -> None:
    long = f"{text} " * times + text
    shown = find_snippet(long, query)
    assert len(shown) <= LENGTH
    assert shown in " ".join(long.split())
