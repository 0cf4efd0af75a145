"""Entities as objects, in JSON or Python: read from the lines of an import, and written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import cast

from winnow.errors import Fault, unknown
from winnow.filter.plain import find_surrogate, pointer_to, read_scalar
from winnow.filter.raw import is_broken
from winnow.memory.engine import Engine
from winnow.memory.transfer.lines import Sorted
from winnow.memory.transfer.slots import Spot
from winnow.records import Candidate, Confidence, Evidence, Method
from winnow.schema import Catalog, Field, Schema
from winnow.store.base import Contribution
from winnow.values import NUMERIC, TEMPORAL, Json, Type, UnreadableValue, Value, as_json, describe

CANDIDATE_KEYS = ("value", "confidence", "method", "evidence")
EVIDENCE_KEYS = ("path", "line", "quote")


@dataclass(slots=True)
class EntityReader:
    """Reads objects as entities of the schemas that their namespaces know meanwhile."""

    engine: Engine
    catalogs: dict[str, Catalog] = field(default_factory=dict[str, Catalog])

    def read(self, namespace: str, one: Sorted) -> Contribution | None:
        """Read a line; what is wrong with it is added to the faults of its spot."""
        line, spot = one.line, one.spot
        schema = self._schema(namespace, line.get("schema"), spot)
        if schema is None:
            return None
        name = _read_id(schema, line.get("id"), spot)
        fields = read_fields(schema, line.get("fields"), f"{spot.place}/fields", spot.faults)
        return Contribution(schema.name, name, fields)

    def _schema(self, namespace: str, name: object, spot: Spot) -> Schema | None:
        catalog = self.catalogs.get(namespace)
        if catalog is None:
            catalog = self.catalogs[namespace] = self.engine.ontology.catalog(namespace)
        schema = catalog.get(name) if isinstance(name, str) else None
        if schema is None:
            detail = f"expected the name of a schema, got {describe(name)}"
            if isinstance(name, str):
                detail = unknown("schema", name, catalog.names())
            spot.refuse("schema", detail)
        return schema


def show_entity(namespace: str, found: Contribution) -> dict[str, Json]:
    """Return an entity as a line has it."""
    fields = {name: _show_candidates(some) for name, some in found.fields.items()}
    return {"namespace": namespace, "schema": found.schema, "id": found.entity, "fields": fields}


def read_fields(
    schema: Schema, raw: object, place: str, faults: list[Fault]
) -> dict[str, tuple[Candidate, ...]]:
    """Read an object's fields: a plain value, {value, confidence …}, or {candidates: […]}."""
    fields: dict[str, tuple[Candidate, ...]] = {}
    if not isinstance(raw, Mapping):
        faults.append(Fault(place, f"expected an object of fields, got {describe(raw)}"))
        return fields
    for key, value in cast(Mapping[object, object], raw).items():
        found = schema.find(key) if isinstance(key, str) else None
        where = pointer_to(place, str(key))
        if not isinstance(found, Field):
            faults.append(Fault(where, unknown("field", str(key), schema.fields)))
        elif found.name in fields:
            faults.append(Fault(where, f"{found.name} stands twice"))
        else:
            fields[found.name] = tuple(_read_candidates(found, value, where, faults))
    return fields


def _show_candidates(candidates: tuple[Candidate, ...]) -> Json:
    """Return a plain value where there is nothing to add to it."""
    if len(candidates) == 1 and candidates[0] == Candidate(candidates[0].value):
        return as_json(candidates[0].value)
    return {"candidates": [_show_candidate(one) for one in candidates]}


def _show_candidate(one: Candidate) -> Json:
    shown: dict[str, Json] = {
        "value": as_json(one.value),
        "confidence": one.confidence.name,
        "method": one.method.value,
    }
    if one.evidence is not None:
        place = one.evidence
        evidence = {"path": place.path, "line": place.line, "quote": place.quote}
        shown["evidence"] = {key: value for key, value in evidence.items() if value is not None}
    return shown


def _read_id(schema: Schema, raw: object, spot: Spot) -> str:
    entity = schema.id.fit(raw) if isinstance(raw, str) else None
    if entity is None or not entity or find_surrogate(entity) is not None:
        wanted = f" (it looks like {schema.id.examples})" if schema.id.examples else ""
        spot.refuse("id", f"{describe(raw)} is no id of {schema.name}{wanted}")
        return ""
    return entity


