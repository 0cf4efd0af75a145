"""Odd input of every sort is taken or refused, never a fault; `make fuzz` tries far more of it."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.hostile.fuzz import LONGEST, fuzz, make_input
from tests.hostile.targets import TARGETS, Target


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_put_together_at_random_is_no_fault(name: str) -> None:
    target = TARGETS[name]

    @settings(max_examples=60)
    @given(st.lists(st.sampled_from(list(target.pieces)) | st.binary(max_size=6), max_size=30))
    @example([b"\xff\x00\xd8"])
    @example([b"\xff"])
    @example([b""])
    def try_it(parts: list[bytes]) -> None:
        target.check(b"".join(parts)[:LONGEST])

    try_it()


@pytest.mark.parametrize("name", TARGETS)
def test_so_is_what_the_long_run_makes(name: str) -> None:
    draw = random.Random(name)
    for _ in range(40):
        TARGETS[name].check(make_input(TARGETS[name], draw))


def test_the_long_run_tells_what_it_finds() -> None:
    def refuse(data: bytes) -> None:
        assert b"wrong" not in data

    assert not fuzz(Target(refuse, [b"right"]), random.Random(1), 0.05).faults
    tried = fuzz(Target(refuse, [b"wrong"]), random.Random(1), 0.05)
    assert tried.inputs >= len(tried.faults) > 0
    assert "wrong" in tried.faults[0]
