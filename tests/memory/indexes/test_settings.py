"""What an index is set to, in the settings of its namespace."""

import pytest

from winnow.errors import WinnowError
from winnow.memory.indexes.settings import (
    IndexSettings,
    Mode,
    erase_index,
    read_index,
    write_index,
)
from winnow.rank.klyro.scores import Metric, Weights
from winnow.values import Json

HYBRID = IndexSettings(Mode.HYBRID, 3, Metric.L2, Weights(1, 2, 3, 4), 60, 5_000)


@pytest.mark.parametrize(
    "before", [{}, {"language": "german"}, {"embedder": "none", "language": "x"}]
)
@pytest.mark.parametrize("chosen", [HYBRID, IndexSettings(), IndexSettings(Mode.VECTOR, 7)])
def test_settings_are_read_as_they_were_written_and_erased_again(
    before: dict[str, Json], chosen: IndexSettings
) -> None:
    written = write_index(before, chosen)
    index = read_index("k", written)
    assert (index.settings, index.own) == (chosen, True)
    assert erase_index(written) == before
    twice = write_index(written, IndexSettings(chosen.mode, chosen.dimension))
    assert erase_index(twice) == before


def test_an_index_with_vectors_takes_those_of_its_client() -> None:
    assert write_index({"embedder": "static", "model": "m"}, HYBRID)["embedder"] == "external:3"
    assert "model" not in write_index({"embedder": "static", "model": "m"}, HYBRID)
    assert write_index({"embedder": "static"}, IndexSettings())["embedder"] == "static"


def test_a_namespace_of_another_surface_is_searched_by_words_or_by_its_callers_vectors() -> None:
    assert read_index("k", {}).settings == IndexSettings()
    assert not read_index("k", {}).own
    index = read_index("k", {"embedder": "external:8"})
    assert (index.settings.mode, index.settings.dimension) == (Mode.HYBRID, 8)


def test_settings_that_are_damaged_are_told() -> None:
    with pytest.raises(WinnowError, match="damaged"):
        read_index("k", {"resp": {"mode": "FUZZY"}})
