"""A folder of Markdown whose files become memories."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import temporary_memory
from tests.memory.transfer.foreign.bringing import bring, counts, stored, told, write

from winnow.errors import VaultError
from winnow.memory import Memory

TIME = 1_767_323_045  # 2026-01-02T03:04:05Z
NOTE = """\
---
title: The crane
tags: [harbor, steel]
created: 2025-06-07
modified: 2025-07-08T09:10:11Z
kind: decision
importance: 0.9
load: 12.5
crew: {lead: Anna, size: 3}
---

# Ignored

The crane is #new. [owner:: Anna]

See [[Harbor]].
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a note, and one without a frontmatter."""
    home = tmp_path / "notes"
    write(home, "crane.md", NOTE)
    os.utime(write(home, "deep/Plain note.markdown", "\nJust text\r\nof two lines\n"), (TIME, TIME))
    return home


def test_a_file_becomes_a_memory_with_all_that_its_head_says(memory: Memory, folder: Path) -> None:
    answer = bring(memory, folder, format="markdown")
    assert (answer.format, answer.added, answer.warnings) == ("markdown", 2, None)
    found = memory.get("markdown:crane.md")
    assert found.text == "# Ignored\n\nThe crane is #new. [owner:: Anna]\n\nSee [[Harbor]]."
    assert (found.title, found.kind, found.importance) == ("The crane", "decision", 0.9)
    assert (found.source, found.tags) == ("markdown", ("harbor", "steel", "new"))
    assert found.created_at == "2025-06-07T00:00:00.000Z"
    assert found.updated_at == "2025-07-08T09:10:11.000Z"
    assert found.metadata["load"] == 12.5
    assert found.metadata["crew"] == {"lead": "Anna", "size": 3}
    assert found.metadata["file"] == "crane.md"
    assert memory.count(where="crew.lead = Anna and owner = Anna").count == 1


def test_a_file_without_a_head_has_the_name_and_the_time_of_the_file(
    memory: Memory, folder: Path
) -> None:
    bring(memory, folder, format="markdown")
    found = memory.get("markdown:deep/Plain note.markdown")
    assert (found.text, found.title) == ("Just text\nof two lines", "Plain note")
    assert found.created_at == found.updated_at == "2026-01-02T03:04:05.000Z"
    assert found.metadata == {"file": "deep/Plain note.markdown"}


def test_a_changed_file_is_updated(memory: Memory, folder: Path) -> None:
    bring(memory, folder, format="markdown")
    write(folder, "crane.md", NOTE.replace("is #new", "was sold"))
    assert counts(bring(memory, folder, format="markdown")) == (0, 1, 1, 0)
    assert "was sold" in memory.get("markdown:crane.md").text


def test_what_is_left_out_or_only_read_in_part_is_told(memory: Memory, folder: Path) -> None:
    """F110."""
    write(folder, "empty.md", "\n \n")
    write(folder, "head.md", "---\ntitle: Only a head\n---\n")
    write(folder, "kind.md", "---\nkind: recipe\ncreated: soon\n---\nSoup")
    write(folder, "broken.md", "---\na: [\n---\nText")
    (folder / "out.md").symlink_to(folder.parent / "secret.md")
    write(folder.parent, "secret.md", "secret")
    answer = memory.admin.import_(str(folder), format="markdown")
    assert counts(answer) == (5, 0, 0, 0)
    assert answer.skipped == 2
    warnings = "\n".join(answer.warnings or ())
    for text in (
        "empty.md is left out: it is empty",
        "out.md is left out: a link that leaves the vault",
        "kind.md:2: invalid kind 'recipe'",
        "kind.md:3: created: ",
        "broken.md:2: broken frontmatter",
    ):
        assert text in warnings
    found = stored(memory)
    assert found["markdown:kind.md"].metadata["kind"] == "recipe"
    assert found["markdown:broken.md"].text == "---\na: [\n---\nText"
    assert found["markdown:head.md"].text == "Only a head"
    assert not any("secret" in one.text for one in found.values())


def test_a_file_that_is_not_utf8_is_refused_with_its_first_bad_byte(
    memory: Memory, folder: Path
) -> None:
    write(folder, "latin.md", b"\xef\xbb\xbfcaf\xe9")
    write(folder, "wide.md", "wide".encode("utf-16"))
    answer = memory.admin.import_(str(folder), format="markdown")
    assert counts(answer) == (2, 0, 0, 2)
    assert told(answer) == [
        "latin.md: not UTF-8: byte 7 of the file is 0xE9",
        "wide.md: not UTF-8: byte 1 of the file is 0xFF; save the file as UTF-8",
    ]


def test_a_value_that_no_memory_can_have_refuses_its_file_alone(
    memory: Memory, folder: Path
) -> None:
    write(folder, "date.md", "---\ncreated: 0001-01-01T00:00:00+14:00\n---\nText")
    answer = memory.admin.import_(str(folder), format="markdown")
    assert counts(answer) == (2, 0, 0, 1)
    assert told(answer)[0].startswith("date.md/createdAt: ")


def test_a_folder_that_can_not_be_read_is_an_error(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise PermissionError(13, "closed")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(VaultError, match="closed"):
        memory.admin.import_(str(folder), format="markdown")


heads = st.text("abc:[]{}-#'\"\n &*!|>%@`1.", max_size=30)


@given(heads, st.text(max_size=20) | st.binary(max_size=10))
@settings(max_examples=40)
def test_any_file_goes_in_whole_or_is_told(
    tmp_path_factory: pytest.TempPathFactory, head: str, body: str | bytes
) -> None:
    data = body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass")
    folder = tmp_path_factory.mktemp("notes")
    write(folder, "a.md", f"---\n{head}\n---\n".encode() + data)
    write(folder, "b.md", "Stays")
    with temporary_memory() as memory:
        answer = memory.admin.import_(str(folder), format="markdown")
        assert answer.added + answer.refused + (answer.skipped or 0) == 2
        assert len(stored(memory)) == answer.added
        again = memory.admin.import_(str(folder), format="markdown")
        assert counts(again) == (0, 0, answer.added, answer.refused)
