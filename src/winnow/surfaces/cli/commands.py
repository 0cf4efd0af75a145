"""The commands: one for each operation of the table, and those that are more than one call."""

import sys
from collections.abc import Callable, Mapping
from inspect import Parameter
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from winnow.errors import DamagedStore, Fault, InvalidRequest, settle
from winnow.operations import OPERATIONS, Effect, Operation
from winnow.operations.requests import Conditions
from winnow.surfaces.cli import options
from winnow.surfaces.cli.examples import EXAMPLES
from winnow.surfaces.cli.parsing import Command, Group, Question
from winnow.surfaces.cli.plain import in_one_line
from winnow.surfaces.cli.programs import PROGRAMS, Program
from winnow.surfaces.cli.session import (
    Run,
    Session,
    begin,
    read_session,
    reconfigure,
    with_options,
)

if TYPE_CHECKING:
    from winnow.memory import Memory

Given: TypeAlias = Mapping[str, object]


def add_commands(app: typer.Typer) -> None:
    """Add every command."""
    groups: dict[str, typer.Typer] = {}
    for operation in OPERATIONS.values():
        *group, name = operation.command
        home = _group(app, groups, group[0]) if group else app
        add = home.command(
            name,
            help=operation.summary,
            epilog=EXAMPLES.get(operation.name),
            cls=Question if issubclass(operation.request, Conditions) else Command,
        )
        add(_command(operation))
    for program in PROGRAMS:
        epilog = EXAMPLES.get(program.name)
        add = app.command(program.name, help=program.help, epilog=epilog, cls=Command)
        add(_run_program(program))


def _group(app: typer.Typer, groups: dict[str, typer.Typer], name: str) -> typer.Typer:
    """Return the group of that name, made when its first command comes."""
    if name not in groups:
        groups[name] = typer.Typer(cls=Group, help=GROUPS[name], rich_markup_mode=None)
        groups[name].callback()(with_options(begin))
        app.add_typer(groups[name], name=name)
    return groups[name]


def _command(operation: Operation) -> Run:
    more = MORE.get(operation.name, ())
    carry_out = CARRIED_OUT.get(operation.name, _carry_out)

    def run(**values: object) -> None:
        from winnow.app import open_memory, open_to_check  # brings numpy, the codec and the store
        from winnow.surfaces.cli.waiting import closing

        session = read_session(values)
        given = options.given(operation, values)
        extra = {one.name: values[one.name] for one in more}
        makes = operation.effect is Effect.WRITE
        try:
            if operation.name in UNTOUCHED:
                opened = open_to_check(session.store, durability=session.durability)
            else:
                opened = open_memory(session.store, create=makes, durability=session.durability)
        except DamagedStore as error:
            tell = DAMAGED.get(operation.name, _refuse)
            return tell(session, error)
        with closing(opened) as memory:
            carry_out(memory, operation, given, session, **extra)

    return with_options(run, [*options.parameters(operation), *more])


def _refuse(_: Session, error: DamagedStore) -> None:
    raise error


def _tell_of_damage(session: Session, error: DamagedStore) -> None:
    from winnow.app import describe_damage

    session.finish(describe_damage(session.store, error))


def _carry_out(memory: "Memory", operation: Operation, given: Given, session: Session) -> None:
    from winnow.surfaces.cli.waiting import waiting

    with waiting(memory):
        answer = attrgetter(operation.method)(memory)(**given)
    session.finish(answer)


def _index(
    memory: "Memory", _operation: Operation, given: Given, session: Session, *, watch: bool
) -> None:
    from winnow.surfaces.cli.indexing import index, watch_vault

    if watch:
        watch_vault(memory, given, session)
    else:
        session.finish(index(memory, given))


def _reembed(memory: "Memory", _operation: Operation, given: Given, session: Session) -> None:
    from winnow.surfaces.cli.indexing import reembed

    session.finish(reembed(memory, given))


def _doctor(
    memory: "Memory", operation: Operation, given: Given, session: Session, *, repair: bool
) -> None:
    if repair:
        from winnow.app import repair_memory

        memory.close()
        session.finish(repair_memory(session.store))
    else:
        _carry_out(memory, operation, given, session)


def _remember(memory: "Memory", operation: Operation, given: Given, session: Session) -> None:
    if given.get("text") == "-":
        given = {**given, "text": _read_input()}
    _carry_out(memory, operation, given, session)


def _read_input() -> str:
    """Read standard input; the line break that ends its last line is not part of it."""
    reconfigure(sys.stdin, encoding="utf-8-sig", errors="strict")
    try:
        return sys.stdin.read().removesuffix("\n")
    except UnicodeDecodeError as error:
        raise InvalidRequest([Fault("/text", f"standard input is not UTF-8: {error}")]) from None


def _import(memory: "Memory", _operation: Operation, given: Given, session: Session) -> None:
    from winnow.surfaces.cli.indexing import import_

    # UTF-8 as in a file, whatever the terminal's encoding is.
    reconfigure(sys.stdin, encoding="utf-8-sig", errors="surrogateescape")
    session.finish(import_(memory, given))


def _export(memory: "Memory", operation: Operation, given: Given, session: Session) -> None:
    answer = attrgetter(operation.method)(memory)(**given)
    if answer.path != "-":
        session.finish(answer)
        return
    for warning in answer.warnings or ():  # nothing but the lines may be on standard output
        typer.echo(f"winnow: {in_one_line(warning)}", err=True)


def _run_program(program: Program) -> Run:
    def run(**values: object) -> None:
        given = {one.name: values[one.name] for one in program.parameters}
        settle(
            Fault(f"/{one.name}", f"this argument is required{_choices(one)}")
            for one in program.parameters
            if one.default is Parameter.empty and given[one.name] is None
        )
        program.run(read_session(values), **given)

    return with_options(run, program.parameters)


def _choices(parameter: Parameter) -> str:
    metavar = str(parameter.annotation.__metadata__[0].metavar)
    return f" (one of {metavar.replace('|', ', ')})" if "|" in metavar else ""


GROUPS: Mapping[str, str] = {
    "namespace": "Show and change the settings of namespaces.",
    "keys": "Make, list and revoke the keys that servers ask for.",
}

# What is more than a call of the operation's method.
CARRIED_OUT: Mapping[str, Callable[..., None]] = {
    "index": _index,
    "doctor": _doctor,
    "import": _import,
    "store": _remember,
    "update": _remember,
    "export": _export,
    "reembed": _reembed,
}

# What leaves a backup as it is.
UNTOUCHED = frozenset({"doctor"})

# What is said instead of an error where the store is too damaged to be opened.
DAMAGED: Mapping[str, Callable[[Session, DamagedStore], None]] = {"doctor": _tell_of_damage}

_REPAIR = typer.Option("--repair", help="mend what can be mended without losing anything")
_WATCH = typer.Option("--watch", help="read again after every change, until Ctrl-C")

# Options of a command that are no arguments of its operation.
MORE: Mapping[str, tuple[Parameter, ...]] = {
    "index": (
        Parameter(
            "watch", Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, _WATCH]
        ),
    ),
    "doctor": (
        Parameter(
            "repair", Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, _REPAIR]
        ),
    ),
}
