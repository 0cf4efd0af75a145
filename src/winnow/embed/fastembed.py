"""Any model of the package fastembed: the extra `fastembed`."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, Protocol, cast

import numpy as np

from winnow.embed.base import Embedder, Matrix, blaming, load, require
from winnow.embed.model import ModelEmbedder
from winnow.errors import Fault, InvalidRequest, unknown

EXTRA: Final = "fastembed"
_PACKAGE: Final = "fastembed"


def open_fastembed(model: str) -> Embedder:
    """Return the embedder of a model by fastembed's name; its files are fetched at first use."""
    require(_PACKAGE, EXTRA)
    return ModelEmbedder(lambda: FastembedModel(model))


class FastembedModel:
    """A model that fastembed lists; raises InvalidRequest for any other."""

    def __init__(self, name: str) -> None:
        self._models = cast(_Models, load(_PACKAGE, EXTRA).TextEmbedding)
        with blaming(EXTRA):
            listed = self._models.list_supported_models()
        dimensions = {str(one["model"]): cast(int, one["dim"]) for one in listed}
        names = {known.casefold(): known for known in dimensions}
        if name.casefold() not in names:
            detail = unknown("model of fastembed", name, sorted(dimensions))
            raise InvalidRequest([Fault("/embedder", detail)])
        self._listed_name = names[name.casefold()]
        self.name = f"fastembed {self._listed_name}"
        self.dimension = dimensions[self._listed_name]

    def make(self, texts: list[str]) -> Matrix:
        """Return a row for each text."""
        with blaming(EXTRA):
            return np.array(list(self._model.embed(texts, batch_size=_BATCH)), np.float32)

    @cached_property
    def _model(self) -> "_Model":
        return self._models(model_name=self._listed_name)


_BATCH: Final = 64


class _Model(Protocol):
    def embed(self, documents: Sequence[str], batch_size: int) -> Iterable[Matrix]: ...


class _Models(Protocol):
    def __call__(self, *, model_name: str) -> _Model: ...
    def list_supported_models(self) -> Sequence[Mapping[str, object]]: ...
