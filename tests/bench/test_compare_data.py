"""The data of the comparison: the same everywhere, and with the shares that are promised."""

from pathlib import Path

import numpy as np
import pytest
from bench.compare.bare import lay_bare
from bench.compare.conditions import (
    COMPOUND,
    FIELDS,
    REGIONS,
    SELECTIVITIES,
    bind_sql,
    match,
    rows_of,
    spell_sql,
    spell_winnow,
)
from bench.compare.data import Case, keep, open_case
from bench.compare.timing import time_in_turns, time_queries
from bench.compare.truth import HITS, find_truth

RECORDS, DIMENSIONS = 20_000, 16


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def case(cache: Path) -> Case:
    return open_case(RECORDS, cache, DIMENSIONS)


def test_vectors_have_length_1_and_the_same_figures_make_the_same_data(
    case: Case, tmp_path: Path
) -> None:
    again = open_case(RECORDS, tmp_path, DIMENSIONS)
    for ours, theirs in ((case.vectors, again.vectors), (case.queries, again.queries)):
        assert np.array_equal(ours, theirs)
        assert np.allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-6)
    assert all(np.array_equal(case.columns[name], again.columns[name]) for name in FIELDS)
    assert (case.text(7), case.query_text(3)) == (again.text(7), again.query_text(3))


def test_filters_leave_the_shares_that_they_are_named_for(case: Case) -> None:
    counts = {label: match(c, case.columns).sum() for label, c in SELECTIVITIES.items()}
    compound = counts.pop("compound")
    assert list(counts.values()) == [RECORDS // share for share in (10_000, 1_000, 100, 10, 1)]
    assert RECORDS / 64 < compound < RECORDS / 16


def test_a_condition_is_spelled_for_each_who_is_asked(case: Case) -> None:
    told = 'region = "europe" and year >= 2020 and price < 500.0 and active = true'
    assert spell_winnow(COMPOUND) == told
    assert spell_winnow(()) is None
    assert spell_sql(COMPOUND) == told.replace('"', "'").replace(" and ", " AND ")
    assert bind_sql(COMPOUND)[1] == ["europe", 2020, 500.0, True]
    for row, values in enumerate(rows_of(case.columns, 100, 200), 100):
        meets = (
            values["region"] == "europe"
            and int(values["year"]) >= 2020
            and float(values["price"]) < 500
            and values["active"] is True
        )
        assert meets == match(COMPOUND, case.columns)[row]
        assert values["region"] in REGIONS


def test_the_truth_is_that_of_a_plain_sort_and_what_is_missed_counts(
    case: Case, cache: Path
) -> None:
    truths = find_truth(case, cache)
    for label, condition in SELECTIVITIES.items():
        rows = np.flatnonzero(match(condition, case.columns))
        cosines = case.vectors[rows].astype(np.float64) @ case.queries[5].astype(np.float64)
        best = rows[np.argsort(-cosines)].tolist()
        nearest, truth = best[:HITS], truths[label]
        assert truth.recall(case, 5, nearest) == 1
        assert truth.recall(case, 5, nearest[1:]) == 1 - 1 / len(nearest)
        assert truth.recall(case, 5, nearest[:1] * HITS) == 1 / len(nearest)  # not ten times
        far = [*nearest[1:], *best[-1:]] if len(best) > HITS else nearest[1:]
        assert truth.recall(case, 5, far) == 1 - 1 / len(nearest)


def test_what_a_filter_keeps_out_is_never_right(case: Case, cache: Path) -> None:
    truth = find_truth(case, cache)["1%"]
    nearest = np.argsort(-(case.vectors @ case.queries[0]))[:HITS].tolist()
    outside = [row for row in nearest if not truth.mask[row]]
    assert outside
    assert truth.recall(case, 0, outside) == 0


@pytest.mark.parametrize("kernel", [True, False], ids=["with int8", "in 32 bits"])
def test_the_bare_loop_finds_the_nearest(
    case: Case, cache: Path, kernel: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not kernel:
        monkeypatch.setattr("bench.compare.bare.find_kernel", lambda: None)
    bare, truths = lay_bare(case), find_truth(case, cache)
    for label, condition in SELECTIVITIES.items():
        for query, vector in enumerate(case.queries):
            found = bare.nearest(condition, vector).tolist()
            assert truths[label].recall(case, query, found) == 1, (label, query)


def test_a_read_is_of_as_many_bytes_as_the_candidates_have(case: Case) -> None:
    bare = lay_bare(case)
    width = DIMENSIONS * (1 if bare.kernel else 4)
    assert (bare.bytes_of(10), bare.bytes_of(5_000)) == (10 * DIMENSIONS * 4, 5_000 * width)
    for candidates in (10, 5_000, RECORDS):
        read = bare.reader(candidates)
        assert [read() is not None for _ in range(3)] == [True] * 3


def test_a_folder_that_was_left_half_done_is_made_again(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keep(tmp_path / "kept", fail)
    assert list(tmp_path.iterdir()) == []
    kept = keep(tmp_path / "kept", lambda folder: (folder / "whole").touch())
    assert (kept / "whole").exists()
    assert keep(kept, fail) == kept


def test_every_query_is_asked_as_often_as_the_others() -> None:
    asked: list[tuple[str, int]] = []

    def ask(name: str, query: int) -> list[int]:
        asked.append((name, query))
        return [query]

    names = ("a", "b")
    taken = time_in_turns({n: lambda q, n=n: ask(n, q) for n in names}, 12, rounds=3, seconds=60)
    assert {name: len(one.milliseconds) for name, one in taken.items()} == {"a": 36, "b": 36}
    assert taken["a"].found == {query: [query] for query in range(12)}
    slow = time_queries(lambda query: ask("c", query), 50, seconds=0)
    assert len(slow.found) == 10
