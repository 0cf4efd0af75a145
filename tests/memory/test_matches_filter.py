"""The seven tests of seed 001: which memories a filter lets pass, wherever one is asked."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.memory.remembering import ids, store_all, temporary_memory

from winnow.memory import Memory

ROWS: tuple[dict[str, Any], ...] = (
    {
        "id": "all",
        "entity": "chopper",
        "memory_type": "semantic",
        "tags": ("walk", "morning"),
    },
    {"id": "case", "entity": "Chopper", "memory_type": "semantic", "tags": ("walk",)},
    {"id": "type", "entity": "chopper", "memory_type": "episodic", "tags": ("walk",)},
    {"id": "tags", "entity": "chopper", "memory_type": "semantic", "tags": ("vet",)},
    {"id": "bare"},
)
EVERY = [row["id"] for row in ROWS]


@pytest.fixture(scope="module")
def stored() -> Iterator[Memory]:
    """Five memories of the same text, so that nothing but a filter tells them apart."""
    with temporary_memory() as opened:
        store_all(opened, ({"text": "a walk with the dog", **row} for row in ROWS))
        yield opened


def matching(memory: Memory, **asked: Any) -> list[str]:
    """Return which memories match, by every operation that takes conditions."""
    listed = memory.list(**asked, order_by="id").memories
    assert listed is not None
    found = [record.id for record in listed]
    assert sorted(ids(memory.recall(**asked))) == found
    assert sorted(ids(memory.recall("dog walk", **asked))) == found
    assert memory.count(**asked).count == len(found)
    assert memory.aggregate(**asked).filtered_entities == len(found)
    names = {"entity", "memory_type", "tags"}
    if set(asked) <= names:
        hits = memory.check("a walk with the dog", min_similarity=-1, limit=100, **asked).hits
        assert sorted(hit.id for hit in hits) == found
    assert memory.delete(**(asked or {"where": "id is not null"}), dry_run=True).matched == len(
        found
    )
    return found


def test_no_filter_passes_all(stored: Memory) -> None:
    assert matching(stored) == sorted(EVERY)


def test_entity_is_an_exact_match(stored: Memory) -> None:
    assert matching(stored, entity="chopper") == ["all", "tags", "type"]
    assert matching(stored, entity="Chopper") == ["case"]
    assert matching(stored, entity="chop") == []


def test_a_memory_without_an_entity_is_rejected(stored: Memory) -> None:
    assert "bare" not in matching(stored, entity="chopper")
    assert matching(stored, entity="") == []


def test_memory_type_is_one_of_three(stored: Memory) -> None:
    assert matching(stored, memory_type="semantic") == ["all", "case", "tags"]
    assert matching(stored, memory_type="episodic") == ["type"]
    assert matching(stored, memory_type="orientation") == []


def test_any_of_the_tags_is_enough(stored: Memory) -> None:
    assert matching(stored, tags=["morning", "vet"]) == ["all", "tags"]
    assert matching(stored, tags=["walk"]) == ["all", "case", "type"]
    assert matching(stored, tags=["rover"]) == []


@pytest.mark.parametrize("tags", [[], "", ["", " "]])
def test_empty_tags_are_no_filter(stored: Memory, tags: Any) -> None:
    assert matching(stored, tags=tags) == sorted(EVERY)


def test_filters_are_anded(stored: Memory) -> None:
    both = {"entity": "chopper", "memory_type": "semantic"}
    assert matching(stored, **both) == ["all", "tags"]
    assert matching(stored, **both, tags=["walk", "rover"]) == ["all"]
    assert matching(stored, **both, where='tags has "vet"') == ["tags"]
