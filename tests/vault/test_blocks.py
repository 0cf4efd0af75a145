"""Code, headings and paragraphs, from the parser or from the plain scanner."""

from itertools import pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from winnow.vault import blocks
from winnow.vault.blocks import MOST_LINES, find_blocks, is_plain
from winnow.vault.note import Heading

pieces = ["a", "b c", "#", "##", "# x", "#x", " ", "  ", "> ", "- ", "* ", "1. ", "+", "=", "\\"]
lines = st.lists(st.sampled_from([*pieces, "\n", "\n", "\n\n", "\x0c", "\u3000", "é"]), max_size=40)


def code(text: str) -> list[tuple[int, int]]:
    return list(find_blocks(text, text.count("\n") + 1, 1).code)


def headings(text: str) -> list[Heading]:
    return list(find_blocks(text, text.count("\n") + 1, 1).headings)


def parsed(text: str) -> list[tuple[int, str, int]]:
    """Level, text and line of each heading as the reference parser sees them."""
    tokens = MarkdownIt("commonmark").disable("reference").parse(text)
    opened = ((one, after) for one, after in pairwise(tokens) if one.map)
    return [
        (int(one.tag[1]), " ".join(after.content.split()), one.map[0] + 1)
        for one, after in opened
        if one.type == "heading_open" and one.map
    ]


@given(lines.map("".join))
@example("# a #\n## #\n#\n####### b\n# c \\#\n#\td")
def test_the_plain_scanner_sees_what_the_parser_sees(text: str) -> None:
    assume(is_plain(text))
    found = find_blocks(text, text.count("\n") + 1, 1)
    assert [(one.level, one.text, one.line) for one in found.headings] == parsed(text)
    assert not found.code
    assert not any(token.type in ("fence", "code_block") for token in MarkdownIt().parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "`a`",
        "~~~",
        "    a",
        "\ta",
        "<b>",
        "%%",
        "$$",
        "a\n===",
        "a\n---",
        "> # a",
        "- # a",
        "1. # a",
    ],
)
def test_a_text_that_needs_the_parser_is_not_plain(text: str) -> None:
    assert not is_plain(text)


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("```\na\n```\nb", [(0, 3)]),
        ("~~~js\na\n```\n~~~\nb", [(0, 4)]),
        ("a\n```\nb", [(1, 3)]),
        ("> ```\n> a\n> ```\nb", [(0, 3)]),
        ("> ```\nb", [(0, 1)]),
        ("- a\n  ```\n  b\n  ```\n", [(1, 4)]),
        ("a\n\n    b\n\n    c\n\nd", [(2, 5)]),
        ("a\n    b", []),
        ("- a\n\n     b", []),
        ("- a\n\n      b", [(2, 3)]),
        ("- a\n\n\tb\n\n\t\tc", [(4, 5)]),
        ("``` a`b", []),
        ("> [!note]\n>     a", []),
    ],
)
def test_code_is_found_where_markdown_has_it(text: str, ranges: list[tuple[int, int]]) -> None:
    assert code(text) == ranges


def test_headings_have_level_text_and_line() -> None:
    text = "# One #\n\n```\n# no\n```\nTwo\nlines\n---\n> ### Three\n- #### Four\n#no\n####### no\n"
    assert headings(text) == [
        Heading(1, "One", 1),
        Heading(2, "Two lines", 6),
        Heading(3, "Three", 9),
        Heading(4, "Four", 10),
    ]


def test_lines_count_from_the_line_that_the_text_begins_at() -> None:
    assert find_blocks("# a\n`b`", 2, first_line=7).headings == [Heading(1, "a", 7)]
    assert find_blocks("# a\nb", 2, first_line=7).headings == [Heading(1, "a", 7)]


def test_a_text_with_too_many_lines_keeps_its_fences_and_headings() -> None:
    text = "# a\n> ```\n> # b\n> ```\n~~~~\n~~~\n# c\n~~~~\n   ## d ##\n``` e`f\n\t# f\n- ```\n"
    text += "\n" * MOST_LINES
    found = find_blocks(text, text.count("\n") + 1, 1)
    assert not found.exact
    assert found.headings == [Heading(1, "a", 1), Heading(2, "d", 9)]
    assert [first for first, _ in found.code] == [1, 4, 11]
    assert found.code[-1][1] == text.count("\n") + 1


@pytest.mark.parametrize("mark", ["> ", "- ", "1. ", "> - ", "  "])
def test_deep_nesting_is_text_and_does_not_exhaust_the_stack(mark: str) -> None:
    text = "".join(mark * (depth % 500) + "`a\n" for depth in range(1_000))
    assert blocks.find_blocks(text, 1_001, 1).headings == []
