"""Plots of lines on two logarithmic axes, as SVG, without a library."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape


@dataclass(frozen=True, slots=True)
class Point:
    """A point; a note stands beside it, and one that is not whole is drawn as a ring."""

    x: float
    y: float
    note: str = ""
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points in the order of x, and `apart` points that no line joins."""

    name: str
    points: Sequence[Point]
    apart: Sequence[Point] = ()
    strong: bool = False
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis tells, and the texts at some of its values."""

    title: str
    ticks: Sequence[tuple[float, str]]


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where values stand on the paper."""

    lowest: tuple[float, float]
    highest: tuple[float, float]

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point stands."""
        shares = [
            (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
            for value, low, high in zip((x, y), self.lowest, self.highest, strict=True)
        ]
        return _LEFT + shares[0] * _WIDTH, _TOP + (1 - shares[1]) * _HEIGHT


def draw(title: str, axes: tuple[Axis, Axis], lines: Sequence[Line], caption: str = "") -> str:
    """Return a picture of lines: as wide as the ticks of x say, as high as the points want it."""
    points = [point for line in lines for point in (*line.points, *line.apart)]
    across, up = axes
    lowest, highest = min(p.y for p in points), max(p.y for p in points)
    frame = _Frame(
        (across.ticks[0][0], 10 ** math.floor(math.log10(lowest))),
        (across.ticks[-1][0], 10 ** math.ceil(math.log10(highest) + 1e-9)),
    )
    ordered = sorted(enumerate(lines), key=lambda pair: pair[1].strong)  # these on top
    body = [
        *_draw_axes(frame, across, up),
        *(part for number, line in ordered for part in _draw_line(frame, number, line)),
        *_draw_names(frame, lines),
    ]
    full = (_LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + _BOTTOM)
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full[0]} {full[1]}"'
            f' width="{full[0]}" height="{full[1]}" font-family="sans-serif" font-size="12">',
            f"<title>{escape(title)}</title>",
            '<rect width="100%" height="100%" fill="white"/>',
            _text(_LEFT, _TOP - 34, title, 'font-size="14" font-weight="bold"'),
            _text(_LEFT, _TOP - 14, caption, 'fill="#555555"'),
            *body,
            "</svg>\n",
        )
    )


def decades(lowest: float, highest: float) -> list[tuple[float, str]]:
    """Return the powers of ten that bound some values, as ticks."""
    first, last = math.floor(math.log10(lowest)), math.ceil(math.log10(highest) + 1e-9)
    return [(10.0**power, f"{10.0**power:,g}") for power in range(first, last + 1)]


def _draw_axes(frame: _Frame, across: Axis, up: Axis) -> Iterator[str]:
    bottom = _TOP + _HEIGHT
    for value, text in across.ticks:
        x, _ = frame.place(value, frame.lowest[1])
        yield _stroke([(x, _TOP), (x, bottom)], _GRID, 1)
        yield _text(x, bottom + 18, text, 'text-anchor="middle"')
    for value, text in up.ticks or decades(frame.lowest[1], frame.highest[1]):
        _, y = frame.place(frame.lowest[0], value)
        yield _stroke([(_LEFT, y), (_LEFT + _WIDTH, y)], _GRID, 1)
        yield _text(_LEFT - 8, y + 4, text, 'text-anchor="end"')
    yield _text(_LEFT + _WIDTH / 2, bottom + 42, across.title, 'text-anchor="middle"')
    turned = f'text-anchor="middle" transform="rotate(-90 18 {_TOP + _HEIGHT / 2})"'
    yield _text(18, _TOP + _HEIGHT / 2, up.title, turned)


def _draw_line(frame: _Frame, number: int, line: Line) -> Iterator[str]:
    color = _COLORS[number % len(_COLORS)]
    places = [frame.place(point.x, point.y) for point in line.points]
    more = ' stroke-dasharray="5 4"' if line.dashed else ""
    yield _stroke(places, color, 3 if line.strong else 1.5, more)
    for point in line.points:
        yield from _draw_point(frame, point, color, "circle")
    for point in line.apart:
        yield from _draw_point(frame, point, color, "diamond")


def _draw_point(frame: _Frame, point: Point, color: str, shape: str) -> Iterator[str]:
    x, y = frame.place(point.x, point.y)
    fill = color if point.whole else "white"
    paint = f'fill="{fill}" stroke="{color}" stroke-width="1.5"'
    if shape == "circle":
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" {paint}/>'
    else:
        yield f'<path d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z" {paint}/>'
    if point.note:
        yield _text(x + 6, y - 6, point.note, f'fill="{color}" font-size="10"')


def _draw_names(frame: _Frame, lines: Sequence[Line]) -> Iterator[str]:
    """Yield the names at the right ends, moved apart where they would touch."""
    ends = [(frame.place(line.points[-1].x, line.points[-1].y), n) for n, line in enumerate(lines)]
    ends.sort(key=lambda end: end[0][1])
    wanted = [place[1] for place, _ in ends]
    for y, ((x, was), number) in zip(_space(wanted), ends, strict=True):
        color = _COLORS[number % len(_COLORS)]
        weight = ' font-weight="bold"' if lines[number].strong else ""
        right = _LEFT + _WIDTH + 22
        yield _stroke([(x + 5, was), (right - 4, y)], color, 0.7)
        yield _text(right, y + 4, lines[number].name, f'fill="{color}"{weight}')


def _space(wanted: Iterable[float]) -> list[float]:
    """Return heights that are at least a line apart, near those wanted, which ascend."""
    placed: list[float] = []
    for y in wanted:
        placed.append(max(y, placed[-1] + _APART) if placed else y)
    over = max(placed[-1] - (_TOP + _HEIGHT), 0.0) if placed else 0.0
    for number in range(len(placed) - 1, -1, -1):
        limit = placed[number + 1] - _APART if number + 1 < len(placed) else placed[-1] - over
        placed[number] = min(placed[number], limit)
    return placed


def _stroke(places: Sequence[tuple[float, float]], color: str, width: float, more: str = "") -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return (
        f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{width}"{more}/>'
    )


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(text)}</text>'


_LEFT, _TOP, _RIGHT, _BOTTOM = 70, 60, 150, 56
_WIDTH, _HEIGHT = 620, 420
_APART: Final = 14
_GRID: Final = "#e4e4e4"
_COLORS: Final = (
    *("#c0392b", "#555555", "#1f6fb2", "#2e8b57", "#8e44ad", "#b8860b"),
    *("#16818c", "#d2691e", "#5b6abf", "#7a5230", "#c2408a", "#3f7d20", "#9aa0a6"),
)
