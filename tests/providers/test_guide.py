"""docs/providers.md says what is so."""

import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest
from tests.providers.test_onyx import DOCUMENTS

from winnow.providers import Answers, Found, Remark, Sources, lane, llm, onyx, reading, server
from winnow.providers.registry import GROUP
from winnow.providers.sources import TIMEOUT
from winnow.providers.variables import LONGEST_TIMEOUT

SOURCE = Path(__file__).parents[2] / "src" / "winnow" / "providers"
GUIDE = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")
PYTHON, TOML = (
    re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    for language in ("python", "toml")
)


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Sources:
    """Sources with the guide's own provider, named as the guide says."""
    (program,) = PYTHON
    module = ModuleType("my_package.lines")
    exec(compile(program, "providers.md", "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, "my_package.lines", module)
    monkeypatch.setitem(sys.modules, "my_package", ModuleType("my_package"))
    (setting,) = re.findall(r"`(WINNOW_PROVIDER_\w+)=(\S+)`", GUIDE)
    settings: Mapping[str, str] = {setting[0]: setting[1], "LINES_FILE": str(tmp_path / "a.txt")}
    return Sources(settings)


def test_the_provider_of_the_guide_finds_lines(sources: Sources, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Milk\nBread\nSour milk\nMilk again\n")
    path = tmp_path / "a.txt"
    assert sources.ask(["pageindex"], "milk", 2) == Answers(
        {
            "pageindex": (
                Found("Line 1", "Milk", f"{path}#L1", 1.0),
                Found("Line 3", "Sour milk", f"{path}#L3", 1.0),
            )
        },
        (),
    )


def test_its_error_becomes_a_note(sources: Sources, tmp_path: Path) -> None:
    answers = sources.ask(["pageindex"], "milk", 2)
    assert answers == Answers({}, (Remark("pageindex", f"there is no file {tmp_path / 'a.txt'}"),))


def test_the_entry_point_is_of_the_group_that_is_looked_in() -> None:
    (block,) = TOML
    (named,) = re.findall(r"`WINNOW_PROVIDER_PAGEINDEX=(\S+)`", GUIDE)
    offered = tomllib.loads(block)["project"]["entry-points"]
    assert offered == {GROUP: {"pageindex": named}}


def test_it_names_every_variable_that_is_read() -> None:
    code = "".join(module.read_text(encoding="utf-8") for module in SOURCE.glob("*.py"))
    read = {name for name in re.findall(r'"(WINNOW_\w+)"', code) if not name.endswith("_")}
    assert len(read) == 9
    told = re.findall(r"^\| (`WINNOW_.*?) \|", GUIDE, re.MULTILINE)
    variables = {name for cell in told for name in re.findall(r"`(\w+)`", cell)}
    assert {name for name in variables if not name.startswith("WINNOW_PROVIDER_")} == read


def test_its_numbers_are_those_of_the_code() -> None:
    told = " ".join(GUIDE.split())
    assert f"together, up to {LONGEST_TIMEOUT:g} | {TIMEOUT:g} |" in told
    assert f"for the answer, up to {LONGEST_TIMEOUT:g} | {llm.TIMEOUT:g} |" in told
    assert (
        f"Titles are cut at {reading.LONGEST_TITLE} characters, texts at {reading.LONGEST_TEXT:,}."
    ) in told
    assert f"cut at {onyx.LONGEST_QUERY:,} characters, which is all that Onyx takes" in told
    assert "after {:g}, {:g} and {:g} seconds".format(*server.PAUSES) in told
    assert f"longer than {server.MOST_BYTES / 1e6:g} MB" in told
    assert f"after {lane.MOST_AT_ONCE} of them" in told
    assert f"at most {llm.MOST_TOKENS} tokens" in told
    assert (
        f"title cut at {llm.LONGEST_TITLE} characters and its text at {llm.LONGEST_TEXT:,}" in told
    )
    assert f"capability `{llm.CLASSIFY_KIND}`" in told


def test_it_names_the_metadata_of_a_result_of_onyx() -> None:
    (first,) = onyx.read_results({"results": [*DOCUMENTS[:1]]}, 1)
    assert all(f"`{name}`" in GUIDE for name in first.metadata)
    assert len(first.metadata) == 3
