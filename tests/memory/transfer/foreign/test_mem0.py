"""JSON of mem0: lists, documents, lines, and an export by schema."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.memory.transfer.foreign.bringing import bring, counts, lines, said, stored, told, write

from winnow.memory import Memory

TEA: Mapping[str, Any] = {
    "id": "3c90",
    "memory": "Likes tea",
    "hash": "abc",
    "metadata": {"type": "preference", "hash": "of theirs"},
    "created_at": "2025-03-05T10:00:00.123-07:00",
    "updated_at": None,
    "expiration_date": "2031-01-01",
    "user_id": "alex",
    "agent_id": None,
    "categories": ["food", "drinks, hot"],
}
WALK = {"id": "3c91", "memory": "Walks at noon", "user_id": "alex", "updated_at": "2026-01-02"}
LIKES = {"source": "alex", "relationship": "is_fond_of", "target": "tea"}


def test_all_of_a_memory_is_kept(memory: Memory, tmp_path: Path) -> None:
    """F81, F104: expiry and metadata too."""
    answer = bring(memory, write(tmp_path, "all.json", json.dumps({"results": [TEA]})))
    assert (answer.format, answer.added) == ("mem0", 1)
    found = memory.get("mem0:3c90")
    assert said(found) == {
        "text": "Likes tea",
        "source": "mem0",
        "tags": ("food", "drinks, hot"),
        "metadata": {
            "type": "preference",
            "hash": "of theirs",
            "mem0_hash": "abc",
            "user_id": "alex",
        },
    }
    assert found.created_at == found.updated_at == "2025-03-05T17:00:00.123Z"
    assert found.expires_at == "2031-01-01T00:00:00.000Z"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([TEA, WALK]),
        json.dumps({"results": [TEA, WALK], "count": 2, "next": None}),
        json.dumps({"memories": [TEA, WALK]}, indent=2),
        lines(TEA, WALK),
        json.dumps([TEA, WALK], indent=4).replace("\n", "\r\n"),
        "\ufeff" + json.dumps([TEA, WALK], ensure_ascii=False),
    ],
)
def test_every_shape_of_a_file_is_read_alike(memory: Memory, tmp_path: Path, text: str) -> None:
    assert bring(memory, write(tmp_path, "all.json", text)).added == 2
    assert set(stored(memory)) == {"mem0:3c90", "mem0:3c91"}


def test_relations_of_the_graph_become_memories(memory: Memory, tmp_path: Path) -> None:
    document = {"results": [TEA], "relations": [LIKES]}
    assert bring(memory, write(tmp_path, "all.json", json.dumps(document))).added == 2
    (relation,) = (one for one in stored(memory).values() if one.entity)
    assert said(relation) == {
        "text": "alex is fond of tea",
        "entity": "alex",
        "source": "mem0",
        "metadata": LIKES,
    }


def test_a_changed_memory_is_updated(memory: Memory, tmp_path: Path) -> None:
    bring(memory, write(tmp_path, "a.json", json.dumps([TEA, WALK])))
    changed = {**TEA, "memory": "Likes coffee", "updated_at": "2026-02-03T00:00:00Z"}
    answer = bring(memory, write(tmp_path, "b.json", json.dumps([changed, WALK])))
    assert counts(answer) == (0, 1, 1, 0)
    found = memory.get("mem0:3c90")
    assert (found.text, found.updated_at) == ("Likes coffee", "2026-02-03T00:00:00.000Z")
    assert found.created_at == "2025-03-05T17:00:00.123Z"


def test_a_page_of_several_and_what_is_not_read_are_told(memory: Memory, tmp_path: Path) -> None:
    document = {"results": [WALK], "next": "https://…", "total": 7, "user": {"name": "Alex"}}
    answer = bring(memory, write(tmp_path, "all.json", json.dumps(document)))
    assert answer.skipped == 1
    assert answer.warnings is not None
    assert answer.warnings[0].startswith("this is one page of several")
    assert answer.warnings[1] == "/user is left out: it belongs to no memory"


def test_lines_of_a_backup_of_openmemory_are_read(memory: Memory, tmp_path: Path) -> None:
    one: Mapping[str, Any] = {
        "id": "77",
        "content": "Lives in Lyon",
        "metadata": {},
        "created_at": "2026-01-02T03:04:05+00:00",
        "updated_at": "2026-01-03T03:04:05+00:00",
        "state": "archived",
        "app": "desk",
        "categories": ["home"],
    }
    gone = {**one, "id": "78", "state": "deleted"}
    answer = bring(memory, write(tmp_path, "memories.jsonl", lines(one, gone)))
    assert (answer.format, answer.added, answer.skipped) == ("mem0", 1, 1)
    assert answer.warnings == ["/lines/2 is left out: it was deleted there"]
    found = memory.get("mem0:77")
    assert (found.text, found.tags) == ("Lives in Lyon", ("home",))
    assert found.metadata == {"state": "archived", "app": "desk"}


def test_an_export_by_schema_is_one_memory_for_each_object(memory: Memory, tmp_path: Path) -> None:
    profile = {"full_name": "Dev", "skills": ["Go", "SQL"], "company": None}
    file = write(tmp_path, "export.json", json.dumps({"data": profile}))
    assert bring(memory, file, format="mem0").added == 1
    (found,) = stored(memory).values()
    assert found.text == "full name: Dev\nskills: Go, SQL"
    assert found.metadata == {"full_name": "Dev", "skills": ["Go", "SQL"]}


@pytest.mark.parametrize(
    ("item", "fault"),
    [
        ({**TEA, "memory": 5}, "/1: memory must be text, not number 5"),
        ({**TEA, "id": 7}, "/1: id must be text, not number 7"),
        ({**TEA, "metadata": [1]}, "/1: metadata must be an object, not list [1]"),
        ({**TEA, "created_at": "soon"}, "/1/createdAt: "),
        ({**TEA, "categories": [5]}, "/1/tags/0: expected text, got number 5"),
        ({**LIKES, "target": ""}, "/1: target is blank"),
        ({}, "/1: it says nothing"),
        ("tea", "/1: expected an object, got text 'tea'"),
    ],
)
def test_a_bad_item_is_refused_with_its_place_and_the_rest_goes_in(
    memory: Memory, tmp_path: Path, item: Any, fault: str
) -> None:
    file = write(tmp_path, "all.json", json.dumps([{**TEA, "id": "first"}, item, WALK]))
    answer = memory.admin.import_(str(file))
    assert counts(answer) == (2, 0, 0, 1)
    assert told(answer)[0].startswith(fault)


def test_an_item_of_broken_json_costs_no_other(memory: Memory, tmp_path: Path) -> None:
    first, last = json.dumps(TEA), json.dumps(WALK)
    text = f'{{"results": [{first},\n {{"memory": "a",, }},\n {{"id": "x" "y"}}, {last}]}}'
    answer = memory.admin.import_(str(write(tmp_path, "all.json", text)))
    assert counts(answer) == (2, 0, 0, 2)
    assert [one.partition(": not")[0] for one in told(answer)] == [
        "/results/1: line 2",
        "/results/2: line 3",
    ]


def test_where_a_document_can_not_be_read_on_is_told(memory: Memory, tmp_path: Path) -> None:
    text = f'[{json.dumps(TEA)},\n{{"id": "3", "memory": "never closed'
    answer = memory.admin.import_(str(write(tmp_path, "all.json", text)))
    assert counts(answer) == (1, 0, 0, 1)
    (fault,) = told(answer)
    assert fault == "/lines/2: line 2: what begins here never ends; what follows was not read"


def test_objects_of_python_may_be_those_of_mem0(memory: Memory) -> None:
    answer = memory.admin.import_(objects=[TEA, {**WALK, "id": 5}], format="mem0")
    assert counts(answer) == (1, 0, 0, 1)
    assert told(answer) == ["/lines/2: id must be text, not number 5"]
