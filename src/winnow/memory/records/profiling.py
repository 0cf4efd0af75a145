"""How long each stage of a recall took, and what it read."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import TypeAlias

from winnow.errors import Fault
from winnow.memory.engine import Engine
from winnow.operations.answers import RecallAnswer
from winnow.operations.memories import Profile, StageTime
from winnow.operations.requests import RecallRequest
from winnow.stages import Record, measured

Recall: TypeAlias = Callable[[Engine, RecallRequest, list[Fault]], RecallAnswer]


def with_profile(recall: Recall) -> Recall:
    """Return a recall that is measured if that is asked for."""

    @wraps(recall)
    def answer(engine: Engine, request: RecallRequest, faults: list[Fault]) -> RecallAnswer:
        if not request.profile:
            return recall(engine, request, faults)
        with measured() as record:
            found = recall(engine, request, faults)
        return replace(found, profile=_show(found, record))

    return answer


def _show(answer: RecallAnswer, record: Record) -> Profile:
    times = [StageTime(name, round(took * 1e3, 3)) for name, took in record.seconds.items()]
    return Profile(
        candidates=answer.filtered_entities,
        vectors_compared=record.counts.get("compared", 0),
        bytes_read=record.counts.get("read", 0),
        rows_rescored=record.counts.get("rescored", 0),
        stages=sorted(times, key=lambda one: -one.milliseconds),
    )
