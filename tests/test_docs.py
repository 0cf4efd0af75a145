"""The documents say what is so: their examples run, their tables agree with the code."""

import os
import re
import shlex
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import cast

import pytest
from tests.surfaces.running import APP, run_winnow
from tools.make_reference import REFERENCE, list_commands, make_reference
from typer.core import TyperGroup
from typer.main import get_command

import winnow
from winnow.demo.firm import questions
from winnow.demo.notes import write_firm
from winnow.errors import InvalidRequest
from winnow.filter.ast import MAX_DEPTH, MAX_NODES
from winnow.filter.ops import OPERATORS, TYPED, Family
from winnow.memory import Memory
from winnow.operations.answers import RecallAnswer
from winnow.operations.arguments import Level
from winnow.plan.verdicts import Reason
from winnow.surfaces.cli import failures
from winnow.values import LARGEST_NUMBER

PROJECT = Path(__file__).parents[1]
README = PROJECT / "README.md"
DOCS = PROJECT / "docs"
FILTERS = DOCS / "filters.md"
PAGES = [README, *sorted(DOCS.rglob("*.md"))]
SCHEMAS = {
    "matters": "legal.Matter",
    "clients": "legal.Client",
    "attorneys": "legal.Attorney",
    "documents": "legal.Document",
}


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def title(page: Path) -> str:
    return page.relative_to(PROJECT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", read(page), re.MULTILINE | re.DOTALL)


# --- tables --------------------------------------------------------------------------------------


def tables(page: Path) -> Iterator[list[dict[str, str]]]:
    """The tables of a page, a row by the heads of its columns."""
    for is_table, lines in groupby(read(page).splitlines(), lambda line: line.startswith("|")):
        if is_table:
            head, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
            yield [dict(zip(head, row, strict=True)) for row in rows]


def rows(page: Path, *heads: str) -> list[dict[str, str]]:
    """The rows of all tables that have these columns."""
    return [row for table in tables(page) for row in table if set(heads) <= row.keys()]


def code(cell: str) -> str:
    """What stands in a cell as code, and nothing else does."""
    assert re.fullmatch(r"`[^`]+`", cell)
    return cell[1:-1]


@dataclass(frozen=True)
class Example:
    """A filter of the guide, in the spellings that it is given in, and what is said of it."""

    schema: str
    where: str
    filters: str | None
    minimum: Level
    ids: str
    undetermined: str | None

    def __str__(self) -> str:
        return self.where


EXAMPLES = [
    Example(
        schema,
        code(row["text"]),
        code(row["JSON"]) if "JSON" in row else None,
        cast(Level, row.get("minimum", "EXTRACTED")),
        row[plural],
        row.get("undetermined"),
    )
    for plural, schema in SCHEMAS.items()
    for row in rows(FILTERS, "text", plural)
]
MISTAKES = [
    (schema, code(row[f"{plural} where"]), code(row["the error"]))
    for plural, schema in SCHEMAS.items()
    for row in rows(FILTERS, f"{plural} where", "the error")
]


# --- console -------------------------------------------------------------------------------------


@contextmanager
def desk(folder: Path) -> Generator[pytest.MonkeyPatch]:
    """Make a folder the home, and the place where commands are typed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("HOME", str(folder))
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        yield patch


def type_in(block: str, patch: pytest.MonkeyPatch) -> list[str]:
    """Run the commands of a block, and return what each prints."""
    printed: list[str] = []
    for line in block.splitlines():
        name, *words = [
            os.path.expandvars(os.path.expanduser(word))
            for word in shlex.split(line.removeprefix("$ "))
        ]
        if name == "export":
            patch.setenv(*words[0].split("=", 1))
        elif name == "make":
            assert re.search(rf"^{words[0]}:", read(PROJECT / "Makefile"), re.MULTILINE)
        else:
            ran = run_winnow(*words)
            assert (name, ran.code, ran.err) == ("winnow", 0, ""), line
            printed.append(ran.out)
    return printed


# --- README.md -----------------------------------------------------------------------------------


def test_the_commands_of_the_readme_work_and_find_something(tmp_path: Path) -> None:
    write_firm(tmp_path / "notes")
    with desk(tmp_path) as patch:
        printed = [out for block in blocks(README, "console") for out in type_in(block, patch)]
    assert printed
    assert all(printed)
    assert any("MAT-2388" in out for out in printed)


def test_the_output_of_the_demo_in_the_readme_is_what_the_demo_prints(tmp_path: Path) -> None:
    printed = iter(run_winnow("demo", str(tmp_path / "new")).out.splitlines())
    (quoted,) = blocks(README, "text")
    for line in quoted.splitlines():
        assert line.strip() == "…" or line in printed, line


def test_the_python_of_the_readme_prints_the_five_and_what_is_uncertain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_firm(tmp_path / "notes")
    (program,) = blocks(README, "python")
    with desk(tmp_path):
        exec(compile(program, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert re.findall(r"MAT-\d+", printed) == [*cast(list[str], questions()[0].answer), "MAT-2444"]


# --- docs/filters.md -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """The store that the guide's own commands make."""
    folder = tmp_path_factory.mktemp("filters")
    (lines,), (console,) = blocks(FILTERS, "json lines"), blocks(FILTERS, "console")
    (folder / "more.jsonl").write_text(lines, encoding="utf-8")
    with desk(folder) as patch:
        *_, by_text, by_json = type_in(console, patch)
    assert by_text == by_json
    with winnow.open(folder / "firm" / "winnow.db") as memory:
        yield memory


def ask(memory: Memory, example: Example, **spelling: str) -> RecallAnswer:
    return memory.recall(
        schema=example.schema,
        confidence_minimum=example.minimum,
        limit=100,
        where=spelling.get("where"),
        filters=spelling.get("filters"),
    )


def told(memory: Memory, schema: str, ids: Iterable[str]) -> str:
    """A set of ids as the guide writes it."""
    found, everyone = list(ids), memory.count(schema=schema).count
    return {0: "none", everyone: "all"}.get(len(found), ", ".join(found))


def told_undetermined(answer: RecallAnswer) -> str:
    return ", ".join(
        f"{one.entity_id} {field.reason}"
        for one in answer.undetermined.sample
        for field in one.fields
    )


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_f26_an_example_finds_what_the_guide_says_in_both_spellings(
    firm: Memory, example: Example
) -> None:
    answer = ask(firm, example, where=example.where)
    assert told(firm, example.schema, answer.entity_ids) == example.ids
    if example.undetermined is not None:
        assert told_undetermined(answer) == example.undetermined
    if example.filters is not None:
        same = ask(firm, example, filters=example.filters)
        assert (same.filters, same.where) == (answer.filters, answer.where)
        assert same.entity_ids == answer.entity_ids


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_f10_an_example_and_its_complement_are_together_all(firm: Memory, example: Example) -> None:
    found = ask(firm, example, where=example.where).entity_ids
    others = ask(firm, example, where=f"not ({example.where})").entity_ids
    everyone = ask(firm, example).entity_ids
    assert sorted([*found, *others]) == sorted(everyone)


@pytest.mark.parametrize(("schema", "text", "error"), MISTAKES)
def test_a_mistake_gives_the_error_of_the_guide(
    firm: Memory, schema: str, text: str, error: str
) -> None:
    is_json = text.startswith("{")
    with pytest.raises(InvalidRequest) as caught:
        firm.recall(
            schema=schema, filters=text if is_json else None, where=None if is_json else text
        )
    if error.endswith("…"):
        assert str(caught.value).startswith(error.removesuffix("…"))
    else:
        assert str(caught.value) == error


@pytest.mark.parametrize("row", rows(FILTERS, "text", "warning"), ids=lambda row: row["text"])
def test_a_warning_is_given_in_the_words_of_the_guide(firm: Memory, row: dict[str, str]) -> None:
    answer = firm.recall(schema="legal.Matter", where=code(row["text"]))
    assert list(answer.warnings or ()) == [code(row["warning"])]


def test_the_table_of_operators_is_that_of_the_code() -> None:
    columns = {
        "string": Family.STRING,
        "number": Family.NUMBER,
        "date": Family.DATE,
        "boolean": Family.BOOLEAN,
        "enum, ref": Family.LABEL,
        "list": Family.LIST,
        "reverse": Family.REVERSE,
        "metadata": Family.OPEN,
    }
    assert set(columns.values()) == set(Family)
    told = {
        (code(row["JSON"]), *(column for column in columns if row[column] == "✓"))
        for row in rows(FILTERS, "text", "JSON", *columns)
    }
    assert told == {
        (name, *(one for one, family in columns.items() if family in OPERATORS[name].families))
        for name in TYPED
    }


def test_the_table_of_operators_has_their_symbols() -> None:
    symbols = {row["JSON"]: row["text"] for row in rows(FILTERS, "text", "JSON", "reverse")}
    assert all(symbols[f"`{name}`"].startswith(f"`{OPERATORS[name].symbol}") for name in TYPED)


def test_the_reasons_and_the_limits_are_those_of_the_code() -> None:
    assert [code(row["reason"]) for row in rows(FILTERS, "reason")] == list(Reason)
    limits = f"at most {MAX_DEPTH} levels deep and has at most {MAX_NODES:,} tests"
    largest = f"at most 10^{len(str(LARGEST_NUMBER)) - 1}"
    text = " ".join(read(FILTERS).split())
    assert limits in text
    assert largest in text


def test_the_relative_dates_of_the_guide_are_read(firm: Memory) -> None:
    (relative,) = re.findall(r"^Relative dates are .*?\n\n", read(FILTERS), re.M | re.S)
    words = re.findall(r"`([^`]+)`", relative)
    assert len(words) >= 9
    for word in words:
        firm.count(schema="legal.Matter", where=f"openedDate < {word}")


# --- docs/reference.md ---------------------------------------------------------------------------


def test_the_reference_is_what_the_code_says() -> None:
    assert read(REFERENCE) == make_reference(), "docs/reference.md is out of date: run `make docs`"


def test_the_reference_has_the_exit_codes_and_every_variable_that_the_code_reads() -> None:
    codes = {"0", *map(str, (failures.FAILED, failures.BAD_INPUT, failures.INTERRUPTED))}
    (table,) = [table for table in tables(REFERENCE) if next(iter(table[0])) == "exit code"]
    assert {row["exit code"] for row in table} == codes
    sources = map(read, (PROJECT / "src" / "winnow").rglob("*.py"))
    used = {name for source in sources for name in re.findall(r'"(WINNOW_[A-Z]+)"', source)}
    assert {code(row["variable"]) for row in rows(REFERENCE, "variable")} == used


# --- all pages -----------------------------------------------------------------------------------

# What a fenced block of a page is in, of those that a test runs.
RUN = {
    "README.md": {"console", "text", "python"},
    "docs/filters.md": {"console", "json lines"},
    "docs/reference.md": {"text"},
    "docs/packs.md": {"yaml", "markdown"},
    "docs/embedders.md": {"python"},
    "docs/providers.md": {"python", "toml"},
}


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_every_block_of_a_page_is_one_that_a_test_runs(page: Path) -> None:
    opening = re.findall(r"^```(.+)$", read(page), re.MULTILINE)
    assert set(opening) == RUN.get(title(page), set())


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_a_command_in_a_sentence_has_only_options_that_exist(page: Path) -> None:
    commands = dict(list_commands(cast(TyperGroup, get_command(APP))))
    for typed in re.findall(r"`winnow ([^`]+)`", read(page)):
        words = shlex.split(typed)
        if words[0].startswith("-"):
            continue
        name = words[0] if words[0] in commands else " ".join(words[:2])
        known = {option for one in commands[name].params for option in one.opts}
        assert {word for word in words if word.startswith("--")} <= known | {"--help"}, typed


@pytest.mark.parametrize("page", [*PAGES, *PROJECT.glob("examples/*/README.md")], ids=title)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", read(page)):
        if not target.startswith(("http://", "https://")):
            path, _, anchor = target.partition("#")
            place = (page.parent / path).resolve() if path else page
            assert place.exists(), target
            assert not anchor or anchor in anchors(place), target


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", read(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}
