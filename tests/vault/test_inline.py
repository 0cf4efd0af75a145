"""Tags and links in the text of a note."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.vault.blocks import find_blocks
from winnow.vault.inline import Inline, read_wikilinks, scan_inline
from winnow.vault.note import InlineField, Link

names = st.from_regex(r"[a-zA-Zäßж中🌱⊙_-]{1,10}", fullmatch=True).filter(lambda t: t.strip("_-"))
titles = st.from_regex(r"[a-z][a-z ./-]{0,10}[a-z]", fullmatch=True)


def scan(text: str) -> Inline:
    starts = [0, *(at + 1 for at, character in enumerate(text) if character == "\n")]
    return scan_inline(text, find_blocks(text, len(starts), 1), starts, 1)


def tags(text: str) -> list[str]:
    return list(scan(text).tags)


def link(target: str, **parts: str | bool | int) -> Link:
    return replace(Link(target, None, None, None, embed=False, line=1), **parts)


@given(st.lists(names), st.sampled_from([" ", "\n", ", ", "\n> ", "\n- ", " (", "** **", "; "]))
def test_tags_of_every_script_and_emoji_are_found(written: list[str], between: str) -> None:
    """F111: tags with unusual characters."""
    assert tags("".join(f"{between}#{tag}" for tag in written)) == written


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#law/ip #a_b-c", ["law/ip", "a_b-c"]),
        ("#1984 #y1984 #2022-01-02", ["y1984", "2022-01-02"]),
        ("#one#two", ["one", "two"]),
        ("(#a) **#b** ==#c== ~~#d~~ |#e|", ["a", "b", "c", "d", "e"]),
        ("#a. #b, #c! #d's #e: #f; #g)", ["a", "b", "c", "d", "e", "f", "g"]),
        ("# Heading #a\n#b\n## #c", ["a", "b", "c"]),
        ("#👨‍👩‍👧 #कि", ["👨‍👩‍👧", "कि"]),
        ("tags:: #a, #b", ["a", "b"]),
        ("> [!note] #a\n> #b", ["a", "b"]),
    ],
)
def test_a_tag_ends_and_begins_as_in_obsidian(text: str, found: list[str]) -> None:
    assert tags(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "a#b",
        "#",
        "# a",
        "##a",
        "#--",
        "\\#a",
        "C# code",
        "&#39;",
        "`#a`",
        "```\n#a\n```",
        "x\n\n    #a",
        "%%#a%%",
        "<!-- #a -->",
        "$x #a$",
        "[[a#b]] [[#c]] [[d|#e]]",
        "[a](#b)",
        "[a](b.md#c 'd #e')",
        "https://a.b/c#d",
        "color:#fff",
    ],
)
def test_what_only_looks_like_a_tag_is_none(text: str) -> None:
    assert tags(text) == []


@given(titles, titles, titles)
def test_a_link_has_target_heading_label_and_line(target: str, heading: str, label: str) -> None:
    """F108: heading, block and label of a link."""
    text = f"x\n[[{target}#{heading}|{label}]] ![[{target}#^b-1]]"
    assert list(scan(text).links) == [
        link(target, heading=heading, label=label, line=2),
        link(target, block="b-1", embed=True, line=2),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[a]]", link("a")),
        ("[[ a b | c ]]", link("a b", label="c")),
        ("[[#h]]", link("", heading="h")),
        ("[[a#h#i]]", link("a", heading="h#i")),
        ("[[a#h#^b]]", link("a", heading="h", block="b")),
        ("| [[a\\|b]] |", link("a", label="b")),
        ("[[[a]]]", link("a")),
        ("[[a|]]", link("a")),
        ("[t](a%20b.md#h%20i)", link("a b.md", heading="h i", label="t")),
        ("[t](<a b.md> 'title')", link("a b.md", label="t")),
        ("![](A.MD)", link("A.MD", embed=True)),
        ("[x [y]](a_(b).md)", link("a_(b).md", label="x [y]")),
    ],
)
def test_every_spelling_of_a_link_is_read(text: str, found: Link) -> None:
    assert list(scan(text).links) == [found]


@pytest.mark.parametrize(
    "text",
    ["[[]]", "[[ ]]", "[[a", "[a]", "\\[[a]]", "`[[a]]`", "%%[[a]]%%", "[[a\nb]]", "[a](b.md"],
)
def test_what_is_no_link_is_none(text: str) -> None:
    assert scan(text).links == ()


@pytest.mark.parametrize("target", ["b.png", "https://b.c/d.md", "file:a.md", "#b", "", "a b.md"])
def test_a_markdown_link_to_something_else_is_none(target: str) -> None:
    assert scan(f"[a]({target})").links == ()


def test_links_and_fields_keep_the_order_of_the_text() -> None:
    found = scan("[b](b.md) [[a]]\n\nk:: [[c]]\n[[x::y]] [z](w::v)\n- (l:: 2) [m:: 3]")
    assert [one.target for one in found.links] == ["b.md", "a", "c", "x::y"]
    assert list(found.fields) == [
        InlineField("k", "[[c]]", 3),
        InlineField("l", "2", 5),
        InlineField("m", "3", 5),
    ]


@pytest.mark.parametrize("form", ["`{}`", "```\n{}\n```", "%%{}%%", "<!-- {} -->", "$${}$$"])
def test_no_field_is_read_where_nothing_is_read(form: str) -> None:
    assert scan(form.format("[a:: b]") + "\n" + form.format("a:: b")).fields == ()


def test_wikilinks_of_another_text_have_its_line() -> None:
    assert list(read_wikilinks("see [[a]] and ![[b|c]]", 4)) == [
        link("a", line=4),
        link("b", label="c", embed=True, line=4),
    ]
