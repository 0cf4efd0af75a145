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


class Operand(Enum):
    """What stands on the right of an operator."""

    VALUE = "a value"
    LIST = "a list of values"
    PAIR = "two values, the lower bound first"
    TEXT = "a text"
    FLAG = "true or false"
    NESTED = "a filter"


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
_ORDERED = frozenset({Family.STRING, Family.NUMBER, Family.DATE})
_TEXTS = frozenset({Family.STRING, Family.LABEL})
_LISTS = frozenset({Family.LIST})
_MANY = frozenset({Family.LIST, Family.REVERSE})

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
    )
}

CONNECTIVES = ("and", "or", "not")

# Other spellings that people write; each means exactly the operator beside it.
SPELLINGS: Mapping[str, str] = {
    **{name: name for name in OPERATORS},
    **{"$" + name: name for name in OPERATORS},
    "starts_with": "startsWith",
    "ends_with": "endsWith",
    "is_null": "isNull",
    "$starts_with": "startsWith",
    "$ends_with": "endsWith",
    "$is_null": "isNull",
}

# Words that a field of a pack may not be called.
RESERVED = frozenset(
    {*OPERATORS, *CONNECTIVES, "is", "null", "true", "false", "everything", "nothing"}
)


def family_of(field: Field | Reverse) -> Family:
    """Return the family that decides which operators a field takes."""
    if isinstance(field, Reverse):
        return Family.REVERSE
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
}
