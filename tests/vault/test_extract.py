"""From notes to entities: whose note it is, what it says for machines, and what is reported."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.packs import builtin_packs, load_pack
from winnow.records import Confidence, Evidence, Finding, Method
from winnow.schema import Pack
from winnow.values import Value
from winnow.vault.extract import (
    LONGEST_PROSE,
    MOST_PLACES,
    Declaration,
    Extraction,
    extract,
)
from winnow.vault.markdown import read_note

LEGAL = builtin_packs()
KEYS = "CLAWQL_MATTER_ID=MAT-2401\n"


def read(text: str, path: str = "a.md", packs: Sequence[Pack] = LEGAL) -> Extraction:
    return extract(read_note(text), path, packs)


def only(text: str, path: str = "a.md", packs: Sequence[Pack] = LEGAL) -> Declaration:
    (declared,) = read(text, path, packs).declarations
    return declared


def names(text: str, path: str = "a.md") -> list[tuple[str, str]]:
    return [(one.schema, one.entity) for one in read(text, path).declarations]


def values(declared: Declaration) -> dict[str, list[Value]]:
    return {name: [one.value for one in found] for name, found in declared.fields.items()}


def findings(text: str) -> list[tuple[str, int | None, str | None, str | None]]:
    return [(one.code, one.line, one.entity, one.field) for one in read(text).findings]


# --- whose note --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("---\nmatterId: MAT-2401\n---\n", "a.md"),
        ("---\nMatter ID: mat-2401\n---\n", "a.md"),
        ("---\nid: MAT-2401\n---\n", "a.md"),
        ("---\nid: '[[MAT-2401 Carve-out|it]]'\n---\n", "a.md"),
        ("matter_id:: MAT-2401\n", "a.md"),
        ("Some [matterId:: MAT-2401] words.\n", "a.md"),
        ("CLAWQL_MATTER_ID=MAT-2401\n", "a.md"),
        ("```\nCLAWQL_MATTER_ID = MAT-2401\n```\n", "a.md"),
        ('- export CLAWQL_MATTER_ID="MAT-2401"\n', "a.md"),
        ("Words.\n", "Memory/MAT-2401-carve-out.md"),
        ("Words.\n", "deals/2026 mat-2401_notes.md"),
        ("---\ntitle: Carve-out (MAT-2401)\n---\n", "a.md"),
        ("## Calderwood — Matter MAT-2401\n", "a.md"),
        ("The file of matter MAT-2401 is closed.\n", "a.md"),
    ],
)
def test_a_note_declares_an_entity_in_each_of_these_ways(text: str, path: str) -> None:
    assert names(text, path) == [("legal.Matter", "MAT-2401")]


@pytest.mark.parametrize(
    "text",
    [
        "Words.\n",
        "See MAT-2401.\n",
        "# MAT-2401 and MAT-2402 compared\n",
        "# INFORMAT-2401\n",
        "# MAT-240\n",
        "related:: MAT-2401\n",
        "---\nmatter: MAT-2401\n---\n",
        "`matter MAT-2401`\n".replace("`", "```\n", 1).replace("`\n", "\n```\n"),
        "",
    ],
)
def test_an_id_that_is_only_named_declares_nothing(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("keys", "winner"),
    [
        ("DOCUMENT_ID=DOC-0001 MATTER_ID=MAT-2401 CLIENT_ID=CLT-0042", "legal.Document"),
        ("MATTER_ID=MAT-2401 CLIENT_ID=CLT-0042", "legal.Matter"),
        ("CLIENT_ID=CLT-0042 MATTER_ID=MAT-2401", "legal.Matter"),
        ("ATTORNEY_ID=ATY-0007 CLIENT_ID=CLT-0042", "legal.Attorney"),
        ("ATTORNEY_ID=ATY-0007 DOCUMENT_ID=DOC-0001", "legal.Document"),
        ("CLIENT_ID=CLT-0042", "legal.Client"),
    ],
)
def test_the_precedence_decides_unless_one_id_is_a_value_of_the_other(
    keys: str, winner: str
) -> None:
    text = "".join(f"CLAWQL_{key}\n" for key in keys.split())
    assert [schema for schema, _ in names(text)] == [winner]


def test_a_clients_id_is_a_value_in_a_matters_note_and_the_id_in_its_own() -> None:
    assert values(only(f"{KEYS}CLAWQL_CLIENT_ID=CLT-0042\n")) == {"client": ["CLT-0042"]}
    client = only("CLAWQL_CLIENT_ID=CLT-0042\nCLAWQL_CLIENT_NAME=Acme\n")
    assert (client.entity, values(client)) == ("CLT-0042", {"name": ["Acme"]})


def test_a_file_named_for_a_client_is_the_clients_note() -> None:
    text = f"{KEYS}CLAWQL_CLIENT_ID=CLT-0042\n"
    assert names(text, "Clients/CLT-0042.md") == [("legal.Client", "CLT-0042")]


def test_a_key_wins_over_the_name_of_the_file() -> None:
    assert names(KEYS, "MAT-9999 copy.md") == [("legal.Matter", "MAT-2401")]


def test_an_entity_that_only_prose_declares_has_inferred_values_at_most() -> None:
    text = "On matter MAT-2401.\n\nstatus:: Active\nCLAWQL_ESCROW_PCT=12\nEscrow: 12%\n"
    declared = only(text)
    found = [one for candidates in declared.fields.values() for one in candidates]
    assert {one.confidence for one in found} == {Confidence.INFERRED}
    assert {one.method for one in found} == {Method.MACHINE_READABLE, Method.PATTERN}


def test_several_mentioned_entities_have_the_paragraphs_that_name_only_them() -> None:
    text = (
        "Matter MAT-1001 has an escrow of 12%.\n\n"
        "- Matter MAT-1002: escrow of 9%\n- A non-compete of 24 months.\n\n"
        "MAT-1001 is larger than MAT-1002. Escrow of 3%.\n"
    )
    one, two = read(text).declarations
    assert (one.entity, values(one)) == ("MAT-1001", {"escrowPct": [12]})
    assert (two.entity, values(two)) == ("MAT-1002", {"escrowPct": [9]})


# --- several entities in one note --------------------------------------------------------------


def test_each_id_begins_a_block_at_its_key_line() -> None:
    text = (
        "Escrow of 1%.\nCLAWQL_ESCROW_PCT=1\n\n"
        "CLAWQL_MATTER_ID=MAT-1001\nCLAWQL_ESCROW_PCT=12\nNon-compete: 24 months\n\n"
        "CLAWQL_MATTER_ID=MAT-1002\nCLAWQL_ESCROW_PCT=9\nNon-compete: 36 months\n"
    )
    one, two = read(text).declarations
    assert values(one) == {"escrowPct": [12], "nonCompeteMonths": [24]}
    assert values(two) == {"escrowPct": [9], "nonCompeteMonths": [36]}


def test_with_one_id_all_of_the_note_belongs_to_it() -> None:
    assert values(only(f"Escrow of 1%.\nCLAWQL_ESCROW_PCT=1\n\n{KEYS}")) == {"escrowPct": [1, 1]}


def test_a_block_begins_at_the_heading_above_that_names_its_id() -> None:
    text = (
        "## MAT-1001\nEscrow of 12%.\nCLAWQL_MATTER_ID=MAT-1001\n\n"
        "## MAT-1002\nEscrow of 9%.\nCLAWQL_MATTER_ID=MAT-1002\nNon-compete: 24 months\n\n"
        "## Aside\nEscrow of 3%.\n"
    )
    one, two = read(text).declarations
    assert values(one) == {"escrowPct": [12]}
    assert values(two) == {"escrowPct": [9], "nonCompeteMonths": [24]}


def test_an_id_that_comes_again_goes_on_with_its_entity() -> None:
    text = (
        "CLAWQL_MATTER_ID=MAT-1001\nCLAWQL_ESCROW_PCT=1\n"
        "CLAWQL_MATTER_ID=MAT-1002\nCLAWQL_ESCROW_PCT=2\n"
        "CLAWQL_MATTER_ID=MAT-1001\nCLAWQL_ESCROW_PCT=3\n"
    )
    one, two = read(text).declarations
    assert values(one) == {"escrowPct": [1, 3]}
    assert values(two) == {"escrowPct": [2]}


def test_fields_that_stand_with_two_ids_belong_to_none() -> None:
    found = read("---\nmatterId: [MAT-1001, MAT-1002]\nescrowPct: 3\n---\nEscrow: 4%\n")
    assert [(one.entity, dict(one.fields)) for one in found.declarations] == [
        ("MAT-1001", {}),
        ("MAT-1002", {}),
    ]
    assert [one.code for one in found.findings] == ["note_problem"]


# --- what a note says for machines ---------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "dealValueUSD:: 45000000",
        "deal_value_usd:: 45,000,000",
        "Deal Value USD:: $45,000,000",
        "deal-value-usd:: 45000000 USD",
        "[DEALVALUEUSD:: 45000000]",
        "dealValue:: 45000000",
        "CLAWQL_DEAL_VALUE_USD=45000000",
        "CLAWQL_DEAL_VALUE_USD = $45000000",
    ],
)
def test_a_field_goes_by_its_name_in_any_spelling(line: str) -> None:
    (found,) = only(KEYS + line + "\n").fields["dealValueUSD"]
    assert (found.value, found.confidence, found.method) == (
        45_000_000,
        Confidence.EXTRACTED,
        Method.MACHINE_READABLE,
    )
    assert found.evidence == Evidence("a.md", 2, line)


@pytest.mark.parametrize(
    ("key", "value", "field", "read_as"),
    [
        ("ESCROW_PCT", "12.5 %", "escrowPct", 12.5),
        ("NONCOMPETE_MONTHS", "24 months", "nonCompeteMonths", 24),
        ("NON_COMPETE_MONTHS", "24", "nonCompeteMonths", 24),
        ("NC_GEOGRAPHY", "United States", "nonCompeteGeography", "United States"),
        ("ESCROW_DURATION_MONTHS", "18", "escrowDurationMonths", 18),
        ("STATUS", "on hold", "status", "OnHold"),
        ("PRACTICE_AREA", "M&A", "practiceArea", "MA"),
        ("MATTER_TYPE", "Joint Venture", "matterType", "JointVenture"),
        ("CLIENT", "Northwind Holdings", "clientName", "Northwind Holdings"),
        ("CLIENT", "CLT-0042", "client", "CLT-0042"),
        ("CLIENT_NAME", "Northwind", "clientName", "Northwind"),
        ("CLIENT_ID", "[[CLT-0042|Acme]]", "client", "CLT-0042"),
        ("CLIENT_ID", "[[Clients/CLT-0042 Acme Corp]]", "client", "CLT-0042"),
        ("CLIENT_ID", "[[Acme Corp|CLT-0042]]", "client", "CLT-0042"),
        ("CLIENT_ID", "[Acme](Clients/CLT-0042%20Acme.md)", "client", "CLT-0042"),
        ("OPENED_DATE", "2026-03-05", "openedDate", "2026-03-05"),
        ("DEAL_TYPE", "pe-software", "dealType", "pe-software"),
        ("RELATED_MATTERS", "MAT-1001, [[MAT-1002]]", "relatedMatters", ("MAT-1001", "MAT-1002")),
        ("TITLE", '"Carve-out"', "title", "Carve-out"),
    ],
)
def test_a_key_line_is_read_as_the_type_of_its_field(
    key: str, value: str, field: str, read_as: Value
) -> None:
    assert values(only(f"{KEYS}CLAWQL_{key}={value}\n")) == {field: [read_as]}


def test_texts_keep_their_spelling_and_numbers_are_numbers() -> None:
    """F47: a title may be a number, nothing, or a list, and nothing breaks."""
    declared = only("---\nid: MAT-2401\ntitle: 1.10\ndealType: 007\nescrowPct: 1.10\n---\n")
    assert values(declared) == {"title": ["1.10"], "dealType": ["007"], "escrowPct": [1.1]}
    assert only("---\nid: MAT-2401\ntitle: null\n---\n").fields == {}
    assert findings("---\nid: MAT-2401\ntitle: [a, b]\n---\n")[-1] == (
        "unreadable_value",
        3,
        "MAT-2401",
        "title",
    )


def test_a_list_field_joins_what_dataview_would_join() -> None:
    text = (
        "---\nattorneyId: ATY-0007\npracticeAreas: [Tax, IP]\n---\n"
        "practiceAreas:: IP, MA\nbarAdmissions:: New York\nbarAdmissions:: Texas\n"
    )
    assert values(only(text)) == {
        "practiceAreas": [("Tax", "IP", "MA")],
        "barAdmissions": [("New York", "Texas")],
    }


def test_a_key_that_comes_twice_keeps_both_values() -> None:
    text = f"{KEYS}CLAWQL_ESCROW_PCT=12\nCLAWQL_ESCROW_PCT=15\nescrow:: 12\n"
    assert values(only(text)) == {"escrowPct": [12, 15, 12]}
    assert findings(text) == [("conflict", 3, "MAT-2401", "escrowPct")]


def test_prose_that_differs_from_the_keys_is_a_disagreement() -> None:
    text = f"{KEYS}CLAWQL_ESCROW_PCT=12\n\nEscrow of 15%.\n"
    assert values(only(text)) == {"escrowPct": [12, 15]}
    (finding,) = read(text).findings
    assert (finding.code, finding.line, finding.field) == ("disagreement", 4, "escrowPct")
    assert finding.detail == "escrowPct is 12 (line 2), but prose says 15 (line 4)"


def test_values_that_agree_are_all_kept_without_a_finding() -> None:
    found = read(f"{KEYS}CLAWQL_ESCROW_PCT=12.0\n\nEscrow: 12%\n")
    assert values(found.declarations[0]) == {"escrowPct": [12, 12]}
    assert found.findings == ()


# --- what is reported ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("CLAWQL_NONCOMPETE_MONTHS=18.9", "nonCompeteMonths"),
        ("CLAWQL_ESCROW_PCT=twelve", "escrowPct"),
        ("CLAWQL_ESCROW_PCT=120", "escrowPct"),
        ("CLAWQL_ESCROW_PCT=TBD", "escrowPct"),
        ("CLAWQL_STATUS=Opne", "status"),
        ("CLAWQL_OPENED_DATE=2026-02-30", "openedDate"),
        ("CLAWQL_CLIENT_ID=Acme", "client"),
        ("CLAWQL_CLIENT=CLT-42", "client"),
        ("CLAWQL_CLIENT_ID=CLT-0042 Acme", "client"),
        ("CLAWQL_RELATED_MATTERS=MAT-1001, Northwind", "relatedMatters"),
        ("status:: (see below)", "status"),
    ],
)
def test_what_cannot_be_read_is_a_finding_and_no_value(line: str, field: str) -> None:
    """F78: an impossible date is reported, and the rest of the note is read."""
    text = f"{KEYS}{line}\nCLAWQL_TITLE=Carve-out\n"
    assert values(only(text)) == {"title": ["Carve-out"]}
    (finding,) = read(text).findings
    assert (finding.code, finding.path, finding.line) == ("unreadable_value", "a.md", 2)
    assert (finding.entity, finding.field) == ("MAT-2401", field)
    assert line.split("=")[0].split("::")[0] in finding.detail


def test_a_list_with_one_unreadable_item_is_reported_whole() -> None:
    """A list with a hole in it would answer `none` and `all` wrongly."""
    text = f"{KEYS}relatedMatters:: MAT-1001\nrelatedMatters:: Northwind\n"
    assert findings(text) == [("unreadable_value", 3, "MAT-2401", "relatedMatters")]
    assert values(only(text)) == {}


def test_an_id_of_the_wrong_form_is_reported() -> None:
    assert findings("CLAWQL_MATTER_ID=MAT-12\nCLAWQL_ESCROW_PCT=12\n") == [
        ("unreadable_value", 1, None, "id")
    ]
    assert findings("---\nid: 202603051430\n---\n") == []


def test_a_key_line_that_means_nothing_is_reported_with_the_nearest() -> None:
    (finding,) = read(f"{KEYS}CLAWQL_ESCROW_PTC=12\n").findings
    assert (finding.code, finding.line) == ("unknown_key", 2)
    assert finding.detail == "unknown key CLAWQL_ESCROW_PTC; did you mean CLAWQL_ESCROW_PCT?"


def test_what_is_wrong_with_the_note_is_reported_and_the_rest_is_read() -> None:
    found = read(f"---\na: [\n---\n{KEYS}CLAWQL_ESCROW_PCT=12\n")
    assert [(one.code, one.line) for one in found.findings] == [("note_problem", 2)]
    assert values(found.declarations[0]) == {"escrowPct": [12]}


def test_prose_without_end_is_searched_up_to_a_limit_that_is_reported() -> None:
    filler = "Words of no use.\n\n" * (LONGEST_PROSE // 16 + 10)
    found = read(f"Escrow: 12%\n\n{filler}Non-compete: 24 months\n{KEYS}CLAWQL_STATUS=Active\n")
    assert values(found.declarations[0]) == {"escrowPct": [12], "status": ["Active"]}
    assert [one.code for one in found.findings] == ["note_problem"]


def test_a_value_that_stands_everywhere_keeps_its_first_places() -> None:
    kept = only(KEYS + "CLAWQL_ESCROW_PCT=12\n" * 50 + "CLAWQL_ESCROW_PCT=9\n").fields["escrowPct"]
    assert [one.value for one in kept] == [12] * MOST_PLACES + [9]


# --- entities named by their note ----------------------------------------------------------------

SHELF = """\
pack: shelf
schemas:
  Book:
    id: filename
    declare: [{folder: books}, {tag: type/book, field: status}]
    fields: {author: {type: ref, to: Person, reverse: books}, pages: integer}
  Person:
    id: title
    declare: {field: type, is: Person}
    fields: {born: date}
  Film:
    id: field imdb
    declare: {tag: film}
    fields: {year: integer}
