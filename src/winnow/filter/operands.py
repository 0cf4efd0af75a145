"""What stands on the right of an operator: one reader for each kind of operand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from winnow.filter.ast import Arg
from winnow.filter.loose import read_word, read_words
from winnow.filter.open import find_relative, read_bounds, read_open
from winnow.filter.ops import Operand, Operator
from winnow.filter.typed import read_typed
from winnow.schema import Field, Reverse
from winnow.values import (
    TEMPORAL,
    Json,
    Moment,
    Scalar,
    Type,
    UnreadableValue,
    describe,
    resolve_moment,
)


@dataclass(frozen=True, slots=True)
class OperandReader:
    """Reads operands, with dates in one zone and relative to now; what is odd is a warning."""

    zone: tzinfo
    now: datetime
    warnings: list[str]

    def read(self, operator: Operator, found: Field | Reverse, raw: Json) -> tuple[Arg, ...]:
        """Read the operand of an operator that fits a field and takes no filter.

        Raises UnreadableValue with the reasons of all parts that are wrong.
        """
        return _READERS[operator.operand](self, operator, found, raw)

    def one_value(self, operator: Operator, found: Field | Reverse, raw: Json) -> tuple[Arg, ...]:
        """Read the operand of eq, gt, has and their kin."""
        if isinstance(found, Field) and found.is_list and operator.name in ("eq", "ne"):
            return self._values(found, _listed(raw, "has"), operator)
        if isinstance(raw, list):
            several = "any in" if operator.name == "has" else "in"
            raise UnreadableValue(f"expected one value, got a list (write {several} for several)")
        return (self._value(found, raw, operator),)

    def value_list(self, operator: Operator, found: Field | Reverse, raw: Json) -> tuple[Arg, ...]:
        """Read the operand of in and not in."""
        return self._values(found, _listed(raw, "="), operator)

    def value_pair(self, operator: Operator, found: Field | Reverse, raw: Json) -> tuple[Arg, ...]:
        """Read the operand of between."""
        items = _listed(raw, "=")
        if len(items) != 2:
            raise UnreadableValue(f"expected two values, got {len(items)}")
        low, high = self._values(found, items, operator)
        if isinstance(found, Field) and found.type is Type.OPEN:
            low, high = read_bounds(items, self.zone)
        if _is_above(low, high):
            name = found.name or "item"
            self.warnings.append(f"{name} between {items[0]} and {items[1]} holds for nothing")
        return low, high

    def _values(
        self, found: Field | Reverse, items: Sequence[Json], operator: Operator
    ) -> tuple[Scalar | Moment, ...]:
        values: list[Scalar | Moment] = []
        reasons: list[str] = []
        for item in items:
            try:
                values.append(self._value(found, item, operator))
            except UnreadableValue as error:
                reasons.append(str(error))
        if reasons:
            raise UnreadableValue(*reasons)
        return tuple(values)

    def _value(self, found: Field | Reverse, raw: Json, operator: Operator) -> Scalar | Moment:
        if not isinstance(found, Field):
            raise UnreadableValue("a reverse reference has no value of its own")
        if raw is None:
            raise UnreadableValue("null is not a value here (write is null)")
        if found.type in TEMPORAL:
            return self._moment(raw)
        if found.type is Type.OPEN:
            return self._open_value(found, raw, operator)
        value = read_typed(found, raw)
        if found.unit == "percent" and not isinstance(value, str) and 0 < abs(value) < 1:
            name = found.name or "item"
            self.warnings.append(
                f"{name} is in percent: {value} means {value} %, not {value * 100:g} %"
            )
        return value

    def _open_value(self, found: Field, raw: Json, operator: Operator) -> Scalar | Moment:
        date = find_relative(operator.name, raw, self.zone, self.now)
        if date is not None:
            name = f"{found.name or 'item'} {operator.symbol}"
            self.warnings.append(f"{name} {raw!r} compares texts; for a date write {date}")
        return read_open(raw, operator.name, self.zone)

    def _moment(self, raw: Json) -> Moment:
        if isinstance(raw, int) and not isinstance(raw, bool) and 1000 <= raw <= 9999:
            raw = str(raw)
        if not isinstance(raw, str):
            raise UnreadableValue(f"expected a date, got {describe(raw)}")
        return resolve_moment(raw, self.zone, self.now)


def _some_text(
    reader: OperandReader, operator: Operator, found: Field | Reverse, raw: Json
) -> tuple[Arg, ...]:
    if not isinstance(raw, str):
        raise UnreadableValue(f"expected text, got {describe(raw)}")
    return (raw,)


def _flag(
    reader: OperandReader, operator: Operator, found: Field | Reverse, raw: Json
) -> tuple[Arg, ...]:
    if not isinstance(raw, bool):
        raise UnreadableValue(f"expected true or false, got {describe(raw)}")
    return (raw,)


def _word(
    reader: OperandReader, operator: Operator, found: Field | Reverse, raw: Json
) -> tuple[Arg, ...]:
    return (read_word(raw),)


def _words(
    reader: OperandReader, operator: Operator, found: Field | Reverse, raw: Json
) -> tuple[Arg, ...]:
    return read_words(raw)


_READERS: Mapping[
    Operand, Callable[[OperandReader, Operator, Field | Reverse, Json], tuple[Arg, ...]]
] = {
    Operand.VALUE: OperandReader.one_value,
    Operand.LIST: OperandReader.value_list,
    Operand.PAIR: OperandReader.value_pair,
    Operand.TEXT: _some_text,
    Operand.FLAG: _flag,
    Operand.WORD: _word,
    Operand.WORDS: _words,
}


def _listed(raw: Json, single: str) -> list[Json]:
    if not isinstance(raw, list):
        raise UnreadableValue(
            f"expected a list, got {describe(raw)} (write {single} for one value)"
        )
    return raw


def _is_above(low: Scalar | Moment, high: Scalar | Moment) -> bool:
    if isinstance(low, Moment) and isinstance(high, Moment):
        return low.start >= high.end
    if isinstance(low, str) and isinstance(high, str):
        return low > high
    return isinstance(low, int | float) and isinstance(high, int | float) and low > high
