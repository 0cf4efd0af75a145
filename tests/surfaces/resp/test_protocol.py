"""Commands as they are read from bytes, however those come."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.surfaces.resp.speaking import encode

from winnow.surfaces.resp.protocol import (
    LONGEST_LINE,
    STRANGER,
    Bounds,
    Broken,
    Received,
    read_commands,
    split_words,
)

COMMANDS = st.lists(st.lists(st.binary(max_size=40), min_size=1, max_size=5), max_size=5)


def parse(chunks: Sequence[bytes], bounds: Bounds | None = None) -> Received:
    """Read commands from bytes that come in pieces."""
    reader = read_commands(lambda: bounds or Bounds())
    next(reader)
    found: Received = []
    for chunk in chunks:
        found += reader.send(chunk)
        if found and isinstance(found[-1], Broken):
            break
    return found


def reason(data: bytes, bounds: Bounds | None = None) -> str:
    """What is wrong with bytes that begin with a whole command."""
    good, broken = parse([encode("PING") + data], bounds)
    assert good == [b"PING"]
    assert isinstance(broken, Broken)
    return broken.reason


@given(COMMANDS, st.data())
def test_commands_are_the_same_in_one_piece_and_in_many(
    commands: list[list[bytes]], data: st.DataObject
) -> None:
    whole = b"".join(encode(*one) for one in commands)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert parse([whole]) == commands
    assert parse([piece for piece in pieces if piece]) == commands


@given(COMMANDS)
def test_commands_may_come_one_byte_at_a_time(commands: list[list[bytes]]) -> None:
    whole = b"".join(encode(*one) for one in commands)
    assert parse([whole[at : at + 1] for at in range(len(whole))]) == commands


LINES = st.sampled_from(
    [b"\n", b"\r\n", b"PING\n", b"PING x\r\n", b"*1\n$4\nPING\r\n", encode("GET", b"a\r\nb")]
)


@given(st.lists(LINES, max_size=20).map(b"".join))
def test_lines_that_end_otherwise_may_stand_among_commands(whole: bytes) -> None:
    assert parse([whole]) == parse([whole[at : at + 1] for at in range(len(whole))])


@given(st.lists(st.binary(min_size=1, max_size=60), max_size=6))
def test_whatever_comes_is_commands_or_broken_and_never_an_error(chunks: list[bytes]) -> None:
    for one in parse(chunks):
        assert isinstance(one, Broken | list)
        assert isinstance(one, Broken) or all(type(word) is bytes for word in one)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"*1\r\n$-1\r\n", "invalid bulk length"),
        (b"*1\r\n$abc\r\n", "invalid bulk length"),
        (b"*1\r\n$+3\r\nabc\r\n", "invalid bulk length"),
        (b"*1\r\n$999999999999\r\n", "invalid bulk length"),
        (b"*1\r\n$99999999999999999999999999\r\n", "invalid bulk length"),
        (b"*1\r\n:1\r\n", "expected '$', got ':'"),
        (b"*1\r\n\r\n", "expected '$', got ' '"),
        (b"*abc\r\n", "invalid multibulk length"),
        (b"*99999999\r\n", "invalid multibulk length"),
        (b"*\r\n", "invalid multibulk length"),
        (b"*1\r\n$3\r\nabcd\r\n", "expected CRLF after the bytes of a word"),
        (b"*1\r\n$" + b"1" * LONGEST_LINE + b"1", "too big bulk count string"),
        (b"*" + b"1" * LONGEST_LINE, "too big mbulk count string"),
        (b"x" * (LONGEST_LINE + 1), "too big inline request"),
        (b"x" * (LONGEST_LINE + 1) + b"\r\n", "too big inline request"),
        (b'ECHO "a\r\n', "unbalanced quotes in request"),
        (b"ECHO 'a'b\r\n", "unbalanced quotes in request"),
    ],
)
def test_a_broken_frame_is_told_apart_and_ends_the_reading(data: bytes, told: str) -> None:
    assert reason(data) == told


def test_an_empty_frame_is_no_command() -> None:
    assert parse([b"*0\r\n*-1\r\n\r\n  \r\n*1\r\n$4\r\nPING\r\n"]) == [[b"PING"]]


def test_a_command_has_bounds_in_its_words_and_in_all() -> None:
    assert reason(encode("ECHO", "x" * 9), Bounds(word=8)) == "invalid bulk length"
    assert reason(encode("A", "B", "C"), Bounds(words=2)) == "invalid multibulk length"
    large = encode("ECHO", "x" * 8, "y" * 8)
    assert reason(large, Bounds(command=16)) == "the command is too large"
    assert parse([large], Bounds(command=20)) == [[b"ECHO", b"x" * 8, b"y" * 8]]


def test_a_stranger_may_send_little() -> None:
    assert parse([encode("AUTH", "x" * 1_000)], STRANGER)
    assert reason(encode("SET", "k", "x" * 20_000), STRANGER) == "invalid bulk length"


def test_a_large_word_is_put_together_once_however_it_comes() -> None:
    word = bytes(range(256)) * 4_096
    whole = encode("SET", "k", word)
    pieces = [whole[at : at + 1_000] for at in range(0, len(whole), 1_000)]
    assert parse(pieces) == [[b"SET", b"k", word]]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (b"PING", [b"PING"]),
        (b"  SET  k\tv ", [b"SET", b"k", b"v"]),
        (b'ECHO "a b\\n\\x41\\"" \'it\\\'s\' ""', [b"ECHO", b'a b\nA"', b"it's", b""]),
        (b'META k"a b"', [b"META", b"ka b"]),
        (b"ECHO caf\xc3\xa9 \xff", [b"ECHO", b"caf\xc3\xa9", b"\xff"]),
    ],
)
def test_words_typed_by_hand_are_split_as_redis_does(typed: bytes, words: list[bytes]) -> None:
    assert split_words(typed) == words
    assert parse([typed + b"\r\n", typed + b"\n"]) == [words, words]
