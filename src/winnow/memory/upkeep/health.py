"""What a person should look at in the notes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from winnow.errors import Fault, settle, unknown
from winnow.memory.engine import Engine
from winnow.memory.state.links import find_ambiguous
from winnow.memory.state.ontology import Domain
from winnow.memory.upkeep.findings import LOST, find_contested, find_lost, locate_lost
from winnow.operations.reports import LintAnswer
from winnow.operations.requests import LintRequest
from winnow.plan.matching import count_known
from winnow.records import Confidence, Finding


def lint_notes(engine: Engine, request: LintRequest, faults: list[Fault]) -> LintAnswer:
    """List what the notes' readers found, contradictions, what leads nowhere, and what is missing.

    What is missing is counted by type.
    """
    namespaces = engine.namespaces(request.namespace, faults)
    settle(faults)
    domains = _domains(engine, namespaces, request.schema)
    told = [
        *_wanted(engine.store.findings(namespaces), request.schema, domains),
        *find_contested(engine.store, domains, engine.zone),
        *find_ambiguous(engine.store, namespaces),
    ]
    lost = [one for domain in domains for one in find_lost(domain)]
    counts = Counter(finding.code for finding in told)
    if lost:
        counts[LOST] = len(lost)
    shown = told[: request.limit]
    shown += locate_lost(engine.store, lost[: request.limit - len(shown)])
    return LintAnswer(
        findings=shown,
        total=counts.total(),
        counts=dict(sorted(counts.items())),
        missing=_missing(domains),
        as_of=engine.as_of(),
    )


def _domains(engine: Engine, namespaces: Sequence[str], schema: str | None) -> list[Domain]:
    """Return every schema that has entities, in every namespace; one of them if it is named."""
    catalogs = map(engine.ontology.catalog, namespaces)
    names = sorted({name for catalog in catalogs for name in catalog.names()})
    if schema is not None and schema not in names:
        settle([Fault("/schema", unknown("schema", schema, names))])
    wanted = names if schema is None else [schema]
    found = (one for name in wanted for one in engine.ontology.domains(name, namespaces))
    return [domain for domain in found if domain.table.count]


def _wanted(
    findings: Iterator[Finding], schema: str | None, domains: Sequence[Domain]
) -> Iterator[Finding]:
    """Leave out the findings about entities of other schemas; those about notes stay."""
    for finding in findings:
        known = schema is None or finding.entity is None
        if known or any(one.table.row_of(finding.entity or "") is not None for one in domains):
            yield finding


def _missing(domains: Sequence[Domain]) -> Mapping[str, Mapping[str, int]]:
    """Count, for each schema, the entities that lack each field that some of them have."""
    missing: dict[str, Counter[str]] = {}
    for domain in domains:
        counts = missing.setdefault(domain.schema.name, Counter())
        for name in domain.schema.fields:
            known = count_known(domain.table, name, Confidence.AMBIGUOUS)
            if known:
                counts[name] += domain.table.count - known
    return {
        schema: {name: count for name, count in counts.items() if count}
        for schema, counts in missing.items()
    }
