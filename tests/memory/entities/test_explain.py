"""Why an entity is in an answer or not."""

import pytest
from tests.memory.importing import CLIENT, MATTER, put

from winnow.errors import NotFound
from winnow.memory import Memory
from winnow.operations.answers import ExplainedPart

BROKEN, PARTIAL = "brokenReference", "partialDate"


@pytest.fixture
def matter(memory: Memory) -> Memory:
    put(memory, "CLT-0001", CLIENT, tier="Gold")
    put(
        memory,
        "MAT-1000",
        escrowPct=9,
        status={"value": "Active", "confidence": "INFERRED", "method": "pattern"},
        nonCompeteMonths={"candidates": [{"value": 12}, {"value": 18}]},
        client="CLT-0001",
        billingPartner="ATY-0404",
        openedDate="2024-03",
        title='The "Atlas"',
    )
    return memory


@pytest.mark.parametrize(
    ("where", "text", "truth", "reason"),
    [
        ("escrowPct >= 10", "escrowPct 9 < 10", "false", None),
        ("escrowPct < 10", "escrowPct 9 < 10", "true", None),
        ("escrowPct in (8, 10)", "escrowPct 9 not in (8, 10)", "false", None),
        ("dealValueUSD > 5", "dealValueUSD > 5: unknown", "unknown", "missing"),
        ("status = Active", 'status "Active" = "Active"', "unknown", "belowMinimum"),
        ("nonCompeteMonths > 1", "nonCompeteMonths (12, 18) > 1", "unknown", "conflict"),
        ("client.tier != Gold", 'client.tier "Gold" = "Gold"', "false", None),
        (
            "billingPartner.name = X",
            'billingPartner.name = "X": unknown',
            "unknown",
            "brokenReference",
        ),
        (
            "openedDate > 2024-03-10",
            'openedDate "2024-03" > "2024-03-10"',
            "unknown",
            "partialDate",
        ),
        ("escrowPct is null", "escrowPct is null", "false", None),
        ("closedDate is null", "closedDate is null", "true", None),
    ],
)
def test_each_test_is_told_with_its_value_truth_and_reason(
    matter: Memory, where: str, text: str, truth: str, reason: str | None
) -> None:
    told = matter.explain("MAT-1000", schema=MATTER, where=where)
    part = told.explanation
    assert (part.kind, part.text, part.truth, part.reason) == ("test", text, truth, reason)
    assert told.undetermined == (truth == "unknown")


def test_parts_are_told_as_the_filter_is_built(matter: Memory) -> None:
    told = matter.explain(
        "MAT-1000",
        schema=MATTER,
        where="escrowPct > 5 and not (status = Closed or client.tier = Gold)",
        confidence_minimum="INFERRED",
    )

    def shape(part: ExplainedPart) -> object:
        parts = [shape(one) for one in part.parts or ()]
        return (part.kind, part.truth, parts) if parts else (part.kind, part.truth)

    assert shape(told.explanation) == (
        "and",
        "false",
        [
            ("test", "true"),
            ("not", "false", [("or", "true", [("test", "false"), ("test", "true")])]),
        ],
    )
    assert told.matched is False


def test_an_entity_that_is_in_several_namespaces_is_told_with_a_warning(matter: Memory) -> None:
    put(matter, "MAT-1000", namespace="south", escrowPct=20)
    told = matter.explain("MAT-1000", schema=MATTER, where="escrowPct >= 10")
    assert (told.namespace, told.matched) == ("default", False)
    assert told.warnings == [
        "this is MAT-1000 of namespace 'default'; there is one in 'south', too"
    ]
    alone = matter.explain("MAT-1000", schema=MATTER, where="escrowPct >= 10", namespace="south")
    assert (alone.namespace, alone.matched, alone.warnings) == ("south", True, None)


def test_an_id_that_is_not_there_is_an_error_with_the_nearest(matter: Memory) -> None:
    with pytest.raises(NotFound, match=r"has the id 'MAT-1001'; did you mean 'MAT-1000'\?"):
        matter.explain("MAT-1001", schema=MATTER)
