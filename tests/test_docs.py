"""The documents say what is so: their examples run, their tables agree with the code."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
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
from winnow import errors
from winnow.demo.firm import questions
from winnow.demo.notes import write_firm
from winnow.errors import InvalidRequest
from winnow.filter.ast import MAX_DEPTH, MAX_NODES
from winnow.filter.ops import OPERATORS, TYPED, Family
from winnow.kinds import MEANINGS, Provenance, classify
from winnow.memory import Admin, Memory
from winnow.memory.records.sources import SOURCES
from winnow.memory.transfer.foreign.columns import FIELDS, TYPES
from winnow.memory.transfer.foreign.formats import FORMATS, Takes
from winnow.memory.transfer.lines import Sort
from winnow.operations import OPERATIONS
from winnow.operations.answers import RecallAnswer
from winnow.operations.arguments import Level
from winnow.operations.requests import RecallRequest
from winnow.plan.verdicts import Reason
from winnow.surfaces.cli import failures
from winnow.surfaces.cli.lines import SHEETS
from winnow.surfaces.cli.page import NARROW
from winnow.values import LARGEST_NUMBER
from winnow.wire import arguments

PROJECT = Path(__file__).parents[1]
README = PROJECT / "README.md"
DOCS = PROJECT / "docs"
FILTERS = DOCS / "filters.md"
KINDS_PAGE = DOCS / "kinds.md"
CLI = DOCS / "cli.md"
DEPENDENCIES = DOCS / "decisions" / "0003-dependencies.md"
EMBEDDERS = DOCS / "embedders.md"
EXPORT = DOCS / "export.md"
IMPORT = DOCS / "import.md"
BACKUP = DOCS / "backup.md"
PYTHON = DOCS / "python.md"
RECALL = DOCS / "recall.md"
EVALUATION = DOCS / "evaluation.md"
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


def test_the_commands_of_the_readme_work_and_find_something_and_so_does_its_python_after_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_firm(tmp_path / "notes")
    (program,) = blocks(README, "python")
    with desk(tmp_path) as patch:
        printed = [out for block in blocks(README, "console") for out in type_in(block, patch)]
        capsys.readouterr()
        exec(compile(program, "README.md", "exec"), {})
    assert printed
    assert all(printed)
    assert any("MAT-2388" in out for out in printed)
    told = capsys.readouterr().out
    assert re.findall(r"MAT-\d+", told) == [*cast(list[str], questions()[0].answer), "MAT-2444"]
    assert told.endswith(" Token rotation was approved for every service\n")


def test_the_filter_of_the_readme_on_frontmatter_finds_a_note_without_a_warning(
    tmp_path: Path,
) -> None:
    written = "---\nstatus: draft\ntags: [work]\ntitle: Plan\n---\nA plan.\n"
    write_firm(tmp_path / "notes")
    (tmp_path / "notes" / "plan.md").write_text(written, encoding="utf-8")
    (line,) = re.findall(r"^`(winnow list --where .*?)`", read(README), re.MULTILINE)
    with desk(tmp_path) as patch:
        _, found = type_in(f"winnow index ~/notes\n{line}", patch)
    assert "A plan." in found


def test_the_output_of_the_demo_in_the_readme_is_what_the_demo_prints(tmp_path: Path) -> None:
    printed = iter(run_winnow("demo", str(tmp_path / "new")).out.splitlines())
    (quoted,) = blocks(README, "text")
    for line in quoted.splitlines():
        assert line.strip() == "…" or line in printed, line


# --- docs/filters.md -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """The store that the guide's own commands make."""
    folder = tmp_path_factory.mktemp("filters")
    (lines,), (console, *more) = blocks(FILTERS, "json lines"), blocks(FILTERS, "console")
    (folder / "more.jsonl").write_text(lines, encoding="utf-8")
    with desk(folder) as patch:
        *_, by_text, by_json = type_in(console, patch)
        printed = [out for block in more for out in type_in(block, patch)]
    assert by_text == by_json
    assert all("MAT-" in out for out in printed)
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
    (past,) = re.findall(r"^The arguments `since`.*?:(.*?)\n\n", read(FILTERS), re.M | re.S)
    for word in re.findall(r"`([^`]+)`", past):
        firm.count(since=word)


# --- docs/kinds.md and docs/embedders.md ---------------------------------------------------------


