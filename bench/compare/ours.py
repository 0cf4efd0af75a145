"""Winnow, measured in turns with the yardsticks: the bare loop, and a plain read."""

from collections.abc import Iterator, Mapping
from typing import Final

from bench.compare import stage
from bench.compare.bare import Bare, lay_bare
from bench.compare.conditions import SELECTIVITIES
from bench.compare.data import Case, keep
from bench.compare.timing import Call, Taken, time_in_turns, time_queries
from bench.compare.truth import Figures, Ground
from winnow.memory import Memory

OURS: Final = "winnow"
_TURNS: Final = 0.8  # seconds for each of the three


def measure_ours(ground: Ground) -> Iterator[tuple[str, Figures]]:
    """Yield the figures of each selectivity; the store is built if it is not kept yet."""
    case = ground.case
    kept = ground.cache / "stores" / OURS / stage.name_store(case)
    folder = keep(kept, lambda into: stage.build_store(case, into))
    bare = lay_bare(case)
    with stage.open_store(folder) as memory:
        numbers = stage.number_rows(memory)
        for label in SELECTIVITIES:
            turns = _take_turns(ground, label, bare, memory)
            for query, rows in turns[OURS].found.items():
                turns[OURS].found[query] = numbers[rows]
            yield label, _tell_turns(ground, label, bare, turns) | _time_calls(case, label, memory)


def _take_turns(ground: Ground, label: str, bare: Bare, memory: Memory) -> Mapping[str, Taken]:
    case, condition = ground.case, SELECTIVITIES[label]
    read = bare.reader(ground.truths[label].candidates)
    calls: dict[str, Call] = {
        "bare": lambda query: bare.nearest(condition, case.queries[query]),
        OURS: stage.prepare_stage(memory, case, condition),
        "read": lambda _: (read(), ())[1],
    }
    return time_in_turns(calls, len(case.queries), seconds=_TURNS)


def _tell_turns(ground: Ground, label: str, bare: Bare, turns: Mapping[str, Taken]) -> Figures:
    candidates = ground.truths[label].candidates
    return {
        "candidates": candidates,
        "winnow_ms": turns[OURS].p50,
        "recall": ground.recall(label, turns[OURS]),
        "bare_ms": turns["bare"].p50,
        "bare_recall": ground.recall(label, turns["bare"]),
        "read_ms": turns["read"].p50,
        "read_bytes": bare.bytes_of(candidates),
    }


def _time_calls(case: Case, label: str, memory: Memory) -> Figures:
    calls = {
        name: stage.prepare_recall(memory, case, SELECTIVITIES[label], words=words)
        for name, words in {"recall_call_ms": False, "recall_words_ms": True}.items()
    }
    return {name: time_queries(call, len(case.queries)).p50 for name, call in calls.items()}
