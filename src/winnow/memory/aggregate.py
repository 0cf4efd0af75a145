"""Figures over the exact set that a filter describes."""

import re
from collections.abc import Sequence

from winnow.errors import Fault, settle, unknown
from winnow.memory.engine import Engine
from winnow.memory.ontology import Domain
from winnow.memory.questions import ask, find_domains, match, resolve_steps, warn
from winnow.operations.answers import AggregateAnswer
from winnow.operations.requests import AggregateRequest
from winnow.plan.aggregate import MEASURES, Group, Metric
from winnow.plan.aggregate import aggregate as compute
from winnow.schema import Field
from winnow.values import NUMERIC, Json

MAX_BINS = 1_000
_METRIC = re.compile(r"\s*(\w+)\s*(?:\(\s*([^,()]+?)\s*(?:,\s*(\d+)\s*)?\))?\s*")
_SEPARATOR = re.compile(r",(?![^()]*\))")
_SHAPES = "count, min(field), max(field), sum(field), avg(field), histogram(field, bins)"
_NEEDS_NUMBERS = frozenset({"sum", "avg", "histogram"})


def aggregate(engine: Engine, request: AggregateRequest, faults: list[Fault]) -> AggregateAnswer:
    """Compute figures over the exact set of entities that a filter describes."""
    domains = find_domains(engine, request, faults)
    question = ask(engine, request, domains, faults)
    names = _listed(request.group_by)
    group_by = [
        resolve_steps(name, domains, "group", f"/groupBy/{index}", faults)
        for index, name in enumerate(names)
    ]
    metrics = _read_metrics(request.metrics, domains, faults)
    settle(faults)
    matched = match(question)
    groups = compute(matched.selections, group_by, metrics, question.minimum)
    return AggregateAnswer(
        groups=[_show(group, group_by) for group in groups],
        filtered_entities=matched.count,
        undetermined=matched.open_count,
        filters=question.filters,
        where=question.where,
        warnings=warn(question, matched),
        as_of=engine.as_of(),
    )


def _listed(names: str | Sequence[str] | None) -> list[str]:
    if isinstance(names, str):
        return [name.strip() for name in names.split(",") if name.strip()]
    return list(names or ())


def _read_metrics(
    raw: str | Sequence[str], domains: Sequence[Domain], faults: list[Fault]
) -> list[Metric]:
    texts = _SEPARATOR.split(raw) if isinstance(raw, str) else list(raw)
    metrics: list[Metric] = []
    for index, text in enumerate(texts):
        place = f"/metrics/{index}"
        found = _METRIC.fullmatch(text)
        if found is None:
            faults.append(Fault(place, f"{text!r} is not a metric (allowed: {_SHAPES})"))
            continue
        name, field, bins = found.groups()
        metrics.extend(_read_metric((name, field, bins), domains, place, faults))
    return metrics


def _read_metric(
    parts: tuple[str, str | None, str | None],
    domains: Sequence[Domain],
    place: str,
    faults: list[Fault],
) -> list[Metric]:
    name, field, bins = parts
    if name == "count" and field is None:
        return [Metric("count", "count")]
    detail = _misshapen(name, field, bins)
    if detail is not None:
        faults.append(Fault(place, detail))
        return []
    steps = resolve_steps(field or "", domains, "order", place, faults)
    if steps and name in _NEEDS_NUMBERS and steps[-1].type not in NUMERIC:
        faults.append(Fault(place, f"{name} needs a number, {field} is a {steps[-1].type} field"))
    dotted = ".".join(step.name for step in steps)
    inside = dotted if bins is None else f"{dotted}, {bins}"
    return [Metric(name, f"{name}({inside})", steps, int(bins or 0))] if steps else []


def _misshapen(name: str, field: str | None, bins: str | None) -> str | None:
    if name == "count":
        return "count is of entities and takes no field; write count"
    if name not in MEASURES:
        return f"{unknown('metric', name, ['count', *MEASURES])}; write {_SHAPES}"
    if field is None:
        return f"{name} needs a field: {name}(field)"
    if (name == "histogram") != (bins is not None):
        return f"write {_SHAPES}"
    if bins is not None and not 1 <= int(bins) <= MAX_BINS:
        return f"a histogram has 1 to {MAX_BINS} bins, not {bins}"
    return None


def _show(group: Group, group_by: Sequence[tuple[Field, ...]]) -> dict[str, Json]:
    """Show a group: its key is one value, or an object if it was grouped by several fields."""
    shown: dict[str, Json] = {}
    if len(group_by) == 1:
        shown["key"] = group.key[0]
    elif group_by:
        names = [".".join(step.name for step in steps) for steps in group_by]
        shown["key"] = dict(zip(names, group.key, strict=True))
    return {**shown, "count": group.count, "metrics": dict(group.metrics)}
