"""The figures that a request asks for: what is grouped by, and the metrics of each group."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from winnow.errors import Fault, unknown
from winnow.memory.entities.questions import resolve_steps
from winnow.memory.state.ontology import Domain
from winnow.operations.requests import AggregateRequest
from winnow.plan.aggregate import MEASURES, Group, Metric, aggregate
from winnow.plan.gather import Selection, count_others
from winnow.plan.order import spell_steps
from winnow.records import Confidence
from winnow.schema import Field
from winnow.values import NUMERIC, Json, Type

MAX_BINS = 1_000
_FIELD = r"""(?:"[^"]*"|'[^']*'|[^,()"'])+?"""
_METRIC = re.compile(rf"\s*(\w+)\s*(?:\(\s*({_FIELD})\s*(?:,\s*(\d+)\s*)?\))?\s*")
_SEPARATOR = re.compile(r",(?![^()]*\))")
_SHAPES = "count, min(field), max(field), sum(field), avg(field), histogram(field, bins)"
_NEEDS_NUMBERS = frozenset({"sum", "avg", "histogram"})


@dataclass(frozen=True, slots=True)
class Figures:
    """What is asked for: the fields to group by, each behind its references, and the metrics."""

    group_by: Sequence[tuple[Field, ...]]
    metrics: Sequence[Metric]

    def named(self) -> list[tuple[Field, ...]]:
        """Return all fields that are named, each behind its references."""
        return [*self.group_by, *(one.steps for one in self.metrics if one.steps)]

    def compute(
        self, selections: Sequence[Selection], minimum: Confidence
    ) -> list[dict[str, Json]]:
        """Compute them over an exact set; each group as an answer shows it, the largest first."""
        groups = aggregate(selections, self.group_by, self.metrics, minimum)
        return [_show(group, self.group_by) for group in groups]


def warn_of_others(figures: Figures, selection: Selection) -> list[str]:
    """Tell of metrics of keys of metadata under which some memories have no number."""
    told: list[str] = []
    for metric in figures.metrics:
        is_open = metric.steps and metric.steps[0].type is Type.OPEN
        others = count_others(selection, metric.steps) if is_open else 0
        if others:
            detail = f"{metric.label} is of numbers alone: {others} of the memories that match"
            told.append(f"{detail} have something else there, which is left out")
    return told


def read_figures(
    request: AggregateRequest, domains: Sequence[Domain], faults: list[Fault]
) -> Figures:
    """Read what a request asks for; what is wrong with it is added to `faults`."""
    group_by = [
        resolve_steps(name, domains, "group by", f"/groupBy/{index}", faults)
        for index, name in enumerate(_listed(request.group_by))
    ]
    return Figures(group_by, _read_metrics(request.metrics, domains, faults))


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
    steps = _as_number(resolve_steps(field or "", domains, "measure", place, faults))
    if steps and name in _NEEDS_NUMBERS and steps[-1].type not in NUMERIC:
        faults.append(Fault(place, f"{name} needs a number, {field} is a {steps[-1].type} field"))
    dotted = spell_steps(steps)
    inside = dotted if bins is None else f"{dotted}, {bins}"
    return [Metric(name, f"{name}({inside})", steps, int(bins or 0))] if steps else []


def _as_number(steps: tuple[Field, ...]) -> tuple[Field, ...]:
    """Read a key of metadata as a number: what has another value there is left out."""
    if not steps or steps[-1].type is not Type.OPEN:
        return steps
    return (*steps[:-1], replace(steps[-1], type=Type.NUMBER))


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
        names = map(spell_steps, group_by)
        shown["key"] = dict(zip(names, group.key, strict=True))
    return {**shown, "count": group.count, "metrics": dict(group.metrics)}
