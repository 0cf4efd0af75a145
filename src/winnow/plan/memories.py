"""The meaning of a filter on a memory, in the most obvious Python: true or false.

Nothing is undetermined: a memory's own fields have one value each, and what metadata does not
say is simply missing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from functools import partial
from typing import TypeAlias, cast

from winnow.filter.ast import All, Any, Match, Not, Pred
from winnow.filter.ops import OPERATORS, Operand
from winnow.kinds import read_kind
from winnow.memories import METADATA, RECORDS, SOURCES
from winnow.plan.comparisons import judge_open
from winnow.plan.reference import Candidates, Judge
from winnow.records import Candidate, Confidence
from winnow.schema import Field, Reverse
from winnow.values import TEMPORAL, Json, Type, Value, read_moment

Memory: TypeAlias = Mapping[str, Json]


def judge_memory(pred: Pred, memory: Memory, zone: tzinfo) -> bool:
    """Judge a filter on a memory: an object with its fields, times as ISO 8601, and `metadata`."""
    return _judge(pred, partial(_judge_test, memory, zone))


def _judge(pred: Pred, test: Callable[[Match], bool]) -> bool:
    match pred:
        case Not(part):
            return not _judge(part, test)
        case All(parts):
            return all(_judge(part, test) for part in parts)
        case Any(parts):
            return any(_judge(part, test) for part in parts)
        case Match():
            positive = OPERATORS[pred.op].negates
            return test(pred) if positive is None else not test(replace(pred, op=positive))


def _judge_test(memory: Memory, zone: tzinfo, test: Match) -> bool:
    if isinstance(test.field, Field) and test.field.type is Type.OPEN:
        return _judge_open(_find_open(memory, test), zone, test)
    judge = Judge(_Nothing(), Confidence.EXTRACTED, zone)
    return judge.judge_tests((test,), str(memory["id"]), _candidates(memory)).match


def _judge_open(value: Json, zone: tzinfo, test: Match) -> bool:
    operator = OPERATORS[test.op]
    if operator.operand is Operand.FLAG:
        return (value is None) is test.args[0]
    if operator.operand is not Operand.NESTED:
        return value is not None and judge_open(test, value, zone)
    inner = test.args[0]
    if not isinstance(inner, (Match, Not, All, Any)):
        raise TypeError(f"{test.op} without a filter")
    items = [item for item in value if item is not None] if isinstance(value, list) else []
    held = [_judge(inner, partial(_judge_open, item, zone)) for item in items]
    return any(held) if test.op == "any" else bool(held) and all(held)


def _find_open(memory: Memory, test: Match) -> Json:
    """Return what stands in metadata, or what a name with `@` reads, null if nothing does."""
    if not test.path:
        return _read_at(memory, test.field.name)
    value = memory[METADATA.name]
    for step in (*test.path[1:], test.field):
        value = value.get(step.name) if isinstance(value, dict) else None
    return value


def _read_at(memory: Memory, name: str) -> Json:
    """Return a field, a time in milliseconds."""
    value = memory.get(SOURCES[name])
    if isinstance(value, str) and RECORDS.fields[SOURCES[name]].type in TEMPORAL:
        return read_moment(value, UTC).start // 1_000
    return value


def _candidates(memory: Memory) -> Candidates:
    """Return the fields that say something; a memory always has tags, of which none is a list."""
    own = {name: memory.get(name) or None for name in RECORDS.fields}
    own |= {"text": memory.get("text"), "importance": memory.get("importance")}
    own |= {name: _read_at(memory, name) for name in SOURCES}
    known = {name: cast(Value, value) for name, value in own.items() if value is not None}
    known["tags"] = tuple(cast(list[str], own["tags"] or []))
    known["kind"] = read_kind(str(own["kind"]))
    return {name: (Candidate(value),) for name, value in known.items()}


class _Nothing:
    """A world without entities, which a memory's own fields never lead to."""

    def read(self, schema: str, entity: str) -> None:
        """Find nothing."""

    def referrers(self, reverse: Reverse, entity: str) -> Sequence[str]:
        """Find nobody."""
        return ()
