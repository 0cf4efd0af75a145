"""How fast a store answers, for people."""

from winnow.evaluation.report import BenchAnswer, Timed
from winnow.surfaces.cli.page import Column, Page, styled

_COLUMNS = (
    *(Column(name, whole=True) for name in ("of", "operation")),
    *(Column(n, number=True) for n in ("share", "candidates", "p50", "p95", "answer")),
    Column("filters", long=True),
)


def write_bench(answer: BenchAnswer, page: Page) -> None:
    """Write a table of all operations, by what is asked about and how much a filter leaves."""
    page.table(_COLUMNS, map(_row, answer.figures))
    totals = ", ".join(f"{name} {count:,}" for name, count in answer.totals.items())
    page.line(f"{totals}; queries: {answer.queries}; first read: {answer.first_ms:,.0f} ms")
    page.line(styled("times are those of a call in Python, the answer's size is in JSON", "dim"))


def _row(one: Timed) -> tuple[str, ...]:
    times = (f"{taken:.2f} ms" for taken in (one.p50_ms, one.p95_ms))
    return (
        one.of,
        one.operation,
        f"{one.share:.3%}",
        f"{one.candidates:,}",
        *times,
        _spell_size(one.answer_bytes),
        "; ".join(one.where) if one.operation == _FIRST else "",
    )


def _spell_size(count: int) -> str:
    return f"{count} B" if count < _KILO else f"{count / _KILO:.1f} kB"


_KILO = 1_000
_FIRST = "recall"  # those below it have the same filters
