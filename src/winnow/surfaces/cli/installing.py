"""Telling a client of MCP how to start Winnow."""

import os
from collections.abc import Sequence

import typer

from winnow.errors import Fault, InvalidRequest, unknown
from winnow.surfaces.cli.session import Session, write_json
from winnow.surfaces.clients import CLIENTS, install, make_entry, show
from winnow.wire import encode_text

PROFILES = ("core", "full")


def run_install(session: Session, client: str, profile: str, *, write: bool) -> None:
    """Print the client's settings, or write them after a copy of what was there."""
    faults = [
        Fault(place, unknown(place.removeprefix("/"), given, allowed))
        for place, given, allowed in (
            ("/client", client, list(CLIENTS)),
            ("/profile", profile, PROFILES),
        )
        if given not in allowed
    ]
    if faults:
        raise InvalidRequest(faults)
    found = CLIENTS[client]
    entry = make_entry(found, (*_name_store(session), "mcp", "--profile", profile))
    if not write:
        typer.echo(f"# {found.title}: {found.settings()}", err=True)
        typer.echo(show(found, entry), nl=False)
        return
    path, copy = install(found, entry)
    if session.as_json:
        answer = {"path": str(path), "backup": str(copy) if copy else None, "entry": entry}
        write_json(encode_text(answer))
        return
    if session.as_lines:
        typer.echo(f"{path}\t{copy or ''}")
        return
    typer.echo(f"{found.title}: winnow is set up in {path}")
    if copy is not None:
        typer.echo(f"what was there is kept in {copy}")


def _name_store(session: Session) -> Sequence[str]:
    """Return the option that names the store; the client has another folder and environment."""
    store = session.store or os.environ.get("WINNOW_STORE")
    if not store:
        return ()
    from pathlib import Path

    return ("--store", store if "://" in store else str(Path(store).expanduser().absolute()))
