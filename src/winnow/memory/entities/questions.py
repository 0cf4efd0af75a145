"""From the filter of a request to what the evaluators run, in each namespace that is asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from winnow.columns.arrays import Mask
from winnow.errors import Fault, InvalidRequest, unknown
from winnow.filter.ast import EVERYTHING, All, Expr, Pred, matches
from winnow.filter.check import Scope, check, resolve_name
from winnow.filter.decode import decode_filter, load_json
from winnow.filter.names import UnreadableName, split_name
from winnow.filter.parse import parse_where
from winnow.filter.rewrite import Plan, rewrite
from winnow.filter.unparse import flatten, to_json, to_text
from winnow.memory.engine import Engine
from winnow.memory.state.ontology import Domain
from winnow.operations.answers import OfNotes
from winnow.operations.arguments import OrderBy
from winnow.plan.columnar import Evaluation
from winnow.plan.gather import Selection
from winnow.plan.matching import Matched, count_known, run
from winnow.plan.order import SortKey
from winnow.records import Confidence
from winnow.schema import Field, Schema
from winnow.values import Json, Type, UnreadableValue


class FilterRequest(Protocol):
    """What all requests with a filter on a schema have."""

    @property
    def schema(self) -> str | None: ...  # noqa: D102
    @property
    def filters(self) -> Mapping[str, object] | Sequence[Mapping[str, object]] | str | None: ...  # noqa: D102
    @property
    def where(self) -> str | None: ...  # noqa: D102
    @property
    def confidence_minimum(self) -> str: ...  # noqa: D102
    @property
    def namespace(self) -> str | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Asked:
    """A filter in one namespace: as resolved, and as its tables see it.

    `within` has the entities that the conditions of notes leave, None if there are none.
    """

    domain: Domain
    pred: Pred
    plan: Plan
    evaluation: Evaluation
    within: Mask | None = None

    def run(self) -> Matched:
        """Evaluate the filter."""
        matched = run(self.domain.namespace, self.domain.table, self.evaluation, self.plan)
        return matched if self.within is None else matched.within(self.within)


@dataclass(frozen=True, slots=True)
class Question:
    """A checked request: its filter in each namespace, and the echo of it."""

    asked: Sequence[Asked]
    minimum: Confidence
    filters: Json
    where: str
    warnings: tuple[str, ...]
    of_notes: OfNotes | None = None

    @property
    def schema(self) -> Schema:
        """The schema, as the first namespace knows it."""
        return self.asked[0].domain.schema


@dataclass(frozen=True, slots=True)
class Matches:
    """The exact set, namespace by namespace, with what is not certain."""

    parts: Sequence[Matched]
    scanned: int

    @property
    def selections(self) -> list[Selection]:
        """The rows that match."""
        return [part.selection for part in self.parts]

    @property
    def count(self) -> int:
        """How many entities match."""
        return sum(len(part.selection.rows) for part in self.parts)

    @property
    def open_count(self) -> int:
        """How many entities are not certain."""
        return sum(part.open_count for part in self.parts)


def find_domains(engine: Engine, request: FilterRequest, faults: list[Fault]) -> list[Domain]:
    """Find the schema of a request in each namespace that it speaks of and that has some.

    An unknown schema is a fault; a known one without entities gives one empty domain.
    """
    engine.require_ontology()
    name = request.schema or ""
    namespaces = engine.namespaces(request.namespace, faults)
    if not namespaces:
        return []
    domains = engine.ontology.domains(name, namespaces)
    if not domains:
        catalogs = map(engine.ontology.catalog, namespaces)
        names = sorted({one for catalog in catalogs for one in catalog.names()})
        doubt = engine.doubt_namespace(request.namespace) if request.namespace else None
        detail = unknown("schema", name, names) + (f"; {doubt}" if doubt else "")
        faults.append(Fault("/schema", detail))
    return [domain for domain in domains if domain.table.count] or domains[:1]


def ask(
    engine: Engine, request: FilterRequest, domains: Sequence[Domain], faults: list[Fault]
) -> Question:
    """Resolve a request's filter in each domain; what is wrong with it is added to `faults`."""
    expr = read_filters(request, faults)
    minimum = Confidence[request.confidence_minimum]
    warnings: list[str] = []
    preds = _check(expr, domains, engine, faults, warnings)
    asked = [
        Asked(domain, pred, rewrite(pred), Evaluation(domain.tables, minimum))
        for domain, pred in zip(domains, preds, strict=True)
    ]
    if request.namespace and domains and not domains[0].table.count:
        lack = f"namespace {request.namespace!r} holds no {request.schema}"
        warnings.append(engine.doubt_namespace(request.namespace) or lack)
    elif domains and not any(one.table.count for one in domains):
        warnings.append(f"{domains[0].schema.name} has no entity yet: {_NO_ENTITY}")
    first = asked[0].pred if asked else EVERYTHING
    told = tuple(dict.fromkeys(warnings))
    return Question(asked, minimum, to_json(first), to_text(first), told)


