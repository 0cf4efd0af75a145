"""Dataview fields of a line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.vault.fields import LONGEST_KEY, line_fields
from winnow.vault.masks import FILLER

words = st.from_regex(r"[\w][\w /-]{0,20}[\w]", fullmatch=True).filter(lambda key: key[0] != "_")
values = st.from_regex(r"[\w][\w ,.#$%-]{0,20}[\w]", fullmatch=True)
balanced = st.recursive(values, lambda inner: inner.map("[{}]".format) | inner.map("({})".format))


def fields(line: str) -> list[tuple[str, str]]:
    return line_fields(line, line)


@given(words, values, st.sampled_from(["", "- ", "* ", "1. ", "- [ ] ", "- [x] ", "> ", "> - "]))
def test_a_field_may_fill_a_line_list_item_task_or_quote(key: str, value: str, lead: str) -> None:
    assert fields(f"{lead}{key}:: {value}") == [(key, value)]


@given(st.lists(st.tuples(words, balanced, st.sampled_from(["[]", "()"])), min_size=1, max_size=4))
def test_several_fields_in_brackets_stand_in_one_line(parts: list[tuple[str, str, str]]) -> None:
    line = " and ".join(f"{pair[0]}{key}:: {value}{pair[1]}" for key, value, pair in parts)
    assert fields(line) == [(key, value) for key, value, _ in parts]


@given(st.text())
def test_any_line_is_read(line: str) -> None:
    for key, value in fields(line):
        assert key
        assert key in line
        assert value in line


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("**Project ID**::  836", [("Project ID", "836")]),
        ("**status:**: waiting", []),
        ("**status::** waiting", [("status", "waiting")]),
        ("- __due__:: 2022-01-02", [("due", "2022-01-02")]),
        ("==mark==:: ~~x~~", [("mark", "~~x~~")]),
        ("finished::", [("finished", "")]),
        ("a::b", [("a", "b")]),
        ("a:: b:: c", [("a", "b:: c")]),
        ("## Rating:: 5", [("Rating", "5")]),
        ("🎬:: 5", [("🎬", "5")]),
        ("हिन्दी:: 1", [("हिन्दी", "1")]),
        ("Größe/cm:: 1", [("Größe/cm", "1")]),
        ("[due:: ]", [("due", "")]),
        ("[**due**:: 1]", [("due", "1")]),
        ("(person:: [[Lisa]])", [("person", "[[Lisa]]")]),
        ("x (see:: [a](b_(c).md) too) y", [("see", "[a](b_(c).md) too")]),
        ("[a:: x (b:: y) z]", [("a", "x (b:: y) z"), ("b", "y")]),
        ("[a:: x [b:: y] z]", [("a", "x [b:: y] z")]),
        ("met:: Ann and (place:: Rome)", [("place", "Rome")]),
        ("[open:: x (b:: y)", [("b", "y")]),
    ],
)
def test_fields_are_read_as_dataview_reads_them(line: str, expected: list[tuple[str, str]]) -> None:
    assert fields(line) == expected


@pytest.mark.parametrize("line", ["::", ":: b", "**:: b", "[:: b]", "[a(b:: c]", "| a:: 1 | b |"])
@pytest.mark.parametrize("tail", ["", " and more"])
def test_what_has_no_key_makes_no_field(line: str, tail: str) -> None:
    assert fields(line + tail) == []


@pytest.mark.parametrize("key", ["http://a", "C++ a", "x. y", '"a" b', "a | b", f"a{FILLER}b"])
def test_what_is_no_key_makes_no_field_of_a_line(key: str) -> None:
    assert fields(f"{key}:: c") == []


@pytest.mark.parametrize("form", ["{}:: c", "[{}:: c]"])
def test_a_key_has_a_limit(form: str) -> None:
    assert len(fields(form.format("x" * LONGEST_KEY))) == 1
    assert fields(form.format("x" * (LONGEST_KEY + 1))) == []


def test_hidden_text_is_no_key() -> None:
    assert fields(f"[a{FILLER}:: c]") == []


def test_values_come_from_the_text_where_code_is_hidden() -> None:
    prose, marked = "[sum:: `a]` b]", "[sum:: ···· b]".replace("·", FILLER)
    assert line_fields(marked, prose) == [("sum", "`a]` b")]


@pytest.mark.parametrize("key", ["\x1d", "\u00a0", " \u2003 ", "\x85"])
def test_what_nobody_sees_is_no_key(key: str) -> None:
    """Found by fuzzing: separators that are no space and no tab were the name of a field."""
    for line in (f"[{key}:: 1]", f"({key}:: 1)", f"{key}:: 1"):
        assert line_fields(line, line) == []
