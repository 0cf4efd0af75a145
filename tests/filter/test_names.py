import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.filter.strategies import NAMES

from winnow.filter.names import (
    WORDS,
    UnreadableName,
    name_in_json,
    name_in_text,
    quote,
    split_name,
    unquote,
)

parts = st.lists(st.sampled_from([*NAMES, *sorted(WORDS)]) | st.text(max_size=6), min_size=1)


@given(parts)
def test_a_name_is_split_into_the_parts_it_was_spelled_from(names: list[str]) -> None:
    assert split_name(name_in_json(names)) == tuple(names)
    assert split_name(name_in_text(names)) == tuple(names)


@given(st.text())
def test_a_quoted_text_is_unquoted_to_itself(text: str) -> None:
    assert unquote(quote(text)) == text
    assert unquote("'" + text.replace("\\", "\\\\").replace("'", "''") + "'") == text


@pytest.mark.parametrize("word", sorted(WORDS))
def test_a_word_of_the_language_is_quoted_alone_but_not_after_a_dot(word: str) -> None:
    assert name_in_json([word]) == name_in_text([word]) == f'"{word}"'
    if word.isidentifier():
        assert name_in_text(["metadata", word]) == f"metadata.{word}"


@pytest.mark.parametrize(
    ("text", "offset"),
    [("", 0), ("a.", 2), ("a..b", 2), ('a."b', 2), ('a."b"c', 5), (r'a."b\x"', 4)],
)
def test_a_broken_name_is_refused_with_the_place(text: str, offset: int) -> None:
    with pytest.raises(UnreadableName) as caught:
        split_name(text)
    assert caught.value.offset == offset
