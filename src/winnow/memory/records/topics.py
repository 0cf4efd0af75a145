"""A topic as the models and the languages of the namespaces that are searched see it."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from winnow.embed.base import Embedder
from winnow.embed.external import ExternalEmbedder, Vector
from winnow.errors import EmbedderError, NoEmbedder
from winnow.memory.engine import Engine
from winnow.memory.state.namespaces import NamespaceSettings
from winnow.memory.state.shelf import Shelf
from winnow.plan.likeness import Topic, View
from winnow.rank.bm25 import score_text


@dataclass(frozen=True, slots=True)
class Sought:
    """A topic, how alike a record must be, and what its asker should know."""

    topic: Topic
    minimum: float
    warnings: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a topic in one language, and its own bm25 by them."""

    terms: Sequence[int | None]
    own: float


def seek(
    engine: Engine, topic: str, shelf: Shelf, namespaces: Sequence[str], minimum: float | None
) -> Sought:
    """Read a topic; `minimum` stands in place of what the models take for alike.

    Raises NoEmbedder where none of the namespaces has a model.
    """
    warnings: list[str] = []
    spaces = [shelf.spaces[name] for name in namespaces if name in shelf.spaces]
    groups = _group(engine, [name for name in namespaces if name in shelf.spaces] or namespaces)
    models = {spec: engine.workshop.embedder(spec) for spec, _ in groups}
    least = _find_minimum(models, minimum, warnings)
    vectors = {spec: _embed(model, topic, warnings) for spec, model in models.items()}
    words = {
        language: _read_words(engine, topic, shelf, spaces, language) for _, language in groups
    }
    views: list[View] = []
    for (spec, language), names in groups.items():
        model = models[spec]
        own = least if minimum is not None or model is None else model.min_similarity
        view = View(names, vectors[spec], words[language].terms, words[language].own, own)
        views.append(view)
    if not any(view.vector or view.own for view in views):
        warnings.append("the topic has no words to look for")
    return Sought(Topic(views, spaces), least, warnings)


def _group(engine: Engine, namespaces: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """Return the namespaces by what they are set to: their embedder and their language."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name in namespaces:
        settings = engine.workshop.settings(name)
        groups.setdefault((settings.embedder, settings.language), []).append(name)
    plain = NamespaceSettings()
    return groups or {(plain.embedder, plain.language): []}


def _find_minimum(
    models: Mapping[str, Embedder | None], given: float | None, warnings: list[str]
) -> float:
    """Return how alike a record must be at least, by the model that asks least."""
    known = {spec: model.min_similarity for spec, model in models.items() if model is not None}
    if not known:
        raise NoEmbedder(
            "nothing makes vectors in the namespaces that are searched, whose embedder is none;"
            " set one, or search by keyword with recall"
        )
    if given is not None:
        return given
    if len(set(known.values())) > 1:
        each = ", ".join(f"{minimum:.2f} by {spec}" for spec, minimum in sorted(known.items()))
        warnings.append(f"the namespaces have several models, each with a threshold: {each}")
    return min(known.values())


def _embed(model: Embedder | None, topic: str, warnings: list[str]) -> tuple[str, Vector] | None:
    """Return the topic's vector, None if it has none."""
    if model is None:
        warnings.append("judged by keyword where the embedder is none")
        return None
    if isinstance(model, ExternalEmbedder):
        warnings.append("judged by keyword where vectors are external: the topic has none there")
        return None
    try:
        vector = model.embed([topic])[0]
    except EmbedderError as error:
        warnings.append(f"judged by keyword alone: {error}")
        return None
    return (model.identity, vector) if vector.any() else None


def _read_words(
    engine: Engine, topic: str, shelf: Shelf, spaces: Collection[int], language: str
) -> _Words:
    """Return the words of a topic, and what it scores as if it were stored itself."""
    analyser = engine.workshop.analyser(language)
    words = analyser.query_terms(topic)
    terms = shelf.terms.find(words)
    stored = Counter(analyser.terms(topic))
    statistics = shelf.postings.statistics(terms, spaces)
    return _Words(terms, score_text([stored[word] for word in words], stored.total(), statistics))
