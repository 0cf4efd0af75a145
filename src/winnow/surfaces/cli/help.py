"""What `--help` shows: the options that matter most first, and commands by what they are for."""

from collections.abc import Iterable, Mapping
from typing import Any

# Arguments of conditions by what they decide, the most used first; the others stand before them.
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "What matches": (
        "schema",
        "where",
        "filters",
        "kinds",
        "tags",
        "namespace",
        "entity",
        "memory_type",
        "since",
        "until",
        "confidence_minimum",
    ),
    "What is shown": (
        "limit",
        "order_by",
        "cursor",
        "near_misses",
        "include_confidence_tags",
        "budget_tokens",
    ),
    "Where to look, and how to rank": (
        "sources",
        "max_depth",
        "min_score",
        "fusion",
        "mmr",
        "vector",
    ),
}
SHARED = ("store", "durability", "json", "plain", "version", "help")

# Commands, and groups of them, by what they are for; one that is named nowhere stands at the end.
CHAPTERS: Mapping[str, tuple[str, ...]] = {
    "Ask": ("recall", "check", "list", "count", "aggregate", "explain", "get", "schema"),
    "Remember": ("store", "update", "delete", "undelete", "retype"),
    "Notes and files": ("index", "lint", "import", "export", "backup", "restore"),
    "For agents and programs": ("mcp", "serve", "resp", "install", "hook", "keys"),
    "Take care of a store": ("namespace", "reembed", "doctor", "capabilities"),
    "Try and measure": ("demo", "eval", "bench", "completion"),
}


def write_parameters(parameters: Iterable[Any], formatter: Any, *, by_purpose: bool) -> None:
    """Write the arguments, the options, and at the end those that every command has."""
    shown = {one.name: one for one in parameters if not one.hidden}
    places = [one for one in shown.values() if one.param_type_name == "argument"]
    _write("Arguments", map(_describe_place, places), formatter)
    options = {name: one for name, one in shown.items() if one not in places}
    sections: Mapping[str, tuple[str, ...]] = SECTIONS if by_purpose else {}
    placed = {name for names in (*sections.values(), SHARED) for name in names}
    own = [name for name in options if name not in placed]
    for title, names in {"Options": own, **sections, "Of every command": SHARED}.items():
        found = (_describe_option(options[name]) for name in names if name in options)
        _write(title, found, formatter)


def write_commands(
    commands: Mapping[str, Any], formatter: Any, chapters: Mapping[str, tuple[str, ...]]
) -> None:
    """Write the commands by chapters, each with all that is said of it."""
    placed = {name for names in chapters.values() for name in names}
    rest = tuple(name for name in commands if name not in placed)
    for title, names in {**chapters, "More" if chapters else "Commands": rest}.items():
        known = (name for name in names if name in commands)
        _write(title, ((name, commands[name].help) for name in known), formatter)


def write_examples(examples: str, formatter: Any) -> None:
    """Write lines as they are, so that they can be copied."""
    formatter.write_paragraph()
    formatter.write_heading("Examples")
    for line in examples.splitlines():
        formatter.write(f"  {line}\n")


def _write(title: str, rows: Iterable[tuple[str, str]], formatter: Any) -> None:
    found = list(rows)
    if found:
        with formatter.section(title):
            formatter.write_dl(found, col_max=_WIDEST)


_WIDEST = 26


def _describe_place(argument: Any) -> tuple[str, str]:
    return argument.metavar or argument.name.upper(), argument.help or ""


def _describe_option(option: Any) -> tuple[str, str]:
    if option.name == "help":
        return ", ".join(sorted(option.opts, key=len)), "show this help"
    names = ", ".join(option.opts)
    told = option.help or ""
    if not option.is_flag:
        return f"{names} {option.metavar or 'TEXT'}", told
    # What is off unless it is asked for needs no word that switches it off.
    return (f"{names} / {option.secondary_opts[0]}" if _is_on(option) else names), told


def _is_on(option: Any) -> bool:
    return bool(option.secondary_opts) and "(default: true)" in (option.help or "")