@pytest.mark.parametrize("page", [KINDS_PAGE, EMBEDDERS], ids=title)
def test_the_commands_of_a_page_work(page: Path, tmp_path: Path) -> None:
    with desk(tmp_path) as patch:
        printed = [out for block in blocks(page, "console") for out in type_in(block, patch)]
    assert printed
    assert all(printed)


def test_the_kinds_of_the_guide_are_those_of_the_code() -> None:
    told = {code(row["kind"]): row["meaning"] for row in rows(KINDS_PAGE, "kind", "meaning")}
    assert list(told.items()) == list(MEANINGS.items())
    ways = [code(row["`kindProvenance`"]) for row in rows(KINDS_PAGE, "`kindProvenance`")]
    assert sorted(ways) == sorted(Provenance)


@pytest.mark.parametrize("row", rows(KINDS_PAGE, "kind", "example"), ids=lambda row: row["kind"])
def test_a_rule_finds_the_kind_of_the_example_of_the_guide(row: dict[str, str]) -> None:
    assert classify("", code(row["example"])) == code(row["kind"])
    assert classify(code(row["example"]), "") == code(row["kind"])


# --- docs/evaluation.md --------------------------------------------------------------------------


def test_the_folder_of_the_guide_is_measured_as_it_says(tmp_path: Path) -> None:
    (corpus, queries), (judged,) = blocks(EVALUATION, "json lines"), blocks(EVALUATION, "tsv")
    (tmp_path / "mine" / "qrels").mkdir(parents=True)
    for name, text in (
        ("corpus.jsonl", corpus),
        ("queries.jsonl", queries),
        ("qrels/test.tsv", judged),
    ):
        (tmp_path / "mine" / name).write_text(text, encoding="utf-8")
    (console,), (quoted,) = blocks(EVALUATION, "console"), blocks(EVALUATION, "text")
    with desk(tmp_path) as patch:
        printed, as_json = type_in(console, patch)
    told = [line.split() for line in printed.splitlines()]
    assert all(line.split() in told for line in quoted.splitlines())
    assert json.loads(as_json)["questions"] == 2


# --- docs/recall.md ------------------------------------------------------------------------------


def test_the_last_command_of_the_guide_to_recall_prints_what_stands_there(tmp_path: Path) -> None:
    (block,), (text,) = blocks(RECALL, "console"), blocks(RECALL, "text")
    with desk(tmp_path) as patch:
        *others, check = type_in(block, patch)
    assert all(others)
    assert check.split() == text.split()


def test_the_sources_and_arguments_of_the_guide_to_recall_are_those_of_the_code() -> None:
    cells = " ".join(row["source"] for row in rows(RECALL, "source"))
    assert re.findall(r"`(.+?)`", cells) == list(SOURCES)
    known = {argument.wire_name for argument in arguments(RecallRequest)}
    assert {code(row["argument"]) for row in rows(RECALL, "argument")} <= known


# --- docs/python.md ------------------------------------------------------------------------------


def test_the_examples_of_the_python_guide_work_one_after_the_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, *more = blocks(PYTHON, "python")
    program = first + "".join(textwrap.indent(block, "    ") for block in more)
    with desk(tmp_path):
        exec(compile(program, "python.md", "exec"), {})
    rotation, *others = capsys.readouterr().out.splitlines()
    assert rotation.endswith(" Token rotation was approved for every service")
    found, as_json, many, fault = others[-4:]
    assert found == "m2 atlas"
    assert json.loads(as_json)["hits"][0]["metadata"] == {"project": "atlas"}
    assert many == "1000 []"
    assert fault.startswith("/ttl unknown argument 'ttl'; did you mean 'ttl_seconds'?")


def test_the_errors_of_the_python_guide_are_those_of_the_code() -> None:
    told = [code(row["error"]) for row in rows(PYTHON, "error", "when")]
    kinds = [one for one in vars(errors).values() if isinstance(one, type)]
    known = [one.__name__ for one in kinds if issubclass(one, errors.WinnowError)]
    assert told == [name for name in known if name != "WinnowError"]


def test_the_methods_of_the_python_guide_are_those_of_the_code() -> None:
    told = read(PYTHON).split("## The rest")[1]
    for kind in (Admin, Memory):
        shown = {name for name in vars(kind) if not name.startswith("_")}
        assert shown <= {*re.findall(r"\w+", told), *OPERATIONS}


# --- docs/backup.md ------------------------------------------------------------------------------


