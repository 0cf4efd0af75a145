"""The command `serve`: what it is given, and where it says that it listens."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import typer
from annotated_types import Ge, Le

from winnow.memory import Memory
from winnow.surfaces.cli.reading import read_request
from winnow.surfaces.cli.session import Session
from winnow.surfaces.http.limits import DEFAULT_HOST, DEFAULT_PORT, Limits
from winnow.surfaces.http.server import log_requests, serve
from winnow.surfaces.listening import listen
from winnow.wire import Arg


@dataclass(frozen=True, slots=True)
class ServeRequest:
    """Serve the store over HTTP, and to MCP clients, until a signal says to stop."""

    host: Annotated[str, Arg("the name or address to listen on")] = DEFAULT_HOST
    port: Annotated[int, Ge(0), Le(65_535), Arg("the port; 0 for one that is free")] = DEFAULT_PORT
    profile: Annotated[Literal["core", "full"], Arg("the tools that MCP clients see")] = "full"
    max_body: Annotated[int, Ge(1), Arg("the most bytes that a request may have")] = Limits().body
    resp_port: Annotated[
        int | None, Ge(0), Le(65_535), Arg("the port for clients of Redis; none without it")
    ] = None


def run_serve(session: Session, given: Mapping[str, str | None], *, quiet: bool) -> None:
    """Serve until a signal comes."""
    from winnow.app import open_memory

    request = read_request(ServeRequest, given)
    with open_memory(session.store, durability=session.durability) as memory:
        place = listen(memory, request.host, request.port)
        if not quiet:
            log_requests()
        told = ", ".join(f"http://{one}" for one in place.addresses)

        limits = replace(Limits(), body=request.max_body)
        with _responding(memory, request) as redis:

            def ready() -> None:
                parts = "API /api/v1, its description /docs, MCP /mcp"
                typer.echo(f"winnow: listening on {told} ({parts})", err=True)
                if redis is not None:
                    typer.echo(redis, err=True)

            serve(memory, place, limits=limits, profile=request.profile, ready=ready)


def _responding(memory: Memory, request: ServeRequest) -> AbstractContextManager[str | None]:
    """Serve clients of Redis, too, if a port is given for them; the line says where."""
    if request.resp_port is None:
        return nullcontext()
    from winnow.surfaces.cli.resp import serving

    return serving(memory, request.host, request.resp_port)
