"""Any model of the package sentence-transformers: the extra `sentence-transformers`."""

from collections.abc import Sequence
from typing import Final, Protocol, cast

from winnow.embed.base import Embedder, Matrix, blaming, load, require
from winnow.embed.model import ModelEmbedder
from winnow.errors import EmbedderError

EXTRA: Final = "sentence-transformers"
_PACKAGE: Final = "sentence_transformers"


def open_sentence(model: str) -> Embedder:
    """Return the embedder of a model by its name on the Hugging Face hub, or by its folder."""
    require(_PACKAGE, EXTRA)
    return ModelEmbedder(lambda: SentenceModel(model))


class SentenceModel:
    """A loaded model."""

    def __init__(self, name: str) -> None:
        package = load(_PACKAGE, EXTRA)
        with blaming(EXTRA):
            self._model = cast(_Model, package.SentenceTransformer(name))
            dimension = _read_dimension(self._model)
        if dimension is None:
            raise EmbedderError(f"the model {name!r} has no fixed dimension")
        self.name = f"{EXTRA} {name}"
        self.dimension = dimension

    def make(self, texts: list[str]) -> Matrix:
        """Return a row for each text."""
        with blaming(EXTRA):
            return self._model.encode(texts, batch_size=_BATCH, show_progress_bar=False)


_BATCH: Final = 64


def _read_dimension(model: object) -> int | None:
    # The second is its name in older versions of the package.
    names = ("get_embedding_dimension", "get_sentence_embedding_dimension")
    read = next(getattr(model, name) for name in names if hasattr(model, name))
    return cast("int | None", read())


class _Model(Protocol):
    def encode(
        self, sentences: Sequence[str], *, batch_size: int, show_progress_bar: bool
    ) -> Matrix: ...
