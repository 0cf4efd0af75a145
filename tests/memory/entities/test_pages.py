"""Pages of an exact answer, and the cursors between them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.importing import MATTER, put

from winnow.app import open_memory
from winnow.errors import InvalidRequest
from winnow.memory import Memory
from winnow.records import Confidence

NUMBERS = range(1000, 1012)
orders = st.lists(
    st.sampled_from(
        ["escrowPct", "escrowPct:desc", "title", "title:desc", "openedDate", "id:desc"]
    ),
    max_size=3,
)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Matters with ties, gaps and conflicts, in two namespaces that share an id."""
    with open_memory(tmp_path_factory.mktemp("pages") / "winnow.db") as memory:
        for number in NUMBERS:
            fill(memory, number, escrow=number % 4 or None)
        fill(memory, 1005, escrow=2, namespace="south")
        yield memory


def fill(memory: Memory, number: int, escrow: object, namespace: str = "north") -> None:
    put(
        memory,
        f"MAT-{number}",
        namespace=namespace,
        escrowPct=escrow,
        title={"candidates": [{"value": "a"}, {"value": "b"}]} if number % 5 == 0 else "é" * 3,
        openedDate=f"2024-0{number % 3 + 1}" if number % 2 else "2024-02-10",
    )


def pages(memory: Memory, order: Sequence[str], limit: int) -> Iterator[list[tuple[str, str]]]:
    cursor = None
    while True:
        page = memory.list(schema=MATTER, order_by=list(order), limit=limit, cursor=cursor)
        yield [(hit.entity_id, hit.namespace) for hit in page.entities]
        cursor = page.cursor
        assert (cursor is None) == (not page.truncated)
        if cursor is None:
            return


@settings(max_examples=40)
@given(orders, st.integers(1, 14))
def test_pages_side_by_side_are_the_whole_answer(
    stored: Memory, order: Sequence[str], limit: int
) -> None:
    (whole,) = pages(stored, order, 100)
    found = list(pages(stored, order, limit))
    assert [one for page in found for one in page] == whole
    assert len(set(whole)) == len(whole) == len(NUMBERS) + 1
    assert {len(page) for page in found[:-1]} <= {limit}


@pytest.mark.parametrize("order", [[], ["escrowPct"], ["escrowPct:desc", "title"]])
def test_what_others_add_change_and_take_away_moves_no_other_hit(
    memory: Memory, tmp_path: Path, order: Sequence[str]
) -> None:
    for number in NUMBERS:
        fill(memory, number, escrow=number % 4 or None)
    asked = pages(memory, order, 3)
    first = next(asked)
    with open_memory(tmp_path / "winnow.db") as other:
        for number in (900, 1500):
            fill(other, 100_000 + number, escrow=2)
        entity, namespace = first[-1]
        put(other, entity, namespace=namespace, escrowPct=None, title="zzz")
    later = [one for page in asked for one in page]
    stayed = {(f"MAT-{number}", "north") for number in NUMBERS}
    moved = {first[-1]}
    assert set(first) | set(later) >= stayed
    assert not (set(first) - moved) & set(later)
    assert len(later) == len(set(later))


def test_ids_are_those_of_all_whatever_the_page(stored: Memory) -> None:
    answer = stored.recall(schema=MATTER, order_by="id:desc", limit=2)
    ids = [f"MAT-{number}" for number in reversed(NUMBERS)]
    ids.insert(ids.index("MAT-1005"), "MAT-1005")
    assert list(answer.entity_ids) == ids
    second = stored.recall(schema=MATTER, order_by="id:desc", limit=2, cursor=answer.cursor)
    assert second.entity_ids == answer.entity_ids
    assert [hit.entity_id for hit in second.entities] == ids[2:4]


@pytest.mark.parametrize("field", ["escrowPct", "title", "openedDate"])
@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_what_is_missing_or_below_the_minimum_stands_last_in_both_directions(
    stored: Memory, field: str, direction: str
) -> None:
    answer = stored.list(schema=MATTER, order_by=f"{field}:{direction}", limit=100)
    counts = [
        (hit.field_confidence or {}).get(field) is Confidence.EXTRACTED for hit in answer.entities
    ]
    assert any(counts)
    assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize("cursor", ["", "abc", "W10", "bnVsbA", "WyIiLFtdLDEsMl0", "é", "*"])
def test_what_is_no_cursor_is_refused(stored: Memory, cursor: str) -> None:
    with pytest.raises(InvalidRequest, match="/cursor: this is not a cursor of an answer"):
        stored.recall(schema=MATTER, cursor=cursor)


def test_a_cursor_belongs_to_its_request(stored: Memory) -> None:
    cursor = stored.recall(schema=MATTER, where="escrowPct > 0", limit=1).cursor
    assert cursor is not None
    for other in (
        {"where": "escrowPct > 1"},
        {"where": "escrowPct > 0", "order_by": "title"},
        {"where": "escrowPct > 0", "confidence_minimum": "INFERRED"},
        {"where": "escrowPct > 0", "namespace": "north"},
    ):
        with pytest.raises(InvalidRequest, match="belongs to another request"):
            stored.recall(schema=MATTER, cursor=cursor, **other)  # pyright: ignore[reportArgumentType]
    assert stored.recall(schema=MATTER, where="escrowPct > 0", limit=5, cursor=cursor).returned == 5
