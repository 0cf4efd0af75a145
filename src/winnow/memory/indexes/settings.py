"""What an index is set to, as it stands in the settings of its namespace."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, cast

from winnow.embed.external import ExternalEmbedder
from winnow.errors import WinnowError
from winnow.memory.state.namespaces import EMBEDDER, MODEL
from winnow.rank.klyro.scores import Metric, Weights
from winnow.values import Json

RESP: Final = "resp"
"""The setting of a namespace that makes it an index of the Redis protocol's own."""
HALF_LIFE: Final = 604_800  # seconds


class Mode(StrEnum):
    """What an index holds to search by: words, vectors of the client's, or both."""

    SEARCH = "SEARCH"
    VECTOR = "VECTOR"
    HYBRID = "HYBRID"

    @property
    def has_words(self) -> bool:
        """Tell whether texts are searched."""
        return self is not Mode.VECTOR

    @property
    def has_vectors(self) -> bool:
        """Tell whether clients give vectors."""
        return self is not Mode.SEARCH


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """How an index searches; `dimension` is 0 where it holds no vectors.

    `half_life` is in seconds. `expires_at` is when the whole index is forgotten, in milliseconds.
    """

    mode: Mode = Mode.SEARCH
    dimension: int = 0
    metric: Metric = Metric.COSINE
    weights: Weights = field(default_factory=Weights)
    half_life: int = HALF_LIFE
    expires_at: int | None = None

    @property
    def model(self) -> str:
        """The name of what makes its vectors: the client."""
        return ExternalEmbedder(self.dimension).identity


@dataclass(frozen=True, slots=True)
class Index:
    """A namespace as a key: `own` if it was made by this protocol, which alone may drop it."""

    name: str
    settings: IndexSettings
    own: bool


def read_index(name: str, settings: Mapping[str, Json]) -> Index:
    """Return what the settings of a namespace say; one of another surface's has the defaults."""
    given = settings.get(RESP)
    if isinstance(given, dict):
        return Index(name, _read_own(given), own=True)
    dimension = _read_dimension(settings.get(EMBEDDER))
    mode = Mode.HYBRID if dimension else Mode.SEARCH
    return Index(name, IndexSettings(mode, dimension), own=False)


def write_index(settings: Mapping[str, Json], chosen: IndexSettings) -> dict[str, Json]:
    """Return the settings of a namespace with those of an index; its vectors are the client's."""
    before = settings.get(RESP)
    kept = before.get(_BEFORE) if isinstance(before, dict) else settings.get(EMBEDDER)
    own = _show(chosen)
    if kept is not None:
        own[_BEFORE] = kept
    changed: dict[str, Json] = {**settings, RESP: own}
    if chosen.mode.has_vectors and before is None:
        changed[EMBEDDER] = f"external:{chosen.dimension}"
        changed.pop(MODEL, None)
    return changed


def erase_index(settings: Mapping[str, Json]) -> dict[str, Json]:
    """Return the settings of a namespace without those of an index."""
    own = settings.get(RESP)
    left = {name: value for name, value in settings.items() if name != RESP}
    if not isinstance(own, dict) or own.get("mode") == Mode.SEARCH:
        return left
    left.pop(EMBEDDER, None)
    left.pop(MODEL, None)
    if (before := own.get(_BEFORE)) is not None:
        left[EMBEDDER] = before
    return left


_BEFORE: Final = "embedderBefore"


def _show(chosen: IndexSettings) -> dict[str, Json]:
    weights = chosen.weights
    shown: dict[str, Json] = {
        "mode": chosen.mode.value,
        "dim": chosen.dimension,
        "metric": chosen.metric.value,
        "weights": [weights.keyword, weights.vector, weights.recency, weights.importance],
        "halflife": chosen.half_life,
    }
    if chosen.expires_at is not None:
        shown["expiresAt"] = chosen.expires_at
    return shown


def _read_own(given: Mapping[str, Json]) -> IndexSettings:
    try:
        weights = Weights(*map(float, cast("list[float]", given["weights"])))
        return IndexSettings(
            Mode(str(given["mode"])),
            int(cast(int, given["dim"])),
            Metric(str(given["metric"])),
            weights,
            int(cast(int, given["halflife"])),
            cast("int | None", given.get("expiresAt")),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise WinnowError(f"the settings of an index are damaged: {error}") from error


def _read_dimension(embedder: Json) -> int:
    kind, _, dimension = str(embedder).partition(":")
    return int(dimension) if kind == "external" and dimension.isdecimal() else 0
