"""The head of a note: where it ends, its names, and what happens when it can't be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.memories import distinct_tags
from winnow.values import Json
from winnow.vault.frontmatter import (
    LARGEST,
    Frontmatter,
    Names,
    normalize_tags,
    read_frontmatter,
    read_names,
    read_texts,
)
from winnow.vault.note import Problem

tag_names = st.from_regex(r"[a-zäß中](/?[a-z0-9äß中_-]){0,10}", fullmatch=True)
tag_lists = st.lists(tag_names, unique_by=str.casefold)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def names(yaml: str) -> Names:
    return read_names(read_frontmatter(f"---\n{yaml}\n---\n"))


@pytest.mark.parametrize("opening", ["---\n", "--- \t\n"])
@pytest.mark.parametrize("closing", ["---", "...", "---  "])
@pytest.mark.parametrize("after", ["\nbody", "\n", ""])
def test_a_head_stands_between_two_rulers(opening: str, closing: str, after: str) -> None:
    front = read_frontmatter(f"{opening}a: 1\nb: [x]\n{closing}{after}")
    assert front.values == {"a": 1, "b": ["x"]}
    assert front.lines == {("a",): 2, ("b",): 3, ("b", 0): 3}
    assert (opening + "a: 1\nb: [x]\n" + closing + after)[front.end :] == after.removeprefix("\n")


@pytest.mark.parametrize("text", ["", "a", "\n---\na: 1\n---\n", "----\na: 1\n---\n", " ---\n"])
def test_without_a_ruler_in_the_first_line_there_is_no_head(text: str) -> None:
    assert read_frontmatter(text) == Frontmatter()


def test_a_ruler_that_begins_no_keys_is_only_a_ruler() -> None:
    assert read_frontmatter("---\nsome prose\n") == Frontmatter()


@pytest.mark.parametrize("text", ["---\ntitle: x\nbody", "---\ntitle: x\n --- \n", "---\na:\n"])
def test_a_head_that_is_never_closed_is_named(text: str) -> None:
    front = read_frontmatter(text)
    assert (front.end, front.values) == (0, {})
    assert [problem.line for problem in front.problems] == [1]


@pytest.mark.parametrize("yaml", ["", "# only a comment\n", "~\n"])
def test_an_empty_head_is_fine(yaml: str) -> None:
    front = read_frontmatter(f"---\n{yaml}---\nbody")
    assert (front.values, front.usable, front.problems) == ({}, True, ())


@pytest.mark.parametrize(
    ("yaml", "line", "words"),
    [
        ("a: 1\ntitle: b: c\n", 3, "quotes"),
        ("a: 1\na: 2\n", 3, "first in line 2"),
        ("a: x\0y\n", 2, "U+0000"),
        ("- a\n- b\n", 2, "keys with values"),
        ("just text\n", 2, "keys with values"),
        ("a: " + "x" * LARGEST + "\n", 1, "characters"),
    ],
)
def test_a_head_that_cannot_be_read_is_a_problem_with_its_line(
    yaml: str, line: int, words: str
) -> None:
    front = read_frontmatter(f"---\n{yaml}---\nbody")
    assert not front.usable
    assert [problem.line for problem in front.problems] == [line]
    assert words in front.problems[0].detail


@given(tag_lists)
def test_tags_read_alike_in_every_spelling(tags: list[str]) -> None:
    """F52: list, inline list, comma text, spaces, with # and without."""
    hashed = ["#" + tag for tag in tags]
    lists: list[Json] = [[*tags], [*hashed], [[*tags]]]
    for value in (", ".join(tags), ",".join(hashed), " ".join(hashed), "\n".join(tags), *lists):
        assert normalize_tags(value) == tuple(tags)


