"""B-7.1 through a real client: few turns, few tokens, the exact set; and what else would happen."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench.b7_agent.run import ANY_TOOLS, CASES, TYPED, Outcome, try_case
from bench.b7_agent.task import HERE, Task, ToolLog, Turn, find_exactly, load_task

FIVE = ["MAT-2388", "MAT-2401", "MAT-2415", "MAT-2450", "MAT-2462"]
FILTERED, AT_ONCE, READING = CASES
SIZES = (12, 250)
RECALL = Turn("memory_recall", {"query": "", "schema": "legal.Matter", "filters": {}}, 400)
WRITE = Turn("write", {"path": "matters.json"}, 70)


def work(case: Any, store: str, size: int) -> Outcome:
    return asyncio.run(try_case(case, Path(store), size))


@pytest.mark.parametrize("size", SIZES)
def test_with_filters_it_takes_two_calls_and_few_tokens_at_any_size(
    firm: Callable[[int], str], size: int
) -> None:
    outcome = work(FILTERED, firm(size), size)
    assert [turn.name for turn in outcome.log.turns] == ["memory_schema", "memory_recall", "write"]
    asked = outcome.log.turns[1].arguments
    assert asked["schema"] == "legal.Matter"
    assert asked["filters"] == {"escrowPct": {"gte": 10}, "nonCompeteMonths": {"gt": 18}}
    assert outcome.found == FIVE
    assert outcome.log.tokens < 4_000
    assert outcome.grade.passed


@pytest.mark.parametrize("size", SIZES)
def test_the_description_of_the_tool_alone_is_enough_for_two_turns(
    firm: Callable[[int], str], size: int
) -> None:
    outcome = work(AT_ONCE, firm(size), size)
    assert [turn.name for turn in outcome.log.turns] == ["memory_recall", "write"]
    assert outcome.found == FIVE
    assert outcome.grade.passed


def test_reading_notes_one_by_one_takes_a_turn_a_note_and_bursts_the_caps(
    firm: Callable[[int], str],
) -> None:
    outcome = work(READING, firm(12), 12)
    assert sorted(outcome.found) == FIVE
    assert len(outcome.log.turns) >= 12 + 2
    assert outcome.log.tokens > 8_000
    assert not outcome.grade.passed


def test_what_is_shown_of_the_core_tools_is_small(firm: Callable[[int], str]) -> None:
    """F117."""
    assert work(AT_ONCE, firm(12), 12).shown_tokens < 3_000


# --- the grader ----------------------------------------------------------------------------------


def test_the_task_is_the_one_of_the_suite() -> None:
    told = json.loads((HERE / f"{TYPED}.json").read_text(encoding="utf-8"))
    assert list(told) == [
        "id",
        "suite",
        "description",
        "requireToolPattern",
        "grader",
        "caps",
    ]
    assert told["caps"] == {"turns": 5, "seconds": 60, "tokens": 4_000}
    assert told["grader"] == "matters-found-exact"


@pytest.mark.parametrize(
    ("found", "score"),
    [(FIVE, 1.0), (FIVE[:4], 0.8), ([], 0.0), ([*FIVE, "MAT-2433"], 0.0), (["MAT-2433"], 0.0)],
)
def test_any_false_positive_scores_zero(found: list[str], score: float) -> None:
    assert find_exactly(found, FIVE) == score


def grade(*turns: Turn, seconds: float = 1.0, task: str = TYPED) -> tuple[str, ...]:
    loaded: Task = load_task(task)
    return loaded.grade(ToolLog([*turns], seconds), FIVE, FIVE, ("schema", "filters")).faults


def test_a_run_within_the_caps_has_no_faults() -> None:
    assert grade(RECALL, WRITE) == ()


@pytest.mark.parametrize(
    ("turns", "seconds", "fault"),
    [
        ([RECALL] * 5 + [WRITE], 1.0, "6 turns, the cap is 5"),
        ([RECALL, WRITE], 61.0, "61 seconds, the cap is 60"),
        ([Turn("memory_recall", RECALL.arguments, 16_100), WRITE], 1.0, "4,042 tokens"),
        ([WRITE], 1.0, "no call matches"),
        ([Turn("memory_recall", {"query": "legal.Matter schema"}, 4)], 1.0, "no call matches"),
    ],
)
def test_a_cap_that_is_burst_and_a_missing_call_are_faults(
    turns: list[Turn], seconds: float, fault: str
) -> None:
    (only,) = grade(*turns, seconds=seconds)
    assert fault in only


def test_the_caps_without_the_filter_are_wider() -> None:
    many = [Turn("memory_get", {"schema": 1, "filters": 1}, 4)] * 29
    assert grade(*many, WRITE, task=ANY_TOOLS) == ()
    assert grade(*many, WRITE, WRITE, task=ANY_TOOLS) == ("31 turns, the cap is 30",)