"""


@pytest.mark.parametrize(
    ("text", "path", "entity"),
    [
        ("", "books/Dune.md", "Book Dune"),
        ("", "10 Data/Books/new/Dune.md", "Book Dune"),
        ("#type/book/paper\nstatus:: read\n", "Dune.md", "Book Dune"),
        (
            "---\ntype: [person, poet]\n---\n# Sappho of *Lesbos*\n",
            "x.md",
            "Person Sappho of *Lesbos*",
        ),
        ("---\ntype: Person\ntitle: Sappho\n---\n", "x.md", "Person Sappho"),
        ("---\ntype: Person\n---\n", "a/Sappho.md", "Person Sappho"),
        ("#Film\nimdb:: tt0087182\n", "x.md", "Film tt0087182"),
    ],
)
def test_a_note_that_meets_a_rule_is_such_an_entity(text: str, path: str, entity: str) -> None:
    declared = only(text, path, [load_pack(SHELF, "shelf.yaml")])
    assert f"{declared.schema.removeprefix('shelf.')} {declared.entity}" == entity


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", "mybooks/Dune.md"),
        ("", "books.md"),
        ("#type/book\n", "Dune.md"),
        ("status:: read\n", "Dune.md"),
        ("#type/bookish\nstatus:: x\n", "Dune.md"),
        ("---\ntype: personal\n---\n", "x.md"),
        ("Book and film and person.\n", "Dune.md"),
    ],
)
def test_a_note_that_meets_no_rule_is_none(text: str, path: str) -> None:
    assert read(text, path, [load_pack(SHELF, "shelf.yaml")]) == Extraction((), ())


def test_a_note_without_its_id_is_reported() -> None:
    found = read("#film\n", "x.md", [load_pack(SHELF, "shelf.yaml")])
    assert found.declarations == ()
    assert [(one.code, one.field) for one in found.findings] == [("note_problem", "id")]


def test_links_name_entities_by_their_notes() -> None:
    text = "---\nauthor: '[[people/Frank Herbert|Frank]]'\n---\npages:: 612\n"
    declared = only(text, "books/Dune.md", [load_pack(SHELF, "shelf.yaml")])
    assert values(declared) == {"author": ["Frank Herbert"], "pages": [612]}


def test_packs_do_not_disturb_each_other() -> None:
    packs = [*LEGAL, load_pack(SHELF, "shelf.yaml")]
    found = read(f"{KEYS}pages:: 3\n", "books/Contracts.md", packs)
    assert [one.entity for one in found.declarations] == ["MAT-2401", "Contracts"]


# --- properties ----------------------------------------------------------------------------------

LINES = (
    "CLAWQL_MATTER_ID=MAT-2401",
    "CLAWQL_TITLE=Carve-out",
    "CLAWQL_ESCROW_PCT=12",
    "CLAWQL_NONCOMPETE_MONTHS=24",
    "status:: Active",
    "- Deal value: $45M",
    "- A non-compete of eighteen months.",
    "Working capital was settled at 14% of sales.",
    "Three partners read the draft.",
    "> Quoted words.",
    "#tag",
)


@given(st.permutations(LINES))
def test_the_order_of_lines_changes_no_value(lines: list[str]) -> None:
    before, after = (only("\n\n".join(some) + "\n") for some in (LINES, lines))
    assert {name: set(found) for name, found in values(before).items()} == {
        name: set(found) for name, found in values(after).items()
    }


@given(st.permutations(LINES), st.booleans())
def test_every_quote_stands_on_its_line(lines: list[str], fenced: bool) -> None:
    text = "\r\n".join(["---", "id: MAT-2401", "escrow: 12", "---", *lines])
    if fenced:
        text = text.replace("CLAWQL_TITLE", "```\r\nCLAWQL_TITLE").replace(
            "Carve-out", "Carve-out\r\n```"
        )
    shown = text.split("\r\n")
    for candidates in only(text).fields.values():
        for one in candidates:
            assert one.evidence
            assert one.evidence.line
            assert one.evidence.quote
            assert one.evidence.quote in shown[one.evidence.line - 1]


SCRAPS = (
    *LINES,
    *("---", "matterId: MAT-1", "id: [MAT-2401, MAT-2402]", "# Matter MAT-2402", "```"),
    *("Matter MAT-2403", "CLAWQL_CLIENT_ID=CLT-0042", "CLAWQL_=", "CLAWQL_X=\ud800", "a:: [[b]]"),
)


@given(st.lists(st.sampled_from(SCRAPS) | st.text(max_size=12), max_size=14), st.randoms())
def test_any_note_is_read_without_an_error(lines: list[str], chance: random.Random) -> None:
    text = "".join(line + chance.choice(["\n", "\n\n", "\r\n", ""]) for line in lines)
    found = read(text, f"{chance.choice(['a', 'MAT-2401', 'x/CLT-0042 y'])}.md")
    shown = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for finding in found.findings:
        assert isinstance(finding, Finding)
        assert 1 <= (finding.line or 0) <= shown
    for declared in found.declarations:
        assert declared.entity
        for candidates in declared.fields.values():
            assert all(
                one.evidence and 1 <= (one.evidence.line or 0) <= shown for one in candidates
            )
