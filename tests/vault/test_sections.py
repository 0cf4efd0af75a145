import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from winnow.vault.markdown import read_note
from winnow.vault.sections import (
    LEAST,
    LONGEST,
    LONGEST_CODE,
    LONGEST_HEADING,
    USUAL,
    Passage,
    cut_note,
    cut_text,
)

SENTENCE = "The seller keeps the books for seven years. "
PARAGRAPH = (SENTENCE * 9).strip()


def cut(text: str, title: str = "") -> list[Passage]:
    return cut_note(read_note(text), title)


def headings(text: str, title: str = "") -> list[str | None]:
    return [passage.heading for passage in cut(text, title)]


def texts(text: str) -> list[str]:
    return [passage.text for passage in cut(text)]


def sizes(text: str) -> list[int]:
    return [len(one) for one in texts(text)]


def letters(text: str) -> str:
    return "".join(text.split())


# --- sections ------------------------------------------------------------------------------------


def test_each_section_is_a_passage_and_so_is_what_stands_before_the_first() -> None:
    text = "---\na: 1\n---\n\nBefore.\n\n# Terms\n\nMoney.\n\n## Escrow\nTwelve.\n\n# End\nx\n"
    assert cut(text) == [
        Passage(None, 5, "Before."),
        Passage("Terms", 7, "# Terms\n\nMoney."),
        Passage("Terms > Escrow", 11, "## Escrow\nTwelve."),
        Passage("End", 14, "# End\nx"),
    ]


def test_a_heading_over_all_others_that_is_the_title_is_in_no_path() -> None:
    text = "# Atlas\nx\n## Terms\nx\n### Escrow\nx\n"
    assert headings(text, "Atlas") == [None, "Terms", "Terms > Escrow"]
    assert headings(text, "Other") == ["Atlas", "Atlas > Terms", "Atlas > Terms > Escrow"]
    assert headings(text + "# Last\nx\n", "Atlas")[0] == "Atlas"
    assert headings("x\n## Atlas\ny\n", "Atlas") == [None, None]


def test_levels_may_be_left_out_and_come_back() -> None:
    text = "### A\nx\n# B\nx\n#### C\nx\n## D\nx\n"
    assert headings(text) == ["A", "B", "B > C", "B > D"]


@pytest.mark.parametrize("mark", ["```", "~~~"])
def test_what_looks_like_a_heading_in_code_is_none(mark: str) -> None:
    assert headings(f"# A\n{mark}\n# no\n{mark}\n") == ["A"]


def test_an_underlined_heading_begins_a_section() -> None:
    assert cut("x\n\nTerms\n=====\ny\n") == [
        Passage(None, 1, "x"),
        Passage("Terms", 3, "Terms\n=====\ny"),
    ]


def test_what_says_nothing_stands_before_the_next_section() -> None:
    text = "#deal #ma/large\n# Tasks\n---\n# Terms\n\n## Escrow\nx\n# End\ny\n"
    assert cut(text) == [
        Passage("Terms > Escrow", 1, "#deal #ma/large\n# Tasks\n---\n# Terms\n\n## Escrow\nx"),
        Passage("End", 8, "# End\ny"),
    ]


def test_headings_with_nothing_under_them_stand_behind_the_last_section() -> None:
    assert cut("# A\nx\n# B\n\n## C\n") == [Passage("A", 1, "# A\nx\n# B\n\n## C")]
    assert cut("# A\n\n## B\n") == [Passage("A", 1, "# A\n\n## B")]
    assert cut("\n\n#tag\n") == [Passage(None, 3, "#tag")]


@pytest.mark.parametrize("text", ["", "\n \n", "---\na: 1\n---\n"])
def test_a_note_without_text_has_one_passage(text: str) -> None:
    assert texts(text) == [""]


def test_a_frontmatter_that_can_t_be_read_is_a_passage() -> None:
    assert cut("---\ntitle: [\n---\n# A\nx\n") == [
        Passage(None, 1, "---\ntitle: [\n---"),
        Passage("A", 4, "# A\nx"),
    ]


def test_countless_letters_of_a_heading_are_not_repeated_by_what_is_under_it() -> None:
    found = headings(f"# {'x' * 9_999}\n## B\ny\n")
    assert {len(one or "") for one in found} == {LONGEST_HEADING + len(" > B")}


# --- parts of sections ---------------------------------------------------------------------------


def test_a_section_that_is_hardly_too_long_is_whole() -> None:
    assert sizes("x" * LONGEST) == [LONGEST]
    assert sizes("x" * (LONGEST + 1)) == [USUAL, LONGEST + 1 - USUAL]


def test_a_long_section_is_cut_between_paragraphs() -> None:
    found = cut("# A\n\n" + f"{PARAGRAPH}\n\n" * 8)
    assert len(found) == 3
    assert {passage.heading for passage in found} == {"A"}
    assert all(passage.text.endswith("years.") for passage in found)
    assert [passage.line for passage in found] == [1, 9, 15]


def test_a_long_list_is_cut_between_items() -> None:
    text = f"- {SENTENCE * 2}\n  and more. {SENTENCE}\n" * 20
    assert all(one.startswith("- ") for one in texts(text))
    assert len(texts(text)) > 2


