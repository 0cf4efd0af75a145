"""The page of the documents: a section for each number of records, with its plot."""

import re
from pathlib import Path
from typing import Final

from bench.compare.conditions import SELECTIVITIES
from bench.compare.plot import Axis, Line, Point, draw
from bench.compare.table import (
    SOUND,
    Found,
    list_peers,
    tabulate_calls,
    tabulate_contenders,
    tabulate_latency,
    tabulate_multiples,
    tell_facts,
    write_table,
)

PAGE: Final = "compare.md"
_USUAL: Final = 100_000


def write_pages(found: Found, folder: Path) -> None:
    """Write the plot, and the section of the page; what else stands there stays."""
    records = found["records"]
    picture = "compare.svg" if records == _USUAL else f"compare-{records}.svg"
    (folder / picture).write_text(plot(found), "utf-8")
    put_section(folder / PAGE, f"{records:,} records", _write_section(found, picture))


def put_section(page: Path, title: str, text: str) -> None:
    """Put a section in place of the one with its title, or at the end."""
    old = page.read_text("utf-8") if page.exists() else _HEAD
    new = f"## {title}\n\n{text}\n"
    pattern = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    if pattern.search(old):
        page.write_text(pattern.sub(lambda _: f"{new}\n", old).rstrip() + "\n", "utf-8")
    else:
        page.write_text(f"{old.rstrip()}\n\n{new}", "utf-8")


def plot(found: Found) -> str:
    """Return the plot of latency against selectivity, with recall where it is not 1."""
    records = found["records"]
    names = ("winnow", "bare", *list_peers(found))
    lines = [_draw_line(found, name) for name in names]
    ticks = [(share, text) for text, share in _SHARES.items()]
    title = f"Ten nearest of {records:,} records under a filter: p50"
    axes = (Axis("records that meet the filter", ticks), Axis("milliseconds", ()))
    return draw(title, axes, lines, _CAPTION)


def _draw_line(found: Found, name: str) -> Line:
    points = {label: _point(found, name, label) for label in SELECTIVITIES}
    apart = points.pop("compound")
    shown = {"winnow": "Winnow", "bare": "bare loop"}.get(name, name)
    return Line(
        shown, list(points.values()), [apart], strong=name == "winnow", dashed=name == "bare"
    )


def _point(found: Found, name: str, label: str) -> Point:
    row = found[label]
    share: float = _SHARES[label] if label in _SHARES else row["candidates"] / found["records"]
    recall = row["recall" if name == "winnow" else f"{name}_recall"]
    whole = recall >= SOUND
    return Point(share, row[f"{name}_ms"], "" if whole else f"{recall:.2f}", whole)


def _write_section(found: Found, picture: str) -> str:
    parts = [
        f"{tell_facts(found)}.",
        f"![Latency against selectivity]({picture})",
        "The median of a query in milliseconds; the recall among the ten nearest stands in brackets"
        " where it is not 1.000.",
        write_table(tabulate_latency(found)),
        "The same as multiples:",
        write_table(tabulate_multiples(found)),
        "A whole call of recall, with everything that a caller gets, beside its vector stage:",
        write_table(tabulate_calls(found)),
        write_table(tabulate_contenders(found)),
    ]
    missing = [f"- {name}: {reason}" for name, reason in found["missing"].items()]
    if missing:
        parts.append("Left out:\n\n" + "\n".join(missing))
    return "\n\n".join(parts)


_SHARES: Final = {"0.01%": 0.0001, "0.1%": 0.001, "1%": 0.01, "10%": 0.1, "100%": 1.0}
_CAPTION: Final = "rings: some of the ten were missed, recall beside them; diamonds: four fields"
_HEAD: Final = "# Beside other stores\n"