def test_the_commands_of_the_backup_guide_work_one_after_the_other(tmp_path: Path) -> None:
    with desk(tmp_path) as patch:
        printed = [out for block in blocks(BACKUP, "console") for out in type_in(block, patch)]
    assert all("1 memory" in out for out in printed[1:5])
    assert all("is sound" in out for out in printed[5:7])
    assert printed[-1] == "1 brought back\nids: d1\n"
    assert len(list((tmp_path / "data").rglob("winnow.db.2*"))) == 1


# --- docs/export.md ------------------------------------------------------------------------------


def test_the_commands_of_the_export_guide_work(tmp_path: Path) -> None:
    with desk(tmp_path) as patch:
        printed = [out for block in blocks(EXPORT, "console") for out in type_in(block, patch)]
    assert "1 memory" in printed[-3]
    assert printed[-1].splitlines()[1] == "Approved an escrow of 12 % for Atlas"


def test_the_lines_of_the_export_guide_come_in_and_go_out_again(tmp_path: Path) -> None:
    exported, plain = blocks(EXPORT, "json lines")
    with winnow.open(tmp_path / "w.db") as memory:
        for text in (exported, plain):
            (tmp_path / "in.jsonl").write_text(text, encoding="utf-8")
            answer = memory.admin.import_(str(tmp_path / "in.jsonl"))
            assert answer.errors == []
            assert (answer.memories.added > 0, answer.entities.added) == (True, 1)
            if text == exported:
                memory.admin.export(str(tmp_path / "out.jsonl"), vectors=False)
                assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == exported
        assert memory.get("p2", namespace="ships").kind == "observation"
        assert memory.recall("pilot").memories[0].tags == ("harbor",)


def test_the_keys_of_the_export_guide_are_those_of_the_code() -> None:
    told = [re.findall(r"`([^`]+)`", row["its keys"]) for row in rows(EXPORT, "its keys")]
    assert told == [list(sort.value) for sort in Sort]


# --- docs/import.md ------------------------------------------------------------------------------

OTHERS = {
    "memory.jsonl": '{"type":"entity","name":"Anna","entityType":"person","observations":["a"]}\n',
    "all.json": '{"results": [{"id": "1", "memory": "Likes tea", "user_id": "alex"}]}',
    "project/auth.md": "---\npermalink: auth\n---\n- implements [[API Security]]\n",
    "old-notes/crane.md": "The crane is new.\n",
    "tickets.csv": "Key;Body;Labels;Hours\nT-1;It broke;crane;1.5\n",
}


def test_the_commands_of_the_import_guide_work(tmp_path: Path) -> None:
    with desk(tmp_path) as patch:
        for name, text in OTHERS.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        (block,) = blocks(IMPORT, "console")
        foretold, *printed = type_in(block, patch)
        (question,) = re.findall(r"`(winnow list [^`]+)`", read(IMPORT))
        assert "API Security" in type_in(f"$ {question}\n", patch)[0]
    assert foretold.startswith("nothing was written; it would be 1 added")
    assert [one.startswith("1 added, 0 changed, 0 unchanged") for one in printed] == [True] * 5


def test_the_formats_and_fields_of_the_import_guide_are_those_of_the_code() -> None:
    table = rows(IMPORT, "`--format`")
    assert [code(row["`--format`"]) for row in table] == list(FORMATS)
    told = [re.split(", (?:and )?", row["read from"]) for row in table]
    assert told == [[one for one in Takes if one in known.takes] for known in FORMATS.values()]
    does = {row["`--map`"]: row["what it does"] for row in rows(IMPORT, "`--map`")}
    assert set(re.findall(r"`(\w+)=", "\n".join(does))) == set(FIELDS)
    assert re.findall(r"`(\w+)`", does["`metadata.hours=Hours:number`"]) == list(TYPES)


# --- docs/reference.md ---------------------------------------------------------------------------


def test_the_reference_is_what_the_code_says() -> None:
    assert read(REFERENCE) == make_reference(), "docs/reference.md is out of date: run `make docs`"


# --- docs/cli.md ---------------------------------------------------------------------------------


