"""The example pack over its own notes and, where it is at hand, over a public vault.

What a filter should find is worked out from the raw files by a reader of a few lines that
knows nothing of Winnow.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.surfaces.running import run_winnow

from winnow.app import open_memory
from winnow.memory import Memory
from winnow.packs import load_pack

PROJECT = Path(__file__).parents[1]
LIBRARY = PROJECT / "examples" / "library"
OWN = LIBRARY / "notes"
README = (LIBRARY / "README.md").read_text(encoding="utf-8")
PUBLIC = Path(
    os.environ.get("WINNOW_TEST_VAULT", PROJECT.parent / "shared" / "vaults" / "dataview-example")
)
VAULTS = {"own notes": OWN} | ({"public vault": PUBLIC} if PUBLIC.is_dir() else {})


# --- the naive reader ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Raw:
    """A note as text, with the few things that the filters below ask for."""

    path: Path
    text: str

    @property
    def head(self) -> str:
        return self.text.split("\n---", 1)[0] if self.text.startswith("---\n") else ""

    @property
    def body(self) -> str:
        return re.sub(r"(?ms)^```.*?^```", "", self.text[len(self.head) :])

    def front(self, key: str) -> str:
        found = re.search(rf"(?m)^{key}:[ \t]*(.*)$", self.head)
        return found[1].strip(" \"'") if found else ""

    def items(self, key: str) -> list[str]:
        """A list: [a, b], or a, b, or lines that begin with a dash."""
        block = re.search(rf"(?m)^{key}:[ \t]*((?:\n[ ]*-.*)+)", self.head)
        texts = block[1].split("\n") if block else self.front(key).strip("[]").split(",")
        return [text for text in (text.strip(" -'\"") for text in texts) if text]

    def inline(self, key: str) -> list[str]:
        alone = re.findall(rf"(?m)^\**{key}\**::(.*)$", self.body)
        enclosed = re.findall(rf"\[{key}::([^\]]*)\]|\({key}::([^)]*)\)", self.body)
        texts = [*alone, *("".join(pair) for pair in enclosed)]
        return [text.strip(" []") for text in texts if text.strip(" []")]

    def one(self, key: str) -> str:
        return next(iter(self.inline(key)), "")


def number(text: str) -> float | None:
    return float(text.replace(",", "")) if text else None


def above(text: str, bound: float) -> bool:
    value = number(text)
    return value is not None and value > bound


def is_tagged(note: Raw, tag: str) -> bool:
    return re.search(rf"(?m)(?:^|\s)#{tag}(?![\w/-])", note.body) is not None


OF_SCHEMA: dict[str, Callable[[Raw], bool]] = {
    "Book": lambda note: note.path.parent.name == "books",
    "Game": lambda note: is_tagged(note, "games") and note.front("publisher") != "",
    "Show": lambda note: note.path.parent.name == "shows",
    "Person": lambda note: note.path.parent.name == "people",
    "Project": lambda note: note.path.parent.name == "projects" and note.one("status") != "",
    "Goal": lambda note: is_tagged(note, "goal") and note.one("Projects") != "",
    "Assignment": lambda note: note.path.parent.name == "assignments",
    "Day": lambda note: note.path.parent.name == "dailys",
}


def entity_id(schema: str, note: Raw) -> str:
    return note.front("name") if schema == "Game" else note.path.stem


# --- a vault, indexed once -----------------------------------------------------------------------


@dataclass(frozen=True)
class Shelf:
    """A vault's raw notes, and the store that was made of them."""

    notes: tuple[Raw, ...]
    memory: Memory
    indexed: int

    def expected(self, schema: str, holds: Callable[[Raw], bool] = bool) -> list[str]:
        mine = (note for note in self.notes if OF_SCHEMA[schema](note))
        return sorted(entity_id(schema, note) for note in mine if holds(note))

    def found(self, schema: str, where: str | None) -> list[str]:
        answer = self.memory.recall(schema=f"library.{schema}", where=where, limit=1_000)
        return sorted(answer.entity_ids)