_NO_ENTITY = "no note that was indexed fits it, and none was imported"


def match(question: Question) -> Matches:
    """Evaluate a question."""
    scanned = sum(asked.domain.table.count for asked in question.asked)
    return Matches([asked.run() for asked in question.asked], scanned)


def warn(question: Question, matches_: Matches) -> list[str] | None:
    """Return what the writer of a filter should know, None if that is nothing."""
    return [*question.warnings, *_warn_of_missing(question, matches_)] or None


def _warn_of_missing(question: Question, matches_: Matches) -> list[str]:
    """Warn of fields of the filter that most entities lack."""
    tests = (test for asked in question.asked for test in matches(asked.pred))
    named = {(*test.path, test.field)[0].name for test in tests}
    fields = [
        question.schema.fields[name] for name in sorted(named) if name in question.schema.fields
    ]
    warnings: list[str] = []
    for field in fields:
        known = sum(
            count_known(asked.domain.table, field.name, question.minimum)
            for asked in question.asked
        )
        if known * 2 < matches_.scanned:
            lack = matches_.scanned - known
            warnings.append(
                f"{field.name} has no value at {question.minimum.name} in {lack} of"
                f" {matches_.scanned} entities; see undetermined"
            )
    return warnings


def sort_keys(
    orders: str | Sequence[OrderBy | str] | None,
    domains: Sequence[Domain],
    faults: list[Fault],
    *,
    query: str | None = None,
) -> list[SortKey]:
    """Resolve the sort keys of a request.

    Where there can be a `query`, `relevance` is how well it is answered, unless a schema has a
    field of that name; the best then comes first if no direction is given.
    """
    keys: list[SortKey] = []
    items = [orders] if isinstance(orders, str) else list(orders or ())
    for index, (name, direction) in enumerate(_split_orders(items)):
        place = f"/orderBy/{index}"
        if direction not in ("asc", "desc", ""):
            faults.append(Fault(place, unknown("direction", direction, ("asc", "desc"))))
        if query is not None and name == RELEVANCE.name and not _has_field(name, domains):
            if not query.strip():
                faults.append(Fault(place, "relevance is to a query; give one"))
            keys.append(SortKey((RELEVANCE,), direction != "asc"))
            continue
        steps = resolve_steps(name, domains, "order by", place, faults)
        keys.extend([SortKey(steps, direction == "desc")] if steps else [])
    return keys


def names_relevance(orders: str | Sequence[OrderBy | str] | None) -> bool:
    """Tell whether a request may order by relevance."""
    items = [orders] if isinstance(orders, str) else list(orders or ())
    return any(name == RELEVANCE.name for name, _ in _split_orders(items))


def is_relevance(key: SortKey) -> bool:
    """Tell whether a sort key is how well a query is answered."""
    return key.steps == (RELEVANCE,)


