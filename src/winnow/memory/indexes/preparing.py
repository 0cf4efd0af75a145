"""What texts need beside themselves, made before the transaction that writes them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from winnow.errors import EmbedderError
from winnow.filter.raw import make_legible
from winnow.kinds import Assigned
from winnow.memory.changes.classifying import Classifier
from winnow.memory.changes.finishing import pack
from winnow.memory.engine import Engine
from winnow.memory.state.namespaces import NamespaceSettings, makes_vectors, may_wait
from winnow.rank.analyse import Analyser
from winnow.redaction import redact
from winnow.store.additions import Additions


@dataclass(frozen=True, slots=True)
class Prepared:
    """The terms of a text, its kind, and its vector if its namespace makes any.

    `terms`, `vector` and `model` are as a record has them.
    """

    terms: bytes
    given: Assigned
    vector: bytes | None = None
    model: str | None = None


Place: TypeAlias = tuple[str, str]
"""A namespace and a text."""


class Preparation:
    """Prepares texts, each of them once.

    It may wait for a model, so that it is made in a transaction only with `wait` false. Where a
    model can't answer, or would be waited for, there is no vector until `reembed`. Settings are
    those of now, or with `settled`, which the store has said earlier, those of then.
    """

    def __init__(
        self,
        engine: Engine,
        places: Iterable[Place],
        *,
        wait: bool = True,
        settled: int | None = None,
    ) -> None:
        self._workshop = engine.workshop
        texts: dict[str, dict[str, None]] = {}
        for name, text in places:
            texts.setdefault(name, {})[text] = None
        self._columns = {
            name: prepare_texts(engine, name, [*some], wait=wait, settled=settled)
            for name, some in texts.items()
        }

    def holds(self, settled: int) -> bool:
        """Tell whether settings are as they were, in a transaction with what it says of them."""
        return all(
            made.settings == self._workshop.settings(name, settled)
            for name, made in self._columns.items()
        )

    def finish(self, additions: Additions) -> dict[Place, Prepared]:
        """Return what was made of the texts, with their terms, whose numbers are the store's."""
        found: dict[Place, Prepared] = {}
        for name, some in self._columns.items():
            made = zip(some.texts, some.terms(additions), some.given, some.vectors, strict=True)
            for text, terms, given, vector in made:
                found[name, text] = Prepared(terms, given, vector, some.model)
        return found


@dataclass(frozen=True, slots=True)
class PreparedTexts:
    """What was made of texts of one namespace, as columns; `plain` is what is legible of them."""

    settings: NamespaceSettings
    texts: Sequence[str]
    plain: Sequence[str]
    analyser: Analyser
    given: Sequence[Assigned]
    vectors: Sequence[bytes | None]
    model: str | None

    def terms(self, additions: Additions) -> list[bytes]:
        """Return the terms of each text as a record has them."""
        return additions.encode_terms([(text,) for text in self.plain], self.analyser)


def prepare_texts(
    engine: Engine,
    name: str,
    texts: Sequence[str],
    *,
    wait: bool = True,
    settled: int | None = None,
) -> PreparedTexts:
    """Prepare texts of one namespace, as Preparation does."""
    settings = engine.workshop.settings(name, settled)
    kept = [redact(text, Counter()) for text in texts] if settings.redacts else texts
    plain = [make_legible(text) for text in kept]
    analyser = engine.workshop.analyser(settings.language)
    classifier = Classifier(engine.model if wait else None)
    given = classifier.assign(settings.policy, [("", text) for text in plain])
    vectors, model = _embed(engine, settings, plain, wait=wait)
    return PreparedTexts(settings, texts, plain, analyser, given, vectors, model)


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
