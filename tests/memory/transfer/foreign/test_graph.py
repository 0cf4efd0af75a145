"""The memory file of the MCP memory server."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.memory.transfer.foreign.bringing import bring, counts, lines, said, stored, told, write

from winnow.memory import Memory

ANNA: Mapping[str, Any] = {
    "type": "entity",
    "name": "Anna Berg",
    "entityType": "person",
    "observations": ["Leads the harbor team", "Prefers mail"],
}
HARBOR: Mapping[str, Any] = {
    "type": "entity",
    "name": "Harbor",
    "entityType": "project",
    "observations": [],
}
LEADS = {"type": "relation", "from": "Anna Berg", "to": "Harbor", "relationType": "works_on"}


def test_entities_and_relations_become_memories_with_all_they_say(
    memory: Memory, tmp_path: Path
) -> None:
    answer = bring(memory, write(tmp_path, "memory.jsonl", lines(ANNA, HARBOR, LEADS)))
    assert (answer.format, answer.added) == ("mcp-memory", 3)
    found = stored(memory)
    (relation,) = (one for one in found.values() if "relationType" in one.metadata)
    assert said(found["mcp-memory:Anna Berg"]) == {
        "text": "Leads the harbor team\nPrefers mail",
        "title": "Anna Berg",
        "entity": "Anna Berg",
        "source": "mcp-memory",
        "metadata": {"entityType": "person"},
    }
    assert found["mcp-memory:Harbor"].text == "Harbor"
    assert said(relation) == {
        "text": "Anna Berg works on Harbor",
        "entity": "Anna Berg",
        "source": "mcp-memory",
        "metadata": {"from": "Anna Berg", "to": "Harbor", "relationType": "works_on"},
    }


def test_a_changed_entity_is_updated_and_no_relation_is_taken_for_another(
    memory: Memory, tmp_path: Path
) -> None:
    bring(memory, write(tmp_path, "a.jsonl", lines(ANNA, LEADS)))
    changed = {**ANNA, "observations": ["Prefers calls"]}
    others = ({**LEADS, "to": "Harbor works_on"}, {**LEADS, "relationType": "left"})
    answer = bring(memory, write(tmp_path, "b.jsonl", lines(changed, LEADS, *others)))
    assert counts(answer) == (2, 1, 1, 0)
    assert memory.get("mcp-memory:Anna Berg").text == "Prefers calls"


def test_what_only_another_version_of_the_server_writes_is_kept(
    memory: Memory, tmp_path: Path
) -> None:
    """F104: nothing that a file says is dropped."""
    newer = {**ANNA, "version": 3, "createdAt": "2025-01-01", "observations": ["a\nb", "c"]}
    bring(memory, write(tmp_path, "a.jsonl", lines(newer, {**LEADS, "weight": 0.5})))
    found = stored(memory)
    assert found["mcp-memory:Anna Berg"].metadata == {
        "entityType": "person",
        "version": 3,
        "createdAt": "2025-01-01",
        "observations": ["a\nb", "c"],
    }
    assert [one.metadata["weight"] for one in found.values() if one.entity and not one.title] == [
        0.5
    ]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ({**ANNA, "name": " "}, "name is blank"),
        ({**ANNA, "name": 5}, "name must be text, not number 5"),
        ({**ANNA, "entityType": None}, "entityType must be text, not null"),
        ({**ANNA, "observations": "one"}, "observations must be a list of texts, not text 'one'"),
        ({**ANNA, "observations": ["a", 1]}, "an observation must be text, not number 1"),
        ({"type": "relation", "from": "a", "to": "b"}, "relationType is missing"),
        ({**ANNA, "type": "entities"}, "unknown type 'entities'; did you mean 'entity'?"),
        (["entity"], "expected an entity or a relation, got list ['entity']"),
        (ANNA, "the entity 'Anna Berg' stands in line 1 already"),
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_the_rest_goes_in(
    memory: Memory, tmp_path: Path, line: Any, fault: str
) -> None:
    file = write(tmp_path, "memory.jsonl", lines(ANNA, line, HARBOR))
    answer = memory.admin.import_(str(file))
    assert counts(answer) == (2, 0, 0, 1)
    assert told(answer)[0].startswith(f"/lines/2: {fault}")


def test_lines_are_read_with_any_line_breaks_and_a_byte_order_mark(
    memory: Memory, tmp_path: Path
) -> None:
    text = b"\xef\xbb\xbf" + lines(ANNA, HARBOR).replace("\n", "\r\n\r\n").encode()
    broken = text + lines({**HARBOR, "name": "Caf?"}).encode().replace(b"?", b"\xe9")
    answer = memory.admin.import_(str(write(tmp_path, "memory.jsonl", broken)))
    assert counts(answer) == (2, 0, 0, 1)
    place = broken.index(b"\xe9") + 1
    assert told(answer) == [f"/lines/5: not UTF-8: byte {place} of the file is 0xE9"]


def test_objects_of_python_may_be_those_of_the_server(memory: Memory) -> None:
    answer = memory.admin.import_(objects=[ANNA, LEADS], format="mcp-memory")
    assert (answer.format, answer.added) == ("mcp-memory", 2)
