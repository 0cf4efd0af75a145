"""Operands on typed fields: what is written has to be of the field's type."""

from collections.abc import Callable, Mapping

from winnow.errors import unknown
from winnow.filter.mistakes import explain_number
from winnow.schema import Field
from winnow.values import (
    LARGEST_NUMBER,
    NUMERIC,
    Json,
    Scalar,
    Type,
    UnreadableValue,
    clean_tag,
    describe,
)


def read_typed(field: Field, raw: Json) -> Scalar:
    """Read a single operand on a field that holds no dates; raise UnreadableValue."""
    return _TYPED[field.type](field, raw)


def _read_text(found: Field, raw: Json) -> str:
    if not isinstance(raw, str):
        raise UnreadableValue(f"expected text, got {describe(raw)}")
    return raw


def _read_tag(found: Field, raw: Json) -> str:
    tag = clean_tag(_read_text(found, raw))
    if not tag:
        raise UnreadableValue(f"expected a tag, got {describe(raw)}")
    return tag


def _read_choice(found: Field, raw: Json) -> str:
    text = _read_text(found, raw)
    if text not in found.choices:
        raise UnreadableValue(unknown("value", text, found.choices))
    return text


def _read_number(found: Field, raw: Json) -> int | float:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        hint = explain_number(raw, found.name or "item", found.unit) if isinstance(raw, str) else ""
        raise UnreadableValue(f"expected a number, got {describe(raw)}{hint}")
    if not abs(raw) <= LARGEST_NUMBER:  # nor is NaN
        raise UnreadableValue("the number is too large")
    return raw


def _read_boolean(found: Field, raw: Json) -> bool:
    if not isinstance(raw, bool):
        raise UnreadableValue(f"expected true or false, got {describe(raw)}")
    return raw


_TYPED: Mapping[Type, Callable[[Field, Json], Scalar]] = {
    Type.STRING: _read_text,
    Type.REF: _read_text,
    Type.TAG: _read_tag,
    Type.ENUM: _read_choice,
    Type.BOOLEAN: _read_boolean,
    **dict.fromkeys(NUMERIC, _read_number),
}
