"""Commands that are more than one operation: each a row, with what it takes and what it does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

from winnow.surfaces.cli.session import Session
from winnow.surfaces.http.limits import DEFAULT_HOST, DEFAULT_PORT, Limits
from winnow.surfaces.resp.limits import DEFAULT_PORT as DEFAULT_RESP_PORT
from winnow.surfaces.resp.limits import MOST_CLIENTS as DEFAULT_RESP_CLIENTS


@dataclass(frozen=True, slots=True)
class Program:
    """A command of its own. `run` gets the session and what was given for each parameter.

    It imports what it needs when it runs: no other command should wait for that.
    """

    name: str
    help: str
    parameters: tuple[Parameter, ...]
    run: Callable[..., None]


def argument(
    name: str, help_: str, *, required: bool = False, metavar: str | None = None
) -> Parameter:
    """Return a parameter that is given by its place; None if it is not given."""
    metavar = metavar or (name.upper() if required else f"[{name.upper()}]")
    told = f"{help_} (required)" if required else help_
    info = typer.Argument(metavar=metavar, help=told, show_default=False)
    return _parameter(name, str if required else str | None, info, ... if required else None)


def option(
    name: str, help_: str, *, metavar: str = "TEXT", default: str | None = None
) -> Parameter:
    """Return a parameter that is given by its name."""
    told = help_ if default is None else f"{help_} (default: {default})"
    info = typer.Option(_spell(name), metavar=metavar, help=told, show_default=False)
    return _parameter(name, str | None, info, default)


def flag(name: str, help_: str) -> Parameter:
    """Return a parameter that is given, or not."""
    return _parameter(name, bool, typer.Option(_spell(name), help=help_), False)


def rest(name: str, help_: str, *, metavar: str) -> Parameter:
    """Return a parameter for all words that are left."""
    info = typer.Argument(metavar=metavar, help=help_, show_default=False)
    return _parameter(name, list[str] | None, info, None)


def _spell(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parameter(name: str, taken: Any, info: object, default: object) -> Parameter:
    annotation = Annotated[taken, info]
    kind = Parameter.KEYWORD_ONLY
    if default is ...:
        return Parameter(name, kind, annotation=annotation)
    return Parameter(name, kind, default=default, annotation=annotation)


def _demo(session: Session, folder: str | None) -> None:
    from rich.console import Console

    from winnow.demo import run_demo

    console = Console(highlight=False, quiet=not session.for_people)
    answer = run_demo(console, Path(folder) if folder else None, store=session.store)
    if not session.for_people:
        session.show(answer)


def _mcp(session: Session, profile: str) -> None:
    from winnow.app import open_memory
    from winnow.surfaces.mcp import serve_stdio

    with open_memory(session.store, durability=session.durability) as memory:
        serve_stdio(memory, profile)


def _serve(session: Session, *, quiet: bool, **given: str | None) -> None:
    from winnow.surfaces.cli.serving import run_serve

    run_serve(session, given, quiet=quiet)


def _resp(session: Session, **given: str | None) -> None:
    from winnow.surfaces.cli.resp import run_resp

    run_resp(session, given)


def _install(session: Session, client: str, profile: str, *, write: bool) -> None:
    from winnow.surfaces.cli.installing import run_install

    run_install(session, client, profile, write=write)


def _hook(session: Session, event: str) -> None:
    from winnow.surfaces.cli.hooks import run_hook

    run_hook(session, event)


def _restore(session: Session, path: str, *, replace: bool) -> None:
    from winnow.app import restore_memory

    session.show(restore_memory(path, session.store, replace=replace))


def _completion(session: Session, shell: str, words: Sequence[str] | None) -> None:
    from winnow.surfaces.cli.completion import run_completion

    run_completion(session, shell, words)


def _eval(
    session: Session, format: str, path: str, embedder: str, limit_conversations: str | None
) -> None:
    from winnow.surfaces.cli.evaluating import run_eval

    run_eval(session, format, path, embedder, limit_conversations)


def _bench(session: Session, namespace: str | None, calls: str) -> None:
    from winnow.surfaces.cli.benching import run_bench

    run_bench(session, namespace, calls)


# Choices, as the help tells them and a shell completes them.
CLIENTS = "claude-code|cursor|claude-desktop|vscode"
EVENTS = "session-start|session-end"
FORMATS = "locomo|beir"
PROFILES = "core|full"
SHELLS = "bash|zsh|fish"

DEFAULT_BENCH_CALLS = 30
"""How often `bench` asks each question."""

PROGRAMS: tuple[Program, ...] = (
    Program(
        "demo",
        "Show on twelve notes what an exact answer is.",
        (argument("folder", "where to put the notes (default: a new folder)"),),
        _demo,
    ),
    Program(
        "eval",
        "Measure how well recall finds what answers the questions of a data set.",
        (
            argument("format", "how it is written", required=True, metavar=FORMATS),
            argument("path", "the file of locomo, or the folder of beir", required=True),
            option("embedder", "what makes the vectors", default="static"),
            option("limit_conversations", "measure on the first N of locomo alone", metavar="N"),
        ),
        _eval,
    ),
    Program(
        "bench",
        "Measure how fast the store answers, with filters and words of its own; nothing changes.",
        (
            option("namespace", "ask of this namespace alone", metavar="NAME"),
            option(
                "calls", "how often each is asked", metavar="N", default=str(DEFAULT_BENCH_CALLS)
            ),
        ),
        _bench,
    ),
    Program(
        "restore",
        "Make the store hold what a backup holds.",
        (
            argument("path", "the backup", required=True),
            flag("replace", "even if the store holds anything, which is then kept beside it"),
        ),
        _restore,
    ),
    Program(
        "serve",
        "Serve the store over HTTP, and MCP beside it, until a signal says to stop.",
        (
            option("host", "the name or address to listen on", default=DEFAULT_HOST),
            option(
                "port",
                "the port, 0 for one that is free",
                metavar="N",
                default=str(DEFAULT_PORT),
            ),
            option("profile", "the tools that MCP clients see", metavar=PROFILES, default="full"),
            option(
                "max_body",
                "the most bytes that a request's body may have",
                metavar="N",
                default=str(Limits().body),
            ),
            option("resp_port", "the port for clients of Redis; none without it", metavar="N"),
            flag("quiet", "write no line for each request"),
        ),
        _serve,
    ),
    Program(
        "resp",
        "Serve the store to clients of Redis, with Klyro's memory commands.",
        (
            option("host", "the name or address to listen on", default=DEFAULT_HOST),
            option(
                "port",
                "the port, 0 for one that is free",
                metavar="N",
                default=str(DEFAULT_RESP_PORT),
            ),
            option(
                "max_clients",
                "the most connections at a time",
                metavar="N",
                default=str(DEFAULT_RESP_CLIENTS),
            ),
        ),
        _resp,
    ),
    Program(
        "mcp",
        "Serve agents by the Model Context Protocol, on standard input and output.",
        (option("profile", "the tools that are shown", metavar=PROFILES, default="full"),),
        _mcp,
    ),
    Program(
        "install",
        "Show the settings with which a client of MCP starts Winnow, or write them.",
        (
            argument("client", "which client", required=True, metavar=CLIENTS),
            option("profile", "the tools that it sees", metavar=PROFILES, default="full"),
            flag("write", "write them into the client's own file, after a copy of it"),
        ),
        _install,
    ),
    Program(
        "hook",
        "Answer a hook of Claude Code with one JSON object.",
        (argument("event", "what happens", required=True, metavar=EVENTS),),
        _hook,
    ),
    Program(
        "completion",
        "Print the script that makes a shell complete commands, options and names.",
        (
            argument("shell", "which shell", required=True, metavar=SHELLS),
            rest("words", "for the script: the words of a line so far", metavar="[-- WORD ...]"),
        ),
        _completion,
    ),
)
