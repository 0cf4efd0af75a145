import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.vault.making import make_vault, matter, write

from winnow.app import open_memory
from winnow.errors import InvalidRequest, PackError, VaultError
from winnow.memory import Memory
from winnow.memory.upkeep.indexing import MOST_PROBLEMS
from winnow.operations.reports import IndexAnswer
from winnow.store.memories import Record
from winnow.wire import encode_text

PACK = """
pack: books
schemas:
  Book:
    id: filename
    declare: [{folder: Books}]
    fields:
      pages: integer
"""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path / "store" / "winnow.db") as opened:
        yield opened


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", {f"{n}.md": matter(1000 + n, n) for n in range(4)})


def index(memory: Memory, vault: Path, **options: object) -> IndexAnswer:
    return memory.admin.index(path=str(vault), **options)  # pyright: ignore[reportArgumentType]


def ids(memory: Memory, where: str = "", schema: str = "legal.Matter") -> list[str]:
    answer = memory.recall(schema=schema, where=where or None, limit=100)
    return list(answer.entity_ids or [])


def change(memory: Memory) -> int:
    return memory.engine.store.last_change().number


def test_an_answer_says_what_came_of_it(memory: Memory, vault: Path) -> None:
    write(vault, "broken.md", "---\ntitle: [\n---\n")
    write(vault, "9.md", matter(1009, "much"))
    (vault / "out.md").symlink_to("/etc/hosts")
    answer = index(memory, vault)
    assert (answer.vault, answer.namespace) == ("vault", "default")
    assert (answer.notes, answer.added, answer.read, answer.skipped) == (6, 6, 6, 1)
    assert (answer.changed, answer.moved, answer.removed, answer.unchanged) == (0, 0, 0, 0)
    assert answer.entities == {"legal.Matter": 5}
    assert answer.findings == 2
    assert [(one.code, one.path) for one in answer.problems] == [
        ("skipped", "out.md"),
        ("note_problem", "broken.md"),
    ]
    assert answer.warnings is None
    assert answer.as_of.change == change(memory)


def test_edits_moves_deletions_and_returns_are_seen_at_once(memory: Memory, vault: Path) -> None:
    index(memory, vault)
    assert ids(memory, "escrowPct >= 2") == ["MAT-1002", "MAT-1003"]
    write(vault, "0.md", matter(1000, 50))
    (vault / "3.md").unlink()
    (vault / "2.md").rename(vault / "two.md")
    answer = index(memory, vault)
    assert (answer.changed, answer.removed, answer.moved, answer.unchanged) == (1, 1, 1, 1)
    assert ids(memory, "escrowPct >= 2") == ["MAT-1000", "MAT-1002"]
    hit = memory.recall(schema="legal.Matter", where="escrowPct = 2").entities[0]
    assert (hit.path, hit.evidence["escrowPct"].path) == ("two.md", "two.md")
    write(vault, "3.md", matter(1003, 3))
    index(memory, vault)
    assert ids(memory, "escrowPct >= 2") == ["MAT-1000", "MAT-1002", "MAT-1003"]


def test_a_second_run_writes_nothing_and_tells_the_standing_problems_again(
    memory: Memory, vault: Path
) -> None:
    write(vault, "broken.md", "---\ntitle: [\n---\n")
    first = index(memory, vault)
    last = change(memory)
    again = index(memory, vault)
    assert (again.unchanged, again.read) == (5, 0)
    assert change(memory) == last
    assert (again.problems, again.entities) == (first.problems, first.entities)


def test_progress_is_told_from_the_first_look_to_the_last_note(memory: Memory, vault: Path) -> None:
    told: list[tuple[int, int, str]] = []

    def tell(done: int, total: int, stage: str) -> None:
        told.append((done, total, stage))

    answer = memory.admin.index_with_progress(path=str(vault), progress=tell)
    assert answer.added == 4
    assert told == [(0, 0, "looking"), (0, 4, "reading"), (4, 4, "reading")]
    with pytest.raises(InvalidRequest, match="path: this argument is required"):
        memory.admin.index_with_progress(progress=tell)


def test_notes_go_to_the_namespace_that_is_named(memory: Memory, vault: Path) -> None:
    assert index(memory, vault, namespace="work").namespace == "work"
    assert ids(memory) == ["MAT-1000", "MAT-1001", "MAT-1002", "MAT-1003"]
    assert memory.count(schema="legal.Matter", namespace="default").count == 0
    assert index(memory, vault).added == 4
    assert memory.count(schema="legal.Matter").count == 8


def test_wrong_arguments_are_told_together(memory: Memory, vault: Path) -> None:
    """F28: an empty namespace is an error; F119: no flag is without effect."""
    with pytest.raises(InvalidRequest) as refused:
        index(memory, vault, namespace=" ", prune="yes")
    assert {fault.pointer for fault in refused.value.faults} == {"/namespace", "/prune"}
    assert change(memory) == 0


