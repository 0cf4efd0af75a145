"""Whole notes: nothing is lost, nothing raises, every line number is right."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from winnow.vault.blocks import MOST_LINES
from winnow.vault.markdown import (
    Heading,
    InlineField,
    Link,
    Problem,
    read_note,
    snippet,
)

SCRAPS = """
a|b c|#|# x|#t|::|k:: |[k:: v]|(k:: |[|]|(|)|[[|]]|[[x#y^z|]]|![[|](y.md)|`|```|~~~|%%|<!--|-->
$|$$|> |- |* |1. |    |  |---|...|===|<div>|é|title: x|tags: [a, b]|tags: a b|: |? |'|"|&a |*a|{|}
"""
scraps = st.sampled_from([*re.split(r"[|\n]", SCRAPS.strip()), "|", "\r\n"])
odd_ones = st.sampled_from("\n\n\n\\\t\r\0\x0c\x85\u2028\ud800\ufeff\u0301")
texts = st.lists(scraps | odd_ones, max_size=60).map("".join) | st.text()
notes = texts | st.tuples(texts, texts).map(lambda parts: "---\n{}\n---\n{}".format(*parts))
words = st.from_regex(r"[a-z]{1,8}", fullmatch=True)

EXAMPLE = """\
---
title: Cedar Peak
tags: [law, 2026-07-30]
aliases: Peak
created: 2026-07-30
related: "[[Ashford#Terms|terms]]"
---
# Matter MAT-2388 #Law/ip

