"""Answers of one sort as plain lines: the columns, and the cells of each line."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias, cast

from winnow.surfaces.cli.plain import in_one_line

Row: TypeAlias = Sequence[object]


@dataclass(frozen=True, slots=True)
class Sheet:
    """How answers of one sort are written: `of` names them, `rows` yields a row a record.

    The columns are always the same, and always all there.
    """

    of: str
    columns: tuple[str, ...]
    rows: Callable[[Any], Iterable[Row]]


def write_row(row: Row) -> str:
    """Return the line of a row: a tab between cells, and no tab or line break inside one."""
    return "\t".join(map(_cell, row))


def _cell(value: object) -> str:
    """Return nothing for null, items with commas, objects as JSON, all else as its text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum):  # as in JSON
        return value.name if isinstance(value, int) else str(value.value)
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)
        if not any(isinstance(one, list | dict) for one in items):
            return ",".join(map(_cell, items))
    if isinstance(value, list | tuple | dict):
        return in_one_line(json.dumps(value, ensure_ascii=False))
    return in_one_line(str(value))
