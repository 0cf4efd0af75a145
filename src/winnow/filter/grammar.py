"""From the text of a filter to the branches of its grammar, and what to say where it breaks."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

from winnow.errors import Fault, InvalidRequest
from winnow.filter.ast import MAX_DEPTH, MAX_NODES
from winnow.filter.limits import TOO_DEEP, TOO_LARGE
from winnow.filter.mistakes import Expecting, explain_syntax

if TYPE_CHECKING:
    from lark import Token, Tree

    Branch: TypeAlias = Tree[Token]


def find_branches(text: str, pointer: str) -> "Branch":
    """Parse a text that is not blank; raise InvalidRequest with its first mistake of syntax."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    parser = _grammar().parse_interactive(text)
    gauge = _Gauge(pointer)
    try:
        for token in parser.iter_parse():
            gauge.read(token)
        return parser.feed_eof()
    except UnexpectedToken as error:
        token = cast("_TokenStop", error).token
        position = len(text) if token.type == "$END" else token.start_pos or 0
    except UnexpectedCharacters as error:
        position = cast("_CharacterStop", error).pos_in_stream
    raise InvalidRequest([Fault(pointer, _explain(text, position), position)])


# --- lark, as far as it is used here, with types -------------------------------------------------


class _Parser(Protocol):
    def iter_parse(self) -> "Iterator[Token]": ...
    def feed_eof(self) -> "Branch": ...
    def accepts(self) -> set[str]: ...


class _Grammar(Protocol):
    def parse_interactive(self, text: str) -> _Parser: ...


class _TokenStop(Protocol):
    token: "Token"


class _CharacterStop(Protocol):
    pos_in_stream: int


@cache
def _grammar() -> _Grammar:
    # Imported here: they take 40 ms, which a command without a filter can do without.
    from importlib.resources import files

    from lark import Lark

    text = files("winnow.filter").joinpath("grammar.lark").read_text(encoding="utf-8")
    lark = Lark(text, start="filter", parser="lalr", lexer="contextual", maybe_placeholders=False)
    return cast("_Grammar", lark)


# --- limits --------------------------------------------------------------------------------------

_OPERATORS = frozenset(
    (
        *("COMPARE", "IN", "NOT_IN", "BETWEEN", "TEXT_TEST", "IS_NULL", "IS_NOT_NULL"),
        *("QUANTIFIER", "LOOSE"),
    )
)


@dataclass(slots=True)
class _Gauge:
    """Stops the parser before a filter gets too deep for recursion, or too large."""

    pointer: str
    brackets: list[int] = field(default_factory=list[int])
    depth: int = 0
    nots: int = 0
    tests: int = 0

    def read(self, token: "Token") -> None:
        """Count what a token opens; the bracket after a `not` is one level with it."""
        kind = token.type
        if kind in _OPERATORS:
            self.tests += 1
        elif kind == "_NOT":
            self.nots += 1
        elif kind == "_OPEN":
            self.brackets.append(max(1, self.nots))
            self.depth += self.brackets[-1]
            self.nots = 0
        elif kind == "_CLOSE" and self.brackets:
            self.depth -= self.brackets.pop()
        elif kind in ("_AND", "_OR"):
            self.nots = 0
        if self.depth + self.nots > MAX_DEPTH or self.tests > MAX_NODES:
            detail = TOO_LARGE if self.tests > MAX_NODES else TOO_DEEP
            raise InvalidRequest([Fault(self.pointer, detail, token.start_pos)])


# --- mistakes ------------------------------------------------------------------------------------

# What may come next, told by the first of these terminals that the parser would take.
_EXPECTING: Mapping[str, Expecting] = {
    "NAME": Expecting.TEST,
    "COMPARE": Expecting.OPERATOR,
    "WORD": Expecting.VALUE,
    "_COMMA": Expecting.ITEMS,
    "_OR": Expecting.JOINT,
    "_AND": Expecting.UPPER_BOUND,
    "_OPEN": Expecting.LIST,
}
_SHOWN = 40
_FOUND = re.compile(r"""\"[^"]*"?|'[^']*'?|[=<>!~&|]+|[\w.:/+-]+|.""", re.DOTALL)
_BRACKETS = re.compile(r"""\"(?:[^"\\]|\\.|"")*"|'(?:[^'\\]|\\.|'')*'|[()]""", re.DOTALL)


def _explain(text: str, position: int) -> str:
    accepted = _accepted(text, position)
    expecting = next(state for terminal, state in _EXPECTING.items() if terminal in accepted)
    words = str(expecting)
    if expecting is Expecting.JOINT:
        words += " or ')'" if "_CLOSE" in accepted else " or the end"
    found = _FOUND.match(text, position)
    shown = repr(found[0][:_SHOWN]) if found else "the end"
    hint = _explain_bracket(text, position, "_CLOSE" in accepted)
    hint = hint or explain_syntax(text, position, expecting)
    return f"expected {words}, found {shown}" + (f"; {hint}" if hint else "")


def _accepted(text: str, position: int) -> set[str]:
    """Return the terminals that may stand at the first mistake of a text.

    The text is parsed again up to there, since by the time of a mistake the parser has already
    given up what might have continued the last test.
    """
    from lark.exceptions import UnexpectedInput

    parser = _grammar().parse_interactive(text)
    with suppress(UnexpectedInput):
        for token in parser.iter_parse():
            if (token.start_pos or 0) >= position:
                break
    return parser.accepts()


def _explain_bracket(text: str, position: int, closable: bool) -> str | None:
    opened: list[int] = []
    for match in _BRACKETS.finditer(text[:position]):
        if match[0] == "(":
            opened.append(match.start())
        elif match[0] == ")" and opened:
            opened.pop()
    if position == len(text) and closable and opened:
        return f"the '(' at character {opened[-1] + 1} is never closed"
    return "no bracket is open here" if text.startswith(")", position) and not opened else None
