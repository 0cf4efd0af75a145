"""The figures of an evaluation for people."""

from winnow.evaluation.report import EvaluationAnswer, Figures
from winnow.surfaces.cli.page import Column, Page, styled

_COLUMNS = (
    Column("ranking", whole=True),
    Column("group", whole=True),
    *(Column(name, number=True) for name in ("questions", "R@5", "R@10", "MRR@10", "nDCG@10")),
)


def write_evaluation(answer: EvaluationAnswer, page: Page) -> None:
    """Write a table of all figures, in percent, and what could not be used."""
    page.table(_COLUMNS, (_row(one) for one in answer.figures))
    page.line(f"in percent; texts: {answer.documents}, searched apart: {answer.corpora}")
    page.line(f"embedder: {answer.embedder}")
    if answer.unusable or answer.unanswered:
        page.line(f"questions left out, since no text answers them: {answer.unanswered}")
        page.line(f"answers that name no text: {len(answer.unusable)}")
    for place in answer.unusable[:_SHOWN]:
        page.line(styled(f"  {place}", "dim"))
    if len(answer.unusable) > _SHOWN:
        page.line(styled(f"  and {len(answer.unusable) - _SHOWN} more (see --json)", "dim"))


_SHOWN = 20


def _row(one: Figures) -> tuple[str, ...]:
    measured = (one.recall_at_5, one.recall_at_10, one.mrr_at_10, one.ndcg_at_10)
    return (one.way, one.group, str(one.questions), *(f"{100 * part:.1f}" for part in measured))
