"""What a note says of one field twice, and not alike."""

from collections.abc import Iterator, Mapping, Sequence

from winnow.records import Candidate, Confidence, Finding, resolve
from winnow.schema import Field, Schema
from winnow.values import same_value


def find_disagreements(
    schema: Schema, entity: str, fields: Mapping[str, Sequence[Candidate]], path: str
) -> Iterator[Finding]:
    """Yield conflicts at the best level, and lower values that differ from the best one."""
    for name, candidates in fields.items():
        if all(one.value == candidates[0].value for one in candidates):
            continue
        resolved = resolve(schema.fields[name].type, candidates)
        if resolved is not None and resolved.conflict:
            detail = f"{name} is {' and '.join(map(_say, resolved.best))}"
            line = _line(resolved.best[1])
            yield Finding("conflict", path, line, detail, entity, name)
        elif resolved is not None:
            yield from _lower(schema.fields[name], candidates, resolved.best[0], (entity, path))


def _lower(
    field: Field, candidates: Sequence[Candidate], best: Candidate, place: tuple[str, str]
) -> Iterator[Finding]:
    if best.confidence is not Confidence.EXTRACTED:
        return
    entity, path = place
    for one in candidates:
        if one.confidence < best.confidence and not same_value(field.type, one.value, best.value):
            detail = f"{field.name} is {_say(best)}, but prose says {_say(one)}"
            yield Finding("disagreement", path, _line(one), detail, entity, field.name)


def _say(candidate: Candidate) -> str:
    value = candidate.value
    shown = f"[{', '.join(map(repr, value))}]" if isinstance(value, tuple) else repr(value)
    line = _line(candidate)
    return shown if line is None else f"{shown} (line {line})"


def _line(candidate: Candidate) -> int | None:
    return candidate.evidence.line if candidate.evidence else None