@pytest.fixture(scope="module", params=VAULTS)
def shelf(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shelf]:
    vault = VAULTS[str(request.param)]
    files = sorted(vault.rglob("*.md"))
    notes = tuple(Raw(file, file.read_text(encoding="utf-8")) for file in files)
    with open_memory(tmp_path_factory.mktemp("library") / "winnow.db") as memory:
        answer = memory.admin.index(str(vault), pack=str(LIBRARY / "pack.yaml"))
        yield Shelf(notes, memory, answer.notes)


def test_every_note_is_indexed(shelf: Shelf) -> None:
    assert shelf.indexed == len(shelf.notes) > 0


@pytest.mark.parametrize("schema", OF_SCHEMA)
def test_every_note_of_a_schema_is_one_entity(shelf: Shelf, schema: str) -> None:
    assert shelf.found(schema, None) == shelf.expected(schema)
    assert shelf.expected(schema)


CASES: tuple[tuple[str, str, Callable[[Raw], bool]], ...] = (
    # numbers in the frontmatter, and in inline fields
    ("Book", "totalPages > 300", lambda note: above(note.front("totalPages"), 300)),
    ("Book", "pagesRead >= 80", lambda note: above(note.one("pagesRead"), 79)),
    ("Book", "pagesRead = 0", lambda note: number(note.one("pagesRead")) == 0),
    ("Game", "price > 10", lambda note: above(note.front("price"), 10)),
    ("Game", "price = 14.99", lambda note: number(note.front("price")) == 14.99),
    ("Game", "price <= 0", lambda note: number(note.front("price")) == 0),
    ("Show", "seasons between 2 and 3", lambda note: note.front("Seasons") in ("2", "3")),
    ("Project", "number > 700", lambda note: above(note.one("Project ID"), 700)),
    ("Day", "steps > 5000", lambda note: above(note.one("steps"), 5_000)),
    ("Day", "icecream = 0", lambda note: number(note.one("icecream")) == 0),
    # lists: of dashes, of commas, in brackets
    ("Book", "genres has Science-Fiction", lambda note: "Science-Fiction" in note.items("genres")),
    ("Book", "genres none in (Dystopia)", lambda note: "Dystopia" not in note.items("genres")),
    ("Book", "topics is null", lambda note: not note.items("booktopics")),
    ("Game", "languages has Thai", lambda note: "Thai" in note.items("languages")),
    (
        "Game",
        "genres any in (RPG, Strategy)",
        lambda note: bool({"RPG", "Strategy"} & set(note.items("genre"))),
    ),
    ("Show", "genres has Mystery", lambda note: "Mystery" in note.items("Genre")),
    (
        "Project",
        'hours any >= "03:00"',
        lambda note: any(part >= "03:00" for part in re.split(", *", note.one("working hours"))),
    ),
    # dates, whole and in part
    ("Person", "birthday < 1980", lambda note: "" < note.front("birthday") < "1980"),
    ("Person", "birthday = 1984", lambda note: note.front("birthday").startswith("1984-")),
    ("Person", "birthday = 1984-07", lambda note: note.front("birthday").startswith("1984-07")),
    (
        "Person",
        "birthday between 1980-01-01 and 1999-12-31",
        lambda note: "1980-01-01" <= note.front("birthday") <= "1999-12-31",
    ),
    ("Assignment", "due <= 2022-10-11 or due >= 2024", lambda note: (
        "" < note.front("due") <= "2022-10-11" or note.front("due") >= "2024"
    )),
    ("Project", "started >= 2022 and started < 2024", lambda note: (
        "2022" <= note.one("started") < "2024"
    )),
    ("Project", "finished is null", lambda note: not note.one("finished")),
    (
        "Day",
        "appointments any >= 2022-11",
        lambda note: any(text >= "2022-11" for text in note.inline("appointment")),
    ),
    # texts, enums, booleans, empty values
    ("Book", 'author = "Ines Varga" or author = "Conrad C"', lambda note: (
        note.front("author") in ("Ines Varga", "Conrad C")
    )),
    ("Book", "author is null", lambda note: not note.front("author")),
    ("Person", "relationship = friend", lambda note: note.front("relationship") == "friend"),
    ("Person", "relationship is null", lambda note: not note.front("relationship")),
    ("Project", "status != finished", lambda note: note.one("status") != "finished"),
    ("Show", "wouldRewatch = true", lambda note: note.front("Would rewatch") == "true"),
    ("Day", 'wakeUp > "08:00"', lambda note: note.one("wake-up") > "08:00"),
)  # fmt: skip


