"""A page of output for people: lines, tables and trees, in color where it is wanted."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TextIO, TypeAlias

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from winnow.records import Confidence
from winnow.surfaces.cli.plain import in_one_line

# Columns where nobody looks at a screen: a line of a table stays one line for the next program.
UNBOUNDED = 100_000
# On a screen of fewer columns, long texts get lines of their own below the row that they are of.
NARROW = 120
# Characters up to which the cells of a column are aligned where nobody looks at a screen.
PADDED = 24

Cell: TypeAlias = "str | Text"


@dataclass(frozen=True, slots=True)
class Symbols:
    """The signs for what holds, does not, and is not known."""

    true: str
    false: str
    unknown: str
    dash: str


SIGNS = Symbols("✓", "✗", "?", "–")
ASCII_SIGNS = Symbols("+", "x", "?", "-")

LEVELS = {
    Confidence.EXTRACTED: "green",
    Confidence.INFERRED: "yellow",
    Confidence.AMBIGUOUS: "red",
}


class Page:
    """Where an answer is written for people."""

    def __init__(self, stream: TextIO) -> None:
        self._screen = stream.isatty() or "COLUMNS" in os.environ
        self.console = Console(
            file=stream,
            width=None if self._screen else UNBOUNDED,
            # rich would still write in bold where NO_COLOR asks for no color
            color_system=None if os.environ.get("NO_COLOR") else "auto",
            highlight=False,
            markup=False,
            emoji=False,
        )
        self.symbols = ASCII_SIGNS if self.console.options.ascii_only else SIGNS
        self._has_table = False

    def line(self, *parts: Cell) -> None:
        """Write a line; a text of others is made harmless."""
        self.console.print(Text().join(_cell(part) for part in parts), soft_wrap=True)

    def table(self, columns: Sequence["Column"], rows: Iterable[Sequence[Cell]]) -> None:
        """Write a table, an empty line below the one before.

        Where nobody looks at a screen it has no rules, and no more spaces than it needs.
        """
        if self._has_table:
            self.console.print()
        self._has_table = True
        if not self._screen:
            self._write_bare(columns, rows)
            return
        if self.console.width < NARROW and any(column.long for column in columns):
            rows = [_stack(columns, row) for row in rows]
            columns = _stack_heads(columns)
        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="dim")
        for column in columns:
            table.add_column(
                column.title,
                no_wrap=column.whole,
                overflow="fold",
                justify="right" if column.number else "left",
            )
        for row in rows:
            table.add_row(*(_cell(cell) for cell in row))
        self.console.print(table)

    def _write_bare(self, columns: Sequence["Column"], rows: Iterable[Sequence[Cell]]) -> None:
        lines = [[Text(column.title, style="dim") for column in columns]]
        lines += [[*map(_cell, row)] for row in rows]
        widths = [max(cell.cell_len for cell in cells) for cells in zip(*lines, strict=True)]
        for line in lines:
            cells = (_pad(*one) for one in zip(columns, line, widths, strict=True))
            written = Text("  ").join(cells)
            written.rstrip()
            self.console.print(written, soft_wrap=True)


@dataclass(frozen=True, slots=True)
class Column:
    """A column; the cells of a `whole` one are not broken into lines, those of a `long` one are.

    On a narrow screen what is long stands below the other cells of its row.
    """

    title: str
    whole: bool = False
    number: bool = False
    long: bool = False


def styled(text: object, style: str) -> Text:
    """Return a text of others in a style."""
    return Text(in_one_line(str(text)), style=style)


def level(confidence: Confidence | str | None) -> Text:
    """Return a level of confidence in its color."""
    if confidence is None:
        return Text()
    found = Confidence[confidence] if isinstance(confidence, str) else confidence
    return Text(found.name, style=LEVELS[found])


def _cell(part: Cell) -> Text:
    return part if isinstance(part, Text) else Text(in_one_line(part))


def _pad(column: Column, cell: Text, width: int) -> Text:
    """Align a cell with those above it, if that takes few spaces; else mark one that is empty."""
    if width > PADDED:
        return cell or Text("-")
    space = Text(" " * (width - cell.cell_len))
    return space + cell if column.number else cell + space


def _stack(columns: Sequence[Column], row: Sequence[Cell]) -> list[Cell]:
    """Return the first cells of a row, and all else in one, what is long on lines of its own."""
    first = _count_first(columns)
    cells = list(zip(columns, map(_cell, row), strict=True))
    head = [cell for column, cell in cells[first:] if cell and not column.long]
    long = [cell for column, cell in cells[first:] if cell and column.long]
    parts = [Text("  ").join(head), *long] if head else long
    return [*(cell for _, cell in cells[:first]), Text("\n").join(parts)]


def _stack_heads(columns: Sequence[Column]) -> list[Column]:
    first = _count_first(columns)
    rest = sorted(columns[first:], key=lambda column: column.long)
    return [*columns[:first], Column(", ".join(column.title for column in rest))]


def _count_first(columns: Sequence[Column]) -> int:
    """Return how many columns stay: the figures that a table begins with, or else its first."""
    return next(place for place, column in enumerate(columns) if not column.number) or 1