def test_the_commands_of_the_guide_to_the_command_line_work(tmp_path: Path) -> None:
    (console,), (script,) = blocks(CLI, "console"), blocks(CLI, "sh")
    write_firm(tmp_path / "notes")
    with desk(tmp_path) as patch:
        *_, plain = type_in(console, patch)
        patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        ran = subprocess.run(["sh", "-ec", script], capture_output=True, text=True, check=True)
    lines = [line.split("\t") for line in plain.splitlines()]
    told = ran.stdout.splitlines()
    assert told[: len(lines)] == [f"{line[0]}\t{line[5]}" for line in lines]
    assert told[len(lines)] == "matter MAT-2388"
    assert len(told) == len(lines) + 12


def test_the_columns_of_plain_lines_are_those_of_the_code() -> None:
    told = {row["command"]: row["columns"] for row in rows(CLI, "command", "columns")}
    sheets = [sheet for one in SHEETS.values() for sheet in one]
    assert told == {sheet.of: " ".join(sheet.columns) for sheet in sheets}


def test_the_exit_codes_and_the_width_are_those_of_the_code() -> None:
    codes = {"0", *map(str, (failures.FAILED, failures.BAD_INPUT, failures.INTERRUPTED))}
    assert {row["exit code"] for row in rows(CLI, "exit code")} == codes
    assert f"fewer than {NARROW} columns" in " ".join(read(CLI).split())


def test_the_guide_to_the_command_line_has_every_variable_that_the_code_reads() -> None:
    told = {code(row["variable"]).removesuffix("…") for row in rows(CLI, "variable")}
    assert told == variables()


def variables() -> set[str]:
    """The names of Winnow's variables in the texts of the code: whole ones, and beginnings."""
    trees = [ast.parse(read(path)) for path in (PROJECT / "src" / "winnow").rglob("*.py")]
    texts = [
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return {
        name for text in texts for name in re.findall(r"WINNOW_[A-Z_]+|CLAWQL_ONTOLOGY_DB", text)
    }


# --- docs/decisions ------------------------------------------------------------------------------


def test_every_dependency_of_the_core_has_its_reason() -> None:
    project = tomllib.loads(read(PROJECT / "pyproject.toml"))["project"]
    wanted = {re.split(r"[<>=\[]", one)[0] for one in project["dependencies"]}
    cells = [row["package"] for row in rows(DEPENDENCIES, "package", "for", "not")]
    assert sorted(name for cell in cells for name in re.findall(r"`(.+?)`", cell)) == sorted(wanted)
    extras = set(project["optional-dependencies"])
    assert {extra for extra in extras if f"`{extra}`" in read(DEPENDENCIES)} == extras


@pytest.mark.parametrize("page", sorted((DOCS / "decisions").glob("*.md")), ids=title)
def test_a_decision_is_a_page_with_a_question_a_choice_and_its_cost(page: Path) -> None:
    text = read(page)
    assert text.startswith(f"# {page.name[:4]}: ")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == [
        "Question",
        "Choice",
        "What it costs",
    ]
    assert len(text.splitlines()) <= 100


# --- all pages -----------------------------------------------------------------------------------

# What a fenced block of a page is in, of those that a test runs.
RUN = {
    "README.md": {"console", "text", "python"},
    "docs/backup.md": {"console"},
    "docs/cli.md": {"console", "sh"},
    "docs/export.md": {"console", "json lines"},
    "docs/filters.md": {"console", "json lines"},
    "docs/import.md": {"console"},
    "docs/reference.md": {"text"},
    "docs/packs.md": {"yaml", "markdown"},
    "docs/evaluation.md": {"json lines", "tsv", "console", "text"},
    "docs/embedders.md": {"python", "console"},
    "docs/access.md": {"console"},  # by tests/surfaces/http/test_guide.py
    "docs/http.md": {"console"},  # by tests/surfaces/http/test_guide.py
    "docs/kinds.md": {"console"},
    "docs/mcp.md": {"json", "sh"},  # by tests/surfaces/mcp/test_guide.py
    "docs/providers.md": {"python", "toml"},
    "docs/python.md": {"python"},
    "docs/recall.md": {"console", "text"},
    "docs/resp.md": {"redis", "python"},  # by tests/surfaces/resp/test_guide.py
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


def test_every_page_is_one_link_from_the_readme() -> None:
    linked = {
        (PROJECT / target.partition("#")[0]).resolve()
        for target in re.findall(r"\]\(([^)]+)\)", read(README))
    }
    pages = {page for page in PAGES if page.parent == DOCS} | {DOCS / "decisions"}
    assert pages <= linked


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", read(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}
