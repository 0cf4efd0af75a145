"""What is said of one field twice, and not alike: in one note, or in several sources."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, tzinfo

from winnow.records import Candidate, Confidence, Finding, Method, resolve
from winnow.schema import Field, Schema
from winnow.values import same_value


def find_disagreements(
    schema: Schema,
    entity: str,
    fields: Mapping[str, Sequence[Candidate]],
    path: str,
    zone: tzinfo = UTC,
) -> Iterator[Finding]:
    """Yield conflicts at the best level, and lower values that differ from the best one.

    `path` is that of candidates without evidence, `zone` that of dates.
    """
    for name, candidates in fields.items():
        if all(one.value == candidates[0].value for one in candidates):
            continue
        field = schema.fields[name]
        resolved = resolve(field.type, candidates, zone)
        if resolved is not None and resolved.conflict:
            place = _place(resolved.best[1], path)
            told = " and ".join(_say(one, place[0]) for one in resolved.best)
            yield Finding("conflict", *place, f"{name} is {told}", entity, name)
        elif resolved is not None and resolved.level is Confidence.EXTRACTED:
            best = resolved.best[0]
            for one in _differing(field, candidates, best, zone):
                place = _place(one, path)
                source = "prose" if one.method is Method.PATTERN else one.method
                detail = f"{name} is {_say(best, place[0])}, but {source} says"
                told = f"{detail} {_say(one, place[0])}"
                yield Finding("disagreement", *place, told, entity, name)


def _differing(
    field: Field, candidates: Sequence[Candidate], best: Candidate, zone: tzinfo
) -> Iterator[Candidate]:
    for one in candidates:
        lower = one.confidence < best.confidence
        if lower and not same_value(field.type, one.value, best.value, zone):
            yield one


def _place(candidate: Candidate, path: str) -> tuple[str, int | None]:
    evidence = candidate.evidence
    return (path, None) if evidence is None else (evidence.path, evidence.line)


def _say(candidate: Candidate, path: str) -> str:
    """Show a value and, if it is known, its line, with the path if that is not `path`."""
    value = candidate.value
    shown = f"[{', '.join(map(repr, value))}]" if isinstance(value, tuple) else repr(value)
    elsewhere, line = _place(candidate, path)
    if elsewhere != path:
        return f"{shown} ({elsewhere if line is None else f'{elsewhere}:{line}'})"
    return shown if line is None else f"{shown} (line {line})"