@pytest.mark.parametrize("name", ["missing", "0.md", "a\0b"])
def test_a_folder_that_is_none_is_refused_and_nothing_is_written(
    memory: Memory, vault: Path, name: str
) -> None:
    with pytest.raises(VaultError):
        index(memory, vault / name)
    assert change(memory) == 0


def test_a_vault_that_is_gone_keeps_its_notes_until_prune(memory: Memory, vault: Path) -> None:
    """F100."""
    index(memory, vault)
    shutil.rmtree(vault)
    with pytest.raises(VaultError, match="--prune"):
        index(memory, vault)
    assert len(ids(memory)) == 4
    answer = index(memory, vault, prune=True)
    assert (answer.notes, answer.removed) == (0, 4)
    assert ids(memory) == []


def test_a_vault_that_is_half_gone_is_warned_of(memory: Memory, tmp_path: Path) -> None:
    """F100."""
    vault = make_vault(tmp_path / "vault", {f"{n}.md": matter(1000 + n) for n in range(10)})
    index(memory, vault)
    for n in range(6):
        (vault / f"{n}.md").unlink()
    answer = index(memory, vault)
    assert (answer.notes, answer.removed) == (10, 0)
    assert answer.warnings is not None
    assert "6 of the 10 known notes" in answer.warnings[0]
    assert index(memory, vault, prune=True).removed == 6
    assert len(ids(memory)) == 4


def test_a_vault_that_moved_is_the_same_one(memory: Memory, vault: Path, tmp_path: Path) -> None:
    """F100: nothing is doubled, nothing read again."""
    index(memory, vault)
    vault.rename(tmp_path / "moved")
    answer = index(memory, tmp_path / "moved")
    assert (answer.vault, answer.unchanged, answer.read) == ("moved", 4, 0)
    assert len(memory.engine.store.vaults()) == 1
    assert index(memory, tmp_path / "moved").warnings is None


def test_more_problems_than_an_answer_holds_are_counted(memory: Memory, tmp_path: Path) -> None:
    broken = {f"{n}.md": "---\na: [\n---\n" for n in range(MOST_PROBLEMS + 5)}
    answer = index(memory, make_vault(tmp_path / "vault", broken))
    assert (len(answer.problems), answer.findings) == (MOST_PROBLEMS, MOST_PROBLEMS + 5)
    assert answer.warnings == [f"{MOST_PROBLEMS + 5} problems, of which the first 100 are listed"]


def test_names_that_are_not_utf8_are_indexed_and_named(memory: Memory, vault: Path) -> None:
    """F112."""
    odd = os.fsdecode(os.fsencode(vault) + b"/caf\xe9.md")
    Path(odd).write_text(matter(1009, 90))
    answer = index(memory, vault)
    assert [(one.code, one.path) for one in answer.problems] == [("bad_name", "caf\\xe9.md")]
    assert ids(memory, "escrowPct = 90") == ["MAT-1009"]
    os.unlink(odd)
    assert index(memory, vault).removed == 1


def test_a_vault_whose_own_name_is_not_utf8_is_one_like_any_other(
    memory: Memory, tmp_path: Path
) -> None:
    vault = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    make_vault(vault, {"a.md": matter(1000)})
    assert index(memory, vault).vault == "caf\\xe9"
    assert index(memory, vault).unchanged == 1


# --- packs ---------------------------------------------------------------------------------------


def add_books(vault: Path) -> None:
    write(vault, "Books/Dune.md", "pages:: 412\n")
    write(vault, "Books/Emma.MD", "pages:: 474\n")


