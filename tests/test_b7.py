"""B-7: to enumerate a firm's matters is exact at any size; one wrong id is a failure."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from winnow.app import open_memory
from winnow.demo.firm import Matter, Question, matters, questions
from winnow.demo.notes import contested_notes, firm_notes, write_firm, write_notes
from winnow.memory import Memory
from winnow.records import Confidence
from winnow.values import Json
from winnow.wire import encode

MATTER = "legal.Matter"
FIVE = ["MAT-2388", "MAT-2401", "MAT-2415", "MAT-2450", "MAT-2462"]
CRITERIA: dict[str, object] = {"escrowPct": {"gte": 10}, "nonCompeteMonths": {"gt": 18}}
SIZES = (12, 120, 250, 2_000)

Firm = Callable[[int], Memory]


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firm]:
    """Opens the store of a firm of any size, written and indexed when first asked for."""
    opened: dict[int, Memory] = {}

    def open_firm(count: int) -> Memory:
        if count not in opened:
            folder = tmp_path_factory.mktemp(f"firm-{count}")
            notes = write_firm(folder / "vault", count)
            opened[count] = open_memory(folder / "winnow.db")
            assert opened[count].admin.index(str(folder / "vault")).notes == notes
        return opened[count]

    yield open_firm
    for memory in opened.values():
        memory.close()


@pytest.fixture
def indexed(tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    """Writes notes, indexes them and opens their store."""
    opened: list[Memory] = []

    def index(*notes: tuple[str, str]) -> Memory:
        write_notes(tmp_path / "vault", notes)
        memory = open_memory(tmp_path / "winnow.db")
        opened.append(memory)
        memory.admin.index(str(tmp_path / "vault"))
        return memory

    yield index
    for memory in opened:
        memory.close()


def test_the_generated_firm_has_the_figures_it_was_given() -> None:
    def escrow(matter: Matter) -> bool:
        return matter.escrow_pct is not None and matter.escrow_pct >= 10

    def months(matter: Matter, least: int) -> bool:
        return matter.non_compete_months is not None and matter.non_compete_months >= least

    firm = list(matters(120))
    assert sum(map(escrow, firm)) == 70
    assert sum(months(one, 19) for one in firm) == 47
    assert sum(one.escrow_pct is None for one in firm) == 8
    assert sum(one.non_compete_months is None for one in firm) == 4
    assert sum(escrow(one) and months(one, 18) for one in firm) == 39
    assert [one.id for one in firm if escrow(one) and months(one, 19)] == FIVE


@pytest.mark.parametrize("count", SIZES)
def test_b_7_1_is_exactly_the_five_at_any_size(firm: Firm, count: int) -> None:
    answer = firm(count).recall("escrow and non-compete", schema=MATTER, filters=CRITERIA)
    assert list(answer.entity_ids) == FIVE
    assert [hit.entity_id for hit in answer.entities] == FIVE
    assert (answer.scanned_entities, answer.filtered_entities) == (count, 5)
    assert not answer.truncated


@pytest.mark.parametrize("count", SIZES)
def test_b_7_1_tells_of_every_hit_where_its_values_stand(firm: Firm, count: int) -> None:
    told = {matter.id: matter for matter in matters(count)}
    for hit in firm(count).recall(schema=MATTER, filters=CRITERIA).entities:
        matter = told[hit.entity_id]
        quotes = {name: source.quote for name, source in hit.evidence.items()}
        assert quotes == {
            "escrowPct": f"CLAWQL_ESCROW_PCT={matter.escrow_pct}",
            "nonCompeteMonths": f"CLAWQL_NONCOMPETE_MONTHS={matter.non_compete_months}",
        }
        assert {source.path for source in hit.evidence.values()} == {hit.path}


def test_a_matter_without_an_escrow_is_undetermined_and_no_near_miss(firm: Firm) -> None:
    answer = firm(12).recall(schema=MATTER, filters=CRITERIA, near_misses=20)
    assert answer.undetermined.count == 1
    (one,) = answer.undetermined.sample
    assert (one.entity_id, one.matched) == ("MAT-2444", False)
    assert [(part.field, part.reason) for part in one.fields] == [("escrowPct", "missing")]
    near = {miss.entity_id: (miss.field, miss.actual, miss.by) for miss in answer.near_misses or ()}
    assert near == {
        "MAT-2390": ("escrowPct", 9, 1),
        "MAT-2405": ("nonCompeteMonths", 18, 0),
        "MAT-2410": ("nonCompeteMonths", 18, 0),
        "MAT-2420": ("nonCompeteMonths", 12, 6),
        "MAT-2433": ("escrowPct", 5, 5),
        "MAT-2470": ("nonCompeteMonths", 6, 12),
    }


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ("escrowPct >= 10", 70),
        ("nonCompeteMonths > 18", 47),
        ("escrowPct is null", 8),
        ("nonCompeteMonths is null", 4),
        ("escrowPct >= 10 and nonCompeteMonths >= 18", 39),
    ],
)
def test_counts_at_120_matters(firm: Firm, where: str, count: int) -> None:
    assert firm(120).count(schema=MATTER, where=where).count == count


def test_at_12_matters_each_criterion_alone_finds_more(firm: Firm) -> None:
    assert firm(12).count(schema=MATTER, where="escrowPct >= 10").count == 9
    assert firm(12).count(schema=MATTER, where="nonCompeteMonths > 18").count == 8


# --- B-7.3: the questions that follow ------------------------------------------------------------


def short_answer(memory: Memory, question: Question) -> Json:
    """Make the one call of a question, and take from its answer what was asked for."""
    operation = getattr(memory, question.operation)
    answer = cast(dict[str, Any], encode(operation(schema=MATTER, **question.arguments)))
    if question.operation == "count":
        return answer["count"]
    if question.operation == "aggregate":
        return sorted(group["key"] for group in answer["groups"])
    if isinstance(question.answer, list):
        return answer["entityIds"]
    hit = answer["hits"][0]
    return {"id": hit["entityId"], "nonCompeteMonths": hit["fields"]["nonCompeteMonths"]}


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("question", questions(), ids=lambda question: question.ask)
def test_b_7_3_each_question_is_answered_by_one_call(
    firm: Firm, question: Question, count: int
) -> None:
    assert short_answer(firm(count), question) == question.answer


def test_a_filter_reaches_the_client_of_a_matter(firm: Firm) -> None:
    where = "escrowPct >= 10 and nonCompeteMonths > 18 and client.tier in (Gold, Platinum)"
    answer = firm(2_000).recall(schema=MATTER, where=where)
    assert list(answer.entity_ids) == ["MAT-2388", "MAT-2401", "MAT-2415", "MAT-2462"]


# --- B-7.2: notes that contradict each other -----------------------------------------------------


def test_b_7_2_four_notes_of_one_id_are_one_entity_with_all_values_shown(
    indexed: Callable[..., Memory],
) -> None:
    memory = indexed(*contested_notes())
    answer = memory.recall(schema=MATTER, where='id = "MAT-2801"', confidence_minimum="AMBIGUOUS")
    (hit,) = answer.entities
    assert list(hit.paths) == [
        "Memory/MAT-2801-meridian-platform-sale.md",
        "Memory/MAT-2801-option-a.md",
        "Memory/MAT-2801-option-b.md",
        "Memory/MAT-2801-option-c.md",
    ]
    assert hit.field_confidence is not None
    assert hit.field_confidence["dealValueUSD"] is Confidence.AMBIGUOUS
    shown = {
        (one.value, one.evidence.path)
        for one in (hit.conflicts or {})["dealValueUSD"]
        if one.evidence and one.confidence is Confidence.EXTRACTED
    }
    assert shown == {
        (48_000_000, "Memory/MAT-2801-option-a.md"),
        (56_500_000, "Memory/MAT-2801-option-b.md"),
        (52_000_000, "Memory/MAT-2801-option-c.md"),
    }


def test_b_7_2_the_prior_matters_of_the_client_are_one_call_away(
    indexed: Callable[..., Memory],
) -> None:
    memory = indexed(*contested_notes())
    where = 'client.name = "Meridian Capital" and status = Closed'
    answer = memory.recall(schema=MATTER, where=where, order_by="openedDate")
    assert list(answer.entity_ids) == ["MAT-2244", "MAT-2720", "MAT-2312"]


def test_two_notes_of_one_id_with_different_escrow_are_ambiguous_and_both_shown(
    indexed: Callable[..., Memory],
) -> None:
    notes = [
        ("a.md", "# Matter MAT-3000\n\nCLAWQL_ESCROW_PCT=12\nCLAWQL_NONCOMPETE_MONTHS=24\n"),
        ("b.md", "# Matter MAT-3000\n\nCLAWQL_ESCROW_PCT=8\n"),
    ]
    memory = indexed(*notes)
    answer = memory.recall(schema=MATTER, filters=CRITERIA)
    assert not answer.entities
    (one,) = answer.undetermined.sample
    assert [(part.field, part.reason) for part in one.fields] == [("escrowPct", "conflict")]
    (hit,) = memory.recall(schema=MATTER, filters=CRITERIA, confidence_minimum="AMBIGUOUS").entities
    assert hit.confidence is Confidence.AMBIGUOUS
    assert sorted(one.value for one in (hit.conflicts or {})["escrowPct"]) == [8, 12]


# --- prose only ----------------------------------------------------------------------------------


def test_prose_alone_gives_the_five_when_inferred_and_nothing_when_extracted(
    indexed: Callable[..., Memory],
) -> None:
    memory = indexed(*firm_notes(key_lines=False))
    inferred = memory.recall(schema=MATTER, filters=CRITERIA, confidence_minimum="INFERRED")
    assert list(inferred.entity_ids) == FIVE
    assert [one.entity_id for one in inferred.undetermined.sample] == ["MAT-2444"]
    assert {hit.extraction_method for hit in inferred.entities} == {"pattern"}
    extracted = memory.recall(schema=MATTER, filters=CRITERIA)
    assert (extracted.scanned_entities, extracted.filtered_entities) == (12, 0)
    assert extracted.undetermined.count == 12


def test_prose_alone_gives_the_five_among_120(indexed: Callable[..., Memory]) -> None:
    memory = indexed(*firm_notes(120, key_lines=False))
    answer = memory.recall(schema=MATTER, filters=CRITERIA, confidence_minimum="INFERRED")
    assert list(answer.entity_ids) == FIVE


def test_the_same_question_gives_the_same_bytes(firm: Firm) -> None:
    asked = [firm(120).recall(schema=MATTER, filters=CRITERIA, near_misses=9) for _ in range(2)]
    first, second = (json.dumps(encode(answer)) for answer in asked)
    assert first == second
