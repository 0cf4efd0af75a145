import hashlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from winnow.embed import wordpiece
from winnow.embed.wordpiece import END, START, UNKNOWN, VOCABULARY, VOCABULARY_SHA256, split_tokens

WORDS = VOCABULARY.read_text(encoding="utf-8").split("\n")


def words(text: str) -> list[str]:
    return [WORDS[token] for token in split_tokens(text)]


def test_the_vocabulary_is_the_one_that_the_models_were_made_with() -> None:
    assert hashlib.sha256(VOCABULARY.read_bytes()).hexdigest() == VOCABULARY_SHA256
    assert [WORDS[UNKNOWN], WORDS[START], WORDS[END]] == ["[UNK]", "[CLS]", "[SEP]"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \t\n ", []),
        ("Hello, WORLD!", ["hello", ",", "world", "!"]),
        ("café naïve", ["cafe", "naive"]),
        ("embeddings", ["em", "##bed", "##ding", "##s"]),
        ("北京", ["北", "京"]),
        ("[CLS]", ["[", "cl", "##s", "]"]),
        ("x" * 101, ["[UNK]"]),
        ("a\ud800b", ["ab"]),
    ],
)
def test_a_text_has_these_tokens(text: str, tokens: list[str]) -> None:
    assert words(text) == tokens


# What the library takes for a sign to drop, and we for white space.
CONTROLS = "\x0b\x0c\x1c\x1d\x1e\x1f\x85"


@given(st.text() | st.text("aAéΣß 北ก\u0301\u200d'.-"))
@example("a" * 40 + " b")
def test_word_by_word_gives_the_tokens_of_the_whole_text(text: str) -> None:
    plain = text.translate(dict.fromkeys(map(ord, CONTROLS), " "))
    tokenizer = wordpiece._load_tokenizer()
    assert split_tokens(plain) == tokenizer.encode(plain, add_special_tokens=False).ids


@given(st.text(st.characters()))  # lone surrogates too
def test_no_text_is_an_error_and_the_second_time_is_like_the_first(text: str) -> None:
    assert split_tokens(text) == split_tokens(text)


def test_what_is_remembered_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece, "_MOST_KEPT", 3)
    memo = wordpiece._Memo()
    for number in range(10):
        assert memo[str(number)] == tuple(split_tokens(str(number)))
    assert len(memo) <= 3
    assert memo["y" * 33]
    assert "y" * 33 not in memo