@pytest.mark.parametrize(("schema", "where", "holds"), CASES, ids=[where for _, where, _ in CASES])
def test_a_filter_finds_what_the_raw_files_say(
    shelf: Shelf, schema: str, where: str, holds: Callable[[Raw], bool]
) -> None:
    assert shelf.found(schema, where) == shelf.expected(schema, holds)


def test_references_between_notes_can_be_followed(shelf: Shelf) -> None:
    status = {note.path.stem: note.one("status") for note in shelf.notes}
    linked = {
        note.path.stem: re.findall(r"\[\[([^\]]+)\]\]", note.body)
        for note in shelf.notes
        if OF_SCHEMA["Goal"](note)
    }
    open_goals = [
        goal for goal, names in linked.items() if any(status[name] != "finished" for name in names)
    ]
    assert open_goals
    assert shelf.found("Goal", "projects any (status != finished)") == sorted(open_goals)
    named = {name for names in linked.values() for name in names}
    assert shelf.found("Project", "goals is not null") == sorted(named)


def test_each_value_is_told_with_the_line_where_it_stands(shelf: Shelf) -> None:
    raw = {note.path.stem: note for note in shelf.notes if OF_SCHEMA["Book"](note)}
    hits = shelf.memory.recall(schema="library.Book", where="pagesRead >= 0", limit=1_000).entities
    assert hits
    for hit in hits:
        source = hit.evidence["pagesRead"]
        lines = raw[hit.entity_id].text.splitlines()
        assert lines[(source.line or 0) - 1].strip() == source.quote
        assert str(hit.fields["pagesRead"]) in lines[(source.line or 0) - 1]


def test_the_own_notes_let_every_case_decide_something() -> None:
    notes = [Raw(file, file.read_text(encoding="utf-8")) for file in sorted(OWN.rglob("*.md"))]
    for schema, where, holds in CASES:
        mine = [holds(note) for note in notes if OF_SCHEMA[schema](note)]
        assert any(mine), where


def readme_filters() -> list[tuple[str, str]]:
    rows = re.findall(r"\| (\w+) \| `([^|]+)` \|$", README, re.MULTILINE)
    return [(schema, where) for schema, where in rows]


@pytest.mark.parametrize(("schema", "where"), readme_filters())
def test_each_filter_of_the_readme_finds_something(tmp_path: Path, schema: str, where: str) -> None:
    with open_memory(tmp_path / "winnow.db") as memory:
        memory.admin.index(str(OWN), pack=str(LIBRARY / "pack.yaml"))
        answer = memory.recall(schema=f"library.{schema}", where=where)
    assert answer.filtered_entities > 0


def test_the_commands_of_the_readme_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    block = re.search(r"```sh\n(.*?)```", README, re.DOTALL)
    assert block is not None
    export, *commands = (shlex.split(line) for line in block[1].splitlines())
    assert export[0] == "export"
    store = {"WINNOW_STORE": str(tmp_path / "winnow.db")}
    assert {command[0] for command in commands} == {"winnow"}
    ran = [run_winnow(*arguments, env=store) for _, *arguments in commands]
    assert [(one.code, one.err) for one in ran] == [(0, "")] * len(commands)
    assert "Salt Clock" in ran[-1].out


def test_the_pack_is_without_mistakes() -> None:
    pack = load_pack((LIBRARY / "pack.yaml").read_text(encoding="utf-8"), "pack.yaml")
    assert [schema.label for schema in pack.schemas.values()] == list(OF_SCHEMA)
