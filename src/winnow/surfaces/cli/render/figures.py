"""Numbers for people: a count, and figures by group."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import typer

from winnow.operations.answers import AggregateAnswer, CountAnswer
from winnow.surfaces.cli.page import Column, Page
from winnow.surfaces.cli.render.parts import value_text, write_filter, write_warnings
from winnow.values import Json


def write_count(answer: CountAnswer, page: Page) -> None:
    """Write a count alone, so that a script can read it; what else there is goes to stderr."""
    page.line(str(answer.count))
    notes = [f"{answer.undetermined} undetermined"] if answer.undetermined else []
    for note in [*notes, *(answer.warnings or ())]:
        typer.echo(f"winnow: {note}", err=True)


def write_aggregate(answer: AggregateAnswer, page: Page) -> None:
    """Write figures, a row for each group."""
    write_filter(answer.where, answer.of_notes, page)
    keys = _names(map(_keys, answer.groups))
    metrics = [name for name in _names(map(_metrics, answer.groups)) if name != "count"]
    columns = [
        *(Column(name) for name in keys),
        Column("count", number=True),
        *(Column(name, number=True) for name in metrics),
    ]
    dash = page.symbols.dash
    page.table(columns, (_row(group, keys, metrics, dash) for group in answer.groups))
    write_warnings(answer.warnings, page)
    page.line(f"{answer.filtered_entities} match, {answer.undetermined} undetermined")


def _row(
    group: Mapping[str, Json], keys: Sequence[str], metrics: Sequence[str], dash: str
) -> list[str]:
    key, found = _keys(group), _metrics(group)
    return [
        *(value_text(key.get(name)) for name in keys),
        value_text(group["count"]),
        *(_figure(found.get(name), dash) for name in metrics),
    ]


def _figure(value: Json, dash: str) -> str:
    """Return a figure; a histogram as `0-5: 3, 5-10: 1`."""
    if isinstance(value, list):
        return ", ".join(_figure(one, dash) for one in value)
    if isinstance(value, dict):
        low, high = value_text(value.get("from")), value_text(value.get("to"))
        return f"{low}{dash}{high}: {value_text(value.get('count'))}"
    return value_text(value)


def _keys(group: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the key of a group by field; a single field has no name there."""
    if "key" not in group:
        return {}
    key = group["key"]
    return key if isinstance(key, dict) else {"group": key}


def _metrics(group: Mapping[str, Json]) -> Mapping[str, Json]:
    return cast(Mapping[str, Json], group.get("metrics") or {})


def _names(groups: Iterable[Mapping[str, Json]]) -> list[str]:
    return list(dict.fromkeys(name for group in groups for name in group))
