"""What every embedder offers, and what all of them share: rows of length 1, and errors."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from winnow.errors import EmbedderError, NotAvailable, WinnowError

Matrix: TypeAlias = NDArray[np.float32]

LONGEST_TEXT: Final = 32_768  # characters; the rest of a longer text does not count


class Embedder(Protocol):
    """What makes vectors. Safe to use from several threads; nothing is loaded before its use."""

    @property
    def identity(self) -> str:
        """A text that names the model, its version, the dimension and the length of a vector.

        Vectors of different identities are never compared.
        """
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def min_similarity(self) -> float:
        """The cosine that texts which have nothing to do with each other stay below."""
        ...

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a row of length 1 for each text; all zeros for a text without a vector.

        Raises EmbedderError where the model can't answer.
        """
        ...


def identify(name: str, dimension: int) -> str:
    """Return the identity of a model whose vectors are brought to length 1."""
    return f"{name}; {dimension} dimensions; unit length"


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a vector with length 1; one without a direction stays as it is."""
    return unit_rows(vector[np.newaxis])[0]


def unit_rows(vectors: NDArray[np.floating]) -> Matrix:
    """Return the rows with length 1; zeros for one that has no direction or is not finite."""
    rows = np.array(vectors, np.float32)
    # As float64, so that no square overflows or vanishes.
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64, casting="same_kind"))
    lost = ~np.isfinite(lengths) | (lengths == 0)
    if lost.any():
        rows[lost], lengths[lost] = 0, 1
    np.divide(rows, lengths[:, np.newaxis], out=rows, casting="same_kind")
    return rows


def require(module: str, extra: str) -> None:
    """Refuse to go on where a package is missing that an extra brings."""
    # `find_spec` raises for a module without one, such as a stand-in that a test puts there.
    try:
        found = find_spec(module) is not None
    except ValueError:
        found = True
    if not found:
        raise NotAvailable(
            f"the embedder {extra!r} needs the package {module!r}: "
            f"pip install winnow-memory[{extra}]"
        )


def load(module: str, extra: str) -> ModuleType:
    """Import a package that an extra brings."""
    require(module, extra)
    with blaming(extra):
        return import_module(module)


@contextmanager
def blaming(name: str) -> Generator[None]:
    """Turn whatever another library raises into an EmbedderError that names the embedder."""
    try:
        yield
    except WinnowError:
        raise
    except Exception as error:
        told = " ".join(str(error).split())[:_LONGEST_REASON]
        reason = f"{type(error).__name__}: {told}" if told else type(error).__name__
        raise EmbedderError(f"the embedder {name!r} failed: {reason}") from error


_LONGEST_REASON: Final = 300  # characters
