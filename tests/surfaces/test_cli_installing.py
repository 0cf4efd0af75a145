"""Setting up clients of MCP, and the hooks and the plugin of one of them."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.surfaces.running import Ran, run_winnow

import winnow
from winnow.errors import NotAvailable, StoreError
from winnow.operations import OPERATIONS
from winnow.surfaces import clients
from winnow.surfaces.cli import hooks
from winnow.surfaces.clients import CLIENTS, Client, install, make_entry

PROJECT = Path(__file__).parents[2]
PLUGIN = PROJECT / "plugins" / "claude-code"

Home = Callable[..., Ran]


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a project of our own: no test writes into those of a person."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", CLIENTS)
def test_the_settings_of_each_client_are_shown_and_nothing_is_written(
    at_home: Path, name: str
) -> None:
    shown = json.loads(run_winnow("--store", "notes.db", "install", name).out)
    entry = shown[CLIENTS[name].servers]["winnow"]
    assert entry["args"] == ["--store", str(at_home / "notes.db"), "mcp", "--profile", "full"]
    assert entry["command"].endswith("winnow")
    assert not list(at_home.iterdir())


def test_a_store_that_only_the_environment_names_is_named_to_the_client(at_home: Path) -> None:
    shown = json.loads(run_winnow("install", "cursor", env={"WINNOW_STORE": "notes.db"}).out)
    entry = shown["mcpServers"]["winnow"]
    assert entry["args"][:2] == ["--store", str(at_home / "notes.db")]


@pytest.mark.parametrize("name", CLIENTS)
def test_written_settings_keep_what_was_there_and_a_copy_of_it(at_home: Path, name: str) -> None:
    client = CLIENTS[name]
    path = client.settings()
    path.parent.mkdir(parents=True, exist_ok=True)
    before = json.dumps({"theme": "dark", client.servers: {"other": {"command": "x"}}})
    path.write_text(before)
    told = run_winnow("install", name, "--write", "--json").json
    after = json.loads(path.read_text())
    assert after["theme"] == "dark"
    assert after[client.servers]["other"] == {"command": "x"}
    assert after[client.servers]["winnow"] == told["entry"]
    assert Path(told["backup"]).read_text() == before


def test_writing_twice_changes_nothing_more(at_home: Path) -> None:
    run_winnow("install", "cursor", "--write")
    first = CLIENTS["cursor"].settings().read_bytes()
    assert run_winnow("install", "cursor", "--write", "--json").json["backup"] is None
    assert CLIENTS["cursor"].settings().read_bytes() == first
    assert len(list(CLIENTS["cursor"].settings().parent.iterdir())) == 1


def test_a_copy_never_replaces_an_older_one(at_home: Path) -> None:
    path = CLIENTS["cursor"].settings()
    path.parent.mkdir()
    for profile in ("core", "full", "core"):
        path.write_text(json.dumps({"mine": profile}))
        run_winnow("install", "cursor", "--write", "--profile", profile)
    copies = sorted(one.name for one in path.parent.iterdir() if one != path)
    assert copies == [f"mcp.json.before-winnow{n}" for n in ("", 1, 2)]


@pytest.mark.parametrize("text", ["{", "// comment\n{}", "[]", '{"mcpServers": 5}', "null"])
def test_settings_that_are_no_plain_json_are_left_as_they_are(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(text)
    with pytest.raises((NotAvailable, StoreError)):
        install(Client("A client", lambda: path), {"command": "winnow"})
    assert path.read_text() == text
    assert len(list(tmp_path.iterdir())) == 1


def test_a_link_to_the_settings_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "mcp.json"
    real.write_text("{}")
    link.symlink_to(real)
    install(Client("A client", lambda: link), {"command": "winnow"})
    assert link.is_symlink()
    assert "winnow" in json.loads(real.read_text())["mcpServers"]


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text().filter(lambda key: key != "servers"), plain, max_size=4))
def test_all_other_settings_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, settings: dict[str, Any]
) -> None:
    path = tmp_path_factory.mktemp("client") / "mcp.json"
    path.write_text(json.dumps(settings))
    client = Client("A client", lambda: path, "servers", typed=True)
    install(client, make_entry(client, ("mcp",)))
    after = cast(dict[str, Any], json.loads(path.read_text()))
    assert after.pop("servers") == {"winnow": make_entry(client, ("mcp",))}
    assert after == settings


def test_a_wrong_client_or_profile_is_told_with_what_there_is() -> None:
    ran = run_winnow("install", "curser", "--profile", "all")
    assert ran.code == 2
    assert "did you mean 'cursor'?" in ran.err
    assert "allowed: core, full" in ran.err
    unsaid = (
        "/client: this argument is required (one of claude-code, cursor, claude-desktop, vscode)"
    )
    assert run_winnow("install").err == f"winnow: {unsaid}\n"


def test_the_command_of_an_entry_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["python", "-m", "winnow"])
    assert Path(clients.find_command()).name == "winnow"


def test_hooks_tell_in_one_object_what_is_stored(tmp_path: Path) -> None:
    store = str(tmp_path / "store.db")
    run_winnow("--store", store, "store", "The secret is told to nobody.")
    begun = run_winnow("--store", store, "hook", "session-start").json["hookSpecificOutput"]
    assert begun["hookEventName"] == "SessionStart"
    assert "pieces of notes: 1" in begun["additionalContext"]
    assert "secret" not in begun["additionalContext"]
    ended = run_winnow("--store", store, "hook", "session-end").json
    assert ended["systemMessage"].startswith("Winnow holds memories: 1; the last was stored at 20")


@pytest.mark.parametrize("event", hooks.EVENTS)
@pytest.mark.parametrize("content", [None, b"no store at all", b""])
def test_a_hook_stands_in_nobodys_way(tmp_path: Path, event: str, content: bytes | None) -> None:
    store = tmp_path / "store.db"
    if content is not None:
        store.write_bytes(content)
    ran = run_winnow("--store", str(store), "hook", event)
    assert (ran.code, ran.err) == (0, "")
    assert isinstance(json.loads(ran.out), dict)


def test_the_plugin_is_made_of_what_there_is() -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())
    assert manifest["version"] == winnow.__version__
    started = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]["winnow"]
    assert started["command"] == "winnow"
    declared = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]
    commands = [
        hook["command"] for event in declared.values() for one in event for hook in one["hooks"]
    ]
    assert [one.split()[2] for one in commands] == list(hooks.EVENTS)
    skill = (PLUGIN / "skills" / "winnow-memory" / "SKILL.md").read_text()
    tools = {one.tool for one in OPERATIONS.values() if one.tool}
    named = {word for word in tools if f"`{word}`" in skill}
    assert {"memory_recall", "recall_check", "memory_schema", "memory_store"} <= named


def test_the_entry_for_the_registry_fits_its_rules() -> None:
    entry = json.loads((PROJECT / "server.json").read_text())
    assert entry["version"] == entry["packages"][0]["version"] == winnow.__version__
    assert len(entry["description"]) <= 100
    assert entry["name"].count("/") == 1
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert f"mcp-name: {entry['name']}" in (PROJECT / project["readme"]).read_text()
    (package,) = entry["packages"]
    assert package["identifier"] == project["name"]
    assert project["name"] in project["scripts"]  # `uvx NAME` runs no command of another name
