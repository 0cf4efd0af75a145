"""Commands of one form come out of bytes as they do one by one, however the bytes come."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.surfaces.resp.speaking import encode

from winnow.surfaces.resp import protocol
from winnow.surfaces.resp.alike import find_form
from winnow.surfaces.resp.protocol import (
    STRANGER,
    Bounds,
    Broken,
    Received,
    count_commands,
    read_commands,
)
from winnow.surfaces.resp.runs import Form, Run, Words

Found = list[Words | Broken]


def read(chunks: Sequence[bytes], *, runs: bool, bounds: Bounds | None = None) -> Received:
    """Read commands from bytes that come in pieces; with `runs` those of one form together."""
    reader = read_commands(lambda: bounds or Bounds(), find_form if runs else lambda _: None)
    next(reader)
    found: Received = []
    for chunk in chunks:
        found += reader.send(chunk)
        if found and isinstance(found[-1], Broken):
            break
    return found


def apart(received: Received) -> Found:
    """What was received, one by one."""
    found: Found = []
    for one in received:
        found += one.commands() if isinstance(one, Run) else [one]
    return found


VALUES = st.sampled_from([b"", b"a", b"1", b"\r", b"\r\n", b"a\nb", b"$1\r\na\r\n", b"x" * 300])
VECTORS = st.sampled_from([b"abcd", b"\r\n\r\n", b"*2\r\n", b"", b"abcdefgh"])


@st.composite
def alike(draw: st.DrawFn) -> list[bytes]:
    """Bytes of commands with the same options; now and then one is another, or broken."""
    options = draw(st.lists(st.sampled_from([b"ID", b"VEC", b"META", b"TTL"]), max_size=4))
    key = draw(st.sampled_from([b"a", b"b"]))
    made: list[bytes] = []
    for _ in range(draw(st.integers(0, 6))):
        words = [b"MEM.ADD", key, b"TEXT", draw(VALUES)]
        for option in options:
            words += [option, b"k"] if option == b"META" else [option]
            words.append(draw(VECTORS if option == b"VEC" else VALUES))
        made.append(encode(*words))
    return made + draw(st.lists(STRANGE, max_size=1))


STRANGE = st.sampled_from(
    [
        encode("PING"),
        b"PING\r\n",
        b"PING\n",
        b"*0\r\n",
        b"*4\r\n$7\r\nMEM.ADD\r\n$1\r\na\r\n$4\r\nTEXT\r\n$01\r\nx\r\n",
        b"*4\r\n$7\r\nMEM.ADD\r\n$1\r\na\r\n$4\r\nTEXT\r\n$2\r\nx\r\n",
        b"*4\r\n$7\r\nMEM.ADD\r\n$1\r\na\r\n$4\r\nTEXT\r\n$-1\r\n",
        b"*4\r\n$7\r\nMEM.ADD\r\n",
    ]
)
STREAMS = st.lists(alike(), max_size=4).map(lambda some: b"".join(b"".join(one) for one in some))


@settings(max_examples=300)
@given(STREAMS, st.data(), st.sampled_from([None, STRANGER, Bounds(words=5, word=8, command=40)]))
def test_runs_are_the_commands_one_by_one(
    whole: bytes, data: st.DataObject, bounds: Bounds | None
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    pieces = [piece for piece in pieces if piece]
    with pytest.MonkeyPatch().context() as patch:
        patch.setattr(protocol, "_MUCH", 1)
        together = read(pieces, runs=True, bounds=bounds)
        bytewise = read([whole[at : at + 1] for at in range(len(whole))], runs=True, bounds=bounds)
    expected = apart(read(pieces, runs=False, bounds=bounds))
    assert apart(together) == apart(bytewise) == expected
    assert count_commands(together) == len(expected)


def add(number: int, size: int = 1_536) -> bytes:
    vector = bytes((number + place) % 256 for place in range(size))
    return encode("MEM.ADD", "k", "ID", number, "VEC", vector, "TEXT", "t", "META", "a", number)


def test_a_pipeline_of_one_form_is_one_run_for_each_piece() -> None:
    """The property above would hold if there never was a run."""
    whole = b"".join(map(add, range(40)))
    cut = len(whole) // 3
    found = read([whole[:cut], whole[cut:]], runs=True)
    sizes = [len(one) if isinstance(one, Run) else 1 for one in found]
    assert sizes == [13, 1, 26]  # one was cut


def test_a_run_is_looked_for_where_there_is_much_to_read() -> None:
    assert all(not isinstance(one, Run) for one in read([add(1, 8) * 9], runs=True))


def test_a_run_goes_on_with_the_next_bytes_when_its_form_is_known() -> None:
    pieces = [b"".join(add(number) for number in range(at, at + 20)) for at in (0, 20)]
    first, second = read(pieces[:1], runs=True), read(pieces, runs=True)
    assert [len(one) for one in first if isinstance(one, Run)] == [20]
    assert [len(one) for one in second if isinstance(one, Run)] == [20, 20]


def test_a_form_has_the_values_open_and_all_else_as_it_is() -> None:
    words = [b"MEM.ADD", b"k", b"vec", b"abcd", b"META", b"a", b"b", b"TEXT", b"t"]
    assert find_form(words) == Form(
        (b"MEM.ADD", b"k", b"vec", 4, b"META", b"a", None, b"TEXT", None)
    )


@pytest.mark.parametrize(
    "words",
    [
        [],
        [b"MEM.ADD", b"k"],
        [b"GET", b"k", b"TEXT", b"t"],
        [b"MEM.ADD", b"k", b"TEXT", b"t", b"NX"],
        [b"MEM.ADD", b"k", b"TEXT", b"t", b"META", b"a"],
        [b"MEM.ADD", b"k", b"META", b"a" * 5_000, b"v"],
        [b"MEM.ADD", b"k", *[b"ID", b"v"] * 200],
    ],
)
def test_what_is_out_of_the_ordinary_has_no_form(words: Words) -> None:
    assert find_form(words) is None
