"""Replies, written as RESP2 and RESP3 have them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.surfaces.resp.speaking import Double, Error, Status, read_replies

from winnow.surfaces.resp import replies
from winnow.surfaces.resp.replies import RESP2, RESP3, Number, Pairs, Refusal, Reply, write_reply

LEAVES = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.binary(max_size=20))
TREES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4), max_leaves=20)


def written(reply: Reply, version: int) -> Any:
    out: list[bytes] = []
    write_reply(reply, version, out)
    (found,) = read_replies(b"".join(out))
    return found


@given(TREES, st.sampled_from([RESP2, RESP3]))
def test_what_is_written_is_read_again(reply: Any, version: int) -> None:
    assert written(reply, version) == reply


def test_resp3_has_maps_numbers_and_nothing_of_their_own_and_resp2_has_not() -> None:
    reply = Pairs([(b"a", Number("0.5")), (b"b", None), (b"c", Pairs([]))])
    assert written(reply, RESP3) == {b"a": Double("0.5"), b"b": None, b"c": {}}
    assert written(reply, RESP2) == [b"a", b"0.5", b"b", None, b"c", []]
    out: list[bytes] = []
    write_reply([None], RESP3, out)
    write_reply([None], RESP2, out)
    assert b"".join(out) == b"*1\r\n_\r\n*1\r\n$-1\r\n"


@pytest.mark.parametrize("text", ["ERR a\r\nb", "ERR a\0b", "ERR \udcff", "ERR ☃"])
def test_an_error_is_one_line_whatever_it_shows(text: str) -> None:
    found = written(Refusal(text), RESP2)
    assert isinstance(found, Error)
    assert found.text.startswith("ERR ")


def test_a_status_is_a_short_word() -> None:
    assert written(replies.OK, RESP2) == Status("OK")
