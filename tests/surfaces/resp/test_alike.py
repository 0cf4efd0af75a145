"""Commands of a pipeline that are alike come to what each would come to by itself."""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import temporary_memory
from tests.surfaces.resp.speaking import Error, Line, Word, serve_in_process

from winnow.columns.terms import decode_terms
from winnow.errors import StoreError
from winnow.memory import Memory
from winnow.rank.analyse import Analyser
from winnow.store.memories import Record
from winnow.surfaces.resp import alike, protocol, session
from winnow.surfaces.resp.alike import FEWEST, find_form, group_alike
from winnow.surfaces.resp.protocol import Broken, Received
from winnow.surfaces.resp.runs import Run, Words

Command = list[Word]
MODES = {"k": ("DIM", 2), "s": ("MODE", "SEARCH"), "v": ("MODE", "VECTOR", "DIM", 2)}


def vector(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def stored(memory: Memory) -> list[tuple[Record, dict[str, int], int]]:
    """All memories, with the counts of their terms apart, and how many changes each has had."""
    records = memory.engine.store.records
    terms = [term for text in KNOWN_TEXTS for term in Analyser().terms(text)]
    names = {number: term for term, number in records.find_terms(terms).items()}
    found: list[tuple[Record, dict[str, int], int]] = []
    for name in sorted(MODES):
        for batch in records.scan_versions(name):
            for one in batch:
                bags = decode_terms([one.record.terms])
                own = [names[number] for number in bags.terms.tolist()]
                counted = dict(zip(own, bags.counts.tolist(), strict=True))
                found.append((replace(one.record, terms=b""), counted, len(one.history)))
    return found


def run(commands: Sequence[Command], *, together: bool, at_once: bool = False) -> Any:
    """Run commands in one pipeline in a new store; return the replies, and what is stored.

    With `at_once` those of one form are taken out of the bytes as columns, however few they are.
    """
    with temporary_memory() as memory, pytest.MonkeyPatch().context() as patch:
        if not together:
            patch.setattr(alike, "FEWEST", 10**9)
        patch.setattr(protocol, "_MUCH", 1 if at_once else 10**9)
        line = Line(serve_in_process(memory))
        line.all(*(("MEM.CREATE", name, *given) for name, given in MODES.items()))
        line.say("MEM.ADD", "k", "ID", "m3", "TEXT", "there before", "VEC", vector(1, 0))
        replies = line.all(*commands)
        spent = [line.say("MEM.ADD", name, "TEXT", "x", "VEC", vector(1, 1)) for name in "kv"]
        return replies, spent, stored(memory)


# --- made-up pipelines ---------------------------------------------------------------------------

IDS = st.sampled_from(["a", "b", "m3", "m4", "é", "", b"\xff", *(f"r{n}" for n in range(40))])
TEXTS = st.sampled_from(
    ["alpha beta", "Beta's x86-64 beta", "", "caf\u00e9 \u8bbe\u5907", b"\xff broken", "a\r\nb"]
)
KNOWN_TEXTS = ["alpha Beta's x86-64 a b caf\u00e9 \u8bbe\u5907 \ufffd broken there before low x"]
VECTORS = st.sampled_from(
    [vector(1, 0), vector(0.5, -2), vector(0, 0), vector(float("nan"), 1), vector(1), b"abc"]
)
GOOD = st.sampled_from([vector(1, 0), vector(0.5, -2)])
NUMBERS = st.sampled_from([0, 1, "0.25", "2", "x", "-1", 1000])
VALUES = st.sampled_from(["1", "eu", "", "\0u", '"%s"', "é", b"\xfe"])


@st.composite
def adds(draw: st.DrawFn) -> list[Command]:
    """Commands with the same options; now and then one of them is out of the ordinary."""
    options = draw(
        st.lists(st.sampled_from(["ID", "VEC", "A", "B%", "IMPORTANCE", "TTL"]), max_size=5)
    )
    key, faulty = draw(st.sampled_from("kksv")), draw(st.booleans())
    made: list[Command] = []
    for _ in range(draw(st.integers(FEWEST - 1, FEWEST + 4))):
        command: Command = ["MEM.ADD", key, "TEXT", draw(TEXTS if faulty else TEXTS.filter(bool))]
        for name in options:
            value = {
                "ID": IDS,
                "VEC": VECTORS if faulty else GOOD,
                "IMPORTANCE": NUMBERS if faulty else st.sampled_from(["0.5", 1]),
                "TTL": NUMBERS if faulty else st.just(60),
            }.get(name, VALUES)
            command += ["META", name] if name in ("A", "B%") else [name]
            command.append(draw(value))
        made.append(command)
    if faulty:
        place = draw(st.integers(0, len(made) - 1))
        made[place] += draw(st.sampled_from([[], ["NX"], ["XX"], ["BOGUS"], ["META", "z"]]))
    return made


OTHERS = st.sampled_from(
    [
        ["MEM.DEL", "k", "a", "r1"],
        ["MEM.SETMETA", "k", "r2", "seen", "1"],
        ["MEM.CARD", "k"],
        ["MEM.CREATE", "k", "DIM", 2],
        ["mem.add", "k", "TEXT", "low"],
        ["DEL", "s"],
        ["NOSUCH"],
    ]
)
PIPELINES = st.lists(st.one_of(adds(), OTHERS.map(lambda one: [one])), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(PIPELINES, st.booleans())
def test_a_pipeline_is_answered_and_stored_as_command_by_command(
    parts: list[list[Command]], at_once: bool
) -> None:
    commands = [one for part in parts for one in part]
    together = run(commands, together=True, at_once=at_once)
    apart = run(commands, together=False)
    # What was done in one transaction here may be done in two there, each a step of the history.
    assert together[:2] == apart[:2]
    assert [one[:2] for one in together[2]] == [one[:2] for one in apart[2]]


@settings(max_examples=60, deadline=None)
@given(adds(), st.booleans())
def test_commands_that_are_alike_leave_the_same_rows_and_histories(
    commands: list[Command], at_once: bool
) -> None:
    together = run(commands, together=True, at_once=at_once)
    assert together == run(commands, together=False)


@pytest.mark.parametrize("together", [True, False])
def test_where_secrets_are_left_out_no_automatic_id_is_passed_over(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, together: bool
) -> None:
    if not together:
        monkeypatch.setattr(alike, "FEWEST", 10**9)
    line = Line(serve_in_process(memory))
    line.say("MEM.CREATE", "s", "MODE", "SEARCH")
    memory.admin.set_namespace("s", secrets="redact")
    ids = line.all(*(("MEM.ADD", "s", "TEXT", f"word {number}") for number in range(10)))
    assert ids == [f"m{number}".encode() for number in range(1, 11)]


# --- what is done at once ------------------------------------------------------------------------


def plain(count: int, key: str = "k") -> list[Command]:
    return [
        ["MEM.ADD", key, "ID", f"r{n}", "TEXT", f"word {n}", "VEC", vector(1, n), "META", "n", n]
        for n in range(count)
    ]


def count_changes(line: Line, *commands: Command) -> int:
    before = line.service.engine.store.last_change().number
    line.all(*commands)
    return line.service.engine.store.last_change().number - before


def test_many_new_memories_are_one_change(line: Line) -> None:
    line.say("MEM.CREATE", "k", "DIM", 2)
    assert count_changes(line, *plain(300)) == 1
    assert line.say("MEM.CARD", "k") == 300
    assert count_changes(line, *plain(300)) == 0  # they are there, and equal


def test_what_is_done_at_once_is_written_by_a_sheet(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The properties above would hold if it was never tried."""
    sheets: list[int] = []
    from winnow.memory.indexes.changing import RecordChanges

    add = RecordChanges.add_sheet

    def count(self: RecordChanges, sheet: Any) -> bool:
        sheets.append(len(sheet.ids))
        return add(self, sheet)

    monkeypatch.setattr(RecordChanges, "add_sheet", count)
    line.say("MEM.CREATE", "k", "DIM", 2)
    line.all(*plain(FEWEST), ["MEM.CARD", "k"], *plain(FEWEST + 1)[FEWEST:])
    assert sheets == [FEWEST]


def test_between_multi_and_exec_all_is_one_transaction(line: Line) -> None:
    line.say("MEM.CREATE", "k", "DIM", 2)
    commands: list[Command] = [
        ["MULTI"],
        *plain(20),
        ["MEM.SETMETA", "k", "r1", "seen", "1"],
        ["EXEC"],
    ]
    assert count_changes(line, *commands) == 1


def test_secrets_are_left_out_of_what_comes_in_bulk(line: Line) -> None:
    line.service.memory.admin.set_namespace("k", secrets="redact")
    line.say("MEM.CREATE", "k", "DIM", 2)
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    line.all(*(["MEM.ADD", "k", "ID", f"r{n}", "TEXT", f"key {key}"] for n in range(20)))
    assert line.say("MEM.CARD", "k") == 20
    assert key.encode() not in line.say("MEM.GET", "k", "r7")[3]


def test_where_a_key_can_not_be_looked_up_each_command_is_told(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(session, "CHECK_SECONDS", 0.0)
    monkeypatch.setattr(session, "forget_key", fail)
    monkeypatch.setattr(protocol, "_MUCH", 1)
    assert line.all(*plain(20), ["PING"]) == [Error("ERR the disk is gone")] * 21


def test_what_is_stored_once_more_declines_some_runs_and_stores_others_as_ever(line: Line) -> None:
    line.say("MEM.CREATE", "k", "DIM", 2)
    for count in (20, 20, 30, 40):
        assert line.all(*plain(count)) == [b"r%d" % number for number in range(count)]
    assert line.say("MEM.CARD", "k") == 40


def test_the_limits_of_the_server_hold_for_each(line: Line) -> None:
    line.say("MEM.CREATE", "k", "DIM", 2)
    line.say("CONFIG", "SET", "mem-max-records", 5)
    replies = line.all(*plain(9))
    assert replies[:5] == [b"r0", b"r1", b"r2", b"r3", b"r4"]
    assert all(isinstance(one, Error) for one in replies[5:])
    line.say("CONFIG", "SET", "mem-max-text-bytes", 6)
    assert all(isinstance(one, Error) for one in line.all(*plain(19)[8:]))


def test_only_commands_in_a_row_for_one_key_are_taken_together() -> None:
    words = [[b"MEM.ADD", key, b"TEXT", b"t"] for key in (b"a",) * FEWEST + (b"b",) * (FEWEST - 1)]
    assert sizes(group_alike([*words, [b"PING"], *words])) == [
        *(FEWEST, *[1] * FEWEST),
        *(FEWEST, *[1] * (FEWEST - 1)),
    ]


def sizes(received: Iterable[Words | Run | Broken]) -> list[int]:
    return [len(one) if isinstance(one, Run) else 1 for one in received]


def test_commands_of_one_form_are_one_run_however_they_were_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a pipeline that comes in pieces, the first of each piece is read word by word."""
    words: list[Words] = [[b"MEM.ADD", b"a", b"TEXT", b"t%d" % number] for number in range(30)]
    form = find_form(words[0])
    assert form is not None
    received: Received = [words[0], form.join(words[1:20]), words[20], form.join(words[21:])]
    (run,) = group_alike(received)
    assert isinstance(run, Run)
    assert [*run.commands()] == words
    assert sizes(group_alike([words[0], form.join(words[1:4])])) == [1, 1, 1, 1]
    monkeypatch.setattr(alike, "MOST", 10)
    assert sizes(group_alike(received)) == [10, 10, 10]
