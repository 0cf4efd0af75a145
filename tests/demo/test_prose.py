from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.demo.firm import Matter, clients
from winnow.demo.prose import say_matter, spell
from winnow.packs import builtin_packs
from winnow.quantities import read_number_words
from winnow.schema import Pack
from winnow.vault.extract import extract
from winnow.vault.markdown import read_note

PACKS: tuple[Pack, ...] = builtin_packs()
MATTERS = st.builds(
    Matter,
    id=st.just("MAT-3000"),
    title=st.just("Harvest merger"),
    client=st.sampled_from(clients()),
    status=st.sampled_from(["Active", "Closed", "Pending"]),
    opened=st.dates(date(1990, 1, 1), date(2039, 12, 31)).map(str),
    deal_type=st.none() | st.sampled_from(["pe-software", "venture"]),
    deal_value_usd=st.none() | st.integers(1, 999).map(lambda millions: millions * 1_000_000),
    escrow_pct=st.none() | st.integers(0, 99),
    non_compete_months=st.none() | st.integers(0, 99),
)


@given(MATTERS, st.integers(0, 1_000))
def test_prose_says_what_is_known_of_a_matter_and_nothing_else(matter: Matter, turn: int) -> None:
    note = f"# Matter {matter.id}\n\n{say_matter(matter, turn)}"
    extraction = extract(read_note(note), "note.md", PACKS)
    (declared,) = extraction.declarations
    said = {name: {one.value for one in values} for name, values in declared.fields.items()}
    known = {name: {value} for name, value in matter.fields().items() if name != "client"}
    assert said == known
    assert not extraction.findings


@given(MATTERS)
def test_the_words_vary(matter: Matter) -> None:
    assert len({say_matter(matter, turn) for turn in range(30)}) == 30


@given(st.integers(0, 99))
def test_a_number_is_spelled_in_words_that_mean_it(number: int) -> None:
    assert read_number_words(spell(number)) == number


@pytest.mark.parametrize("number", [-1, 100])
def test_other_numbers_are_refused(number: int) -> None:
    with pytest.raises(ValueError, match="not between"):
        spell(number)
