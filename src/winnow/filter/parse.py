"""From the text spelling of a filter to its tree; `grammar.lark` says how it is written."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from winnow.errors import Fault, InvalidRequest
from winnow.filter.ast import All, Any, Expr, Not, Place, Test
from winnow.filter.grammar import find_branches
from winnow.filter.limits import check_size
from winnow.filter.names import UnreadableName, split_name, unquote
from winnow.filter.ops import OPERATORS
from winnow.filter.plain import find_surrogate
from winnow.values import LARGEST_NUMBER, Json

if TYPE_CHECKING:
    from lark import Token

    from winnow.filter.grammar import Branch


def parse_where(text: str, pointer: str) -> Expr:
    """Read a filter from text, a blank one as everything; raise InvalidRequest with positions.

    Of mistakes of syntax only the first is told, of wrong names and values all.
    """
    broken = find_surrogate(text)
    if broken is not None:
        raise InvalidRequest([Fault(pointer, "half a surrogate pair is not text", broken)])
    if not text.strip():
        return All(())
    builder = _Builder(pointer)
    expr = builder.build(find_branches(text, pointer), False)
    if builder.faults:
        raise InvalidRequest(builder.faults)
    check_size(expr, pointer)
    return expr


_BY_SYMBOL: Mapping[str, str] = {
    **{row.symbol.lower(): row.name for row in OPERATORS.values()},
    "==": "eq",
    "<>": "ne",
    "≠": "ne",
    "≤": "lte",
    "≥": "gte",
    "starts_with": "startsWith",
    "ends_with": "endsWith",
    "is not null": "isNull",
}
_CONSTANTS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None}
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)


@dataclass(slots=True)
class _Builder:
    """Builds the tree from the branches that the grammar found."""

    pointer: str
    faults: list[Fault] = field(default_factory=list[Fault])

    def build(self, branch: "Branch", items: bool) -> Expr:
        """Build a filter; where it is about `items`, a test may come without a name."""
        kind, children = branch.data, branch.children
        if kind == "test":
            return self._build_test(children, items)
        if kind == "constant":
            return All(()) if _kind(children[0]) == "EVERYTHING" else Any(())
        parts = tuple(self.build(part, items) for part in children if not isinstance(part, str))
        if kind == "negation":
            return Not(parts[0])
        return All(parts) if kind == "conjunction" else Any(parts)

    def _build_test(self, children: Sequence["Token | Branch"], items: bool) -> Expr:
        tokens = [child for child in children if isinstance(child, str)]
        named = tokens[0].type == "NAME"
        sign = tokens[1] if named else tokens[0]
        name = self._read_name(tokens[0]) if named else ()
        if not named and not items:
            self._fault(sign, f"the name of a field is missing before {sign.value}")
        at = Place(self.pointer, tokens[0].start_pos)
        op = _BY_SYMBOL[" ".join(sign.lower().split())]
        return Test(name, op, self._read_operand(sign.type, children[named + 1 :]), at)

    def _read_name(self, token: "Token") -> tuple[str, ...]:
        if _NUMBER.fullmatch(token):
            self._fault(token, "a test begins with the name of a field, not with a number")
        try:
            return split_name(token)
        except UnreadableName as error:
            self._fault(token, str(error), error.offset)
            return ()

    def _read_operand(self, kind: str, operands: Sequence["Token | Branch"]) -> "Json | Expr":
        if kind in ("IS_NULL", "IS_NOT_NULL"):
            return kind == "IS_NULL"
        if kind == "BETWEEN":
            return [self._read_value(operand) for operand in operands]
        operand = operands[0]
        if kind == "QUANTIFIER" and not isinstance(operand, str):
            return self.build(operand, True)
        return self._read_value(operand)

    def _read_value(self, operand: "Token | Branch") -> Json:
        if not isinstance(operand, str):
            return [self._read_value(item) for item in operand.children]
        if operand.type == "WORD":
            return self._read_word(operand)
        try:
            return unquote(operand)
        except UnreadableName as error:
            self._fault(operand, str(error), error.offset)
            return ""

    def _read_word(self, token: "Token") -> Json:
        word = token.value
        if word.lower() in _CONSTANTS:
            return _CONSTANTS[word.lower()]
        if _NUMBER.fullmatch(word):
            return self._read_number(token)
        if not any(character.isalnum() for character in word):
            self._fault(token, f"{word!r} is not a value; write a text of signs in quotes")
        return word

    def _read_number(self, token: "Token") -> Json:
        whole = _WHOLE.fullmatch(token) is not None
        number = (int(token) if whole else float(token)) if len(token) < _MOST_DIGITS else math.inf
        if abs(number) > LARGEST_NUMBER:
            self._fault(token, "the number is too large")
            return 0
        return number

    def _fault(self, token: "Token", detail: str, offset: int = 0) -> None:
        self.faults.append(Fault(self.pointer, detail, (token.start_pos or 0) + offset))


_MOST_DIGITS = 1_000


def _kind(child: "Token | Branch") -> str:
    return child.type if isinstance(child, str) else child.data
