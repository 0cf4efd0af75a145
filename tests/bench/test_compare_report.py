"""What a run of the comparison tells: JSON by selectivity, a table, a plot, a page."""

import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from bench.compare.conditions import SELECTIVITIES
from bench.compare.growth import WAYS, find_slope, tabulate
from bench.compare.growth import plot as plot_growth
from bench.compare.installing import REQUIREMENTS, find_place, read_requirements
from bench.compare.page import PAGE, plot, put_section, write_pages
from bench.compare.peers import PEERS
from bench.compare.peers.base import Unavailable
from bench.compare.run import join, main
from bench.compare.table import (
    tabulate_contenders,
    tabulate_latency,
    tabulate_multiples,
    write_table,
)
from hypothesis import given
from hypothesis import strategies as st


def run_of(**recalls: float) -> dict[str, Any]:
    """A run of Winnow and of others with these recalls, as the JSON tells it."""
    ours = {
        "candidates": 3_000,
        "winnow_ms": 0.5,
        "recall": 1.0,
        "bare_ms": 0.4,
        "bare_recall": 1.0,
        "read_ms": 0.1,
        "read_bytes": 384,
        "recall_call_ms": 2.0,
        "recall_words_ms": 3.0,
    }
    beside = {"peak_mb": 100, "seconds": 3.0, "load": 0.5}
    found: dict[str, Any] = {
        "winnow": {"figures": dict.fromkeys(SELECTIVITIES, ours), **beside},
        "klyro": {"missing": "its server ends at once, with 1"},
    }
    for name, recall in recalls.items():
        figures = {"ms": 10.0, "recall": recall, "queries": 50}
        found[name] = {"figures": dict.fromkeys(SELECTIVITIES, figures), **beside}
    facts = {
        "records": 100_000,
        "dims": 384,
        "queries": 50,
        "cpu": "a processor",
        "cores": 2,
        "python": "3.11",
        "numpy": "2.0",
        "kernel": "numkong 7",
        "versions": dict.fromkeys(("winnow", *recalls), "1.0"),
        "load": {"before": 0.5, "after": 1.5},
    }
    return facts | join(found)


RUN = run_of(lancedb=1.0, chromadb=0.85)


@pytest.mark.parametrize("label", SELECTIVITIES)
def test_each_selectivity_has_the_figures_of_all_and_their_multiples(label: str) -> None:
    row = RUN[label]
    assert (row["winnow_ms"], row["bare_ms"], row["recall"]) == (0.5, 0.4, 1.0)
    assert (row["lancedb_ms"], row["lancedb_recall"], row["chromadb_recall"]) == (10, 1, 0.85)
    multiples = (row["winnow_over_bare"], row["winnow_over_read"], row["lancedb_over_winnow"])
    assert multiples == (1.25, 5, 20)


def test_a_store_that_is_not_there_is_named_with_the_reason() -> None:
    assert RUN["missing"] == {"klyro": "its server ends at once, with 1"}
    assert "klyro" not in RUN["exact"]


def test_a_table_tells_recall_where_it_is_not_1() -> None:
    rows = {row["ms"]: row for row in tabulate_latency(RUN)}
    assert (rows["lancedb"]["1%"], rows["chromadb"]["1%"]) == ("10", "10 (0.85)")
    assert list(rows) == ["candidates", "**Winnow**", "lancedb", "chromadb", "bare loop"]
    assert tabulate_multiples(RUN)[0]["10%"] == "1.25"
    exact = {row["store"]: row["exact"] for row in tabulate_contenders(RUN)}
    assert exact == {"winnow": "yes", "lancedb": "yes", "chromadb": "no"}
    lines = write_table(tabulate_latency(RUN)).splitlines()
    assert {line.count("|") for line in lines} == {len(SELECTIVITIES) + 2}


def test_a_plot_has_a_line_for_each_and_rings_where_something_was_missed() -> None:
    root = ElementTree.fromstring(plot(RUN))
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Winnow", "bare loop", "lancedb", "chromadb", "0.85", "0.01%", "100%"} <= {*texts}
    rings = [node for node in root.iter() if node.get("fill") == "white" and node.get("stroke")]
    assert len(rings) == len(SELECTIVITIES)  # all of chromadb's


@given(st.lists(st.floats(0.001, 10_000), min_size=3, max_size=3))
def test_nothing_of_a_plot_stands_outside_its_paper(times: list[float]) -> None:
    rows = [
        {"records": size, **dict.fromkeys(WAYS, taken)}
        for size, taken in zip((10_000, 100_000, 1_000_000), times, strict=True)
    ]
    root = ElementTree.fromstring(plot_growth(rows))
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    for node in root.iter("{http://www.w3.org/2000/svg}circle"):
        assert 0 <= float(node.attrib["cx"]) <= width
        assert 0 <= float(node.attrib["cy"]) <= height


def test_a_section_of_the_page_is_replaced_and_the_others_stay(tmp_path: Path) -> None:
    page = tmp_path / PAGE
    page.write_text("# Title\n\nSaid first.\n\n## Growth\n\nKept.\n", "utf-8")
    write_pages(RUN, tmp_path)
    put_section(page, "Growth", "New.")
    write_pages(run_of(duckdb=1.0), tmp_path)
    text = page.read_text("utf-8")
    assert re.findall(r"^#+ .+", text, re.MULTILINE) == [
        "# Title",
        "## Growth",
        "## 100,000 records",
    ]
    assert "Said first." in text
    assert ("New." in text, "Kept." in text) == (True, False)
    assert ("duckdb" in text, "lancedb" in text) == (True, False)
    assert "- klyro: its server ends at once" in text
    assert (tmp_path / "compare.svg").read_text("utf-8").startswith("<svg")


@given(st.floats(-1, 2), st.floats(0.1, 10))
def test_the_slope_is_the_power_with_which_time_grows(power: float, factor: float) -> None:
    sizes = (1e4, 1e5, 1e6)
    rows: list[dict[str, float]] = [
        {"records": n, **dict.fromkeys(WAYS, factor * math.pow(n, power))} for n in sizes
    ]
    assert find_slope(rows, "share_stage_ms") == pytest.approx(power, abs=1e-6)
    assert tabulate(rows)[-1]["records"] == "slope"


def test_every_store_needs_packages_of_which_the_exact_version_is_said() -> None:
    known = read_requirements(REQUIREMENTS.read_text("utf-8"))
    assert {name for peer in PEERS.values() for name in peer.packages} == known.keys()
    assert [one.name for one in known.values() if one.from_npm] == ["klyro-db-linux-x64"]
    assert str(known["psycopg"]) == f"psycopg[binary]=={known['psycopg'].version}"
    assert all(peer.advice for peer in PEERS.values())


def test_what_is_not_installed_is_not_fetched_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_nothing(_: object) -> None:
        return None

    monkeypatch.setattr("bench.compare.installing._installed", find_nothing)
    with pytest.raises(Unavailable, match="sqlite-vec is not installed"):
        find_place(PEERS["sqlite-vec"], tmp_path, install=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--peers", "lancdb"], "no such peer: lancdb (there are: sqlite-vec, lancedb"),
        (["--records", "0"], "expected a number from 1"),
    ],
)
def test_a_wrong_option_is_told_before_anything_is_made(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert told in capsys.readouterr().err
