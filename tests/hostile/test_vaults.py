"""Vaults made to do harm: nothing outside is read, nothing hangs, the rest goes in."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.memory.remembering import Clock, everything, open_at
from tests.vault.making import make_vault

from winnow.errors import PackError
from winnow.memory import Memory
from winnow.vault import packfiles

SECRET = "what lies outside"
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
HEADS = {
    "aliases": BOMB,
    "itself": "a: &a [*a]\n",
    "deep list": "a: " + "[" * 5_000 + "]" * 5_000 + "\n",
    "deep map": "".join(f"{' ' * depth}k:\n" for depth in range(400)),
    "huge key": f"? {'k' * 2_000}\n: 1\n",
    "huge scalar": f"a: {'9' * 900_000}\n",
    "twice": "a: 1\na: 2\n",
    "tag": "a: !!python/object/apply:os.system ['true']\n",
    "binary": "a: !!binary aGk=\n",
    "merge": "<<: {a: 1}\n<<: {b: 2}\n",
    "control": "a: \x00\x1b[2J\n",
    "documents": "a: 1\n--- \nb: 2\n",
    "many keys": "".join(f"k{number}: {number}\n" for number in range(20_000)),
}
PACK = """\
pack: bad
schemas:
  Thing:
    id: {{pattern: '{id}', keys: [thing]}}
    fields:
      size: {{type: string, patterns: ['{pattern} {{words}}']}}
"""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_at(tmp_path / "w.db", Clock()) as opened:
        yield opened


@pytest.mark.parametrize("kind", HEADS)
def test_a_head_that_is_a_bomb_costs_its_own_note_the_head_alone(
    tmp_path: Path, memory: Memory, kind: str
) -> None:
    note = f"---\n{HEADS[kind]}---\nneedle\n"
    vault = make_vault(tmp_path / "vault", {"bad.md": note, "good.md": "CLAWQL_MATTER_ID=MAT-1000"})
    answer = memory.admin.index(str(vault))
    assert (answer.notes, answer.entities) == (2, {"legal.Matter": 1})
    assert "bad.md" in [hit.path for hit in memory.recall("needle").memories]


def test_no_path_leads_out_of_a_vault(tmp_path: Path, memory: Memory) -> None:
    """F110: links to files, folders, each other and themselves; a pack that is a link, too."""
    outside = make_vault(tmp_path / "outside", {"note.md": SECRET, "pack.yaml": "pack: evil"})
    vault = make_vault(tmp_path / "vault", {"a.md": "[[../outside/note]] ![[../outside/note.md]]"})
    (vault / ".winnow").mkdir()
    for name, target in (
        ("file.md", outside / "note.md"),
        ("folder", outside),
        ("loop", vault),
        ("self.md", vault / "self.md"),
        ("up.md", Path("../outside/note.md")),
        ("device.md", Path("/dev/zero")),
        ("passwd.md", Path("/etc/passwd")),
        (".winnow/p.yaml", outside / "pack.yaml"),
    ):
        (vault / name).symlink_to(target)
    os.mkfifo(vault / "pipe.md")
    answer = memory.admin.index(str(vault))
    assert (answer.notes, answer.skipped) == (1, 9)
    assert SECRET not in everything(memory)
    assert "root:" not in everything(memory)


@pytest.mark.parametrize("name", [b"\xff\xfe.md", b"a\nb.md", b"\x1b[2J.md", "‮dm.a.md".encode()])
def test_any_name_of_a_file_is_read_and_told(tmp_path: Path, memory: Memory, name: bytes) -> None:
    vault = make_vault(tmp_path / "vault", {})
    with open(os.fsencode(vault) + b"/" + name, "wb") as file:
        file.write(b"needle")
    assert memory.admin.index(str(vault)).notes == 1
    assert len(memory.recall("needle").memories) == 1


@pytest.mark.parametrize(
    ("id", "pattern"),
    [
        ("T-[0-9]+", "(?:a{1,30}){1,30}b"),
        ("T-[0-9]+", "(?:(?:a|aa){1,40}){1,40}b"),
        ("(?:a{1,30}){1,30}b", "size"),
    ],
)
def test_an_expression_that_explodes_ends_the_run_and_is_named(
    tmp_path: Path, memory: Memory, id: str, pattern: str
) -> None:
    pack = PACK.format(id=id, pattern=pattern)
    note = "---\nthing: " + ("a" * 60 if "{" in id else "T-1") + "\n---\n" + "a" * 60 + " b c.\n"
    vault = make_vault(tmp_path / "vault", {".winnow/bad.yaml": pack, "n.md": note})
    with pytest.raises(PackError, match="make it simpler"):
        memory.admin.index(str(vault))
    assert memory.count().count == 0


def test_a_pack_that_never_ends_is_refused(
    tmp_path: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault(tmp_path / "vault", {"n.md": "x"})
    for place in ("/dev/zero", str(tmp_path)):
        with pytest.raises(PackError, match=r"not a regular file|directory"):
            memory.admin.index(str(vault), pack=place)
    monkeypatch.setattr(packfiles, "LARGEST_PACK", 100)
    long = tmp_path / "long.yaml"
    long.write_text("#" * 101, encoding="utf-8")
    with pytest.raises(PackError, match="at most 100 bytes"):
        memory.admin.index(str(vault), pack=str(long))
