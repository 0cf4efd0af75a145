"""Sentences that state a value give it; sentences that only seem to give nothing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.packs import builtin_packs
from winnow.records import Confidence, Method
from winnow.values import Value
from winnow.vault.extract import extract
from winnow.vault.markdown import read_note
from winnow.vault.prose import split_passages

ESCROW, HELD, RIVAL, WORTH = "escrowPct", "escrowDurationMonths", "nonCompeteMonths", "dealValueUSD"
HEAD = "# Matter MAT-2388\n\n"

STATED: list[tuple[str, dict[str, Value]]] = [
    ("Escrow: 12% (24 months)", {ESCROW: 12, HELD: 24}),
    ("escrow holdback of twelve percent", {ESCROW: 12}),
    ("The buyer gets a 12 % escrow.", {ESCROW: 12}),
    (
        "12 percent of the price is held in escrow for eighteen months.",
        {ESCROW: 12, HELD: 18},
    ),
    ("A non-compete of eighteen months binds the founder.", {RIVAL: 18}),
    ("The seller signs a 24-month non-compete.", {RIVAL: 24}),
    ("Non-compete: 24 months", {RIVAL: 24}),
    ("There is a two-year non-compete.", {RIVAL: 24}),
    ("Deal value: $45M", {WORTH: 45_000_000}),
    ("The purchase price of $45 million is paid in cash.", {WORTH: 45_000_000}),
    ("- **Escrow:** 12.5 %", {ESCROW: 12.5}),
    ("- Escrow holdback: ten percent (10%)", {ESCROW: 10}),
    ("* *Escrow pct*: 12", {ESCROW: 12}),
    ("| Escrow | 12% |", {ESCROW: 12}),
    ("Escrow 12%, non-compete 24 months.", {ESCROW: 12, RIVAL: 24}),
    (
        "They agreed on an escrow of fifteen percent and a non-compete of thirty-six months.",
        {ESCROW: 15, RIVAL: 36},
    ),
    ("Fifteen percent of the purchase price was placed into escrow.", {ESCROW: 15}),
    ("An indemnity escrow of 10% is held for 18 months.", {ESCROW: 10, HELD: 18}),
    (
        "an escrow of twelve percent (12%) of the price, held for eighteen (18) months",
        {ESCROW: 12, HELD: 18},
    ),
    (
        "Escrow: twelve percent, eighteen months; non-compete: two years",
        {ESCROW: 12, HELD: 18, RIVAL: 24},
    ),
    ("The 18-month escrow covers indemnity claims.", {HELD: 18}),
    ("Escrow period: 18 months", {HELD: 18}),
    ("The escrow is released after 18 months.", {HELD: 18}),
    ("Non-compete of eighteen (18) months after closing.", {RIVAL: 18}),
    ("The founder agrees not to compete for two years.", {RIVAL: 24}),
    ("Covenant not to compete for a period of 30 months.", {RIVAL: 30}),
    ("A non-competition covenant that runs for 18 months.", {RIVAL: 18}),
    ("A 1.5 year non-compete applies.", {RIVAL: 18}),
    ("Non-compete term: two and a half years", {RIVAL: 30}),
    ("non‑compete of 12 months", {RIVAL: 12}),
    ("Escrow (12%) and non-compete (24 months) are settled.", {ESCROW: 12, RIVAL: 24}),
    ("The deal is valued at US$3.2bn.", {WORTH: 3_200_000_000}),
    ("Purchase price: $1,250,000", {WORTH: 1_250_000}),
    ("Acme acquires Northwind for $45 million.", {WORTH: 45_000_000}),
    ("Total consideration of forty-five million dollars.", {WORTH: 45_000_000}),
    ("A $12.5M acquisition in the software sector.", {WORTH: 12_500_000}),
    ("No earn-out, 12% escrow, 24-month non-compete.", {ESCROW: 12, RIVAL: 24}),
    ("There is no cap; the escrow is 9%.", {ESCROW: 9}),
    ("This matter carries no escrow. The non-compete runs for 24 months.", {RIVAL: 24}),
    ("The escrow\namounts to **twelve\npercent**.", {ESCROW: 12}),
    ("A holdback of 7.5% secures the indemnity.", {ESCROW: 7.5}),
    ("~~Escrow of 12%~~ Escrow of 9%", {ESCROW: 9}),
    ("- [x] Agree an escrow of 12%", {ESCROW: 12}),
    (
        "Buyer will retain 10% of the consideration in escrow for twelve months.",
        {ESCROW: 10, HELD: 12},
    ),
    (
        "Agreed: 10 % escrow (18 months), 24 months non-compete, $30M price.",
        {ESCROW: 10, HELD: 18, RIVAL: 24},
    ),
    (
        "Ten percent (10%) of the Purchase Price shall be put in an escrow account for a period of"
        " 24 months.",
        {ESCROW: 10, HELD: 24},
    ),
    (
        "The agreement provides for an escrow equal to 7.5% of the purchase price for 15 months.",
        {ESCROW: 7.5, HELD: 15},
    ),
    ("The Escrow Period shall be eighteen (18) months.", {HELD: 18}),
    ("Price $27.5M; escrow 10% for 12 months; no non-compete.", {ESCROW: 10, HELD: 12}),
    (
        "Sellers give a non-compete for 2 years and a non-solicit for 3 years.",
        {RIVAL: 24},
    ),
    ("Non-compete runs three years from closing for the two founders.", {RIVAL: 36}),
    ("24 months' non-compete", {RIVAL: 24}),
    ("Two-and-a-half-year non-compete", {RIVAL: 30}),
    (
        "After the 24-month non-compete, the 12-month escrow ends.",
        {RIVAL: 24, HELD: 12},
    ),
    ("A breakup fee of 3% and an escrow of 6% were agreed.", {ESCROW: 6}),
    ("The earn-out is 15%, the escrow 5%.", {ESCROW: 5}),
    ("Total billed USD: 120,000", {"totalBilledUSD": 120_000}),
    ("Total hours: 120.5 h", {"totalHours": 120.5}),
    ("Opened: 2026", {"openedDate": "2026"}),
    ("The matter was opened on March 5, 2026.", {"openedDate": "2026-03-05"}),
    ("The deal is expected to close in March 2026.", {"expectedCloseDate": "2026-03"}),
    ("- Status: Active", {"status": "Active"}),
    ("- **Practice area:** M&A", {"practiceArea": "MA"}),
    ("- Client: Northwind Holdings", {"clientName": "Northwind Holdings"}),
    ("- Client: [[CLT-0042 Acme|Acme]]", {"client": "CLT-0042"}),
]

NOT_STATED = [
    "There is no escrow and no non-compete.",
    "The deal closes without a 12% escrow.",
    "No 24-month non-compete was agreed.",
    "Neither a 10% escrow nor a non-compete of 24 months.",
    "The escrow of 12% is not agreed.",
    "Escrow of 12%, not agreed yet.",
    "The seller asked for a 10% escrow.",
    "The buyer proposed a non-compete of 36 months.",
    "Escrow of 10% was rejected.",
    "Typically an escrow of 10% is used.",
    "An original escrow of 15% was cut.",
    "In MAT-9999 the escrow was 9 percent.",
    "Unlike other deals with a 15% escrow, this one is clean.",
    "An escrow of 10 to 12 percent is common.",
    "An escrow of 10-12%.",
    "Escrow: 10–12%",
    "Between ten and twelve percent escrow.",
    "Escrow of ten or twelve percent.",
    "Escrow of up to 12%.",
    "Up to a 12% escrow.",
    "At least a 24-month non-compete.",
    "Escrow of 12% or more.",
    "Escrow of about 12%.",
    "More than 12% escrow.",
    "Half of the 12% escrow.",
    "Is the escrow 12 percent?",
    "If the deal fails, an escrow of 5% is lost.",
    "The escrow of 12% could rise.",
    "The seller might accept a two-year non-compete.",
    "- [ ] Agree an escrow of 12%",
    "The earn-out is 20% of the price over 24 months.",
    "The non-solicit runs for 24 months.",
    "The escrow ends when the 24-month earn-out ends.",
    "Escrow: none. Earn-out 20%.",
    "The escrow agent charges 2% a year.",
    "The tax escrow of 3% is separate.",
    "Indemnity cap 10%, escrow none, survival 24 months.",
    "A non-compete; survival of 24 months.",
    "Non-compete, 24-month non-solicit.",
    "A 90-day non-compete.",
    "12% of the employees signed a non-compete.",
    "The interest rate is 12% and the escrow is open.",
    "Escrow interest of 12%.",
    "The escrow is 50% released.",
    "Non-compete of two to three years.",
    "There is no non-compete, but a 24-month non-solicit.",
    "Purchase price of C$45 million.",
    "Purchase price between $40M and $45M.",
    "Purchase price of $45-50M.",
    "A purchase price adjustment of $1M.",
    "Legal fees of $450,000 for the acquisition.",
    "Escrow: 12% (as in MAT-9999)",
    "The price moved from $40M to $45M.",
    "Deal value: approximately $45M",
    "Deal value: TBD",
    "Escrow: 12% -> 10%",
    "Client wants the escrow below 12%.",
    "The escrow cannot exceed 12%.",
    "The escrow must be at least 12 percent.",
    "Non-compete (12 months for staff, 24 months for founders).",
    "Non-compete: 24 months (founders), 12 months (staff)",
    "non-compete of 24 months and 36 months respectively",
    "The escrow of 5% and 7% in two tranches",
    "Escrow: 5% + 7%",
    "During the twenty-four (24) month period after closing, no Seller shall compete.",
    "Practice area: Tax law, perhaps",
    "The founders' 36-month non-compete was cut to 24 months.",
    "Industry practice is an escrow of 10%.",
    "Buyer's first draft: escrow of 20%.",
    "Comparable: escrow of 20%.",
    "2021 deal: escrow of 20%, non-compete of 12 months.",
    "Escrow release: 50% after 9 months, the rest after 18 months.",
    "Revenue of $45M and EBITDA of $9M.",
    "Our fee is 1.5% of the deal value.",
    "Tax withholding of 12% applies to the escrow.",
    "Escrow interest accrues at 4%.",
    "The 24-month survival period matches the escrow.",
    "Status is open to debate: Active or Closed.",
    "- Client: Acme, Status: Active, Tier: Gold",
    "```\nEscrow: 12%\n```",
    "%% Escrow: 12% %%",
    "Closed: not yet",
]


def values(text: str, head: str = HEAD) -> dict[str, tuple[Value, ...]]:
    """The different values of each field in a note about MAT-2388."""
    (declared,) = extract(read_note(head + text + "\n"), "a.md", builtin_packs()).declarations
    assert declared.entity == "MAT-2388"
    for candidates in declared.fields.values():
        assert {(one.confidence, one.method) for one in candidates} == {
            (Confidence.INFERRED, Method.PATTERN)
        }
    return {
        name: tuple(dict.fromkeys(one.value for one in candidates))
        for name, candidates in declared.fields.items()
    }


@pytest.mark.parametrize(("text", "stated"), STATED)
def test_a_sentence_gives_what_it_states_and_no_more(text: str, stated: dict[str, Value]) -> None:
    assert values(text) == {name: (value,) for name, value in stated.items()}


@pytest.mark.parametrize("text", NOT_STATED)
def test_a_sentence_that_only_seems_to_state_a_value_gives_none(text: str) -> None:
    assert values(text) == {}


@given(st.sampled_from(STATED), st.sampled_from(NOT_STATED), st.booleans())
def test_a_paragraph_that_states_nothing_changes_nothing(
    stated: tuple[str, dict[str, Value]], other: str, first: bool
) -> None:
    text = f"{other}\n\n{stated[0]}" if first else f"{stated[0]}\n\n{other}"
    assert values(text) == {name: (value,) for name, value in stated[1].items()}


@given(st.lists(st.sampled_from(STATED), unique_by=lambda one: one[0], max_size=5))
def test_the_order_of_paragraphs_changes_no_value(said: list[tuple[str, dict[str, Value]]]) -> None:
    texts = [text for text, _ in said]
    forth, back = values("\n\n".join(texts)), values("\n\n".join(reversed(texts)))
    assert {name: set(found) for name, found in forth.items()} == {
        name: set(found) for name, found in back.items()
    }


@given(st.integers(1, 99), st.sampled_from(["*{}*", "**{}**", "_{}_", "`{}`", "__{}__", "{}"]))
def test_emphasis_changes_no_value(number: int, mark: str) -> None:
    share = mark.format(f"{number}%")
    assert values(f"An escrow of {share} is held.") == {ESCROW: (number,)}
    assert values(f"An {mark.format('escrow')} of {number}% is held.") == {ESCROW: (number,)}


def test_two_shares_in_one_sentence_are_both_kept() -> None:
    assert values("A 12% escrow for the shares and a 9% escrow for the notes.") == {ESCROW: (12, 9)}


def test_a_value_out_of_range_is_reported_with_its_words() -> None:
    found = extract(read_note(f"{HEAD}Escrow of 120 percent.\n"), "a.md", builtin_packs())
    (finding,) = found.findings
    assert (finding.code, finding.line, finding.field) == ("unreadable_value", 3, ESCROW)
    assert "120 is outside 0..100" in finding.detail
    assert not found.declarations[0].fields


@pytest.mark.parametrize(
    ("text", "line", "quote"),
    [
        ("We gave a **12 %** escrow.", 3, "12 %** escrow"),
        ("The escrow\namounts to *twelve\npercent* of it.", 4, "amounts to *twelve"),
        ("First. Second. Escrow of\n12%.", 4, "12%"),
        ("x\n\n- Escrow:   12%  of it", 5, "- Escrow:   12%  of it"),
        ("two words  \nand an *escrow* of 1**2** %, too", 4, "escrow* of 1**2** %"),
    ],
)
def test_evidence_is_the_words_on_the_line_where_the_value_begins(
    text: str, line: int, quote: str
) -> None:
    (declared,) = extract(read_note(f"{HEAD}{text}\n"), "a.md", builtin_packs()).declarations
    evidence = declared.fields[ESCROW][0].evidence
    assert evidence
    assert (evidence.path, evidence.line, evidence.quote) == ("a.md", line, quote)


def test_passages_are_paragraphs_items_headings_and_rows() -> None:
    text = "# H\na\nb\n- c\n  d\n- e\n\nf\n| g | h |\n| i | j |\n> k\n- [ ] l\nm\n- [x] n"
    lines = [(at, one) for at, one in enumerate(text.split("\n"), 1) if one]
    assert [(one.line, one.text) for one in split_passages(lines)] == [
        (1, "# H"),
        (2, "a\nb"),
        (4, "- c\n  d"),
        (6, "- e"),
        (8, "f"),
        (9, "| g | h |"),
        (10, "| i | j |"),
        (11, "> k"),
        (13, "m"),
        (14, "- [x] n"),
    ]


SCRAPS = """
escrow|holdback|of|12%|twelve percent|10|-|to|24 months|two years|non-compete|for|in|no|not|,|;|.
(|)|**|*|_|`|~~|$45M|purchase price|:|::|[[|]]|MAT-2388|MAT-2390|- |# ||x|is held|and|a|%
"""


@given(st.lists(st.sampled_from(re.split(r"[|\n]", SCRAPS.strip())), max_size=30))
def test_any_words_give_values_that_stand_where_the_evidence_says(words: list[str]) -> None:
    note = f"{HEAD}{' '.join(words).replace('  ', chr(10))}\n"
    lines = note.split("\n")
    for declared in extract(read_note(note), "a.md", builtin_packs()).declarations:
        for candidates in declared.fields.values():
            for one in candidates:
                assert one.evidence
                assert one.evidence.quote
                assert one.evidence.quote in lines[(one.evidence.line or 0) - 1]
