"""The legal pack is the one that is promised: its fields, types, values, keys and ways back."""

import re

import pytest

from winnow.packs import builtin_packs, load_pack
from winnow.schema import Pack, Schema

LEGAL = next(pack for pack in builtin_packs() if pack.name == "legal")

FIELDS = {
    "Matter": """
        title string, status enum, practiceArea enum, matterType enum, jurisdiction string,
        dealValueUSD integer, escrowPct number, escrowDurationMonths integer,
        nonCompeteMonths integer, nonCompeteGeography string, client ref, clientName string,
        counterparty string, billingPartner ref, leadAssociate ref, supervisionPartner ref,
        openedDate date, closedDate date, expectedCloseDate date, billingType enum,
        totalBilledUSD integer, totalHours number, dealType string, relatedMatters list of ref
    """,
    "Client": "name string, shortName string, industry string, jurisdiction string, tier enum",
    "Attorney": """
        name string, title enum, practiceAreas list of string, barAdmissions list of string,
        email string
    """,
    "Document": """
        title string, documentType enum, matter ref, author ref, draftVersion string,
        status enum, createdDate date, executedDate date, relatedDocuments list of ref,
        supersedes ref
    """,
}
CHOICES = {
    "Matter.status": "Active Closed Pending OnHold",
    "Matter.practiceArea": "MA IP Litigation RealEstate Employment Corporate Tax Other",
    "Matter.matterType": (
        "Acquisition Merger Divestiture JointVenture AssetSale StockSale IPLicense Dispute"
        " Advisory Other"
    ),
    "Matter.billingType": "Hourly Contingency Flat Retainer",
    "Client.tier": "Platinum Gold Silver Standard",
    "Attorney.title": "Partner SeniorAssociate Associate Counsel",
    "Document.documentType": "Agreement Memo Brief Filing DueDiligence Correspondence Other",
    "Document.status": "Draft UnderReview Executed Filed",
}
REVERSES = {
    "Client": {"matters": "Matter.client"},
    "Matter": {"documents": "Document.matter"},
    "Attorney": {
        "billedMatters": "Matter.billingPartner",
        "ledMatters": "Matter.leadAssociate",
        "supervisedMatters": "Matter.supervisionPartner",
        "authoredDocuments": "Document.author",
    },
    "Document": {"supersededBy": "Document.supersedes"},
}
KEYS = {
    "MATTER_ID": "Matter.id Document.matter",
    "TITLE": "Matter.title Attorney.title Document.title",
    "CLIENT": "Matter.client Matter.clientName",
    "CLIENT_ID": "Matter.client Client.id",
    "CLIENT_NAME": "Matter.clientName Client.name",
    "ESCROW_PCT": "Matter.escrowPct",
    "ESCROW_DURATION_MONTHS": "Matter.escrowDurationMonths",
    "NONCOMPETE_MONTHS": "Matter.nonCompeteMonths",
    "NON_COMPETE_MONTHS": "Matter.nonCompeteMonths",
    "NC_GEOGRAPHY": "Matter.nonCompeteGeography",
    "DEAL_TYPE": "Matter.dealType",
    "DEAL_VALUE_USD": "Matter.dealValueUSD",
    "STATUS": "Matter.status Document.status",
    "PRACTICE_AREA": "Matter.practiceArea Attorney.practiceAreas",
    "MATTER_TYPE": "Matter.matterType",
    "ATTORNEY_ID": "Attorney.id",
    "DOCUMENT_ID": "Document.id",
}


def schema(label: str) -> Schema:
    return LEGAL.schemas[f"legal.{label}"]


@pytest.mark.parametrize("label", FIELDS)
def test_a_schema_has_its_fields_and_no_others(label: str) -> None:
    wanted = re.split(r",\s*", " ".join(FIELDS[label].split()))
    fields = schema(label).fields.values()
    assert [f"{one.name} {'list of ' * one.is_list}{one.type}" for one in fields] == wanted


@pytest.mark.parametrize("name", CHOICES)
def test_an_enum_has_its_values(name: str) -> None:
    label, field = name.split(".")
    assert schema(label).fields[field].choices == tuple(CHOICES[name].split())


@pytest.mark.parametrize("label", REVERSES)
def test_references_have_their_ways_back(label: str) -> None:
    reverses = schema(label).reverses.values()
    assert {
        one.name: f"{LEGAL.schemas[one.source].label}.{one.via}" for one in reverses
    } == REVERSES[label]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_line_means_its_fields(key: str) -> None:
    meanings = {f"{LEGAL.schemas[name].label}.{field}" for name, field in LEGAL.keys[key]}
    assert meanings == set(KEYS[key].split())


@pytest.mark.parametrize(
    ("label", "right", "wrong"),
    [
        ("Matter", "MAT-2388 MAT-10000", "MAT-238 MAT2388 XMAT-2388 MAT-2388-A"),
        ("Client", "CLT-0042", "CLT-42 MAT-0042"),
        ("Attorney", "ATY-0007", "ATY-7"),
        ("Document", "DOC-0310", "DOC-310"),
    ],
)
def test_ids_have_their_form(label: str, right: str, wrong: str) -> None:
    rule = schema(label).id
    assert [rule.fit(one) for one in right.split()] == right.split()
    assert not any(rule.fit(one) for one in wrong.split())


def test_the_precedence_is_that_of_the_firm() -> None:
    assert LEGAL.precedence == (
        "legal.Document",
        "legal.Attorney",
        "legal.Client",
        "legal.Matter",
    )


def test_numbers_say_their_unit_and_range() -> None:
    fields = schema("Matter").fields
    assert (fields["escrowPct"].unit, fields["escrowPct"].minimum, fields["escrowPct"].maximum) == (
        "percent",
        0,
        100,
    )
    assert {name: one.unit for name, one in fields.items() if one.unit} == {
        "dealValueUSD": "USD",
        "escrowPct": "percent",
        "escrowDurationMonths": "months",
        "nonCompeteMonths": "months",
        "totalBilledUSD": "USD",
        "totalHours": "hours",
    }


def test_everything_is_described_for_those_who_write_filters() -> None:
    for one in LEGAL.schemas.values():
        assert one.description
        assert all(field.description for field in one.fields.values())
        assert all(reverse.description for reverse in one.reverses.values() if reverse.source)


@pytest.mark.parametrize("pack", builtin_packs(), ids=lambda pack: pack.name)
def test_expressions_that_ship_are_tried_here_and_not_at_each_start(pack: Pack) -> None:
    assert load_pack(pack.text, pack.source) == pack


def test_the_packs_are_read_once() -> None:
    assert builtin_packs() is builtin_packs()