RELEVANCE = Field("relevance", Type.NUMBER)


def _has_field(name: str, domains: Sequence[Domain]) -> bool:
    return any(domain.schema.find(name) for domain in domains)


def resolve_steps(
    name: str, domains: Sequence[Domain], purpose: str, pointer: str, faults: list[Fault]
) -> tuple[Field, ...]:
    """Resolve a dotted name that stands outside a filter to its steps, the field itself last.

    It has to mean the same in all domains. `purpose` is to order by it, group by it, or measure
    it; only to group by it may it be a list.
    """
    found: dict[object, tuple[Field, ...]] = {}
    wrong: dict[str, list[Domain]] = {}
    for domain in domains:
        try:
            steps = _find_steps(name, domain, purpose)
        except (UnreadableName, UnreadableValue) as error:
            wrong.setdefault(str(error), []).append(domain)
        else:
            found[tuple((one.name, one.type, one.is_list, one.target) for one in steps)] = steps
    faults.extend(Fault(pointer, _by(detail, where, domains)) for detail, where in wrong.items())
    if len(found) > 1:
        detail = f"namespaces define {name!r} in different ways, so nothing can {purpose} it"
        faults.append(Fault(pointer, f"{detail}; name one namespace"))
    return next(iter(found.values())) if len(found) == 1 and not wrong else ()


def _find_steps(name: str, domain: Domain, purpose: str) -> tuple[Field, ...]:
    path, field = resolve_name(domain.schema, split_name(name), domain.catalog)
    if not isinstance(field, Field) or (field.is_list and purpose != "group by"):
        raise UnreadableValue(f"{name!r} may have several values, so nothing can {purpose} it")
    return (*path, field)


def _split_orders(items: Iterable[OrderBy | str]) -> Iterable[tuple[str, str]]:
    for item in items:
        if not isinstance(item, str):
            yield item["field"], item.get("direction", "")
            continue
        for part in item.split(","):
            name, _, direction = part.strip().partition(":")
            yield name.strip(), direction.strip().lower()


def read_filters(request: FilterRequest, faults: list[Fault]) -> Expr:
    """Read the filters of a request, in both spellings, as one."""
    parts: list[Expr] = []
    try:
        raw = request.filters
        if isinstance(raw, str):
            raw = load_json(raw, "/filters") if raw.strip() else None
        if raw is not None:
            parts.append(decode_filter(raw, "/filters"))
    except InvalidRequest as error:
        faults.extend(error.faults)
    try:
        if request.where is not None:
            parts.append(parse_where(request.where, "/where"))
    except InvalidRequest as error:
        faults.extend(error.faults)
    return All(tuple(parts))


def _check(
    expr: Expr,
    domains: Sequence[Domain],
    engine: Engine,
    faults: list[Fault],
    warnings: list[str],
) -> list[Pred]:
    """Resolve a filter in each domain; relative dates mean the same in all of them."""
    now = engine.clock()
    preds: list[Pred] = []
    found: dict[Fault, list[Domain]] = {}
    for domain in domains:
        try:
            checked = check(expr, domain.schema, Scope(domain.catalog, engine.zone, now))
        except InvalidRequest as error:
            preds.append(EVERYTHING)
            for fault in error.faults:
                found.setdefault(fault, []).append(domain)
        else:
            preds.append(flatten(checked.pred))
            warnings.extend(checked.warnings)
    for fault, where in found.items():
        faults.append(replace(fault, detail=_by(fault.detail, where, domains)))
    return preds


def _by(detail: str, where: Sequence[Domain], domains: Sequence[Domain]) -> str:
    """Say in which namespaces something is wrong, where others define the schema otherwise."""
    if len(where) == len(domains):
        return detail
    names = ", ".join(repr(domain.namespace) for domain in where)
    schema = where[0].schema.name
    return f"{detail}, as {schema} is defined in {names}; name one namespace"
