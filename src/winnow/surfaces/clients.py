"""Clients that start an MCP server: where each keeps its settings, and what Winnow's entry is."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from winnow.errors import NotAvailable, StoreError
from winnow.values import Json

NAME = "winnow"


@dataclass(frozen=True, slots=True)
class Client:
    """A client: its settings file, and the object in it that lists the servers.

    `typed` clients want to be told that a server is spoken to by its standard streams.
    """

    title: str
    settings: Callable[[], Path]
    servers: str = "mcpServers"
    typed: bool = False


def _desktop() -> Path:
    places = {
        "darwin": Path.home() / "Library" / "Application Support" / "Claude",
        "win32": Path(os.environ.get("APPDATA", Path.home() / "AppData" / "Roaming")) / "Claude",
    }
    fallback = Path(os.environ.get("XDG_CONFIG_HOME", Path.home() / ".config")) / "Claude"
    return places.get(sys.platform, fallback) / "claude_desktop_config.json"


CLIENTS: Mapping[str, Client] = {
    "claude-code": Client("Claude Code, in this project", lambda: Path.cwd() / ".mcp.json"),
    "cursor": Client("Cursor", lambda: Path.home() / ".cursor" / "mcp.json"),
    "claude-desktop": Client("Claude Desktop", _desktop),
    "vscode": Client(
        "VS Code, in this project", lambda: Path.cwd() / ".vscode" / "mcp.json", "servers", True
    ),
}


def find_command() -> str:
    """Return how a client starts this Winnow, whatever its own PATH is."""
    own = Path(sys.argv[0]).absolute()
    if own.name == NAME and own.is_file():
        return str(own)
    return shutil.which(NAME) or NAME


def make_entry(client: Client, arguments: Sequence[str]) -> dict[str, Json]:
    """Return the entry of a server that is `winnow` with these arguments."""
    entry: dict[str, Json] = {"command": find_command(), "args": [*arguments]}
    return {"type": "stdio", **entry} if client.typed else entry


def show(client: Client, entry: Mapping[str, Json]) -> str:
    """Return the settings that have nothing but this entry, as JSON text."""
    return _spell({client.servers: {NAME: dict(entry)}})


def install(client: Client, entry: Mapping[str, Json]) -> tuple[Path, Path | None]:
    """Put the entry into the client's settings, and return that file and the copy made before.

    Everything else in the file stays. One that is no plain JSON is refused, and left as it is.
    """
    path = client.settings()
    before = path.read_text(encoding="utf-8-sig") if path.exists() else None
    settings = _read(path, before)
    servers = settings.setdefault(client.servers, {})
    if not isinstance(servers, dict):
        raise StoreError(f"{path}: {client.servers} is no object; nothing was changed")
    if servers.get(NAME) == dict(entry):
        return path, None
    servers[NAME] = dict(entry)
    path.parent.mkdir(parents=True, exist_ok=True)
    copy = _copy(path) if before is not None else None
    _replace(path, _spell(settings))
    return path, copy


def _read(path: Path, text: str | None) -> dict[str, Json]:
    if text is None or not text.strip():
        return {}
    try:
        found = json.loads(text)
    except ValueError as error:
        detail = f"{path} is not plain JSON ({error}); add the entry by hand"
        raise NotAvailable(detail) from None
    if not isinstance(found, dict):
        raise NotAvailable(f"{path} holds no JSON object; add the entry by hand")
    return cast(dict[str, Json], found)


def _copy(path: Path) -> Path:
    """Copy a file beside itself, under a name that nothing has yet."""
    names = (path.with_name(f"{path.name}.before-winnow{n or ''}") for n in range(1_000))
    copy = next(name for name in names if not name.exists())
    shutil.copy2(path, copy)
    return copy


def _replace(path: Path, text: str) -> None:
    """Write a file as a whole or not at all; a link to it stays one."""
    target = path.resolve()
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        fresh.write_text(text, encoding="utf-8")
        if target.exists():
            shutil.copymode(target, fresh)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def _spell(settings: Mapping[str, Json]) -> str:
    return json.dumps(settings, ensure_ascii=False, indent=2) + "\n"
