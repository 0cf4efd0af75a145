from pathlib import Path

import pytest

from winnow.demo.firm import SMALL, clients, contested, matters
from winnow.demo.notes import contested_notes, firm_notes, write_firm
from winnow.packs import builtin_packs
from winnow.vault.extract import Declaration, extract
from winnow.vault.markdown import read_note

KNOWN = {matter.id: matter.fields() for count in (SMALL, 500) for matter in matters(count)} | {
    client.id: client.fields() for client in clients()
}


def declared(path: str, text: str) -> Declaration:
    extraction = extract(read_note(text), path, builtin_packs())
    assert not extraction.findings
    (declaration,) = extraction.declarations
    return declaration


@pytest.mark.parametrize("count", [SMALL, 500])
@pytest.mark.parametrize(("prose", "key_lines"), [(True, True), (True, False), (False, True)])
def test_each_note_gives_its_entity_the_values_of_the_data(
    count: int, prose: bool, key_lines: bool
) -> None:
    for path, text in firm_notes(count, prose=prose, key_lines=key_lines):
        one = declared(path, text)
        known = dict(KNOWN[one.entity])
        if not key_lines:
            known.pop("client", None)  # prose calls the client by name
        said = {name: {each.value for each in values} for name, values in one.fields.items()}
        assert said == {name: {value} for name, value in known.items()}


def test_key_lines_can_be_left_out() -> None:
    assert not any("CLAWQL_" in text for _, text in firm_notes(key_lines=False))


def test_prose_can_be_left_out() -> None:
    for _, text in firm_notes(prose=False):
        heading, *lines = text.splitlines()
        assert heading.startswith("## Calderwood & Harkness — ")
        assert all(line.startswith("CLAWQL_") for line in lines if line)


def test_an_absent_value_is_mentioned_nowhere() -> None:
    (note,) = (text.lower() for path, text in firm_notes() if "MAT-2444" in path)
    assert "escrow" not in note
    assert "held back" not in note
    assert "holds back" not in note


def test_every_matter_and_client_has_a_note_of_its_own() -> None:
    paths = [path for path, _ in firm_notes(120)]
    assert len(paths) == len(set(paths)) == 120 + len(clients())
    assert paths[0] == "Memory/MAT-2388-cedar-peak-minority.md"
    assert paths[-1] == "Clients/CLT-0062-granite-soft.md"


def test_writing_gives_the_same_files_each_time(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        assert write_firm(tmp_path / folder, 50) == 50 + len(clients())
    one, two = (
        {file.relative_to(folder): file.read_bytes() for file in folder.rglob("*.md")}
        for folder in (tmp_path / "one", tmp_path / "two")
    )
    assert one == two
    assert len(one) == 50 + len(clients())


def test_four_notes_are_about_the_contested_matter() -> None:
    deal = contested()
    notes = [declared(path, text) for path, text in contested_notes()]
    values = [one.fields.get("dealValueUSD") for one in notes if one.entity == deal.matter.id]
    assert [{each.value for each in some or ()} for some in values] == [
        set(),
        {48_000_000},
        {56_500_000},
        {52_000_000},
    ]
