"""The notes behind entities, as they and others change."""

from pathlib import Path

import pytest
from tests.memory.importing import MATTER, put
from tests.memory.noting import about, noted, read
from tests.memory.remembering import Clock, open_at
from tests.vault.making import write

from winnow.memory import Memory
from winnow.memory.state.contents import Contents
from winnow.plan.noted import Noted
from winnow.store.memories import Declarations


def behind(memory: Memory) -> dict[str, int]:
    """How many notes stand behind each matter of the default namespace."""
    engine = memory.engine
    with engine.together():
        (domain,) = engine.ontology.domains(MATTER, ["default"])
        found = engine.contents.behind("default", domain.table)
    rows = {domain.table.id_of(row): row for row in found.rows.tolist()}
    return {name: len(found.of(row)) for name, row in rows.items()}


def test_the_notes_of_an_entity_are_those_that_say_something_of_it(
    memory: Memory, tmp_path: Path
) -> None:
    folder = tmp_path / "vault"
    notes = {"a.md": about(2001), "b.md": about(2001), "c.md": about([2002, 2003]), "d.md": "x"}
    read(memory, folder, notes)
    assert behind(memory) == {"MAT-2001": 2, "MAT-2002": 1, "MAT-2003": 1}
    write(folder, "b.md", about(2002))
    (folder / "c.md").unlink()
    read(memory, folder, {"e.md": about(2004)})
    assert behind(memory) == {"MAT-2001": 1, "MAT-2002": 1, "MAT-2004": 1}


def test_what_is_imported_has_none_beside_what_notes_say(memory: Memory, tmp_path: Path) -> None:
    put(memory, "MAT-2001", status="Active")
    put(memory, "MAT-2002", status="Active")
    assert behind(memory) == {}
    read(memory, tmp_path / "vault", {"a.md": about(2001)})
    assert behind(memory) == {"MAT-2001": 1}


def test_only_what_changed_is_read_again(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    records = memory.engine.store.records
    declarations = records.declarations

    def watch(schema: str, after: int) -> Declarations:
        asked.append(after)
        return declarations(schema, after)

    monkeypatch.setattr(records, "declarations", watch)
    behind(memory)
    behind(memory)
    assert asked == [0]
    memory.store("no matter of entities", id="m")
    change = memory.engine.store.last_change().number
    behind(memory)
    put(memory, "MAT-2001")
    behind(memory)
    assert asked == [0, 0, change]


def test_nothing_is_joined_again_while_nothing_changes() -> None:
    with noted({"a.md": about(2001)}) as memory:
        (domain,) = memory.engine.ontology.domains(MATTER, ["default"])
        contents = Contents(memory.engine.store)
        first: Noted = contents.behind("default", domain.table)
        assert contents.behind("default", domain.table) is first


def test_entities_notes_and_pieces_show_one_state(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    with open_at(path, Clock()) as memory, open_at(path, Clock()) as other:
        read(memory, tmp_path / "vault", {"a.md": about(2001, "one")})
        engine = memory.engine
        with engine.store.states.hold():
            with engine.together():
                (domain,) = engine.ontology.domains(MATTER, ["default"])
                read(other, tmp_path / "vault", {"b.md": about(2001, "two")})
                other.store("a memory", id="m")
                shelf = engine.shelf()
                found = engine.contents.behind("default", domain.table)
            assert (len(found.rows), shelf.table.count) == (1, 1)
            assert engine.shelf().table.count == 3
