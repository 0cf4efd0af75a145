"""What is fed with hostile input: each target takes bytes, and fails only if something is wrong.

A refusal in Winnow's own words is right; any other error, and an answer that is not what it has to
be, is a fault.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from functools import cache

from winnow.errors import InvalidRequest
from winnow.expressions import compile_own
from winnow.filter.decode import decode_filter, load_json
from winnow.filter.parse import parse_where
from winnow.packs import builtin_packs
from winnow.quantities import QUANTITIES, read_quantity
from winnow.rank.analyse import Analyser
from winnow.redaction import redact
from winnow.surfaces.resp.protocol import Bounds, Received, read_commands
from winnow.values import UnreadableValue, read_moment
from winnow.vault.contents import Content
from winnow.vault.fields import line_fields
from winnow.vault.folder import SeenNote
from winnow.vault.frontmatter import read_frontmatter, read_names, read_texts
from winnow.vault.markdown import read_note
from winnow.vault.reading import build_note
from winnow.yaml12 import YamlError, load

Check = Callable[[bytes], None]


@dataclass(frozen=True)
class Target:
    """What is tried, and the pieces that inputs are put together from."""

    check: Check
    pieces: Sequence[bytes]


def as_text(data: bytes) -> str:
    """Read bytes as text; behind 0xff any two are a character, halves of pairs too."""
    if data[:1] == b"\xff":
        return data[1 : 1 + len(data[1:]) // 2 * 2].decode("utf-16-le", "surrogatepass")
    return data.decode("utf-8", "replace")


def check_where(data: bytes) -> None:
    with suppress(InvalidRequest):
        parse_where(as_text(data), "/where")


def check_filter(data: bytes) -> None:
    with suppress(InvalidRequest):
        decode_filter(load_json(as_text(data), "/filters"), "/filters")


def check_yaml(data: bytes) -> None:
    with suppress(YamlError):
        json.dumps(load(as_text(data)).value)


def check_frontmatter(data: bytes) -> None:
    front = read_frontmatter("---\n" + as_text(data).replace("\r", "\n") + "\n---\n")
    json.dumps(dict(front.values))
    read_names(front)
    assert all(isinstance(text, str) for _, text in read_texts(front))


def check_markdown(data: bytes) -> None:
    note = read_note(as_text(data))
    assert all(line >= 1 for line in note.lines.values())


def check_note(data: bytes) -> None:
    content = Content(data, len(data), 1_700_000_000_000_000_000, sure=True)
    seen = SeenNote("a/b.md", "/a/b.md", len(data), content.mtime_ns)
    built = build_note(seen, content, builtin_packs())
    assert built.pieces
    assert len({piece.id for piece in built.pieces}) == len(built.pieces)


def check_fields(data: bytes) -> None:
    line = as_text(data).replace("\n", " ")
    assert all(key.strip() for key, _ in line_fields(line, line))


def check_quantities(data: bytes) -> None:
    text = as_text(data)
    for name, quantity in QUANTITIES.items():
        for found in compile_own(quantity.expression).finditer(text):
            with suppress(UnreadableValue):
                assert isinstance(read_quantity(name, found[0]), str | int | float)


def check_dates(data: bytes) -> None:
    with suppress(UnreadableValue):
        moment = read_moment(as_text(data), UTC)
        assert moment.start <= moment.end


def check_resp(data: bytes) -> None:
    """Read commands at once, byte by byte, and in halves: it must come to the same."""
    whole = _received([data])
    assert _received([data[:at] for at in (len(data) // 2,)] + [data[len(data) // 2 :]]) == whole
    if len(data) <= 200:
        assert _received([data[at : at + 1] for at in range(len(data))]) == whole


def check_redaction(data: bytes) -> None:
    text, counts, again = as_text(data), Counter[str](), Counter[str]()
    cleaned = redact(text, counts)
    assert cleaned.count("\n") == text.count("\n")
    assert (cleaned == text) == (not counts)
    redact(cleaned, again)
    assert sum(again.values()) <= sum(counts.values())


def check_terms(data: bytes) -> None:
    assert all(_analyser().terms(as_text(data)))


@cache
def _analyser() -> Analyser:
    return Analyser("english")


def _received(chunks: Sequence[bytes]) -> list[str]:
    reader = read_commands(lambda: Bounds(words=64, word=4_096, command=8_192))
    found: list[str] = []
    _note(found, next(reader))
    try:
        for chunk in chunks:
            _note(found, reader.send(chunk))
    except StopIteration:
        pass
    return found


def _note(found: list[str], received: Received) -> None:
    found.extend(map(repr, received))
    received.clear()


_WORDS = [
    *("a", "status", "escrowPct", "=", "!=", ">=", "<", "in", "(", ")", ",", "and", "or", "not"),
    *("between", "contains", "is", "null", "any", "has"),
]
_ODD = [
    *("\0", "\ufeff", "\u2028", "\u202e", "\ud7ff", "é", "e\u0301", "設備", "👩‍👩‍👧", "\U000e0041"),
    *(
        "\n",
        "\r\n",
        "\t",
        " ",
        "\\",
        '"',
        "'",
        "`",
        "#",
        "%",
        "$",
        "^",
        "*",
        "_",
        "~~",
        "|",
        "0" * 9,
    ),
]
_MARKS = [
    *(
        "---\n",
        "# ",
        "- [ ] ",
        "- ",
        "> ",
        "```\n",
        "[[",
        "]]",
        "[",
        "](",
        ")",
        "::",
        "(key:: ",
        "%%",
    ),
    *(
        "CLAWQL_MATTER_ID=MAT-2388\n",
        "CLAWQL_STATUS=",
        "key: ",
        "&a ",
        "*a",
        "{",
        "}",
        "!!int ",
        "|\n",
    ),
    *(
        "Escrow: 12% (24 months)",
        "twelve percent",
        "$45M",
        "MAT-2388",
        "<b>",
        "![[x#^y|z]]",
        "| a |",
    ),
    *(
        "1e999",
        "0x",
        ".inf",
        "2026-02-30",
        "12:30",
        "yes",
        "tags: [a, b]",
        "'",
        "- - ",
        "? ",
        "<<: ",
    ),
]
_JSON = [
    *(
        '{"',
        '":',
        "{",
        "}",
        "[",
        "]",
        ",",
        '"and"',
        '"or"',
        '"not"',
        '"eq"',
        '"in"',
        '"$gte"',
        "1e400",
    ),
    *('"a"', "null", "true", "NaN", "-0", "9" * 400, '"\\ud800"', '{"a": 1}', '["a", "EQ", "b"]'),
    *('{"a": {"gte": 1}}', '"between"', '"any"', '"field"', '"metadata.\\"a.b\\""', "[" * 70),
]
_DIGITS = [
    *(
        "12",
        "%",
        " percent",
        "twelve",
        "hundred",
        "million",
        "$",
        "M",
        "k",
        ",",
        ".",
        "½",
        "١٢",
        "e9",
    ),
    *(
        "months",
        "years",
        "2026-03-01",
        "T",
        "12:30",
        "+02:00",
        "Z",
        "March",
        " of ",
        "-30d",
        "today",
    ),
]
_RESP = [
    *(
        b"*1\r\n",
        b"*2\r\n",
        b"$4\r\nPING\r\n",
        b"$-1\r\n",
        b"*-1\r\n",
        b"*99999999\r\n",
        b"PING\r\n",
    ),
    *(
        b"$0\r\n\r\n",
        b"\r\n",
        b"\n",
        b'SET "a\\x00" b\r\n',
        b"'",
        b'"',
        b"$3\r\nabc",
        b"*01\r\n",
        b"\xff",
    ),
    *(
        b"$1\r\n\r\r\n",
        b"$2\r\n\r\n\r\n",
        b"*1\r\n$1\r\n",
        b"$+1\r\n",
        b":1\r\n",
        b"*\r\n",
        b"$\r\n",
    ),
]
_SECRETS = [
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "-----BEGIN ",
        "password",
        "=",
        ": ",
    ),
    *(
        "AKIA" + "A" * 16,
        "eyJ" + "a" * 9,
        ".eyJ" + "b" * 9,
        ".",
        "ghp_" + "a" * 36,
        "sk-",
        "A1" * 12,
    ),
    *("https://a:", "@b", "(redacted:", ")", "token", "secret_key", "'", '"', "$X", "xoxb-", "://"),
]


def _pieces(*texts: Sequence[str]) -> list[bytes]:
    return [text.encode("utf-8", "surrogatepass") for some in texts for text in some]


TARGETS: Mapping[str, Target] = {
    "text filter": Target(
        check_where, _pieces([f" {word} " for word in _WORDS], _ODD, ["1", "'x'"])
    ),
    "JSON filter": Target(check_filter, _pieces(_JSON, _ODD)),
    "YAML": Target(check_yaml, _pieces(_MARKS, _ODD)),
    "frontmatter": Target(check_frontmatter, _pieces(_MARKS, _ODD)),
    "Markdown": Target(check_markdown, _pieces(_MARKS, _ODD)),
    "note": Target(check_note, [*_pieces(_MARKS, _ODD), b"\xff\xfe", b"\xff"]),
    "inline fields": Target(check_fields, _pieces(_MARKS, _ODD)),
    "quantities": Target(check_quantities, _pieces(_DIGITS, _ODD)),
    "dates": Target(check_dates, _pieces(_DIGITS)),
    "RESP": Target(check_resp, _RESP),
    "secrets": Target(check_redaction, _pieces(_SECRETS, _ODD)),
    "terms": Target(check_terms, _pieces(_MARKS, _ODD, _WORDS)),
}
"""All of them, by name."""
