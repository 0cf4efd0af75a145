"""Recall, count, list, aggregate and explain tell the same of one question."""

import pytest
from tests.memory.importing import MATTER, put

from winnow.memory import Memory

FILTERS = [
    "",
    "escrowPct >= 10",
    "not escrowPct >= 10",
    "escrowPct between 0.1 and 20 or status = Pending",
    "status != Active and escrowPct is not null",
    "client.tier = Gold",
    "relatedMatters any (escrowPct > 5)",
]


@pytest.fixture
def firm(memory: Memory) -> Memory:
    """Matters with values of all levels, in two namespaces."""
    for number in range(12):
        escrow: object = None if number % 4 == 3 else number * 3
        if number % 5 == 1:
            escrow = {"candidates": [{"value": number}, {"value": 11}]}
        if number % 5 == 2:
            escrow = {"value": number * 3, "confidence": "INFERRED"}
        put(
            memory,
            f"MAT-{1000 + number}",
            namespace=("north", "south")[number % 2],
            escrowPct=escrow,
            status=("Active", "Closed", None)[number % 3],
            relatedMatters=[f"MAT-{1000 + number // 2}"],
        )
    return memory


@pytest.mark.parametrize("where", FILTERS)
@pytest.mark.parametrize("minimum", ["EXTRACTED", "INFERRED", "AMBIGUOUS"])
def test_all_that_take_a_filter_agree(firm: Memory, where: str, minimum: str) -> None:
    """F19."""
    asked = {"schema": MATTER, "where": where, "confidence_minimum": minimum}
    recalled = firm.recall(**asked, limit=100)  # pyright: ignore[reportArgumentType]
    counted = firm.count(**asked)  # pyright: ignore[reportArgumentType]
    listed = firm.list(**asked, limit=100)  # pyright: ignore[reportArgumentType]
    figures = firm.aggregate(**asked)  # pyright: ignore[reportArgumentType]
    assert [hit.entity_id for hit in listed.entities] == list(recalled.entity_ids)
    assert (
        recalled.filtered_entities
        == counted.count
        == listed.filtered_entities
        == figures.filtered_entities
    )
    open_ = recalled.undetermined.count
    assert open_ == counted.undetermined == listed.undetermined == figures.undetermined
    assert recalled.warnings == counted.warnings == listed.warnings == figures.warnings
    assert recalled.where == counted.where == listed.where == figures.where
    undetermined = {one.entity_id for one in recalled.undetermined.sample}
    for number in range(1000, 1012):
        told = firm.explain(f"MAT-{number}", **asked)  # pyright: ignore[reportArgumentType]
        assert told.matched == (told.entity_id in recalled.entity_ids)
        assert told.undetermined == (told.entity_id in undetermined)


def test_a_warning_is_told_by_each_of_them(firm: Memory) -> None:
    for answer in (
        firm.recall(schema=MATTER, where="escrowPct >= 0.1"),
        firm.count(schema=MATTER, where="escrowPct >= 0.1"),
        firm.list(schema=MATTER, where="escrowPct >= 0.1"),
        firm.aggregate(schema=MATTER, where="escrowPct >= 0.1"),
        firm.explain("MAT-1000", schema=MATTER, where="escrowPct >= 0.1"),
    ):
        assert "escrowPct is in percent: 0.1 means 0.1 %, not 10 %" in (answer.warnings or ())


def test_a_schema_that_nothing_is_of_is_warned_of_by_each_of_them(firm: Memory) -> None:
    warning = "legal.Document has no entity yet: no note that was indexed fits it"
    for ask in (firm.recall, firm.count, firm.list, firm.aggregate):
        (told,) = list(ask(schema="legal.Document", where="status = Draft").warnings or ())
        assert told.startswith(warning)
    assert firm.count(schema=MATTER).warnings is None


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_filter_is_none_so_a_query_is_not_answered_by_all_there_is(
    firm: Memory, blank: str
) -> None:
    for asked in ({"where": blank}, {"filters": blank}):
        answer = firm.recall("escrow", schema=MATTER, **asked)  # pyright: ignore[reportArgumentType]
        assert answer.query_type == "schema_typed_semantic"
    assert firm.recall("escrow", schema=MATTER, filters={}).filtered_entities == 12
    assert firm.recall("", schema=MATTER, where=blank).filtered_entities == 12
