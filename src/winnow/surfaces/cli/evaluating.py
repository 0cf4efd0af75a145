"""Measuring how well recall finds what answers a question."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from winnow.errors import Fault, InvalidRequest, settle, unknown
from winnow.evaluation.beir import read_beir
from winnow.evaluation.datasets import Dataset
from winnow.evaluation.locomo import read_locomo
from winnow.evaluation.run import evaluate
from winnow.surfaces.cli.indexing import progress_bar
from winnow.surfaces.cli.session import Session


def run_eval(
    session: Session, format: str, path: str, embedder: str, limit_conversations: str | None
) -> None:
    """Measure on a file or folder, with a progress bar if somebody looks at standard error."""
    limit = _read_limit(format, limit_conversations)
    dataset = READERS[format](Path(path), limit)
    if not any(one.questions for one in dataset.corpora):
        raise InvalidRequest([Fault("/path", f"{path} has no question to measure")])
    if not sys.stderr.isatty():
        return session.show(evaluate(dataset, embedder))
    with progress_bar() as report:
        answer = evaluate(dataset, embedder, report)
    return session.show(answer)


def _read_limit(format: str, given: str | None) -> int | None:
    faults: list[Fault] = []
    if format not in READERS:
        faults.append(Fault("/format", unknown("format", format, READERS)))
    if given is not None:
        if not (given.isascii() and given.isdecimal() and int(given) > 0):
            detail = f"expected a whole number from 1, got {given!r}"
            faults.append(Fault("/limitConversations", detail))
        elif format == "beir":
            faults.append(Fault("/limitConversations", "only locomo has conversations"))
    settle(faults)
    return None if given is None else int(given)


def _read_folder(path: Path, _: int | None) -> Dataset:
    return read_beir(path)


READERS: Mapping[str, Callable[[Path, int | None], Dataset]] = {
    "locomo": read_locomo,
    "beir": _read_folder,
}