**Project ID**::  836
- [ ] call (person:: [[Lisa]]) #todo
```dataview
LIST FROM #no WHERE [no:: 1]
```
CLAWQL_ESCROW_PCT=10
"""


def normal(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


@given(notes)
@example("---\n---")
@example("---\n- a\n---\n# b")
def test_head_and_body_of_any_text_are_the_text(text: str) -> None:
    note = read_note(text)
    assert note.head + note.body == normal(text)
    assert note.body_line == note.head.count("\n") + 1


@given(notes)
def test_every_line_number_is_one_of_the_text(text: str) -> None:
    note = read_note(text)
    found = [*note.fields, *note.links, *note.headings, *note.problems]
    lines = [one.line for one in found] + list(note.lines.values())
    assert all(1 <= line <= normal(text).count("\n") + 1 for line in lines)


@given(notes.filter(lambda text: "%%" not in text and "-->" not in text))
def test_a_field_stands_in_its_line(text: str) -> None:
    lines = normal(text).split("\n")
    for field in read_note(text).fields:
        assert field.key in lines[field.line - 1]
        assert field.value in lines[field.line - 1]


@given(notes.map(lambda text: text.replace("\r", "")), st.sampled_from(["\r\n", "\r"]))
@example(EXAMPLE, "\r\n")
def test_line_breaks_of_every_system_give_the_same_note(text: str, newline: str) -> None:
    assert read_note(text.replace("\n", newline)) == read_note(text)


@given(notes)
def test_a_byte_order_mark_changes_nothing(text: str) -> None:
    assert read_note("\ufeff" + text.removeprefix("\ufeff")) == read_note(text)


@given(notes)
def test_visible_lines_are_lines_of_the_body(text: str) -> None:
    note = read_note(text)
    body = note.body.split("\n")
    for number, line in note.visible_lines():
        original = body[number - note.body_line]
        assert line.strip()
        assert len(line) == len(original)
        assert all(one in (other, " ") for one, other in zip(line, original, strict=True))


@given(st.lists(st.tuples(words, words), max_size=8), st.lists(words, max_size=4))
def test_frontmatter_fields_and_tags_come_back(
    pairs: list[tuple[str, str]], tags: list[str]
) -> None:
    text = "---\nkey: 1\n---\n" + "".join(f"{key}:: {value}\n" for key, value in pairs)
    note = read_note(text + "".join(f"- #{tag}\n" for tag in tags))
    assert [(field.key, field.value) for field in note.fields] == pairs
    assert [field.line for field in note.fields] == list(range(4, 4 + len(pairs)))
    assert note.tags == tuple(dict.fromkeys(tags))


def test_a_note_is_read_in_all_its_parts() -> None:
    note = read_note(EXAMPLE)
    assert note.frontmatter["created"] == "2026-07-30"
    assert note.lines["created",] == 5
    assert note.title == "Cedar Peak"
    assert note.tags == ("law", "2026-07-30", "Law/ip", "todo")
    assert note.aliases == ("Peak",)
    assert note.fields == (
        InlineField("Project ID", "836", 10),
        InlineField("person", "[[Lisa]]", 11),
    )
    assert note.links == (
        Link("Ashford", "Terms", None, "terms", embed=False, line=6),
        Link("Lisa", None, None, None, embed=False, line=11),
    )
    assert note.headings == (Heading(1, "Matter MAT-2388 #Law/ip", 8),)
    assert note.body_line == 8
    assert note.visible_lines()[-1] == (15, "CLAWQL_ESCROW_PCT=10")
    assert "LIST FROM" in note.body
    assert "LIST FROM" not in note.prose
    assert note.problems == ()


@pytest.mark.parametrize("yaml", ["title: a: b", "- a", "a: 1\na: 2", "a: \0"])
def test_a_broken_head_stays_in_the_body_and_the_rest_is_read(yaml: str) -> None:
    """F78: one bad head costs neither the note nor its text."""
    note = read_note(f"---\n{yaml}\n---\n# Title\nkey:: v #tag\n")
    assert note.frontmatter == {}
    assert note.body_line == 1
    assert yaml in note.body
    assert yaml in note.prose
    line = yaml.count("\n") + 4
    assert note.headings == (Heading(1, "Title", line),)
    assert note.fields == (InlineField("key", "v #tag", line + 1),)
    assert note.tags == ("tag",)
    assert len(note.problems) == 1


@pytest.mark.parametrize(
    "yaml",
    [
        "created: 2026-07-30",
        "created: 2026-02-30",
        "at: 2026-07-30T10:00:00+02:00",
        "at: 12:30",
        "title: 123",
        "title: null",
        "type: [a]",
        "yes: no",
    ],
)
def test_frontmatter_of_every_type_is_read(yaml: str) -> None:
    """F47 and F78: values that crashed other readers."""
    note = read_note(f"---\n{yaml}\n---\nbody")
    assert list(note.frontmatter) == [yaml.partition(":")[0]]
    assert note.problems == ()


def test_a_title_of_another_kind_is_a_problem() -> None:
    """F47."""
    note = read_note("---\ntitle: [a]\n---\n# b\n")
    assert note.title is None
    assert note.headings[0].text == "b"
    assert note.problems == (Problem(2, "title must be a text, not list ['a']"),)


def test_a_note_with_too_many_lines_says_what_was_not_looked_for() -> None:
    note = read_note("# a\nkey:: v #b\n" + "[[c]]\n" * MOST_LINES + "```\n#d\n```\n")
    assert (note.tags, len(note.links)) == (("b",), MOST_LINES)
    assert note.headings == (Heading(1, "a", 1),)
    assert [problem.line for problem in note.problems] == [1]
    assert f"{MOST_LINES:,} lines" in note.problems[0].detail


LONG = "a:: [a:: [[ ]( [x](y.md) #a ` `` %% $a <!-- \\ > - ("


@pytest.mark.parametrize("scrap", [*LONG.split(), "` `` ", "> ", "- ", "\t"])
def test_a_very_long_line_is_read(scrap: str) -> None:
    note = read_note(scrap * (100_000 // len(scrap)) + "\n# end\n")
    assert note.body.endswith("# end\n")


def test_a_snippet_is_the_first_prose_in_one_line() -> None:
    note = read_note("---\na: 1\n---\n\n# Title\n\nOne  two\nCLAWQL_X=1\n  three\n")
    assert snippet(note.body, re.compile(r"\s*CLAWQL_\w+=")) == "# Title One two three"
    assert snippet(note.body, None) == "# Title One two CLAWQL_X=1 three"
    assert snippet(note.body, None, length=9) == "# Title O"


@given(notes, st.integers(1, 40))
def test_a_snippet_is_short_and_a_beginning(text: str, length: int) -> None:
    cut = snippet(text, None, length)
    assert len(cut) <= length
    assert "\n" not in cut
    assert " ".join(re.findall(r"\S+", text)).startswith(cut)


@pytest.mark.parametrize("cluster", ["e\u0301\u0323", "👨\u200d👩\u200d👧", "❤\ufe0f", "कि"])
def test_a_snippet_cuts_no_cluster(cluster: str) -> None:
    text = "abc" + cluster
    for length in range(3, len(text)):
        assert snippet(text, None, length) == "abc"
    assert snippet(text, None, len(text)) == text
