"""What texts need beside themselves, made before the transaction that writes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from winnow.columns.terms import encode_terms
from winnow.errors import EmbedderError
from winnow.filter.raw import make_legible
from winnow.kinds import Assigned
from winnow.memory.changes.classifying import Classifier
from winnow.memory.changes.finishing import pack
from winnow.memory.engine import Engine
from winnow.memory.indexes.changing import RecordChanges
from winnow.memory.state.namespaces import NamespaceSettings, makes_vectors, may_wait


@dataclass(frozen=True, slots=True)
class Prepared:
    """The terms of a text, its kind, and its vector if its namespace makes any.

    `vector` and `model` are as a record has them.
    """

    words: Sequence[str]
    given: Assigned
    vector: bytes | None = None
    model: str | None = None

    def terms(self, records: RecordChanges) -> bytes:
        """Return the terms as a record has them."""
        numbers = records.number(self.words)
        return encode_terms(numbers[word] for word in self.words)


Place: TypeAlias = tuple[str, str]
"""A namespace and a text."""


def prepare(engine: Engine, places: Sequence[Place], *, wait: bool = True) -> dict[Place, Prepared]:
    """Prepare texts; may wait for a model, so in a transaction only with `wait` false.

    Where a model can't answer, or would be waited for, there is no vector until `reembed`.
    """
    texts: dict[str, dict[str, None]] = {}
    for name, text in places:
        texts.setdefault(name, {})[text] = None
    prepared: dict[Place, Prepared] = {}
    for name, some in texts.items():
        settings = engine.workshop.settings(name)
        found = _prepare_some(engine, settings, list(some), wait=wait)
        prepared |= {(name, text): one for text, one in found.items()}
    return prepared


def _prepare_some(
    engine: Engine, settings: NamespaceSettings, texts: Sequence[str], *, wait: bool
) -> Mapping[str, Prepared]:
    plain = [make_legible(text) for text in texts]
    analyser = engine.workshop.analyser(settings.language)
    words = [analyser.terms(text) for text in plain]
    classifier = Classifier(engine.model if wait else None)
    given = classifier.assign(settings.policy, [("", text) for text in plain])
    vectors, model = _embed(engine, settings, plain, wait=wait)
    return {
        text: Prepared(own, kind, vector, model)
        for text, own, kind, vector in zip(texts, words, given, vectors, strict=True)
    }


def _embed(
    engine: Engine, settings: NamespaceSettings, texts: Sequence[str], *, wait: bool
) -> tuple[Sequence[bytes | None], str | None]:
    embedder = engine.workshop.embedder(settings.embedder)
    if embedder is None or not makes_vectors(embedder) or (may_wait(embedder) and not wait):
        return [None] * len(texts), None
    try:
        made = embedder.embed(texts)
        return [pack(row) if row.any() else None for row in made], embedder.identity
    except EmbedderError:
        return [None] * len(texts), None
