import json
import os
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.vault.making import matter

from winnow.filter.raw import Untyped
from winnow.packs import builtin_packs
from winnow.store.base import NoteRow
from winnow.vault.contents import Content
from winnow.vault.folder import SeenNote
from winnow.vault.reading import MOST_FINDINGS, build_note, build_plain_note

MTIME = int(datetime(2026, 3, 5, 14, 30, tzinfo=UTC).timestamp()) * 1_000_000_000 + 123_456_789


def content(text: str | bytes, mtime_ns: int = MTIME) -> Content:
    data = text if isinstance(text, bytes) else text.encode("utf-8")
    return Content(data, len(data), mtime_ns, sure=True)


def build(text: str | bytes, path: str = "folder/note.md", mtime_ns: int = MTIME) -> NoteRow:
    read = content(text, mtime_ns)
    return build_note(SeenNote(path, f"/v/{path}", read.size, mtime_ns), read, builtin_packs()).row


def codes(row: NoteRow) -> list[str]:
    return [finding.code for finding in row.findings]


def test_a_note_is_stored_with_all_that_it_says() -> None:
    row = build(matter(2388))
    (said,) = row.contributions
    assert (said.schema, said.entity) == ("legal.Matter", "MAT-2388")
    assert said.fields["escrowPct"][0].value == 12
    assert (row.path, row.title, row.text) == ("folder/note.md", "Deal", matter(2388))
    assert (row.size, row.mtime_ns) == (len(matter(2388)), MTIME)


def test_a_snippet_leaves_out_the_frontmatter_and_key_lines_alone() -> None:
    text = "---\nstatus: Active\n---\n" + matter(2388) + "In prose CLAWQL_ESCROW_PCT=12 stays.\n"
    assert build(text).snippet == "# Deal In prose CLAWQL_ESCROW_PCT=12 stays."


def test_frontmatter_and_inline_fields_are_the_metadata() -> None:
    row = build("---\nUp_Key: 1.5\nnested: {a: [1, null, true]}\n---\nauthor:: Ann\n[n:: 2]\n")
    assert row.metadata == {
        "Up_Key": 1.5,
        "nested": {"a": [1, None, True]},
        "author": "Ann",
        "n": "2",
    }


def test_a_key_that_is_repeated_gathers_a_list() -> None:
    text = "---\na: 1\nb: [x]\nc: null\n---\na:: 2\na:: 3\nb:: y\nc:: z\nd:: 1\nd:: 2\ne::\n"
    assert build(text).metadata == {
        "a": [1, "2", "3"],
        "b": ["x", "y"],
        "c": "z",
        "d": ["1", "2"],
    }


def test_an_inline_field_has_no_type_and_the_frontmatter_has_that_of_yaml() -> None:
    row = build("---\na: 1\nb: '1'\nc: [x]\n---\na:: 2\nb:: x\nc:: 3\nd:: 80\n[e:: true]\n")
    found = {
        key: [*map(type, value)] if isinstance(value, list) else type(value)
        for key, value in row.metadata.items()
    }
    assert found == {
        "a": [int, Untyped],
        "b": [str, Untyped],
        "c": [str, Untyped],
        "d": Untyped,
        "e": Untyped,
    }


@pytest.mark.parametrize(
    "text",
    [
        "---\nAlias: A, B\n---\n",
        "---\naliases: [A]\nalias: B\n---\n",
        "---\naliases: A\n---\naliases:: B\n",
    ],
)
def test_aliases_are_a_list_however_they_are_written(text: str) -> None:
    assert build(text).metadata["aliases"] == ["A", "B"]


@pytest.mark.parametrize("spelling", [".inf", "-.Inf", ".NAN"])
def test_numbers_that_json_lacks_stay_as_they_are_written(spelling: str) -> None:
    row = build(f"---\nx: {spelling}\ny: [{{z: {spelling}}}]\n---\n")
    assert row.metadata == {"x": spelling, "y": [{"z": spelling}]}
    assert json.dumps(row.metadata, allow_nan=False)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: 123\n---\n# Heading\n", "123"),
        ("---\ntitle: null\n---\n# Heading\n", "Heading"),
        ("---\ntitle: [a]\n---\n# Heading\n", "Heading"),
        ("---\ntype: [a]\n---\nno heading\n", "note"),
        ("", "note"),
    ],
)
def test_the_title_is_the_frontmatter_s_then_the_first_heading_then_the_file_name(
    text: str, title: str
) -> None:
    """F47: whatever YAML makes of a title, the note is indexed."""
    assert build(text).title == title


