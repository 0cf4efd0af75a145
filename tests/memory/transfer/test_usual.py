"""What is said of many values at once is what reading them one by one comes to."""

import math
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.filter.raw import Raw, Untyped
from winnow.memory.transfer.slots import SLOTS, Spot

ODD = st.sampled_from(
    [
        *(None, True, 3, 0.5, math.nan, math.inf, 10**400, b"x", [], (), {"base64": "YQ=="}),
        *("", " ", "\ud800", "\udc80", "é", "claim", "semantic", Raw("\udc80"), Untyped("1")),
    ]
)
KEYS = st.sampled_from(["a", "é", "\ud800", "base64:YQ==", 1, "untyped"])
VALUES: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("text", "title", "entity", "source", "kindProvenance"), st.text()),
    "kind": st.sampled_from(["claim", "observation"]),
    "memoryType": st.sampled_from(["semantic", "episodic"]),
    "metadata": st.dictionaries(KEYS, ODD | st.text() | st.integers() | st.floats(), max_size=3),
}
TYPICAL: dict[str, list[object]] = {
    **{name: ["a text", "设备", ""] for name in ("text", "title", "entity", "source")},
    "kindProvenance": ["declared", "declared"],
    "kind": ["claim", "decision"],
    "memoryType": ["semantic", "semantic"],
    "metadata": [{"n": 1, "x": 0.5, "s": "é", "b": True, "none": None}, {}],
}


def read_one_by_one(name: str, values: list[object], *, whole: bool) -> tuple[list[object], Any]:
    spot = Spot("/lines/1", UTC, [])
    read = SLOTS[name].read if whole else SLOTS[name].take
    return [read(value, name, spot) for value in values], spot.faults


@pytest.mark.parametrize("name", VALUES)
@given(st.data())
def test_usual_values_read_as_themselves(name: str, data: st.DataObject) -> None:
    values: list[object] = data.draw(st.lists(VALUES[name] | ODD, min_size=1, max_size=4))
    if SLOTS[name].usual(values):
        for whole in (True, False):
            read, faults = read_one_by_one(name, values, whole=whole)
            assert repr(read) == repr(values)
            assert faults == []


@pytest.mark.parametrize("name", TYPICAL)
def test_what_lines_mostly_say_is_usual(name: str) -> None:
    assert SLOTS[name].usual(TYPICAL[name])


@pytest.mark.parametrize("name", sorted(SLOTS))
@pytest.mark.parametrize("whole", [True, False])
def test_one_odd_value_among_many_is_read_as_it_is_alone(name: str, whole: bool) -> None:
    values: list[object] = [*TYPICAL.get(name, ["2026-03-05"]), 7, "\ud800", {"untyped": "x"}]
    spots = [Spot(f"/lines/{place}", UTC, []) for place in range(len(values))]
    together = SLOTS[name].read_all(values, name, spots, whole=whole)
    for value, read, spot in zip(values, together, spots, strict=True):
        alone = Spot(spot.place, UTC, [])
        one = SLOTS[name].read if whole else SLOTS[name].take
        assert repr(read) == repr(one(value, name, alone))
        assert spot.faults == alone.faults
