"""What may be typed next: names of commands and options, choices, kinds, schemas, namespaces."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from winnow.errors import Fault, InvalidRequest, unknown
from winnow.surfaces.cli.plain import in_one_line
from winnow.surfaces.cli.session import Session
from winnow.surfaces.cli.shells import SCRIPTS


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that may be typed, and what it means."""

    value: str
    help: str = ""


@dataclass(slots=True)
class Typed:
    """How far the words on a line have got: the command, and the option that waits for a value."""

    command: Any
    waiting: Any = None
    places: int = 0
    store: str | None = None
    only_places: bool = field(default=False)


def run_completion(session: Session, shell: str, words: Sequence[str] | None) -> None:
    """Print the script of a shell, or, if there are words of a line, what the last may become."""
    if shell not in SCRIPTS:
        raise InvalidRequest([Fault("/shell", unknown("shell", shell, SCRIPTS))])
    if not words:
        typer.echo(SCRIPTS[shell], nl=False)
        return
    for offer in complete(session.program, words, session.store):
        told = in_one_line(offer.help)
        typer.echo(f"{offer.value}\t{told}" if told else offer.value)


def complete(command: Any, words: Sequence[str], store: str | None = None) -> Iterator[Offer]:
    """Yield what the last of the words after the command's name may become."""
    *before, last = _join_values(words)
    typed = Typed(command, store=store)
    for word in before:
        _read(typed, word)
    yield from _offer(typed, last)


def _join_values(words: Sequence[str]) -> list[str]:
    """Return the words without the `=` of bash, which takes it for a word of its own."""
    joined = list(words)
    if joined[-1] == "=":
        joined[-1] = ""
    return [word for place, word in enumerate(joined) if word != "=" or place == 0]


def _read(typed: Typed, word: str) -> None:
    """Take note of a word that is complete."""
    if typed.waiting is not None:
        if typed.waiting.name == "store":
            typed.store = word
        typed.waiting = None
    elif word == "--":
        typed.only_places = True
    elif word.startswith("-") and not typed.only_places:
        name, has_value, value = word.partition("=")
        option = _options(typed.command).get(name)
        if option is not None and not option.is_flag and not has_value:
            typed.waiting = option
        elif name == "--store":
            typed.store = value
    elif isinstance(typed.command, TyperGroup):
        typed.command = typed.command.commands.get(word, typed.command)
    else:
        typed.places += 1


def _offer(typed: Typed, last: str) -> Iterable[Offer]:
    if typed.waiting is not None:
        return _values(typed, typed.waiting, last)
    if last.startswith("-") and not typed.only_places:
        return _names_or_value(typed, last)
    if isinstance(typed.command, TyperGroup):
        commands = typed.command.commands.items()
        offers = (Offer(name, one.help or "") for name, one in commands if not one.hidden)
        return (one for one in offers if one.value.startswith(last))
    places = [one for one in typed.command.params if one.param_type_name == "argument"]
    return _values(typed, places[typed.places], last) if typed.places < len(places) else ()


def _names_or_value(typed: Typed, last: str) -> Iterator[Offer]:
    name, has_value, value = last.partition("=")
    options = _options(typed.command)
    if has_value and name in options:
        for offer in _values(typed, options[name], value):
            yield Offer(f"{name}={offer.value}", offer.help)
    for name, option in options.items():
        if name.startswith("--") and name.startswith(last):
            yield Offer(name, option.help or "")


def _options(command: Any) -> dict[str, Any]:
    options = [one for one in command.params if one.param_type_name == "option"]
    named = {name: one for one in options for name in (*one.opts, *one.secondary_opts)}
    return {**named, "--help": _HELP}


def _values(typed: Typed, parameter: Any, last: str) -> Iterator[Offer]:
    """Yield the values of an option or an argument; of a list with commas, those of its last."""
    find = VALUES.get(parameter.name)
    choices = (parameter.metavar or "").strip("[]").split("|")
    offers = find(typed.store) if find else map(Offer, choices if len(choices) > 1 else ())
    before, comma, begun = last.rpartition(",")
    for offer in offers:
        if offer.value.startswith(begun):
            yield Offer(f"{before}{comma}{offer.value}", offer.help)


@dataclass(frozen=True, slots=True)
class _Flag:
    """The option that every command has without declaring it."""

    help: str = "show this help"
    is_flag: bool = True
    name: str = "help"


_HELP = _Flag()


def _kinds(_: str | None) -> Iterator[Offer]:
    from winnow.kinds import MEANINGS

    return (Offer(name, meaning) for name, meaning in MEANINGS.items())


def _schemas(store: str | None) -> Iterator[Offer]:
    from winnow.packs import builtin_packs

    shipped = [one for pack in builtin_packs() for one in pack.schemas]
    stored = _ask_store(store, lambda found: [name for _, name, _ in found.schemas()])
    return map(Offer, sorted({*shipped, *stored}))


def _namespaces(store: str | None) -> Iterator[Offer]:
    return map(Offer, _ask_store(store, lambda found: found.namespaces()))


def _ask_store(store: str | None, ask: Callable[[Any], list[str]]) -> list[str]:
    """Ask a store, if there is one, without all that makes a memory of it: nobody should wait."""
    from winnow.settings import default_store, read_settings
    from winnow.store.sqlite.store import open_store

    try:
        named = store or read_settings().store
        place = Path(named).expanduser() if named else default_store()
        if not place.exists():
            return []
        found = open_store(place)
        try:
            return ask(found)
        finally:
            found.close()
    except Exception:  # noqa: BLE001  # a completion has no place to say what is wrong
        return []


VALUES: Mapping[str, Callable[[str | None], Iterable[Offer]]] = {
    "kind": _kinds,
    "kinds": _kinds,
    "schema": _schemas,
    "namespace": _namespaces,
}
