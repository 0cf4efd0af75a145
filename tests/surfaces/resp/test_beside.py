"""A server that goes on beside other processes answers, and stores, as one that has just begun."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import Clock, open_at
from tests.surfaces.resp.speaking import Error, Line, encode, serve_in_process

from winnow.memory import Memory
from winnow.store.sqlite.upkeep.restoring import restore_store

SECRET = "key AKIAIOSFODNN7EXAMPLE of theirs"
Step: TypeAlias = tuple[str, ...]

ADDED: st.SearchStrategy[Step] = st.tuples(
    st.just("MEM.ADD"),
    st.sampled_from(["k", "other"]),
    st.just("TEXT"),
    st.sampled_from(["We decided to run", "deux chevaux rouges", SECRET]),
).flatmap(
    lambda words: st.sampled_from([words, (*words, "ID", "a"), (*words, "FVEC", "2", "3", "4")])
)
SAID: st.SearchStrategy[Step] = ADDED | st.sampled_from(
    [
        ("MEM.CREATE", "k", "DIM", "2"),
        ("MEM.CREATE", "k", "MODE", "SEARCH"),
        ("MEM.CREATE", "other", "DIM", "3"),
        ("MEM.GET", "k", "m1", "WITHMETA", "WITHVEC"),
        ("MEM.DEL", "k", "m1"),
        ("MEM.INFO", "k"),
        ("DEL", "k"),
        ("RENAME", "k", "other"),
        ("EXPIRE", "k", "0"),
        ("FLUSHALL",),
    ]
)
DONE: st.SearchStrategy[Step] = SAID | st.sampled_from(
    [
        ("set", "secrets", "redact"),
        ("set", "secrets", "keep"),
        ("set", "language", "french"),
        ("set", "auto_classify", "regex_only"),
        ("set", "embedder", "none"),
        ("purge",),
        ("store",),
    ]
)
STEPS = st.lists(st.tuples(st.booleans(), DONE), min_size=4, max_size=12)


def do(memory: Memory, line: Line, step: Step) -> Any:
    """Say a command, or do what is done over no protocol."""
    match step:
        case ("set", name, value):
            given: dict[str, Any] = {name: value}
            memory.admin.set_namespace("k", **given)
            return None
        case ("purge",):
            engine = memory.engine
            with engine.store.write() as writer:
                return writer.records.purge(engine.store.records.keys("k")[:1])
        case ("store",):
            return memory.store("told elsewhere", namespace="other").id
        case _:
            return line.say(*step)


def held(memory: Memory) -> list[Any]:
    """All that is kept, with the words of each memory."""
    records = memory.engine.store.records
    return [
        (space, version)
        for space in records.namespaces()
        for some in records.scan_versions(space.name)
        for version in some
    ]


@settings(max_examples=40)
@given(STEPS)
def test_a_server_beside_another_process_answers_as_one_that_has_just_begun(
    steps: Sequence[tuple[bool, Step]],
) -> None:
    start: list[tuple[bool, Step]] = [
        (True, ("MEM.CREATE", "k", "MODE", "SEARCH")),
        (True, ("MEM.ADD", "k", "TEXT", "We decided to run")),
    ]
    with tempfile.TemporaryDirectory() as folder:
        beside, alone, clock = Path(folder) / "beside.db", Path(folder) / "alone.db", Clock()
        with open_at(beside, clock) as server, open_at(beside, clock) as other:
            lines = {True: Line(serve_in_process(server)), False: Line(serve_in_process(other))}
            for ours, step in [*start, *steps]:
                got = do(server if ours else other, lines[ours], step)
                with open_at(alone, clock) as fresh:
                    assert got == do(fresh, Line(serve_in_process(fresh)), step)
            with open_at(alone, clock) as fresh:
                assert held(server) == held(fresh)


def test_a_server_whose_store_is_restored_adds_nothing_to_it(tmp_path: Path) -> None:
    path, copy = tmp_path / "w.db", tmp_path / "copy.db"
    with open_at(path, Clock()) as memory:
        line = Line(serve_in_process(memory))
        line.say("MEM.CREATE", "k", "MODE", "SEARCH")
        assert line.say("MEM.ADD", "k", "TEXT", "one") == b"m1"
        memory.engine.store.upkeep.copy_to(copy, replace=False)
        assert line.say("MEM.ADD", "k", "TEXT", "two") == b"m2"
        restore_store(copy, path, replace=True)
        for sent in (encode("MEM.ADD", "k", "TEXT", "three"), encode("MEM.CARD", "k")):
            (reply,) = line.send(sent)
            assert isinstance(reply, Error)
            assert "a backup has taken the place" in reply.text
    with open_at(path, Clock()) as again:
        line = Line(serve_in_process(again))
        assert line.say("MEM.CARD", "k") == 1
        assert line.say("MEM.ADD", "k", "TEXT", "four") == b"m3"
