"""Secrets kept out of what is stored, where a namespace asks for it.

It is done before terms and vectors are made: a word that is never stored is in no index.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from winnow.memory.changes.saying import Said
from winnow.memory.engine import Engine
from winnow.records import Candidate
from winnow.redaction import redact, redact_json
from winnow.store.base import Contribution
from winnow.store.memories import Past, Record
from winnow.values import Json, Value

if TYPE_CHECKING:
    from winnow.memory.transfer.archive import Told


def clean_said(engine: Engine, namespace: str, said: Said, counts: Counter[str]) -> Said:
    """Return what is said of a memory without secrets, if its namespace keeps none."""
    if not engine.workshop.settings(namespace).redacts:
        return said
    given = {name: getattr(said, name) for name in _CLEANED}
    return replace(said, **clean_values(given, counts))


def clean_record(record: Record, counts: Counter[str]) -> Record:
    """Return a memory without secrets; its terms and vector are to be those of the result."""
    given = {name: getattr(record, name) for name in _CLEANED}
    return replace(record, **clean_values(given, counts))


def clean_told(told: "Told", counts: Counter[str]) -> "Told":
    """Return what a line says without secrets, those of its history included."""
    values = clean_values(told.values, counts)
    history = None if told.history is None else tuple(_clean_past(told.history, counts))
    return told._replace(values=values, history=history)


def clean_contribution(found: Contribution, counts: Counter[str]) -> Contribution:
    """Return what is said of an entity without secrets in its values and quotes."""
    fields = {
        name: tuple(_clean_candidate(one, counts) for one in some)
        for name, some in found.fields.items()
    }
    return replace(found, fields=fields)


def clean_values(values: Mapping[str, Any], counts: Counter[str]) -> dict[str, Any]:
    """Return fields of a memory without secrets; those that are not given stay so."""
    cleaned = dict(values)
    for name in _TEXTS:
        if isinstance(values.get(name), str):
            cleaned[name] = redact(values[name], counts)
    for name in _OBJECTS:
        if values.get(name):
            cleaned[name] = redact_json(dict(values[name]), counts)
    for name in _LISTS:
        if values.get(name):
            cleaned[name] = tuple(redact(one, counts) for one in values[name])
    return cleaned


_TEXTS: Final = ("text", "title", "entity", "source")
_OBJECTS: Final = ("metadata",)
_LISTS: Final = ("tags",)
_CLEANED: Final = (*_TEXTS, *_OBJECTS, *_LISTS)


def _clean_past(history: tuple[Past, ...], counts: Counter[str]) -> list[Past]:
    return [
        one if one.before is None else replace(one, before=clean_record(one.before, counts))
        for one in history
    ]


def _clean_candidate(one: Candidate, counts: Counter[str]) -> Candidate:
    evidence = one.evidence
    if evidence is not None and evidence.quote:
        evidence = replace(evidence, quote=redact(evidence.quote, counts))
    return replace(one, value=_clean_value(one.value, counts), evidence=evidence)


def _clean_value(value: Value, counts: Counter[str]) -> Value:
    if isinstance(value, tuple):
        cleaned = redact_json(cast(Json, list(value)), counts)
        return cast(Value, tuple(cast("list[Json]", cleaned)))
    return redact(value, counts) if isinstance(value, str) else value
