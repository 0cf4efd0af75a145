import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.demo.firm import SMALL, Matter, clients, contested, matters, questions
from winnow.packs import builtin_packs

(LEGAL,) = (pack for pack in builtin_packs() if pack.name == "legal")
FIVE = questions()[0].answer


def matches(matter: Matter) -> bool:
    known = matter.escrow_pct is not None and matter.non_compete_months is not None
    return known and (matter.escrow_pct or 0) >= 10 and (matter.non_compete_months or 0) > 18


@given(st.integers(SMALL, 3_000))
def test_a_firm_has_as_many_matters_as_asked_for_and_the_same_five_match(count: int) -> None:
    firm = list(matters(count))
    assert len(firm) == len({matter.id for matter in firm}) == count
    assert [matter.id for matter in firm if matches(matter)] == FIVE


def test_ids_go_on_with_five_digits() -> None:
    ids = [matter.id for matter in matters(7_410)]
    assert ids[:6] == [*(FIVE if isinstance(FIVE, list) else []), "MAT-2600"]
    assert ids[-6:] == [f"MAT-{number}" for number in range(9_999, 10_005)]


def test_a_firm_below_twelve_matters_is_refused() -> None:
    with pytest.raises(ValueError, match="the smallest firm has 12"):
        list(matters(SMALL - 1))


def test_what_is_not_known_is_not_among_the_fields() -> None:
    firm = {matter.id: matter.fields() for matter in matters()}
    assert "escrowPct" not in firm["MAT-2444"]
    assert "dealValueUSD" not in firm["MAT-2444"]
    assert firm["MAT-2390"]["escrowPct"] == 9


@pytest.mark.parametrize("schema", ["legal.Matter", "legal.Client"])
def test_every_value_is_one_of_its_field_in_the_legal_pack(schema: str) -> None:
    known = LEGAL.schemas[schema]
    rows = list(matters(500)) if schema == "legal.Matter" else clients()
    for row in rows:
        assert known.id.fit(row.id) == row.id
        for name, value in row.fields().items():
            assert known.fields[name].read(value) == value


def test_the_contested_matter_has_options_that_differ() -> None:
    deal = contested()
    assert [option.price_usd for option in deal.options] == [48_000_000, 56_500_000, 52_000_000]
    assert [(matter.id, matter.opened) for matter in deal.prior] == [
        ("MAT-2244", "2021"),
        ("MAT-2312", "2023"),
        ("MAT-2720", "2022"),
    ]
