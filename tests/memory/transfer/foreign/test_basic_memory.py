"""A folder of Basic Memory."""

from pathlib import Path

import pytest
from tests.memory.transfer.foreign.bringing import bring, counts, stored, write

from winnow.memory import Memory

AUTH = """\
---
title: Auth design
type: note
tags: [auth]
permalink: auth-design
created: 2025-01-02
status: draft
---
# Auth design

## Observations
- [decision] Use tokens #jwt (agreed in May)
- [decision] Expire them after an hour
* [open question] Which library?
- [ ] not an observation
- [x] nor this
- [00:12:03] nor this
- [link](https://example.org) nor this

```
- [code] nor this
```

## Relations
- implements [[API Security]]
- "depends on" [[User Schema|the schema]] (v2)
- implements [[Sessions]]
- see also [[Elsewhere#Part]] in a sentence
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project of two notes."""
    home = tmp_path / "project"
    write(home, "design/auth.md", AUTH)
    write(home, "plain.md", "---\ntitle: Plain\ntype: note\npermalink: plain\n---\nText")
    return home


def test_a_note_becomes_a_memory_known_by_its_permalink(memory: Memory, folder: Path) -> None:
    answer = bring(memory, folder)
    assert (answer.format, answer.added, answer.warnings) == ("basic-memory", 2, None)
    found = memory.get("basic-memory:auth-design")
    assert (found.title, found.source) == ("Auth design", "basic-memory")
    assert found.tags == ("auth", "jwt")
    assert found.created_at == "2025-01-02T00:00:00.000Z"
    assert found.text == AUTH.partition("---\n# ")[2].join(("# ", "")).strip("\n")
    assert {key: found.metadata[key] for key in ("type", "permalink", "status", "file")} == {
        "type": "note",
        "permalink": "auth-design",
        "status": "draft",
        "file": "design/auth.md",
    }


def test_observations_and_relations_can_be_filtered_on(memory: Memory, folder: Path) -> None:
    bring(memory, folder)
    found = memory.get("basic-memory:auth-design").metadata
    assert found["observations"] == {
        "decision": ["Use tokens #jwt (agreed in May)", "Expire them after an hour"],
        "open question": ["Which library?"],
    }
    assert found["relations"] == {
        "implements": ["API Security", "Sessions"],
        "depends on": ["User Schema"],
        "links_to": ["Elsewhere"],
    }
    assert memory.count(where="relations.implements has Sessions").count == 1
    assert memory.count(where="relations.implements has Plain").count == 0


def test_a_relation_that_is_gone_from_a_note_is_gone_from_the_memory(
    memory: Memory, folder: Path
) -> None:
    bring(memory, folder)
    write(folder, "design/auth.md", AUTH.partition("## Relations")[0])
    assert counts(bring(memory, folder)) == (0, 1, 1, 0)
    assert memory.get("basic-memory:auth-design").metadata["relations"] == {}


def test_a_moved_note_stays_the_same_memory(memory: Memory, folder: Path) -> None:
    bring(memory, folder)
    (folder / "design/auth.md").rename(folder / "moved.md")
    assert counts(bring(memory, folder)) == (0, 1, 1, 0)
    assert memory.get("basic-memory:auth-design").metadata["file"] == "moved.md"


def test_of_two_notes_with_one_permalink_none_is_lost(memory: Memory, folder: Path) -> None:
    write(folder, "twin.md", "---\npermalink: plain\n---\nTwin")
    write(folder, "none.md", "---\nobservations: mine\n---\nNone at all")
    answer = bring(memory, folder, format="basic-memory")
    assert answer.added == 4
    assert answer.warnings == ["twin.md: plain.md has its permalink too; it is known by its path"]
    found = stored(memory)
    assert found["basic-memory:twin.md"].text == "Twin"
    assert found["basic-memory:none.md"].metadata["observations"] == "mine"
    assert found["basic-memory:none.md"].metadata["basic-memory_observations"] == {}
