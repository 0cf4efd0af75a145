"""What lint finds by looking at all entities together."""

from pathlib import Path

import pytest
from tests.memory.importing import CLIENT, MATTER, put
from tests.vault.making import make_vault, matter, write

from winnow.memory import Memory

PROSE = "# Matter MAT-1000\n\nThe buyer keeps an escrow of ten percent.\n"
DOCUMENT = "---\ndocumentId: DOC-0001\nmatter: MAT-1000\nauthor: ATY-0001\n---\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", {"a.md": matter(1000, 12)})


def findings(memory: Memory, vault: Path | None = None) -> list[tuple[str, str, int | None, str]]:
    if vault is not None:
        memory.admin.index(str(vault))
    found = memory.admin.lint().findings
    return [(one.code, one.path, one.line, one.detail) for one in found]


def test_notes_that_contradict_each_other_are_found(memory: Memory, vault: Path) -> None:
    write(vault, "sub/b.md", matter(1000, 20))
    detail = "escrowPct is 12 (a.md:4) and 20 (line 4)"
    assert findings(memory, vault) == [("conflict", "sub/b.md", 4, detail)]
    assert memory.recall(schema=MATTER, where="escrowPct > 0").filtered_entities == 0


def test_a_note_whose_prose_says_less_than_another_s_key_line_is_found(
    memory: Memory, vault: Path
) -> None:
    write(vault, "b.md", PROSE)
    detail = "escrowPct is 12 (a.md:4), but prose says 10 (line 3)"
    assert findings(memory, vault) == [("disagreement", "b.md", 3, detail)]


def test_what_one_note_says_twice_is_told_once(memory: Memory, vault: Path) -> None:
    write(vault, "a.md", f"{matter(1000, 12)}CLAWQL_ESCROW_PCT=15\n")
    detail = "escrowPct is 12 (line 4) and 15 (line 5)"
    assert findings(memory, vault) == [("conflict", "a.md", 5, detail)]


def test_notes_of_one_name_in_two_vaults_are_two_sources(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    memory.admin.index(str(make_vault(tmp_path / "other", {"a.md": matter(1000, 15)})))
    assert [one[:2] for one in findings(memory, vault)] == [("conflict", "a.md")]


def test_notes_that_agree_are_no_finding(memory: Memory, vault: Path) -> None:
    write(vault, "b.md", matter(1000, 12.0))
    assert findings(memory, vault) == []


def test_what_an_import_contradicts_is_found(memory: Memory, vault: Path) -> None:
    put(memory, "MAT-1000", escrowPct=15)
    put(memory, "MAT-1001", escrowPct={"candidates": [{"value": 5}, {"value": 6}]})
    address = f"winnow://{MATTER}/"
    assert findings(memory, vault) == [
        ("conflict", "a.md", 4, f"escrowPct is 15 ({address}MAT-1000) and 12 (line 4)"),
        ("conflict", f"{address}MAT-1001", None, "escrowPct is 5 and 6"),
    ]


def test_a_reference_to_nobody_is_found_where_it_stands(memory: Memory, vault: Path) -> None:
    write(vault, "doc.md", DOCUMENT)
    put(memory, "MAT-1001", client="CLT-0001")
    assert findings(memory, vault) == [
        ("broken_reference", "doc.md", 4, "author ATY-0001 is not a known legal.Attorney"),
        (
            "broken_reference",
            f"winnow://{MATTER}/MAT-1001",
            None,
            "client CLT-0001 is not a known legal.Client",
        ),
    ]
    put(memory, "CLT-0001", CLIENT)
    assert [one[1] for one in findings(memory)] == ["doc.md"]


def test_all_are_counted_though_only_some_are_shown(memory: Memory) -> None:
    for number in range(3):
        put(memory, f"MAT-100{number}", client="CLT-0001", billingPartner="ATY-0001")
    put(memory, "MAT-1000", escrowPct={"candidates": [{"value": 5}, {"value": 6}]})
    told = memory.admin.lint(limit=2)
    assert [one.code for one in told.findings] == ["conflict", "broken_reference"]
    assert (told.total, told.counts) == (7, {"broken_reference": 6, "conflict": 1})
    assert memory.admin.lint(limit=1).findings == told.findings[:1]
