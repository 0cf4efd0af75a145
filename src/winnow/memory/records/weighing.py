"""What the candidates of a question in words are weighed by: its terms, and its vectors."""

from collections.abc import Iterator, Mapping, Sequence

from winnow.columns.arrays import Mask
from winnow.embed.base import unit
from winnow.embed.external import ExternalEmbedder, read_vector
from winnow.embed.floats import Vector
from winnow.errors import EmbedderError, Fault, InvalidRequest
from winnow.memories import RECORDS
from winnow.memory.changes.finishing import as_numbers
from winnow.memory.engine import Engine
from winnow.memory.records.sources import Chosen, choose_sources
from winnow.memory.state.shelf import Shelf
from winnow.operations.requests import RecallRequest
from winnow.plan.ranking import Fields, Weighing, mark
from winnow.rank.fusion import Fusion

FIELDS = Fields(
    RECORDS.fields["namespace"], RECORDS.fields["updatedAt"], RECORDS.fields["importance"]
)


def read_query_vector(
    engine: Engine, request: RecallRequest, namespaces: Sequence[str], faults: list[Fault]
) -> Vector | None:
    """Read the caller's vector, which at least one of the namespaces must have use for."""
    if request.vector is None:
        return None
    if not choose_sources(request.sources, []).by_vector:
        faults.append(Fault("/vector", "vectors are not looked at: name vector in sources too"))
    try:
        vector = read_vector(as_numbers(request.vector))
    except InvalidRequest as error:
        faults.extend(error.faults)
        return None
    taken = _dimensions(engine, namespaces)
    if len(vector) not in taken:
        detail = "no namespace that is searched takes vectors from its caller"
        if taken:
            detail = f"expected {' or '.join(map(str, taken))} numbers, got {len(vector)}"
        faults.append(Fault("/vector", detail))
    return vector


def weigh(
    engine: Engine,
    request: RecallRequest,
    asked: tuple[Sequence[str], Vector | None],
    shelf: Shelf,
    warnings: list[str],
) -> Weighing | None:
    """Return what the candidates are weighed by, None if there is nothing to weigh by.

    `asked` are the namespaces that are searched, and the caller's vector.
    """
    namespaces, vector = asked
    if not request.query.strip() and vector is None:
        return None
    sources = choose_sources(request.sources, [])
    spaces = [name for name in namespaces if name in shelf.spaces]
    words = _find_words(engine, request, spaces) if sources.by_words else None
    queries = _queries(engine, request, spaces, vector, warnings) if sources.by_vector else ()
    return Weighing(
        terms=shelf.terms.find(words) if words else None,
        queries=list(queries),
        spaces=[shelf.spaces[name] for name in spaces],
        fusion=Fusion(request.fusion),
        minimum=None if request.min_score is None else float(request.min_score),
        balance=None if request.mmr is None else float(request.mmr),
        worded=_find_worded(shelf, sources),
    )


def name_index(weighing: Weighing | None) -> str:
    """Say what an answer was ranked with."""
    if weighing is None or not weighing.queries:
        return "vault"
    return "hybrid" if weighing.terms is not None else "vector"


def _find_words(
    engine: Engine, request: RecallRequest, spaces: Sequence[str]
) -> Mapping[str, None]:
    """Return the words of the query, each once, in the languages of the namespaces."""
    languages = {engine.workshop.settings(name).language for name in spaces} or {"english"}
    return dict.fromkeys(
        term
        for language in sorted(languages)
        for term in engine.workshop.analyser(language).query_terms(request.query)
    )


def _find_worded(shelf: Shelf, sources: Chosen) -> Mask | None:
    """Return which rows are found by their words, where not all candidates are."""
    if not sources.by_vector or not sources.by_words or sources.words_of_all:
        return None
    return mark(shelf.pieces.rows, len(shelf.table), inside="vault" in sources.own)


def _dimensions(engine: Engine, namespaces: Sequence[str]) -> list[int]:
    """Return the dimensions of the namespaces whose vectors the caller gives."""
    specs = {engine.workshop.settings(name).embedder for name in namespaces}
    embedders = map(engine.workshop.embedder, specs)
    return sorted({one.dimension for one in embedders if isinstance(one, ExternalEmbedder)})


def _queries(
    engine: Engine,
    request: RecallRequest,
    spaces: Sequence[str],
    vector: Vector | None,
    warnings: list[str],
) -> Iterator[tuple[str, Vector]]:
    """Yield the query's vector for each model of the namespaces."""
    for spec in dict.fromkeys(engine.workshop.settings(name).embedder for name in spaces):
        embedder = engine.workshop.embedder(spec)
        if embedder is None:
            continue
        if isinstance(embedder, ExternalEmbedder):
            if vector is not None and len(vector) == embedder.dimension:
                yield embedder.identity, unit(vector)
            elif vector is not None:
                warnings.append(
                    f"the vector has {len(vector)} numbers: judged by keyword where vectors have"
                    f" {embedder.dimension}"
                )
            else:
                warnings.append("no vector was given: judged by keyword where vectors are external")
        elif request.query.strip():
            try:
                yield embedder.identity, embedder.embed([request.query])[0]
            except EmbedderError as error:
                warnings.append(f"judged by keyword alone: {error}")
