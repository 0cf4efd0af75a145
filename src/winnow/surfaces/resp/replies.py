"""What the server answers: typed values, written as RESP2 or RESP3 has them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

RESP2: Final = 2
RESP3: Final = 3


@dataclass(frozen=True, slots=True)
class Status:
    """A short word, such as OK."""

    text: str


class Refusal(Exception):
    """An error reply: a code in capitals, then what is wrong."""

    def __init__(self, text: str) -> None:
        super().__init__(_CONTROLS.sub(" ", text))


@dataclass(frozen=True, slots=True)
class Number:
    """A number with a fraction, as it is spelled; RESP2 has it as a text."""

    text: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """Names and values, in order; RESP2 has them in a flat array."""

    items: Sequence[tuple[bytes, "Reply"]]


@dataclass(frozen=True, slots=True)
class Texts:
    """A text for each of several commands."""

    texts: Sequence[bytes]


Reply: TypeAlias = (
    "Status | Refusal | Number | Pairs | Texts | int | bytes | Sequence[Reply] | None"
)

OK: Final = Status("OK")
QUEUED: Final = Status("QUEUED")


def write_reply(reply: Reply, version: int, out: list[bytes]) -> None:
    """Append a reply's bytes."""
    _WRITERS[type(reply)](reply, version, out)


def write_bulk(data: bytes, out: list[bytes]) -> None:
    """Append a text."""
    out.append(b"$%d\r\n%b\r\n" % (len(data), data))


def _write_bulk(reply: bytes, version: int, out: list[bytes]) -> None:
    write_bulk(reply, out)


def _write_texts(reply: Texts, version: int, out: list[bytes]) -> None:
    out += [b"$%d\r\n%b\r\n" % (len(text), text) for text in reply.texts]


def _write_status(reply: Status, version: int, out: list[bytes]) -> None:
    out.append(b"+%b\r\n" % _spell(reply.text))


def _write_error(reply: Refusal, version: int, out: list[bytes]) -> None:
    out.append(b"-%b\r\n" % _spell(str(reply)))


def _write_integer(reply: int, version: int, out: list[bytes]) -> None:
    out.append(b":%d\r\n" % reply)


def _write_nothing(reply: None, version: int, out: list[bytes]) -> None:
    out.append(b"_\r\n" if version >= RESP3 else b"$-1\r\n")


def _write_number(reply: Number, version: int, out: list[bytes]) -> None:
    spelled = _spell(reply.text)
    if version >= RESP3:
        out.append(b",%b\r\n" % spelled)
    else:
        write_bulk(spelled, out)


def _write_array(reply: Sequence[Reply], version: int, out: list[bytes]) -> None:
    out.append(b"*%d\r\n" % len(reply))
    for item in reply:
        _WRITERS[type(item)](item, version, out)


def _write_pairs(reply: Pairs, version: int, out: list[bytes]) -> None:
    count = len(reply.items)
    out.append(b"%%%d\r\n" % count if version >= RESP3 else b"*%d\r\n" % (2 * count))
    for name, value in reply.items:
        out.append(b"$%d\r\n%b\r\n" % (len(name), name))
        _WRITERS[type(value)](value, version, out)


def _spell(text: str) -> bytes:
    return text.encode("utf-8", "replace")


_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")  # an error is one line
_Writer: TypeAlias = Callable[[Any, int, list[bytes]], None]
_WRITERS: Mapping[type, _Writer] = {
    bytes: _write_bulk,
    int: _write_integer,
    list: _write_array,
    tuple: _write_array,
    type(None): _write_nothing,
    Texts: _write_texts,
    Status: _write_status,
    Refusal: _write_error,
    Number: _write_number,
    Pairs: _write_pairs,
}
