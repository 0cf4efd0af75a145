"""What is measured of Winnow gives the right answers; so does a store beside it that is a stub."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from bench.compare.conditions import SELECTIVITIES, Condition, match
from bench.compare.data import Case, open_case
from bench.compare.growth import WAYS
from bench.compare.growth import measure as measure_growth
from bench.compare.peers import PEERS
from bench.compare.peers.base import Ask, Peer, Prepare
from bench.compare.stage import name_store
from bench.compare.truth import HITS, Ground, find_truth
from bench.compare.worker import measure

RECORDS, DIMENSIONS = 600, 8


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    case = open_case(RECORDS, tmp_path, DIMENSIONS)
    return Ground(case, find_truth(case, tmp_path), tmp_path)


def stub(exact: bool) -> Peer:
    """A store that looks at all vectors, or at the first hundred alone."""

    def build(case: Case, folder: Path) -> None:
        np.save(folder / "vectors.npy", case.vectors if exact else case.vectors[:100])

    @contextmanager
    def open_(case: Case, folder: Path) -> Generator[Prepare]:
        vectors = np.load(folder / "vectors.npy")

        def prepare(condition: Condition) -> Ask:
            rows = np.flatnonzero(match(condition, case.columns)[: len(vectors)])
            return lambda query: rows[np.argsort(-(vectors[rows] @ query))][:HITS].tolist()

        yield prepare

    return Peer(("stub",), exact, "as it stands", build, open_)


def test_the_vector_stage_finds_all_of_the_nearest(ground: Ground) -> None:
    figures = measure("winnow", ground, "").figures
    assert list(figures) == list(SELECTIVITIES)
    for label, row in figures.items():
        assert (row["recall"], row["bare_recall"]) == (1, 1), label
        assert min(row[f"{name}_ms"] for name in ("winnow", "bare", "read", "recall_call")) > 0
    assert figures["100%"]["candidates"] == RECORDS
    store = ground.cache / "stores" / "winnow" / name_store(ground.case) / "store.db"
    built = store.stat().st_mtime_ns
    measure("winnow", ground, "")
    assert store.stat().st_mtime_ns == built  # what was built is used again


@pytest.mark.parametrize("exact", [True, False])
def test_what_a_store_misses_is_told(
    ground: Ground, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PEERS, "stub", stub(exact))
    figures = measure("stub", ground, "1.0").figures
    assert (figures["100%"]["recall"] == 1) is exact
    assert (ground.cache / "stores" / "stub" / f"{ground.case.name}-1.0-1").is_dir()


def test_growth_has_a_figure_for_each_way(tmp_path: Path) -> None:
    open_case(1_000, tmp_path, DIMENSIONS)
    found = measure_growth(1_000, tmp_path, DIMENSIONS)
    assert found.keys() == {"records", *WAYS}
    assert min(found[way] for way in WAYS) > 0
