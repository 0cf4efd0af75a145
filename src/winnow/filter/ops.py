"""The operators of the filter language, a row each; everything about one is read from here."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum

from winnow.schema import Field, Reverse
from winnow.values import NUMERIC, TEMPORAL, Type


class Family(StrEnum):
    """Types of fields that take the same operators."""

    STRING = "text"
    NUMBER = "number"
    DATE = "date"
    BOOLEAN = "boolean"
    LABEL = "enum or reference"
    LIST = "list"
    REVERSE = "reverse reference"
    OPEN = "metadata"


class Operand(Enum):
    """What stands on the right of an operator."""

    VALUE = "a value"
    LIST = "a list of values"
    PAIR = "two values, the lower bound first"
    TEXT = "a text"
    FLAG = "true or false"
    NESTED = "a filter"
    WORD = "a text, or what is written as one"
    WORDS = "texts, in a list or with commas between them"


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator: its JSON name, its spelling in text, and what it takes.

    `negates` names the operator whose exact complement it is. A field of another family than
    those of `families` refuses it.
    """

    name: str
    symbol: str
    operand: Operand
    families: frozenset[Family]
    negates: str | None = None


_ALL_FAMILIES = frozenset(Family)
_SCALARS = _ALL_FAMILIES - {Family.LIST, Family.REVERSE}
_ORDERED = frozenset({Family.STRING, Family.NUMBER, Family.DATE, Family.OPEN})
_TEXTS = frozenset({Family.STRING, Family.LABEL, Family.OPEN})
_LISTS = frozenset({Family.LIST, Family.OPEN})
_MANY = frozenset({Family.LIST, Family.REVERSE, Family.OPEN})
_OPEN = frozenset({Family.OPEN})

OPERATORS: Mapping[str, Operator] = {
    row.name: row
    for row in (
        Operator("eq", "=", Operand.VALUE, _SCALARS | _LISTS),
        Operator("ne", "!=", Operand.VALUE, _SCALARS | _LISTS, negates="eq"),
        Operator("in", "in", Operand.LIST, _SCALARS),
        Operator("nin", "not in", Operand.LIST, _SCALARS, negates="in"),
        Operator("gt", ">", Operand.VALUE, _ORDERED),
        Operator("gte", ">=", Operand.VALUE, _ORDERED),
        Operator("lt", "<", Operand.VALUE, _ORDERED),
        Operator("lte", "<=", Operand.VALUE, _ORDERED),
        Operator("between", "between", Operand.PAIR, _ORDERED),
        Operator("contains", "contains", Operand.TEXT, _TEXTS),
        Operator("startsWith", "startsWith", Operand.TEXT, _TEXTS),
        Operator("endsWith", "endsWith", Operand.TEXT, _TEXTS),
        Operator("has", "has", Operand.VALUE, _LISTS),
        Operator("any", "any", Operand.NESTED, _MANY),
        Operator("all", "all", Operand.NESTED, _MANY),
        Operator("none", "none", Operand.NESTED, _MANY, negates="any"),
        Operator("isNull", "is null", Operand.FLAG, _ALL_FAMILIES),
        Operator("~EQ", "~EQ", Operand.WORD, _OPEN),
        Operator("~NE", "~NE", Operand.WORD, _OPEN, negates="~EQ"),
        Operator("~GT", "~GT", Operand.WORD, _OPEN),
        Operator("~GTE", "~GTE", Operand.WORD, _OPEN),
        Operator("~LT", "~LT", Operand.WORD, _OPEN),
        Operator("~LTE", "~LTE", Operand.WORD, _OPEN),
        Operator("~IN", "~IN", Operand.WORDS, _OPEN),
        Operator("~CONTAINS", "~CONTAINS", Operand.WORD, _OPEN),
    )
}

# What a triple's operator means on a schema's typed field; on a memory it is `~` and its name.
TRIPLES: Mapping[str, str] = {
    "EQ": "eq",
    "NE": "ne",
    "GT": "gt",
    "GTE": "gte",
    "LT": "lt",
    "LTE": "lte",
    "IN": "in",
    "CONTAINS": "contains",
}
LOOSE = tuple(f"~{name}" for name in TRIPLES)
"""The operators of triples, which compare a memory's metadata as texts or, if they can, numbers."""
TYPED = tuple(name for name in OPERATORS if name not in LOOSE)

CONNECTIVES = ("and", "or", "not")

# Other spellings that people write; each means exactly the operator beside it.
SPELLINGS: Mapping[str, str] = {
    **{name: name for name in OPERATORS},
    **{name.lower(): name for name in LOOSE},
    **{"$" + name: name for name in OPERATORS},
    "starts_with": "startsWith",
    "ends_with": "endsWith",
    "is_null": "isNull",
    "$starts_with": "startsWith",
    "$ends_with": "endsWith",
    "$is_null": "isNull",
}

# Words that a field of a pack may not be called.
RESERVED = frozenset({*TYPED, *CONNECTIVES, "is", "null", "true", "false", "everything", "nothing"})


def family_of(field: Field | Reverse) -> Family:
    """Return the family that decides which operators a field takes."""
    if isinstance(field, Reverse):
        return Family.REVERSE
    if field.type is Type.OPEN:
        return Family.OPEN
    if field.is_list:
        return Family.LIST
    if field.type in NUMERIC:
        return Family.NUMBER
    if field.type in TEMPORAL:
        return Family.DATE
    return _FAMILIES[field.type]


def operators_of(field: Field | Reverse) -> list[str]:
    """List the names of the operators that fit a field."""
    family = family_of(field)
    return [row.name for row in OPERATORS.values() if family in row.families]


_FAMILIES: Mapping[Type, Family] = {
    Type.STRING: Family.STRING,
    Type.BOOLEAN: Family.BOOLEAN,
    Type.ENUM: Family.LABEL,
    Type.REF: Family.LABEL,
    Type.TAG: Family.LABEL,
}
