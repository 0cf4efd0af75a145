"""Klyro's words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.rank.klyro.words import STOP_WORDS, find_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("error-code E42 in mem_001", ["error", "code", "e42", "mem_001"]),
        ("C++ x86-64 a_b _x", ["x86", "64", "a_b", "_x"]),
        ("don't can't", ["don", "can"]),
        ("The quick brown", ["quick", "brown"]),
        ("ÉCOLE école", ["École", "école"]),
        ("日本語 テスト", ["日本語", "テスト"]),
        ("RUNNING runs run run", ["running", "runs", "run", "run"]),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_digits_and_bytes_above_127(text: str, words: list[str]) -> None:
    assert find_words(text.encode()) == [word.encode() for word in words]


@given(st.binary(max_size=40))
def test_any_bytes_have_words_that_are_long_enough_and_no_stop_words(text: bytes) -> None:
    for word in find_words(text):
        assert len(word) >= 2
        assert word not in STOP_WORDS
        assert word in text.lower()


@given(st.binary(max_size=40) | st.text(max_size=20).map(str.encode))
def test_words_are_what_an_expression_finds(text: bytes) -> None:
    found: list[bytes] = re.findall(rb"[0-9a-z_\x80-\xff]{2,}", text.lower())
    assert find_words(text) == [word for word in found if word not in STOP_WORDS]
