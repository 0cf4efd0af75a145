"""Measuring recall: a store is filled, each question asked as a user asks it, each answer judged.

Each corpus is stored once for each way of ranking, in a namespace of its own: by keyword alone
(without an embedder), by vector alone (the model's vectors, given as a caller gives them), and by
both, as recall does it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Final

from winnow.app import open_memory
from winnow.embed.base import Embedder
from winnow.embed.registry import DEFAULT_EMBEDDER, NO_EMBEDDER
from winnow.errors import EmbedderError, Fault, InvalidRequest
from winnow.evaluation.datasets import ALL, Corpus, Dataset, Question
from winnow.evaluation.measures import ndcg_at, recall_at, reciprocal_rank
from winnow.evaluation.report import EvaluationAnswer, Figures
from winnow.memory import Memory
from winnow.memory.state.namespaces import makes_vectors
from winnow.operations.answers import RecallAnswer
from winnow.stages import Progress

# How many of how many questions are done, and what is being done.

DEPTH: Final = 10
"""How many hits are asked for and judged."""


def evaluate(
    dataset: Dataset, embedder: str = DEFAULT_EMBEDDER, progress: Progress | None = None
) -> EvaluationAnswer:
    """Measure every way of ranking in a store that is thrown away afterwards.

    All texts are stored at the same time, so that recency tells nothing. Raises EmbedderError
    where the embedder can't answer: a ranking without its vectors is not what is measured.
    """
    with (
        TemporaryDirectory(prefix="winnow-eval-") as folder,
        open_memory(Path(folder) / "eval.db") as opened,
    ):
        memory = Memory(replace(opened.engine, clock=lambda: _STORED_AT))
        model = _open_model(memory, embedder)
        ways = _list_ways(embedder, model)
        counter = _Counter(progress, _count_questions(dataset) * len(ways))
        trial = _Trial(memory, model, counter)
        figures = [one for way in ways for one in trial.measure(way, dataset.corpora)]
    return EvaluationAnswer(
        dataset=dataset.name,
        embedder=NO_EMBEDDER if model is None else model.identity,
        corpora=len(dataset.corpora),
        documents=sum(len(one.documents) for one in dataset.corpora),
        questions=_count_questions(dataset),
        unanswered=dataset.unanswered,
        unusable=dataset.unusable,
        figures=figures,
    )


@dataclass(frozen=True, slots=True)
class _Way:
    """A way of ranking: its name, its namespaces' embedder, and who makes the vectors."""

    name: str
    embedder: str
    gives_vectors: bool = False


def _list_ways(embedder: str, model: Embedder | None) -> Sequence[_Way]:
    keyword = _Way("keyword", NO_EMBEDDER)
    if model is None:
        return [keyword]
    vector = _Way("vector", f"external:{model.dimension}", gives_vectors=True)
    return [keyword, vector, _Way("hybrid", embedder)]


def _open_model(memory: Memory, embedder: str) -> Embedder | None:
    model = memory.engine.workshop.embedder(embedder)
    if model is not None and not makes_vectors(model):
        detail = f"expected an embedder that makes vectors of texts, got {embedder!r}"
        raise InvalidRequest([Fault("/embedder", detail)])
    return model


@dataclass(frozen=True, slots=True)
class _Judged:
    """How good the answer to one question is."""

    group: str
    measures: Sequence[float]


@dataclass(frozen=True, slots=True)
class _Trial:
    memory: Memory
    model: Embedder | None
    counter: "_Counter"

    def measure(self, way: _Way, corpora: Iterable[Corpus]) -> Iterator[Figures]:
        """Yield the figures of a way: of all questions, then of each group if there are any."""
        judged = [
            one
            for number, corpus in enumerate(corpora, 1)
            for one in self._judge(way, corpus, f"{way.name}-{number}")
        ]
        for group in [ALL, *sorted({one.group for one in judged} - {ALL})]:
            found = [one.measures for one in judged if group in (ALL, one.group)]
            means = (round(fmean(column), _DIGITS) for column in zip(*found, strict=True))
            yield Figures(way.name, group, len(found), *means)

    def _judge(self, way: _Way, corpus: Corpus, namespace: str) -> Iterator[_Judged]:
        self.counter.tell(f"{way.name}: storing {corpus.name}")
        self._store(way, corpus, namespace)
        self.counter.tell(f"{way.name}: asking {corpus.name}")
        vectors = self._embed(way, [one.text for one in corpus.questions])
        for question, vector in zip(corpus.questions, vectors, strict=True):
            found = self._ask(way, question, vector, namespace)
            yield _Judged(question.group, [one(found, question.relevant) for one in _MEASURES])
            self.counter.advance()

    def _store(self, way: _Way, corpus: Corpus, namespace: str) -> None:
        self.memory.admin.set_namespace(namespace, embedder=way.embedder)
        vectors = self._embed(way, [one.words for one in corpus.documents])
        pairs = zip(corpus.documents, vectors, strict=True)
        lines = [
            {"id": one.id, "title": one.title or None, "text": one.text, "vector": vector}
            for one, vector in pairs
            if one.words.strip()  # some collections have documents that say nothing
        ]
        stored = self.memory.admin.import_(objects=lines, namespace=namespace)
        if stored.refused:
            raise InvalidRequest(stored.errors)
        # An import goes on where the embedder fails; what is without a vector is told here.
        if stale := self.memory.admin.namespace(namespace).stale_vectors:
            raise EmbedderError(f"{stale} texts of {corpus.name} got no vector")

    def _ask(
        self, way: _Way, question: Question, vector: list[float] | None, namespace: str
    ) -> Sequence[str]:
        """Return the ids of the hits, the best first."""
        if way.gives_vectors:
            if vector is None:
                return ()
            answer = self.memory.recall(vector=vector, namespace=namespace, limit=DEPTH)
        else:
            answer = self.memory.recall(question.text, namespace=namespace, limit=DEPTH)
        return _read_hits(answer)

    def _embed(self, way: _Way, texts: Sequence[str]) -> list[list[float] | None]:
        """Return the vectors that are given with texts, None for one that has none."""
        if not way.gives_vectors or self.model is None:
            return [None] * len(texts)
        rows = self.model.embed(texts)
        return [row.tolist() if row.any() else None for row in rows]


def _read_hits(answer: RecallAnswer) -> Sequence[str]:
    if answer.warnings:
        raise EmbedderError("; ".join(answer.warnings))
    return [hit.id for hit in answer.memories]


@dataclass(slots=True)
class _Counter:
    progress: Progress | None
    total: int
    done: int = 0
    stage: str = ""

    def tell(self, stage: str) -> None:
        self.stage = stage
        self._report()

    def advance(self) -> None:
        self.done += 1
        self._report()

    def _report(self) -> None:
        if self.progress is not None:
            self.progress(self.done, self.total, self.stage)


def _count_questions(dataset: Dataset) -> int:
    return sum(len(one.questions) for one in dataset.corpora)


_MEASURES: Final[Sequence[Callable[[Sequence[str], Mapping[str, int]], float]]] = (
    lambda found, relevant: recall_at(5, found, relevant),
    lambda found, relevant: recall_at(10, found, relevant),
    lambda found, relevant: reciprocal_rank(10, found, relevant),
    lambda found, relevant: ndcg_at(10, found, relevant),
)
"""The figures of `Figures`, in its order."""

_DIGITS: Final = 6
_STORED_AT: Final = datetime(2000, 1, 1, tzinfo=UTC)
