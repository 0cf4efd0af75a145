"""The figures of a run as tables: rows of text that print and Markdown share."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from bench.compare.conditions import SELECTIVITIES
from bench.measure import print_table

Found: TypeAlias = Mapping[str, Any]
Table: TypeAlias = list[dict[str, str]]
SOUND = 0.9995  # what rounds to a recall of 1.000


def list_peers(found: Found) -> Sequence[str]:
    """Return the stores that were measured, beside Winnow."""
    return list(found["exact"])


def tabulate_latency(found: Found) -> Table:
    """Return the median of each contender at each selectivity, with recall where it is not 1."""
    rows: Table = []
    for name in ("winnow", *list_peers(found), "bare"):
        keys = (f"{name}_ms", "recall" if name == "winnow" else f"{name}_recall")
        cells = {label: _cell(*(found[label][key] for key in keys)) for label in SELECTIVITIES}
        rows.append({"ms": _NAMES.get(name, name), **cells})
    candidates = {label: f"{found[label]['candidates']:,}" for label in SELECTIVITIES}
    return [{"ms": "candidates", **candidates}, *rows]


def tabulate_multiples(found: Found) -> Table:
    """Return Winnow's times as multiples of its yardsticks, and the others' of Winnow's."""
    rows: Table = []
    for text, key in _MULTIPLES.items():
        cells = {label: f"{found[label][key]:.2f}" for label in SELECTIVITIES}
        rows.append({"times": text, **cells})
    for name in list_peers(found):
        cells = {label: f"{found[label][f'{name}_over_winnow']:.1f}" for label in SELECTIVITIES}
        rows.append({"times": f"{name} / Winnow", **cells})
    return rows


def tabulate_calls(found: Found) -> Table:
    """Return what a whole call of recall takes, and a plain read of the candidates' bytes."""
    return [
        {"ms": text, **{label: f"{found[label][key]:.3g}" for label in SELECTIVITIES}}
        for text, key in _CALLS.items()
    ]


def tell_facts(found: Found) -> str:
    """Return in a line what was measured where."""
    load = found["load"]
    return (
        f"{found['records']:,} records of {found['dims']} dimensions, {found['queries']} queries; "
        f"{found['cpu']}, {found['cores']} cores, load {load['before']:.1f} before and "
        f"{load['after']:.1f} after; Python {found['python']}, numpy {found['numpy']}, "
        f"kernel {found['kernel']}"
    )


def tabulate_contenders(found: Found) -> Table:
    """Return what each contender is, how it was used, and what its run took."""
    used = {"winnow": "exact, typed filter first", **found["used_as"]}
    return [
        {
            "store": name,
            "version": found["versions"][name],
            "exact": "yes" if found["exact"].get(name, True) else "no",
            "used": how,
            "peak memory": _megabytes(found["peak_mb"][name]),
            "its run": f"{found['seconds'][name]:.0f} s",
        }
        for name, how in used.items()
    ]


def print_tables(found: Found) -> None:
    """Print everything for people."""
    print(tell_facts(found))
    print_table("p50 (recall@10 where it is not 1.000)", tabulate_latency(found))
    print_table("As multiples", tabulate_multiples(found))
    print_table("Whole calls, and a plain read of the candidates", tabulate_calls(found))
    print_table("Contenders", tabulate_contenders(found))
    for name, reason in found["missing"].items():
        print(f"missing: {name}: {reason}")


def write_table(rows: Table) -> str:
    """Return a table in Markdown."""
    lines = [list(rows[0]), ["---"] * len(rows[0]), *(list(row.values()) for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _megabytes(peak: int | None) -> str:
    return "in its server" if peak is None else f"{peak:,} MB"


def _cell(milliseconds: float, recall: float) -> str:
    return f"{milliseconds:.3g}" + ("" if recall >= SOUND else f" ({recall:.2f})")


_NAMES = {"winnow": "**Winnow**", "bare": "bare loop"}
_MULTIPLES = {
    "Winnow / bare loop": "winnow_over_bare",
    "Winnow / plain read": "winnow_over_read",
}
_CALLS = {
    "recall, vector and filter": "recall_call_ms",
    "recall, words too": "recall_words_ms",
    "vector stage": "winnow_ms",
    "bare loop": "bare_ms",
    "plain read": "read_ms",
}
