"""docs/http.md and docs/access.md say what is so: their commands run, their tables agree."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.surfaces.http.serving import client_of
from tests.surfaces.running import run_winnow

from winnow.app import open_memory
from winnow.operations import OPERATIONS
from winnow.surfaces.authenticate import ATTEMPT_SECONDS, ATTEMPTS
from winnow.surfaces.cli.programs import PROGRAMS
from winnow.surfaces.http.limits import DEFAULT_HOST, DEFAULT_PORT, Limits
from winnow.surfaces.http.problems import STATUSES
from winnow.surfaces.http.routes import NOT_SERVED, ROUTES

DOCS = Path(__file__).parents[3] / "docs"
HTTP = (DOCS / "http.md").read_text(encoding="utf-8")
ACCESS = (DOCS / "access.md").read_text(encoding="utf-8")
SOURCES = Path(__file__).parents[3] / "src" / "winnow" / "surfaces" / "http"


def commands(page: str) -> list[list[str]]:
    """The commands of a page, as words."""
    found = re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [shlex.split(line[2:]) for block in found for line in block.splitlines()]


def rows(page: str, head: str) -> Iterator[list[str]]:
    """The rows of the table that has this head."""
    _, _, after = page.partition(f"{head}\n")
    for line in after.splitlines()[1:]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.split("|")[1:-1]]


def codes(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def curl(client: TestClient, words: Sequence[str]) -> Any:
    """Do what curl does with these words, as far as the page uses them."""
    method, body, address = "", None, ""
    headers: dict[str, str] = {}
    left = iter(words)
    for word in left:
        if word == "-X":
            method = next(left)
        elif word == "-H":
            name, _, value = next(left).partition(": ")
            headers[name] = value
        elif word == "-d":
            body = next(left)
        elif word != "-s":
            address = word
    assert address.startswith(f"localhost:{DEFAULT_PORT}/")
    sent = client.request(
        method or ("GET" if body is None else "POST"),
        f"http://{address}",
        headers=headers,
        content=body,
    )
    assert sent.status_code in (200, 201), sent.text
    return sent.json()


def test_the_commands_of_the_page_work_and_find_what_they_ask_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (_, *demo), (_, *serve), *asked = commands(HTTP)
    assert run_winnow(*demo).code == 0
    assert serve == ["--store", "firm.db", "serve"]
    with open_memory("firm.db", create=False) as memory, client_of(memory) as client:
        assert all(words[0] == "curl" for words in asked)
        by_text, exact, stored, found, changed, got, deleted, back = (
            curl(client, words[1:]) for words in asked
        )
    assert by_text["filteredEntities"] > exact["filteredEntities"] == 5
    assert found["hits"][0]["id"] == stored["id"]
    assert got == changed == back
    assert got["tags"] == ["security"]
    assert deleted["deleted"] == 1


def test_the_commands_about_keys_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (export, variable), *typed = commands(ACCESS)
    assert export == "export"
    monkeypatch.setenv(*variable.split("="))
    for name, *words in typed:
        ran = run_winnow(*words, "--json")
        assert (name, ran.code, ran.err) == ("winnow", 0, "")
    left = json.loads(run_winnow("keys", "list", "--json").out)
    assert [one["name"] for one in left["keys"]] == ["root"]


def test_the_table_of_requests_is_that_of_the_code() -> None:
    told = {
        (method, *codes(path), *codes(operation))
        for methods, path, operation in rows(HTTP, "| method | path | operation |")
        for method in codes(methods)
    }
    assert told == {(route.method, route.path, route.name) for route in ROUTES}
    *first, last = (f"`{name}`" for name in NOT_SERVED)
    assert f"{', '.join(first)} and {last} work on files" in HTTP


def test_the_table_of_errors_is_that_of_the_code() -> None:
    told = [(int(row[0]), *codes(row[1])) for row in rows(HTTP, "| status | code | when |")]
    assert told == sorted(told, key=lambda row: row[0])
    classes: Mapping[str, int] = {kind.code: status for kind, status in STATUSES.items()}
    assert {code: status for status, code in told if code in classes} == classes
    source = "".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("*.py"))
    raised = re.findall(r'Refusal\(\s*(\d+), "(\w+)"', source)
    others = {(status, code) for status, code in told if code not in classes}
    assert others == {(int(status), code) for status, code in raised} | {(500, "internal_error")}


def test_the_options_and_limits_are_those_of_the_code() -> None:
    (program,) = [one for one in PROGRAMS if one.name == "serve"]
    told = {codes(row[0])[0]: codes(row[1]) for row in rows(HTTP, "| option | default | |")}
    known = {f"--{one.name.replace('_', '-')}": one.default or "" for one in program.parameters}
    assert {name: default[0] if default else "" for name, default in told.items()} == known
    limits, page = Limits(), " ".join(HTTP.split())
    assert f"{limits.running} calls run at once, {limits.waiting} more wait" in page
    assert limits.body_seconds == limits.head_seconds
    assert f"A body has {limits.body_seconds:g} seconds" in page
    assert f"calls have {limits.grace_seconds} seconds to end" in page
    assert f"http://{DEFAULT_HOST}:{DEFAULT_PORT}" in page


def test_the_scopes_are_those_of_the_code() -> None:
    told = {
        codes(scope)[0]: set(codes(names))
        for scope, names in rows(ACCESS, "| scope | operations |")
    }
    known: dict[str, set[str]] = {}
    for operation in OPERATIONS.values():
        known.setdefault(operation.scope.value, set()).add(operation.name)
    assert told == known


def test_the_bounds_of_wrong_keys_are_those_of_the_code() -> None:
    words = f"{ATTEMPTS} wrong keys at once, then one every {ATTEMPT_SECONDS:g} seconds"
    assert words in " ".join(ACCESS.split())