@given(anything)
def test_any_value_gives_tags_without_blanks_and_doubles(value: Json) -> None:
    tags = normalize_tags(value)
    assert all(tag and tag == tag.strip().rstrip("/") and tag[0] != "#" for tag in tags)
    assert distinct_tags(tags) == tags


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        (None, ()),
        (["", " ", "#", None], ()),
        (["a,b", "c d"], ("a,b", "c d")),
        (["# y", "##z", " law/ ", "Law", "/"], ("y", "z", "law")),
        (["Law", "law", "LAW/ip", "STRASSE", "straße"], ("Law", "LAW/ip", "STRASSE")),
        (["caf\u00e9", "cafe\u0301"], ("caf\u00e9",)),
        ([2026, 1.5, True], ("2026", "1.5", "true")),
        (7, ("7",)),
        ({"a": "b"}, ()),
    ],
)
def test_tags_are_cleaned(value: Json, tags: tuple[str, ...]) -> None:
    """F50, F53, F55: commas inside an item stay, case makes no second tag, blanks go."""
    assert normalize_tags(value) == tags


@pytest.mark.parametrize("key", ["tags", "tag", "Tags"])
def test_numbers_and_dates_among_tags_stay_as_written(key: str) -> None:
    """F78: a bare date in the tags."""
    written = names(f"{key}: [007, 1.10, 2026-07-30, 2026-02-30, 12:30, ~]")
    assert written.tags == ("007", "1.10", "2026-07-30", "2026-02-30", "12:30")


def test_tags_of_several_keys_are_one_list() -> None:
    assert names("tags: [a, b]\ntag: B c").tags == ("a", "b", "c")


@pytest.mark.parametrize(
    ("yaml", "title"),
    [
        ("title: Cedar Peak", "Cedar Peak"),
        ("Title: Cedar Peak", "Cedar Peak"),
        ("title: 123", "123"),
        ("title: 007", "007"),
        ("title: 1.10", "1.10"),
        ("title: true", "true"),
        ("title: 2026-02-30", "2026-02-30"),
        ("title: |\n  two\n  lines", "two lines"),
        ("title: 'None'", "None"),
        ("title:", None),
        ("title: null", None),
        ("title: ' '", None),
        ("other: x", None),
    ],
)
def test_a_title_is_the_text_of_a_scalar(yaml: str, title: str | None) -> None:
    """F47: titles of other types."""
    assert names(yaml) == Names(title, (), (), ())


@pytest.mark.parametrize("yaml", ["title: [a]", "title: {a: 1}", "tags: {a: 1}", "alias: {a: 1}"])
def test_a_name_of_another_kind_is_a_problem(yaml: str) -> None:
    """F47: a list or mapping as title is ignored, and said."""
    found = names("x: 1\n" + yaml)
    assert (found.title, found.tags, found.aliases) == (None, (), ())
    assert [problem.line for problem in found.problems] == [3]


def test_f78_an_item_that_is_no_text_is_told_and_the_others_stay() -> None:
    found = names("tags:\n  - law\n  - area: tax\naliases: [x, {a: 1}]")
    assert (found.tags, found.aliases) == (("law",), ("x",))
    told = [(problem.line, problem.detail.partition(" not ")[0]) for problem in found.problems]
    assert told == [
        (4, "an item of tags must be a text,"),
        (5, "an item of aliases must be a text,"),
    ]


@pytest.mark.parametrize(
    "yaml", ["aliases: [x y, 'b, c', 7]", "alias:\n  - x y\n  - b, c\n  - 7\n  - x y\n  -"]
)
def test_aliases_of_a_list_are_its_items(yaml: str) -> None:
    assert names(yaml).aliases == ("x y", "b, c", "7")


def test_aliases_of_a_text_stand_between_commas() -> None:
    assert names("aliases: x y, z , ,").aliases == ("x y", "z")


def test_texts_are_walked_in_order_with_their_lines() -> None:
    front = read_frontmatter("---\na: x\nb:\n  - y\n  - {c: z, d: 1}\n---\n")
    assert list(read_texts(front)) == [(2, "x"), (4, "y"), (5, "z")]


def test_a_problem_of_the_yaml_is_one_line() -> None:
    front = read_frontmatter("---\na: [b\n---\n")
    assert isinstance(front.problems[0], Problem)
    assert "\n" not in front.problems[0].detail