@pytest.mark.parametrize(
    "sentence", [SENTENCE, "“Why?” she asked. ", "卖方保留账簿七年。", "He said:\nno (really!)\n"]
)
def test_a_long_paragraph_is_cut_between_sentences(sentence: str) -> None:
    found = texts(sentence * (4_000 // len(sentence)))
    assert len(found) > 2
    assert all(LEAST <= len(one) <= LONGEST for one in found)
    assert all((sentence.strip() + "\n").startswith(one[:5]) for one in found)
    assert all(one.endswith(sentence.strip()[-1]) for one in found)


def test_a_long_sentence_is_cut_between_words_and_a_long_word_anywhere() -> None:
    assert all(one.endswith("word") for one in texts("word " * 1_000))
    assert sizes("x" * 5_000) == [1_200, 1_200, 1_200, 1_400]


def test_a_block_of_code_stays_whole_with_what_stands_shortly_before_it() -> None:
    code = "```sql\n" + "SELECT 1. \n\nFROM a;\n" * 150 + "```"
    assert LONGEST < len(code) < LONGEST_CODE
    assert texts(f"# A\n\nSee:\n\n{code}\n\nAfter.\n") == [f"# A\n\nSee:\n\n{code}", "After."]
    assert texts(f"{PARAGRAPH}\n{code}\n{PARAGRAPH}") == [PARAGRAPH, code, PARAGRAPH]
    assert texts(f"{code}") == [code]


def test_a_block_of_code_that_is_much_too_long_is_cut_between_its_lines() -> None:
    line = "SELECT a.b FROM c. d"
    found = texts("```\n" + f"{line}\n" * 1_000 + "```\n")
    assert all(len(one) <= LONGEST for one in found[:-1])
    assert len(found[-1]) <= LONGEST_CODE
    assert {one for part in found for one in part.split("\n")} == {"```", line}


def test_a_long_comment_stays_whole_as_code_does() -> None:
    comment = "%%\n" + f"{PARAGRAPH}\n\n" * 6 + "%%"
    assert texts(f"{PARAGRAPH}\n\n{comment}\n") == [PARAGRAPH, comment]


def test_the_indent_of_a_first_line_stays() -> None:
    items = "  - one\n" * 300
    assert all(one.startswith("  - one") for one in texts(items))


def test_a_text_of_which_nothing_is_known_is_cut_alike() -> None:
    assert cut_text("") == [Passage(None, 1, "")]
    assert cut_text("# A\n\n# B\n") == [Passage(None, 1, "# A\n\n# B")]
    assert [len(one.text) for one in cut_text("x" * 3_000)] == [1_200, 1_200, 600]


# --- whatever the text ---------------------------------------------------------------------------

LINES = [
    "# A",
    "## B",
    "### C",
    "====",
    "",
    "   ",
    "```",
    "%%",
    "- item",
    "  1. item",
    "\tcode",
    "> # quoted",
    "| a | b |",
    "#tag",
    "key:: value",
    "a\0b",
    "\u2028 \x0b\x85",
    "x" * 700,
    SENTENCE * 4,
    "是。" * 300,
    "word " * 150,
]
bodies = st.lists(st.sampled_from(LINES), max_size=40).map("\n".join)
heads = st.sampled_from(["", "---\na: 1\n---\n", "---\na: [\n---\n", "---\n"])
notes = st.builds(str.__add__, heads, bodies | st.text())


@given(notes, st.sampled_from(["", "A"]))
@example("a\n" * 2_000, "")
def test_nothing_of_a_text_is_lost_or_told_twice(text: str, title: str) -> None:
    note = read_note(text)
    found = cut_note(note, title)
    assert letters("".join(passage.text for passage in found)) == letters(note.body)


@given(notes)
def test_every_line_is_whole_in_a_passage_if_it_fits(text: str) -> None:
    note = read_note(text)
    found = {line.strip() for passage in cut_note(note, "") for line in passage.text.split("\n")}
    fitting = {line.strip() for line in note.body.split("\n") if len(line) <= LEAST}
    assert fitting - found <= {""}


@given(notes)
def test_a_passage_stands_at_its_line(text: str) -> None:
    note = read_note(text)
    lines = note.body.split("\n")
    for passage in cut_note(note, ""):
        first = passage.text.split("\n")[0]
        assert first in lines[passage.line - note.body_line]


@given(notes)
def test_passages_are_not_too_long_and_none_is_blank(text: str) -> None:
    found = cut_note(read_note(text), "")
    assert all(len(passage.text) <= LONGEST_CODE for passage in found)
    assert len(found) == 1 or all(passage.text.strip() for passage in found)


sections = st.sampled_from([f"{SENTENCE}\n", f"{PARAGRAPH}\n\n" * 5, "- a\n- b\n", "x\n"])


@given(st.lists(sections, min_size=1, max_size=6), sections, st.data())
def test_an_edit_changes_the_passages_of_its_section_alone(
    texts: list[str], edited: str, data: st.DataObject
) -> None:
    def cut_each(texts: list[str]) -> list[list[Passage]]:
        found = cut("".join(f"## S{n}\n{text}\n" for n, text in enumerate(texts)))
        return [[one for one in found if one.heading == f"S{n}"] for n in range(len(texts))]

    place = data.draw(st.integers(0, len(texts) - 1))
    before = cut_each(texts)
    after = cut_each([*texts[:place], edited + "Edited.\n", *texts[place + 1 :]])
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        same = [one.text for one in old] == [one.text for one in new]
        assert same == (number != place)
