"""The unit tests that the structured filter was specified with, under their names."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from winnow.app import open_memory
from winnow.demo.firm import SMALL
from winnow.demo.notes import write_firm, write_notes
from winnow.errors import OntologyDisabled
from winnow.memory import Memory
from winnow.operations.answers import RecallAnswer
from winnow.wire import encode_error

PROSE_ONLY = (
    "Memory/MAT-2500-prose-only.md",
    "# Matter MAT-2500\n\nThe buyer keeps an escrow holdback of thirty percent of the price.\n",
)
EXACT = {
    "query": "matters matching escrow and non-compete criteria",
    "schema": "legal.Matter",
    "filters": {"escrowPct": {"gte": 10}, "nonCompeteMonths": {"gt": 18}},
}
ESCROW = {
    "query": "escrow matters",
    "schema": "legal.Matter",
    "filters": {"escrowPct": {"gte": 10}},
}
MINIMUMS = pytest.mark.parametrize("minimum", [{"confidenceMinimum": "EXTRACTED"}, {}])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the small firm, and a matter of which only prose speaks."""
    folder = tmp_path_factory.mktemp("structured")
    write_firm(folder / "vault")
    write_notes(folder / "vault", [PROSE_ONLY])
    with open_memory(folder / "winnow.db") as memory:
        memory.admin.index(str(folder / "vault"))
    return folder / "winnow.db"


@pytest.fixture
def memory(store: Path) -> Iterator[Memory]:
    with open_memory(store) as memory:
        yield memory


def recall(memory: Memory, *arguments: Mapping[str, Any]) -> RecallAnswer:
    """Recall with arguments as they stand on the wire."""
    return memory.recall(**{name: value for one in arguments for name, value in one.items()})


@MINIMUMS
def test_b_7_1_exact_enumeration(memory: Memory, minimum: Mapping[str, str]) -> None:
    answer = recall(memory, EXACT, minimum)
    found = [hit.entity_id for hit in answer.entities]
    assert answer.query_type == "structured_predicate"
    assert answer.index_used == "ontology"
    assert answer.filtered_entities == 5
    assert answer.confidence_minimum == "EXTRACTED"
    assert sorted(found) == ["MAT-2388", "MAT-2401", "MAT-2415", "MAT-2450", "MAT-2462"]
    assert "MAT-2433" not in found


@MINIMUMS
def test_near_miss_exclusion(memory: Memory, minimum: Mapping[str, str]) -> None:
    answer = recall(memory, ESCROW, minimum)
    values = [hit.fields["escrowPct"] for hit in answer.entities]
    assert len(values) == 9
    assert all(isinstance(value, int) and value >= 10 for value in values)


@MINIMUMS
def test_confidence_filtering_excludes_inferred_when_minimum_is_extracted(
    memory: Memory, minimum: Mapping[str, str]
) -> None:
    answer = recall(memory, {**ESCROW, "query": ""}, minimum)
    assert answer.entities
    assert all(hit.confidence is not None for hit in answer.entities)
    assert {hit.confidence.name for hit in answer.entities if hit.confidence} == {"EXTRACTED"}
    assert "MAT-2500" not in answer.entity_ids


def test_a_lower_minimum_lets_inferred_values_in(memory: Memory) -> None:
    answer = recall(memory, ESCROW, {"confidenceMinimum": "INFERRED"})
    levels = {hit.entity_id: hit.confidence.name for hit in answer.entities if hit.confidence}
    assert len(levels) == 10
    assert levels["MAT-2500"] == "INFERRED"
    assert set(levels.values()) == {"EXTRACTED", "INFERRED"}


def test_a_hit_has_the_shape_that_was_specified(memory: Memory) -> None:
    hit = recall(memory, EXACT).entities[0]
    assert hit.path == "Memory/MAT-2388-cedar-peak-minority.md"
    assert hit.score == 1.0
    assert hit.snippet.startswith("## Calderwood & Harkness — Matter MAT-2388 Cedar Peak Partners")
    assert "CLAWQL_" not in hit.snippet
    assert (hit.entity_type, hit.extraction_method) == ("Matter", "machine_readable")
    assert hit.fields["client"] == "CLT-0042"
    assert hit.fields["status"] == "Active"


@pytest.mark.parametrize("variable", ["WINNOW_ONTOLOGY", "CLAWQL_ONTOLOGY_DB"])
def test_typed_recall_can_be_switched_off(
    store: Path, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "0")
    with open_memory(store) as memory, pytest.raises(OntologyDisabled) as raised:
        recall(memory, EXACT)
    assert encode_error(raised.value)["code"] == "ontology_disabled"


def test_the_switch_changes_nothing_but_recall(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINNOW_ONTOLOGY", "0")
    write_firm(tmp_path / "vault")
    with open_memory(tmp_path / "winnow.db") as memory:
        indexed = memory.admin.index(str(tmp_path / "vault"))
    assert indexed.entities["legal.Matter"] == SMALL
    monkeypatch.delenv("WINNOW_ONTOLOGY")
    with open_memory(tmp_path / "winnow.db") as memory:
        assert recall(memory, EXACT).filtered_entities == 5
