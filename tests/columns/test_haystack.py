"""A part is looked for in many texts at once, and found just where a loop would find it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.haystack import Haystack

TEXTS = st.lists(st.text("ab\n\0é\U0001f600", max_size=6), max_size=12)
PARTS = st.text("ab\n\0é\U0001f600", max_size=3)


def found(texts: list[str], operator: str, part: str) -> list[bool]:
    return Haystack(texts).search(operator, part).tolist()


@pytest.mark.parametrize("strangers", [0, 400])
@given(texts=TEXTS, part=PARTS)
def test_it_finds_what_a_loop_finds(strangers: int, texts: list[str], part: str) -> None:
    """Among many strangers the part is rare, and looked for in another way."""
    texts = [*texts, *["z\nz"] * strangers, *reversed(texts)]
    assert found(texts, "contains", part) == [part in text for text in texts]
    assert found(texts, "startsWith", part) == [text.startswith(part) for text in texts]
    assert found(texts, "endsWith", part) == [text.endswith(part) for text in texts]


@pytest.mark.parametrize("operator", ["contains", "startsWith", "endsWith"])
def test_a_part_never_runs_from_one_text_into_the_next(operator: str) -> None:
    texts = [*["a", "a"], *["z"] * 100, *["aa"]]
    assert found(texts, operator, "aa") == [*[False] * 102, True]


@pytest.mark.parametrize("part", ["a", "", "\n"])
def test_nothing_is_found_among_no_texts(part: str) -> None:
    assert found([], "contains", part) == []


def test_the_signs_of_regular_expressions_are_plain_characters() -> None:
    texts = [*["z"] * 50, "a.c", "abc", "[a]"]
    assert found(texts, "contains", "a.c")[50:] == [True, False, False]
    assert found(texts, "contains", "[a]")[50:] == [False, False, True]