@pytest.mark.parametrize(
    ("head", "created"),
    [
        ("created: 2026-07-30\ndate: 2020-01-01", "2026-07-30"),
        ("Created: 2026-07-30T10:00:00+02:00", "2026-07-30T10:00:00+02:00"),
        ("date: 2026-07", "2026-07"),
        ("created:\ndate: 2026", "2026"),
        ("modified: 2026-07-30", "2026-03-05T14:30:00.123Z"),
    ],
)
def test_when_a_note_was_made_is_what_it_says_else_the_time_of_its_file(
    head: str, created: str
) -> None:
    """F80."""
    row = build(f"---\n{head}\n---\n")
    assert row.created_at == created
    assert codes(row) == []


@pytest.mark.parametrize("bad", ["2026-02-30", "Tuesday", "[a, b]", "true", "{a: 1}"])
def test_a_date_that_is_none_is_a_finding_and_the_next_source_counts(bad: str) -> None:
    """F78: an impossible date neither stops the run nor becomes a guess."""
    row = build(f"---\nx: 1\ncreated: {bad}\ndate: 2026-01-02\ntags: [2026-07-30]\n---\n")
    assert row.created_at == "2026-01-02"
    assert [(one.code, one.line) for one in row.findings] == [("unreadable_value", 3)]
    assert row.tags == ("2026-07-30",)


@pytest.mark.parametrize("mtime_ns", [-(10**21), 10**21, -1, 0])
def test_any_time_of_a_file_gives_a_date(mtime_ns: int) -> None:
    created = build("", mtime_ns=mtime_ns).created_at
    assert datetime.fromisoformat(created).year in (1969, 1970)


def test_a_mark_and_foreign_line_breaks_change_no_line_and_no_text() -> None:
    unix = "---\nstatus: Active\n---\n" + matter(2388)
    for text in (unix.encode("utf-8-sig"), unix.replace("\n", "\r\n"), unix.replace("\n", "\r")):
        row = build(text)
        assert (row.text, row.metadata) == (unix, {"status": "Active"})
        assert row.contributions == build(unix).contributions


def test_nul_is_kept() -> None:
    assert build("a\0b\n\n" + matter(2388)).text == "a\0b\n\n" + matter(2388)


def test_broken_frontmatter_is_reported_and_its_text_kept() -> None:
    text = "---\ntitle: [a\n---\nMatter MAT-2388\n"
    row = build(text)
    assert row.text == text
    assert [(one.code, one.line) for one in row.findings] == [("note_problem", 2)]
    assert [one.entity for one in row.contributions] == ["MAT-2388"]


def test_bytes_that_are_not_utf8_are_reported_and_the_rest_is_read() -> None:
    row = build(b"caf\xe9\n" + matter(2388).encode())
    assert codes(row) == ["not_utf8"]
    assert [one.entity for one in row.contributions] == ["MAT-2388"]
    assert row.text.startswith("caf\ufffd\n")


def test_a_file_name_that_is_not_utf8_is_reported() -> None:
    place = os.fsdecode(b"/v/caf\xe9.md")
    note = build_note(SeenNote("caf\\xe9.md", place, 0, 0), content(""), builtin_packs())
    assert codes(note.row) == ["bad_name"]
    plain = SeenNote("caf\\xe9.md", "/v/caf\\xe9.md", 0, 0)
    assert codes(build_note(plain, content(""), builtin_packs()).row) == []


def test_links_are_kept_with_the_parts_that_they_have() -> None:
    row = build("[[Other#Part|name]] ![[pic#^b1]]\n")
    assert row.links == [
        {"target": "Other", "heading": "Part", "label": "name", "line": 1},
        {"target": "pic", "block": "b1", "embed": True, "line": 1},
    ]


def test_of_countless_findings_the_first_are_kept_and_the_rest_counted() -> None:
    bad = "CLAWQL_ESCROW_PCT=999\n" * (MOST_FINDINGS + 5)
    findings = build(matter(2388) + bad).findings
    assert len(findings) == MOST_FINDINGS + 1
    assert findings[-1].detail == "5 more findings are not listed"


def test_a_note_that_can_t_be_understood_keeps_its_text_and_says_why() -> None:
    row = build_plain_note("a/b.md", content("# Hello\nworld\n"), "ValueError: no").row
    assert (row.title, row.text, row.snippet) == ("b", "# Hello\nworld\n", "# Hello world")
    assert row.contributions == ()
    (finding,) = row.findings
    assert (finding.code, "ValueError: no" in finding.detail) == ("not_understood", True)


@given(st.text(alphabet=st.characters(codec="utf-8")) | st.binary())
def test_any_file_gives_a_row_that_can_be_stored(data: str | bytes) -> None:
    row = build(data)
    assert row.text.encode("utf-8") is not None
    shown = (row.metadata, row.links, row.tags, row.title, row.snippet, row.created_at)
    assert json.dumps(shown, allow_nan=False, ensure_ascii=False).encode("utf-8")
