"""Vectors that another model has made than the one of now: they are compared with nothing."""

from collections.abc import Iterator, Sequence

from winnow.columns.arrays import Rows
from winnow.errors import EmbedderError
from winnow.memory.engine import Engine
from winnow.memory.state.namespaces import NamespaceSettings, makes_vectors
from winnow.memory.state.shelf import Shelf
from winnow.plan.foreign import count_made_by


def warn_of_models(
    engine: Engine, shelf: Shelf, namespaces: Sequence[str], candidates: Rows
) -> list[str]:
    """Say which candidates a query in words can't judge as it should.

    `candidates` ascend. Costs next to nothing where all vectors are of their namespace's model.
    """
    return [
        told
        for name in namespaces
        if name in shelf.spaces
        for told in _warn(engine, shelf, name, candidates)
    ]


def _warn(engine: Engine, shelf: Shelf, name: str, candidates: Rows) -> Iterator[str]:
    settings, space = engine.workshop.settings(name), shelf.spaces[name]
    if not settings.analysed:
        yield (
            f"the words of some in {name!r} are still those of the language before: run"
            f" `winnow reembed --namespace {name}`"
        )
    foreign = _find_foreign(engine, shelf, settings, space)
    beside = (shelf.postings, shelf.vectors)
    count = count_made_by(foreign, beside, space, candidates) if foreign else 0
    if count:
        makes = makes_vectors(engine.workshop.embedder(settings.embedder))
        remedy = "run `winnow reembed`" if makes else "give them their vectors"
        yield (
            f"{count:,} in {name!r} are judged by keyword: their vectors are of another embedder;"
            f" {remedy}"
        )


def _find_foreign(
    engine: Engine, shelf: Shelf, settings: NamespaceSettings, space: int
) -> frozenset[str]:
    """Return the models of a namespace's vectors that its embedder is not."""
    made = {model for number, model in shelf.models if number == space}
    try:
        if made and engine.workshop.embedder(settings.embedder) is not None:
            return frozenset(made - {engine.workshop.identity(settings)})
    except EmbedderError:
        pass  # then no query has a vector either, and that is said
    return frozenset()
