"""An answer that is too long for an agent is cut, and says where."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.surfaces.mcp.connecting import call, data_of, text_of

from winnow.errors import counted
from winnow.memory import Memory
from winnow.surfaces.mcp.bounds import MOST_CHARACTERS as MOST
from winnow.surfaces.mcp.bounds import fit, measure
from winnow.values import Json

LONG = "The minutes say that " + "the escrow is held for a year. " * 4_000


def hits(*texts: str) -> dict[str, Json]:
    return {"hits": [{"id": str(number), "text": text} for number, text in enumerate(texts)]}


@given(st.lists(st.text(max_size=300), max_size=10))
def test_an_answer_that_fits_stays_as_it_is(texts: list[str]) -> None:
    payload = hits(*texts)
    assert fit(payload) is payload


@given(st.lists(st.integers(0, 60_000), min_size=1, max_size=10))
def test_long_texts_are_cut_until_the_answer_fits(lengths: list[int]) -> None:
    payload = hits(*("é" * length for length in lengths))
    before = json.dumps(payload)
    fitted: Any = fit(payload)
    assert json.dumps(payload) == before
    assert measure(fitted) <= MOST + 200  # the warning itself
    for length, hit in zip(lengths, fitted["hits"], strict=True):
        kept = hit["text"].split(" … [")[0]
        assert kept == "é" * len(kept)
        assert len(kept) == length or hit["text"].endswith(
            f"[{counted(length - len(kept), 'more characters')}]"
        )
    assert ("warnings" in fitted) is (measure(payload) > MOST)


def test_short_texts_are_kept_whole_beside_long_ones() -> None:
    fitted: Any = fit(hits("x" * 200, "y" * 100_000, "z" * 5_000))
    first, second, third = (hit["text"] for hit in fitted["hits"])
    assert (first, third) == ("x" * 200, "z" * 5_000)
    assert 30_000 < len(second) < 40_000
    assert fitted["warnings"] == [
        "1 text is cut to keep the answer under 10,000 tokens; read one in full by its id, or ask"
        " for fewer"
    ]


def test_no_text_is_cut_below_the_length_of_a_snippet() -> None:
    fitted: Any = fit(hits(*["x" * 500] * 300))
    assert all(hit["text"].startswith("x" * 280) for hit in fitted["hits"])


def test_a_list_that_alone_is_too_long_loses_its_end() -> None:
    groups: list[Json] = [{"key": f"group {number}", "count": 1} for number in range(5_000)]
    fitted: Any = fit({"groups": groups, "warnings": ["first"]})
    kept = fitted["groups"]
    assert kept == groups[: len(kept)]
    assert measure(fitted) <= MOST + 200
    assert fitted["warnings"] == ["first", f"{len(kept)} of 5000 groups are shown; ask for fewer"]


def test_recall_of_long_memories_is_bounded_and_get_reads_one_in_full(memory: Memory) -> None:
    """F115."""
    for number in range(10):
        memory.store(f"{number} {LONG}", id=f"long{number}")
    for name, arguments in (
        ("memory_recall", {"query": "escrow minutes"}),
        ("memory_list", {"where": "text contains minutes"}),
    ):
        result = call(memory, name, **arguments)
        data = data_of(result)
        assert data["returned"] == 10
        assert measure(data) + len(text_of(result)) <= MOST + 1_000
        assert "10 texts are cut" in data["warnings"][-1]
    assert data_of(call(memory, "memory_get", id="long3"))["text"] == f"3 {LONG}"


def test_an_error_with_many_faults_is_bounded(memory: Memory) -> None:
    wrong = call(memory, "memory_recall", filters={f"@field{number}": 1 for number in range(2_000)})
    assert wrong.is_error
    assert measure(wrong.structured_content) <= 2 * MOST
    assert len(text_of(wrong)) < 3_000