def _read_candidates(
    field_: Field, raw: object, place: str, faults: list[Fault]
) -> Iterator[Candidate]:
    items: Sequence[object] = [raw]
    if isinstance(raw, Mapping) and "candidates" in raw:
        given = cast(Mapping[str, object], raw)
        items = _list_candidates(given, place, faults)
    for item in items:
        try:
            candidate = _read_candidate(field_, item)
        except UnreadableValue as error:
            faults.append(Fault(place, str(error)))
            continue
        if candidate is not None:
            yield candidate


def _list_candidates(
    given: Mapping[str, object], place: str, faults: list[Fault]
) -> Sequence[object]:
    inner = given["candidates"]
    if len(given) > 1:
        faults.append(Fault(place, "candidates stands alone: each has a confidence of its own"))
    if not isinstance(inner, list | tuple):
        faults.append(Fault(place, f"candidates is a list, got {describe(inner)}"))
        return ()
    return cast(Sequence[object], inner)


def _read_candidate(field_: Field, raw: object) -> Candidate | None:
    if not isinstance(raw, Mapping):
        value = read_strictly(field_, raw)
        return None if value is None else Candidate(value)
    given = cast(Mapping[str, object], raw)
    for key in given:
        if key not in CANDIDATE_KEYS:
            raise UnreadableValue(unknown("key", str(key), CANDIDATE_KEYS))
    if "value" not in given:
        raise UnreadableValue("an object has a value (write null for none), or candidates")
    value = read_strictly(field_, given["value"])
    if value is None:
        return None
    confidence = str(given.get("confidence", Confidence.EXTRACTED.name))
    method = str(given.get("method", Method.MACHINE_READABLE.value))
    if confidence not in Confidence.__members__:
        raise UnreadableValue(unknown("confidence", confidence, Confidence.__members__))
    if method not in list(Method):
        raise UnreadableValue(unknown("method", method, list(Method)))
    evidence = _read_evidence(given.get("evidence"))
    return Candidate(value, Confidence[confidence], Method(method), evidence)


def _read_evidence(raw: object) -> Evidence | None:
    if raw is None:
        return None
    given = cast(Mapping[str, object], raw) if isinstance(raw, Mapping) else None
    if given is None or not set(given) <= set(EVIDENCE_KEYS):
        raise UnreadableValue("evidence is an object {path, line, quote}")
    path, line, quote = (given.get(key) for key in EVIDENCE_KEYS)
    for text in (path, quote):
        if isinstance(text, str) and find_surrogate(text) is not None and not is_broken(text):
            raise UnreadableValue("the evidence holds half of a surrogate pair")
    if (
        isinstance(path, str)
        and isinstance(line, int | None)
        and not isinstance(line, bool)
        and isinstance(quote, str | None)
    ):
        return Evidence(path, line, quote)
    raise UnreadableValue("evidence has a path and a quote, which are texts, and a line, a number")


def read_strictly(field_: Field, raw: object) -> Value | None:
    """Read a JSON value that has the field's own type already; "12" is no number.

    A date or Decimal of Python is read too.
    """
    if raw is None:
        return None
    if field_.is_list:
        if not isinstance(raw, list | tuple):
            raise UnreadableValue(f"expected a list, got {describe(raw)}")
        single = replace(field_, is_list=False)
        items = (read_strictly(single, item) for item in cast(Sequence[object], raw))
        return tuple(item for item in items if item is not None and not isinstance(item, tuple))
    wanted = _JSON_TYPES[field_.type]
    if isinstance(raw, date | Decimal):
        raw = read_scalar(raw)
    if type(raw) not in wanted:
        raise UnreadableValue(f"expected {_WANTED[field_.type]}, got {describe(raw)}")
    if isinstance(raw, str) and find_surrogate(raw) is not None:
        raise UnreadableValue("the text holds half of a surrogate pair")
    return cast(str, raw) if field_.type is Type.STRING else field_.read(cast(Json, raw))


_JSON_TYPES: Mapping[Type, tuple[type, ...]] = {
    **dict.fromkeys((Type.STRING, Type.ENUM, Type.REF), (str,)),
    **dict.fromkeys(NUMERIC, (int, float)),
    **dict.fromkeys(TEMPORAL, (str, int)),
    Type.BOOLEAN: (bool,),
}
_WANTED: Mapping[Type, str] = {
    **dict.fromkeys((Type.STRING, Type.ENUM, Type.REF), "text"),
    **dict.fromkeys(NUMERIC, "a number"),
    **dict.fromkeys(TEMPORAL, "a date"),
    Type.BOOLEAN: "true or false",
}
