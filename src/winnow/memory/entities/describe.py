"""What an agent needs to write a filter: schemas, fields, operators, and the values seen."""

from collections.abc import Iterator, Sequence

from winnow.errors import Fault, settle, unknown
from winnow.filter.ops import operators_of
from winnow.memory.engine import Engine
from winnow.memory.state.ontology import Domain
from winnow.operations.answers import FieldDescription, SchemaAnswer, SchemaDescription
from winnow.operations.requests import SchemaRequest
from winnow.plan.ranges import see
from winnow.schema import Field, Reverse, Schema

EXAMPLE = (
    'recall {"schema": "legal.Matter", "filters":'
    ' {"escrowPct": {"gte": 10}, "nonCompeteMonths": {"gt": 18}}}'
)


def describe_schemas(engine: Engine, request: SchemaRequest, faults: list[Fault]) -> SchemaAnswer:
    """List the schemas, or describe one with its fields."""
    engine.require_ontology()
    namespaces = engine.namespaces(request.namespace, faults)
    settle(faults)
    names = _names(engine, namespaces)
    if request.schema is not None:
        if request.schema not in names:
            faults.append(Fault("/schema", unknown("schema", request.schema, names)))
        settle(faults)
        names = [request.schema]
    domains = [engine.ontology.domains(name, namespaces) for name in names]
    shown = [one for found in domains for one in _describe(found, request.schema is not None)]
    example = EXAMPLE if request.schema is None else None
    doubts = engine.doubts(request.namespace) or None
    return SchemaAnswer(schemas=shown, example=example, as_of=engine.as_of(), warnings=doubts)


def list_schemas(engine: Engine) -> list[str]:
    """Return the names of the schemas that may be seen; none where typed recall is off."""
    if not engine.enabled:
        return []
    return _names(engine, engine.access.visible(engine.ontology.namespaces()))


def _names(engine: Engine, namespaces: Sequence[str]) -> list[str]:
    catalogs = [engine.ontology.catalog(namespace) for namespace in namespaces]
    return sorted({name for catalog in catalogs for name in catalog.names()})


def _describe(domains: Sequence[Domain], in_full: bool) -> Iterator[SchemaDescription]:
    """Describe a schema, once for each way in which namespaces with entities define it."""
    filled = [one for one in domains if one.table.count] or domains[:1]
    ways: dict[object, list[Domain]] = {}
    for domain in filled:
        ways.setdefault(_way(domain.schema), []).append(domain)
    for alike in ways.values():
        names = [one.namespace for one in alike] if len(ways) > 1 else None
        yield _describe_alike(alike, names, in_full)


def _way(schema: Schema) -> object:
    """Return what two definitions of a schema have to share for values to be alike."""
    fields = [(one.name, one.type, one.is_list, one.target) for one in schema.fields.values()]
    return (tuple(fields), tuple(schema.reverses))


def _describe_alike(
    domains: Sequence[Domain], namespaces: Sequence[str] | None, in_full: bool
) -> SchemaDescription:
    schema = domains[0].schema
    return SchemaDescription(
        name=schema.name,
        description=schema.description,
        id_pattern=schema.id.pattern or None,
        entities=sum(domain.table.count for domain in domains),
        field_names=None if in_full else list(schema.names()),
        fields=_describe_fields(schema, domains) if in_full else None,
        operators=_operators(schema) if in_full else None,
        namespaces=namespaces,
    )


def _describe_fields(schema: Schema, domains: Sequence[Domain]) -> list[FieldDescription]:
    fields = [_describe_field(field, domains) for field in schema.fields.values()]
    return fields + [_describe_reverse(reverse) for reverse in schema.reverses.values()]


def _operators(schema: Schema) -> dict[str, Sequence[str]]:
    """Return the operators of each type that the schema has fields of."""
    fields = (*schema.fields.values(), *schema.reverses.values())
    return {_type_of(one): operators_of(one) for one in fields}


def _type_of(field: Field | Reverse) -> str:
    if isinstance(field, Reverse):
        return "reverse reference"
    return f"list of {field.type}" if field.is_list else field.type.value


def _describe_field(field: Field, domains: Sequence[Domain]) -> FieldDescription:
    seen = see([domain.table for domain in domains], field)
    return FieldDescription(
        name=field.name,
        type=_type_of(field),
        unit=field.unit,
        choices=field.choices or None,
        target=field.target,
        aliases=field.aliases or None,
        description=field.description or None,
        entities_with_value=seen.entities or None,
        lowest=seen.lowest,
        highest=seen.highest,
    )


def _describe_reverse(reverse: Reverse) -> FieldDescription:
    return FieldDescription(
        name=reverse.name,
        type=_type_of(reverse),
        target=reverse.source,
        description=reverse.description or f"the {reverse.source} whose {reverse.via} is this one",
    )
