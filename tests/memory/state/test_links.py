from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from tests.store.making import note_key
from tests.store.remembering import memory, put
from tests.vault.making import index, make_vault, vault_of, write

from winnow.app import open_memory
from winnow.memory.state.links import LinkMap, find_ambiguous
from winnow.store.base import VaultRow
from winnow.store.memories import NoteLinks
from winnow.store.sqlite.store import SqliteStore, open_store

NOTES = {
    "Home.md": "See [[Atlas]] and [the plan](Projects/Plan.md).\n",
    "Projects/Atlas.md": "---\naliases: [Big One]\n---\nx\n",
    "Projects/Plan.md": "By ![[Ada#^b1]].\n",
    "People/Ada.md": "On [[big one|it]].\n",
    "Alone.md": "[[Missing]] [[Twin]]\n",
    "a/Twin.md": "",
    "b/Twin.md": "",
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(open_store(tmp_path / "store" / "winnow.db")) as opened:
        yield opened


@pytest.fixture
def folder(store: SqliteStore, tmp_path: Path) -> Path:
    made = make_vault(tmp_path / "vault", NOTES)
    index(store, made)
    return made


def near(store: SqliteStore, links: LinkMap, folder: Path, path: str, depth: int) -> dict[str, int]:
    vault = vault_of(store, folder)
    paths: Mapping[int, str] = {note.key: note.path for note in store.notes(vault)}
    found = links.neighbors([note_key(store, vault, path)], depth)
    return {paths[key]: distance for key, distance in found.items()}


def test_notes_near_to_others_are_found_by_their_links(store: SqliteStore, folder: Path) -> None:
    """F108: by file name, alias, path, block and label, along a link and against it."""
    links = LinkMap(store)
    assert near(store, links, folder, "Home.md", 1) == {
        "Projects/Atlas.md": 1,
        "Projects/Plan.md": 1,
    }
    assert near(store, links, folder, "Projects/Atlas.md", 2) == {
        "Home.md": 1,
        "People/Ada.md": 1,
        "Projects/Plan.md": 2,
    }
    assert near(store, links, folder, "Alone.md", 9) == {}


def test_changes_are_seen_by_the_next_question(store: SqliteStore, folder: Path) -> None:
    links = LinkMap(store)
    assert near(store, links, folder, "Alone.md", 1) == {}
    write(folder, "Alone.md", "[[Twin]]\n")
    (folder / "b/Twin.md").unlink()
    index(store, folder)
    assert near(store, links, folder, "Alone.md", 1) == {"a/Twin.md": 1}
    (folder / "a/Twin.md").rename(folder / "a/Other.md")
    index(store, folder)
    assert near(store, links, folder, "Alone.md", 1) == {}


def test_links_are_resolved_again_only_when_notes_change(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = LinkMap(store)
    before = near(store, links, folder, "Home.md", 3)
    asked: list[object] = []
    read = store.records.links

    def count(stamp: tuple[int, int] | None = None) -> NoteLinks | None:
        asked.append(stamp)
        found = read(stamp)
        assert found is None
        return found

    monkeypatch.setattr(store.records, "links", count)
    for name in ("m1", "m2"):
        put(store, memory(name))
        for _ in range(3):
            assert near(store, links, folder, "Home.md", 3) == before
    assert len(asked) == 2


def test_no_link_leads_into_another_vault(store: SqliteStore, folder: Path, tmp_path: Path) -> None:
    other = make_vault(tmp_path / "other", {"x.md": "[[Home]] [[y]]\n", "y.md": "", "Atlas.md": ""})
    index(store, other)
    links = LinkMap(store)
    assert near(store, links, other, "x.md", 5) == {"y.md": 1}
    assert "Projects/Atlas.md" in near(store, links, folder, "Home.md", 1)


def test_ambiguous_links_are_found_in_the_namespaces_asked_for(
    store: SqliteStore, folder: Path, tmp_path: Path
) -> None:
    other = make_vault(tmp_path / "other", NOTES)
    with store.write() as writer:
        writer.put_vault(VaultRow(0, str(other), "other", "work", "f", ()))
    index(store, other)
    for namespaces, count in ((["default"], 1), (["work", "default"], 2), ([], 0)):
        assert len(list(find_ambiguous(store, namespaces))) == count


def test_lint_names_links_that_could_mean_several_notes(tmp_path: Path) -> None:
    """F108: an ambiguous name is an error with its candidates, not a guess."""
    folder = make_vault(tmp_path / "vault", NOTES)
    with open_memory(tmp_path / "winnow.db") as opened:
        opened.admin.index(path=str(folder))
        answer = opened.admin.lint()
    assert answer.counts == {"ambiguous_link": 1}
    (finding,) = answer.findings
    assert (finding.path, finding.line) == ("Alone.md", 1)
    assert finding.detail == "a link to 'Twin' could mean 'a/Twin.md' or 'b/Twin.md'"
