"""A table whose rows become memories: CSV with a header, and with any of the usual separators."""

import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from winnow.errors import Fault, InvalidRequest
from winnow.memory.transfer.foreign.columns import METADATA, Column, read_cell, read_columns
from winnow.memory.transfer.foreign.decoding import Decoder
from winnow.memory.transfer.foreign.report import Report
from winnow.memory.transfer.foreign.source import Source
from winnow.memory.transfer.lines import Raw
from winnow.values import UnreadableValue

SYSTEM: Final = "csv"
SEPARATORS: Final = ",;\t|"
LONGEST_CELL: Final = 1 << 26
"""Characters."""
_NOTHING: Final[list[str]] = []


def read_rows(source: Source, _: Report) -> Iterator[Raw]:
    """Yield a memory for each row; the columns are settled before the first one."""
    if csv.field_size_limit() < LONGEST_CELL:  # its own limit is too short for a long text
        csv.field_size_limit(LONGEST_CELL)
    decoder = Decoder(source.stream or ())
    lines = iter(decoder)
    head = [*_read_head(lines)]
    separator = _find_separator(head[-1]) if head else ","
    rows = csv.reader(chain(head, lines), delimiter=separator, strict=True)
    header = _read_header(rows, decoder)
    columns = read_columns(source.columns, header) if header else []
    return _read_all(rows, decoder, columns, len(header))


def _read_head(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines as far as the first that is not blank."""
    for line in lines:
        yield line
        if line.strip():
            return


def _find_separator(line: str) -> str:
    """Return the separator that makes the most columns of a header, the first of equals."""
    return max(SEPARATORS, key=lambda sign: len(_split(line, sign)))


def _split(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), _NOTHING)
    except csv.Error:
        return []


def _read_header(rows: Iterator[list[str]], decoder: Decoder) -> list[str]:
    try:
        header = next((row for row in rows if row), _NOTHING)
    except csv.Error as error:
        raise InvalidRequest([Fault("/lines/1", f"the header can't be read: {error}")]) from None
    wrong = decoder.complain()
    if wrong is not None:
        raise InvalidRequest([Fault("/lines/1", str(wrong))])
    named = (name.strip() for name in header)
    return [name or f"column {number}" for number, name in enumerate(named, 1)]


def _read_all(
    rows: Iterator[list[str]], decoder: Decoder, columns: Sequence[Column], width: int
) -> Iterator[Raw]:
    begin = _count_lines(rows) + 1
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield begin, UnreadableValue(f"not a row of a table: {error}")
        else:
            wrong = decoder.complain()
            if wrong is not None:
                yield begin, wrong
            elif row:
                yield begin, _read_row(row, columns, width)
        decoder.complain()
        begin = _count_lines(rows) + 1


def _count_lines(rows: object) -> int:
    return getattr(rows, "line_num", 0)


def _read_row(row: list[str], columns: Sequence[Column], width: int) -> object:
    if len(row) != width:
        return UnreadableValue(f"{len(row)} cells, where the header has {width}")
    memory: dict[str, object] = {"source": SYSTEM}
    metadata: dict[str, object] = {}
    try:
        for column in columns:
            cell = row[column.index]
            if cell.strip():
                _put(memory, metadata, column, cell)
    except UnreadableValue as error:
        return error
    if "text" not in memory:
        return UnreadableValue("its text is empty")
    return {**memory, "metadata": metadata} if metadata else memory


def _put(memory: dict[str, object], metadata: dict[str, object], column: Column, cell: str) -> None:
    value = read_cell(column, cell)
    if column.field.startswith(METADATA):
        metadata[column.field.removeprefix(METADATA)] = value
    else:
        memory[column.field] = value
