"""Importing entities: what is read, and what is refused with the place of each fault."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.memory.importing import MATTER, put

from winnow.errors import InvalidRequest, NotFound
from winnow.memory import Memory


def refused(memory: Memory, *objects: object) -> list[str]:
    answer = memory.admin.import_(entities=objects)  # pyright: ignore[reportArgumentType]
    assert (answer.added, answer.refused) == (0, len(objects))
    return [str(fault) for fault in answer.errors]


def matter(**fields: object) -> Mapping[str, object]:
    return {"schema": MATTER, "id": "MAT-1000", "fields": fields}


def shown(memory: Memory) -> Mapping[str, Any]:
    (hit,) = memory.recall(schema=MATTER).hits
    return hit.fields


def test_values_of_python_are_read_as_json_has_them(memory: Memory) -> None:
    put(
        memory,
        "MAT-1000",
        openedDate=date(2024, 3, 5),
        closedDate=datetime(2024, 3, 5, 14, 30, tzinfo=UTC),
        escrowPct=Decimal("12.5"),
        dealValueUSD=Decimal(45_000_000),
        relatedMatters=("MAT-1001", None),
    )
    assert shown(memory) == {
        "openedDate": "2024-03-05",
        "closedDate": "2024-03-05T14:30:00Z",
        "escrowPct": 12.5,
        "dealValueUSD": 45_000_000,
        "relatedMatters": ("MAT-1001",),
    }


def test_a_second_import_replaces_what_it_names_and_null_clears(memory: Memory) -> None:
    put(memory, "MAT-1000", escrowPct=12, title="Atlas", status="Active")
    put(memory, "MAT-1000", escrowPct={"value": None}, title={"candidates": []})
    assert shown(memory) == {"status": "Active"}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({}, "an object has a value (write null for none), or candidates"),
        ({"confidence": "INFERRED"}, "an object has a value (write null for none), or candidates"),
        ({"value": 5, "candidates": [6]}, "candidates stands alone"),
        ({"candidates": [5], "confidence": "INFERRED"}, "candidates stands alone"),
        ({"candidates": 5}, "candidates is a list, got number 5"),
        ({"value": {"a": 1}}, "expected a number, got object {'a': 1}"),
        ({"value": 5, "confidence": "extracted"}, "did you mean 'EXTRACTED'?"),
        ({"value": 5, "evidence": {"path": "a.md", "line": True}}, "a line, a number"),
        ({"value": 5, "evidence": {"line": 3}}, "evidence has a path"),
        ("12", "expected a number, got text '12'"),
        (True, "expected a number, got boolean true"),
        (float("nan"), "is not a finite number"),
        ({1, 2}, "expected a number, got set {1, 2}"),
    ],
)
def test_nothing_that_is_said_of_a_value_is_passed_over(
    memory: Memory, value: object, told: str
) -> None:
    (fault,) = refused(memory, matter(escrowPct=value))
    assert fault.startswith("/lines/1/fields/escrowPct: ")
    assert told in fault


def test_faults_name_their_line_and_their_place(memory: Memory) -> None:
    assert refused(
        memory,
        ["not", "an", "object"],
        {"id": "MAT-1000", "fields": {}},
        {"schema": 5, "id": "MAT-1000", "fields": {}},
        {"schema": MATTER, "id": "MAT-1000", "fields": {}, "k~/x": 1},
        matter(escrowPct=1, escrow_pct=2),
    ) == [
        "/lines/1: expected an object, got list ['not', 'an', 'object']",
        "/lines/2/schema: expected the name of a schema, got null",
        "/lines/3/schema: expected the name of a schema, got number 5",
        "/lines/4/k~0~1x: unknown key 'k~/x' (allowed: schema, id, fields, namespace)",
        "/lines/5/fields/escrow_pct: escrowPct stands twice",
    ]
    (fault,) = refused(memory, matter(**{"a/b": 1}))
    assert fault.startswith("/lines/1/fields/a~1b: unknown field 'a/b'")


def test_a_bad_line_of_a_file_changes_nothing_and_the_others_go_in(
    memory: Memory, tmp_path: Path
) -> None:
    file = tmp_path / "all.jsonl"
    lines = [json.dumps(matter(escrowPct=12)), "{", "[" * 100_000, "", '{"id": 1, "id": 2}']
    file.write_text("\ufeff" + "\r\n".join(lines), encoding="utf-8")
    answer = memory.admin.import_(str(file))
    assert (answer.added, answer.refused) == (1, 3)
    told = [str(fault) for fault in answer.errors]
    assert told[0].startswith("/lines/2: not a JSON object: ")
    assert told[1:] == [
        "/lines/3: not a JSON object: it is nested too deep",
        "/lines/5: not a JSON object: key 'id' stands twice",
    ]
    assert shown(memory) == {"escrowPct": 12}
    with pytest.raises(NotFound, match="No such file"):
        memory.admin.import_(str(tmp_path / "none.jsonl"))


@pytest.mark.parametrize("one", [5, "text", {"schema": MATTER}])
def test_one_thing_is_not_taken_for_several(memory: Memory, one: Any) -> None:
    with pytest.raises(InvalidRequest, match=r"/entities: expected objects, one after the other"):
        memory.admin.import_(entities=one)


def test_objects_may_come_one_by_one(memory: Memory) -> None:
    def stream() -> Iterator[Mapping[str, object]]:
        for number in range(1000, 1003):
            yield {"schema": MATTER, "id": f"MAT-{number}", "fields": {}}

    assert memory.admin.import_(entities=stream()).added == 3
