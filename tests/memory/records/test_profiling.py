"""A recall tells where its time went, if that is asked for."""

import pytest

from winnow.memory import Memory


@pytest.fixture(autouse=True)
def _some(memory: Memory) -> None:
    for number in range(5):
        memory.store(f"the river bank {number}", metadata={"n": number})


def test_a_profile_names_the_stages_and_what_was_read(memory: Memory) -> None:
    answer = memory.recall("river", where="n >= 2", profile=True)
    profile = answer.profile
    assert profile is not None
    assert profile.candidates == answer.filtered_entities == 3
    assert profile.vectors_compared == 3
    assert profile.bytes_read == 3 * 256 * 4
    assert profile.rows_rescored == 0
    times = {one.stage: one.milliseconds for one in profile.stages}
    assert {"columns", "filter", "query", "words", "vectors", "ranking", "showing"} <= set(times)
    assert all(took >= 0 for took in times.values())
    assert list(times.values()) == sorted(times.values(), reverse=True)


def test_without_it_there_is_none_and_nothing_else_differs(memory: Memory) -> None:
    plain = memory.recall("river", where="n >= 2")
    measured = memory.recall("river", where="n >= 2", profile=True)
    assert plain.profile is None
    assert measured.memories == plain.memories


def test_an_exact_recall_has_a_profile_too(memory: Memory) -> None:
    answer = memory.recall(schema="legal.Matter", profile=True)
    assert answer.profile is not None
    assert answer.profile.vectors_compared == 0
    assert {one.stage for one in answer.profile.stages} >= {"columns", "filter", "showing"}


def test_a_recall_inside_a_schema_tells_its_stages(memory: Memory) -> None:
    answer = memory.recall("river", schema="legal.Matter", profile=True)
    assert answer.profile is not None
    names = {one.stage for one in answer.profile.stages}
    assert names >= {"columns", "filter", "ranking", "showing"}
