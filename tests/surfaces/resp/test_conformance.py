"""What Klyro 0.1.0 answered to 948 steps, replayed.

The steps that are marked as quirks may differ: docs/resp.md says of each why. The others agree.
"""

import base64
import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.memory.remembering import Clock
from tests.surfaces.resp.speaking import Double, Error, Line, Status

from winnow.memory.times import milliseconds

RECORDED = json.loads(
    (Path(__file__).parents[2] / "data" / "klyro_conformance.json").read_text(encoding="utf-8")
)
SCENARIOS: Mapping[str, Any] = {one["name"]: one for one in RECORDED["scenarios"]}
QUIRKS = 25


def word(raw: Any) -> bytes:
    return raw.encode() if isinstance(raw, str) else base64.b64decode(raw["b64"])


def plain(expected: Any) -> Any:
    """What a recorded reply is, as tests read replies."""
    kind = next(name for name in PLAIN if name in expected)
    return PLAIN[kind](expected[kind])


PLAIN: Mapping[str, Callable[[Any], Any]] = {
    "simple": Status,
    "error": Error,
    "int": int,
    "double": Double,
    "bulk": str.encode,
    "bulk_b64": base64.b64decode,
    "nil": lambda _: None,
    "nil_array": lambda _: None,
    "array": lambda items: items,
    "map": lambda items: items,
}


def floats(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // 4}f", data)


def agrees(expected: Any, got: Any, now: int) -> bool:
    match expected.get("match"):
        case "any":
            return True
        case "any_int":
            return isinstance(got, int)
        case "unix_ms":
            return isinstance(got, int) and 0 <= now - got <= 10_000
        case "pttl_at_most":
            return isinstance(got, int) and 0 < got <= expected["int"] + 1_000
        case "approx":
            wanted, found = plain(expected), got
            assert type(found) is type(wanted)
            pair = [float(one.text if isinstance(one, Double) else one) for one in (wanted, found)]
            return pair[1] == pytest.approx(pair[0], rel=expected["tol"], abs=expected["tol"])
        case "f32le":
            tolerance = expected["tol"]
            return floats(got) == pytest.approx(floats(plain(expected)), tolerance, tolerance)
        case _:
            return agrees_exactly(expected, got, now)


def agrees_exactly(expected: Any, got: Any, now: int) -> bool:
    if "array" in expected:
        return all_agree(expected["array"], items_of(list, got), now)
    if "map" in expected:
        pairs = [item for pair in expected["map"] for item in pair]
        return all_agree(pairs, items_of(dict, got), now)
    wanted = plain(expected)
    return type(wanted) is type(got) and wanted == got


def items_of(kind: type, got: Any) -> list[Any]:
    assert type(got) is kind
    return got if kind is list else [item for pair in got.items() for item in pair]


def all_agree(expected: list[Any], got: list[Any], now: int) -> bool:
    pairs = zip(expected, got, strict=False)
    return len(expected) == len(got) and all(agrees(one, other, now) for one, other in pairs)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_recorded_scenario_is_answered_as_klyro_answered_it(
    line: Line, clock: Clock, name: str
) -> None:
    scenario = SCENARIOS[name]
    if scenario["resp"] == 3:
        line.say("HELLO", "3")
    for number, step in enumerate(scenario["steps"]):
        if "sleep_ms" in step:
            clock.move(milliseconds=step["sleep_ms"])
            continue
        clock.move(milliseconds=1)
        got = line.say(*map(word, step["cmd"]))
        if not step.get("quirk"):
            now = milliseconds(clock.now)
            assert agrees(step["reply"], got, now), (number, step["cmd"], step["reply"], got)


def test_the_recording_is_whole() -> None:
    steps = [step for one in SCENARIOS.values() for step in one["steps"] if "cmd" in step]
    assert len(SCENARIOS) == 29
    assert len(steps) == 948
    assert sum(bool(step.get("quirk")) for step in steps) == QUIRKS