def test_packs_of_the_vault_are_used_and_known_to_every_process(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    add_books(vault)
    write(vault, ".winnow/books.yaml", PACK)
    assert index(memory, vault).entities == {"books.Book": 2, "legal.Matter": 4}
    with open_memory(tmp_path / "store" / "winnow.db") as other:
        assert ids(other, "pages > 420", "books.Book") == ["Emma"]


def test_a_pack_that_was_named_once_is_remembered(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    """F119: `--pack` has an effect now and at every later run."""
    add_books(vault)
    pack = write(tmp_path, "books.yaml", PACK)
    index(memory, vault, pack=str(pack))
    assert index(memory, vault).unchanged == 6
    write(tmp_path, "books.yaml", PACK.replace("pages", "chapters"))
    answer = index(memory, vault)
    assert (answer.unchanged, answer.read) == (6, 6)
    with pytest.raises(InvalidRequest, match="unknown field 'pages'"):
        ids(memory, "pages > 1", "books.Book")
    pack.unlink()
    answer = index(memory, vault)
    told = "'books' is used as it was last read (--forget-pack books ends that)"
    assert answer.warnings == [f"{pack} is gone; {told}"]
    assert answer.entities["books.Book"] == 2


def test_a_pack_whose_file_was_renamed_can_be_given_anew(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    add_books(vault)
    first = write(tmp_path, "v.yaml", PACK)
    index(memory, vault, pack=str(first))
    third = first.rename(tmp_path / "v3.yaml")
    answer = index(memory, vault, pack=str(third))
    assert answer.warnings == [f"{first} is gone; 'books' is read from {third} now"]
    fourth = write(tmp_path, "v4.yaml", PACK.replace("pages", "chapters"))
    third.unlink()
    answer = index(memory, vault, pack=str(fourth))
    assert answer.warnings == [f"{third} is gone; 'books' is read from {fourth} now"]
    fourth.unlink()
    write(tmp_path, "v.yaml", PACK + "      writer: string\n")
    assert index(memory, vault, pack=str(first)).warnings is not None
    assert index(memory, vault).warnings is None
    assert ids(memory, "pages > 420", "books.Book") == ["Emma"]


def test_a_pack_that_moves_into_the_vault_is_told_of_once(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    add_books(vault)
    outside = write(tmp_path, "books.yaml", PACK)
    index(memory, vault, pack=str(outside))
    inside = write(vault, ".winnow/books.yaml", PACK)
    index(memory, vault)
    outside.unlink()
    (told,) = list(index(memory, vault).warnings or ())
    assert told == f"{outside} is gone; 'books' is read from {inside} now"
    assert index(memory, vault).warnings is None


def test_a_pack_is_forgotten_with_what_it_says_of_notes(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    add_books(vault)
    pack = write(tmp_path, "books.yaml", PACK)
    for name in ("books", str(pack)):
        assert index(memory, vault, pack=str(pack)).entities["books.Book"] == 2
        answer = index(memory, vault, forget_pack=name)
        assert (answer.entities, answer.warnings) == ({"legal.Matter": 4}, None)
        assert index(memory, vault).read == 0
        assert "books.Book" not in memory.schema_names()


def test_another_pack_of_the_name_takes_the_place_of_one_that_is_forgotten(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    add_books(vault)
    index(memory, vault, pack=str(write(tmp_path, "a.yaml", PACK)))
    other = str(write(tmp_path, "b.yaml", PACK.replace("pages", "chapters")))
    with pytest.raises(PackError, match="--forget-pack books"):
        index(memory, vault, pack=other)
    assert index(memory, vault, pack=other, forget_pack="books").warnings is None
    assert index(memory, vault).read == 0
    assert ids(memory, "chapters is null", "books.Book") == ["Dune", "Emma"]


def test_a_forgotten_pack_keeps_its_schemas_while_entities_of_them_are_there(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    pack = str(write(tmp_path, "books.yaml", PACK))
    index(memory, vault, pack=pack)
    book = {"schema": "books.Book", "id": "Emma", "fields": {"pages": 474}}
    memory.admin.import_(objects=[book])
    index(memory, vault, forget_pack="books")
    assert ids(memory, "pages > 420", "books.Book") == ["Emma"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("bokks", "unknown pack 'bokks'"),
        ("legal", "the pack 'legal' ships with Winnow"),
        ("books", "is in the vault's own folder: remove the file"),
    ],
)
def test_what_can_not_be_forgotten_is_refused(
    memory: Memory, vault: Path, name: str, told: str
) -> None:
    write(vault, ".winnow/books.yaml", PACK)
    index(memory, vault)
    with pytest.raises(InvalidRequest, match=told):
        index(memory, vault, forget_pack=name)


def test_a_changed_pack_reads_all_notes_again(memory: Memory, vault: Path) -> None:
    add_books(vault)
    write(vault, ".winnow/books.yaml", PACK)
    index(memory, vault)
    longer = PACK + "      pagesTwice: {type: integer, aliases: [p2]}\n"
    write(vault, ".winnow/books.yaml", longer)
    answer = index(memory, vault)
    assert (answer.read, answer.unchanged, answer.changed) == (6, 6, 0)
    assert index(memory, vault).read == 0
    (vault / ".winnow/books.yaml").unlink()
    answer = index(memory, vault)
    assert (answer.read, answer.entities) == (6, {"legal.Matter": 4})


def test_a_store_that_an_older_reader_filled_gets_its_pieces_with_the_next_run(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from winnow.vault import packfiles, sync

    def leave_out(*_: object, **__: object) -> None:
        """Do as a version did that knew no pieces."""

    with monkeypatch.context() as patch:
        patch.setattr(packfiles, "READER_VERSION", 1)
        patch.setattr(sync, "file_pieces", leave_out)
        index(memory, vault)
    assert pieces(memory) == []
    answer = index(memory, vault)
    assert (answer.unchanged, answer.read) == (4, 4)
    assert [one.text for one in pieces(memory)] == [matter(1000 + n, n).strip() for n in range(4)]
    assert index(memory, vault).read == 0


def test_inline_fields_of_a_note_compare_as_numbers_dates_and_texts(
    memory: Memory, vault: Path
) -> None:
    """Dataview reads them as what they look like; the frontmatter says it by YAML's rules."""
    write(vault, "a.md", "---\ntotalPages: 431\n---\npagesRead:: 80\nseen:: 2026-03-05\nby:: Ann\n")
    write(vault, "b.md", "pagesRead:: 9\npagesRead:: 100\nby:: 80\n")
    index(memory, vault)
    for where, count in (
        *(("pagesRead > 50", 1), ("pagesRead > 80", 0), ("pagesRead = 80.0", 1)),
        *(("pagesRead = '80'", 1), ("pagesRead any > 50", 1), ("pagesRead has 9", 1)),
        *(("pagesRead = (100, 9)", 1), ("seen = 2026-03", 1), ("seen > 2026-04", 0)),
        *(("by startsWith a", 1), ("by = 80", 1), ("totalPages > 400", 1)),
    ):
        assert memory.count(where=where).count == count, where
    shown = memory.list(where="pagesRead = 80").memories
    assert shown is not None
    assert shown[0].metadata["pagesRead"] == "80"
    assert '"pagesRead": "80"' in encode_text(shown)


def test_a_store_that_an_older_reader_filled_gets_fields_without_a_type(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from winnow.vault import packfiles, reading

    write(vault, "a.md", "pagesRead:: 80\npart:: 1\npart:: 2\n")
    with monkeypatch.context() as patch:
        patch.setattr(packfiles, "READER_VERSION", 3)
        patch.setattr(reading, "Untyped", str)
        index(memory, vault)
    assert memory.count(where="pagesRead > 50 or part has 2").count == 0
    index(memory, vault)
    for where in ("pagesRead > 50", "part has 2", "part has '2'", "pagesRead = '80'"):
        assert memory.count(where=where).count == 1, where
    assert index(memory, vault).read == 0


def test_dates_of_notes_are_in_the_zone_of_the_memory(vault: Path, tmp_path: Path) -> None:
    """F72: a date without a zone is in the configured one."""
    write(vault, "a.md", "---\ncreated: 2026-07-30\n---\n")
    with open_memory(tmp_path / "zone.db", timezone="Asia/Tokyo") as memory:
        index(memory, vault)
        created = {one.created_at for one in pieces(memory) if one.title == "a"}
    assert created == {int(datetime(2026, 7, 29, 15, tzinfo=UTC).timestamp()) * 1000}


def pieces(memory: Memory) -> list[Record]:
    store = memory.engine.store
    keys = [key for batch in store.records.scan(0) for key in batch.keys]
    found = [one for one in store.records.read(keys) if one is not None]
    return sorted(found, key=lambda one: one.piece.path if one.piece else "")


def test_a_run_that_is_cut_short_is_made_good_by_the_next(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from winnow.vault import loading

    index(memory, vault)
    add_books(vault)
    write(vault, ".winnow/books.yaml", PACK)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(loading, "build_note", interrupt)
        with pytest.raises(KeyboardInterrupt):
            index(memory, vault)
    (vault / ".winnow/books.yaml").unlink()
    assert (
        index(memory, vault).read == 6
    )  # the packs are the first ones again, the notes may not be
    write(vault, ".winnow/books.yaml", PACK)
    assert index(memory, vault).entities == {"books.Book": 2, "legal.Matter": 4}


def test_mistakes_in_packs_are_told_before_anything_is_written(memory: Memory, vault: Path) -> None:
    write(vault, ".winnow/a.yaml", PACK.replace("integer", "integr"))
    write(vault, ".winnow/b.yaml", "pack: [")
    with pytest.raises(PackError) as refused:
        index(memory, vault, pack="missing.yaml")
    for part in ("a.yaml:8:", "b.yaml:1:", "missing.yaml: there is no such file"):
        assert part in str(refused.value)
    assert change(memory) == 0


def test_a_second_definition_in_one_namespace_is_refused_and_in_another_is_not(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    add_books(vault)
    write(vault, ".winnow/books.yaml", PACK)
    index(memory, vault)
    other = make_vault(tmp_path / "other", {"Books/Dune.md": "chapters:: 3\n"})
    write(other, ".winnow/books.yaml", PACK.replace("pages", "chapters"))
    with pytest.raises(PackError) as refused:
        index(memory, other)
    assert str(vault / ".winnow/books.yaml") in str(refused.value)
    assert str(other / ".winnow/books.yaml") in str(refused.value)
    assert index(memory, other, namespace="other").entities == {"books.Book": 1}
