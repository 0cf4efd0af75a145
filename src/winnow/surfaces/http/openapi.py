"""The API described by OpenAPI 3.1, made from the routes and the types of the operations."""

import json
from collections.abc import Mapping
from functools import cache
from typing import cast

from winnow import __version__
from winnow.surfaces.http.problems import PROBLEM
from winnow.surfaces.http.routes import ROUTES, Route
from winnow.values import Json
from winnow.wire import Argument, arguments, camel_case
from winnow.wire.schema import JsonSchema, argument_schema, definitions, input_schema

SCHEMAS = "#/components/schemas/"
JSON = "application/json"

DESCRIPTION = """\
Typed memory for AI agents: filters decide, ranking only orders.

Every operation is the same on all surfaces; arguments are in camelCase, and read in snake_case \
too. An argument that is not listed is an error. Errors are problems (RFC 9457) with a `code` and, \
for a wrong request, an entry in `errors` for each fault. If the store has any key, requests need \
one as a bearer token."""

# A body for each operation that is easier to see than to describe.
EXAMPLES: Mapping[str, Json] = {
    "recall": {
        "schema": "legal.Matter",
        "filters": {"escrowPct": {"gte": 10}, "nonCompeteMonths": {"gt": 18}},
    },
    "count": {"schema": "legal.Matter", "where": "status = Active and escrowPct >= 10"},
    "check": {"topic": "walks in the morning", "entity": "chopper"},
    "store": {"text": "We decided to rotate tokens every week.", "tags": ["security"]},
    "aggregate": {"schema": "legal.Matter", "groupBy": "status", "metrics": ["count"]},
}


@cache
def as_text() -> str:
    """Return the document as JSON."""
    return json.dumps(describe_api(), ensure_ascii=False, indent=2)


@cache
def describe_api() -> Mapping[str, Json]:
    """Return the document."""
    paths: dict[str, Json] = {}
    for route in ROUTES:
        path = cast(dict[str, Json], paths.setdefault(route.template, {}))
        path[route.method.lower()] = _describe(route)
    answers = dict.fromkeys(one.answer for one in ROUTES)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Winnow", "version": __version__, "description": DESCRIPTION},
        "security": [{"key": []}, {}],
        "paths": {**paths, **PAGES},
        "components": {
            "schemas": {**definitions(answers, SCHEMAS), "Problem": PROBLEM_SCHEMA},
            "responses": {"Problem": _PROBLEM},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _describe(route: Route) -> JsonSchema:
    operation = route.operation
    described: JsonSchema = {
        "operationId": _name(route),
        "summary": operation.summary,
        "tags": [operation.command[0]],
        "responses": {
            str(route.status): {"description": "The answer.", "content": _answer(route)},
            "4XX": {"$ref": "#/components/responses/Problem"},
            "5XX": {"$ref": "#/components/responses/Problem"},
        },
    }
    if taken := _parameters(route):
        described["parameters"] = [*taken]
    if route.body:
        described["requestBody"] = _body(route)
    return described


def _answer(route: Route) -> JsonSchema:
    return {JSON: {"schema": {"$ref": SCHEMAS + route.answer.__name__}}}


def _body(route: Route) -> JsonSchema:
    schema = input_schema(route.operation.request, nulls=True)
    placed = {camel_case(name) for name in route.placed}
    properties = cast(dict[str, Json], schema["properties"])
    schema["properties"] = {name: one for name, one in properties.items() if name not in placed}
    required = [one for one in cast(list[Json], schema.pop("required", [])) if one not in placed]
    if required:
        schema["required"] = [*required]
    content: JsonSchema = {"schema": schema}
    if route.name in EXAMPLES:
        content["example"] = EXAMPLES[route.name]
    return {"required": bool(required), "content": {JSON: content}}


def _parameters(route: Route) -> list[JsonSchema]:
    known = {one.name: one for one in arguments(route.operation.request) if not one.raw}
    placed = [_parameter(known[name], "path", name) for name in route.placed]
    asked = [name for name in known if name not in route.placed]
    wanted = route.beside if route.body else asked
    return [*placed, *(_parameter(known[name], "query", _short(known[name])) for name in wanted)]


def _parameter(argument: Argument, place: str, name: str) -> JsonSchema:
    schema = argument_schema(argument)
    described = str(schema.pop("description", argument.help))
    return {
        "name": name,
        "in": place,
        "required": argument.required or place == "path",
        "description": described,
        "schema": _as_text(schema),
    }


def _short(argument: Argument) -> str:
    """Return the name of an argument in an address: `q`, where it has that one too."""
    return "q" if "q" in argument.aliases else argument.wire_name


def _as_text(schema: JsonSchema) -> JsonSchema:
    """Return the schema of an argument in an address: of a text that may be JSON, or of texts."""
    types = schema.get("type")
    kinds = types if isinstance(types, list) else [types]
    if not {"array", "object", None} & set(map(str, kinds)) and "anyOf" not in schema:
        return {**schema, "type": "number"} if "number" in kinds else schema
    if schema.get("items") == {"type": "string"}:
        return {"type": "array", "items": {"type": "string"}}
    return {"type": "string"}


def _name(route: Route) -> str:
    """Return the id of an operation: `recall`, `recallByQuery` for the same without a body."""
    named = camel_case("_".join(route.operation.command))
    ways = [one for one in ROUTES if one.name == route.name]
    if ways[-1 if len(ways) > 1 and ways[-1].body else 0] is route:
        return named
    placed = "".join(name.capitalize() for name in route.placed)
    return f"{named}By{placed or 'Query'}"


PROBLEM_SCHEMA: JsonSchema = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code", "requestId"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "requestId": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["detail"],
                "properties": {
                    "pointer": {"type": "string"},
                    "detail": {"type": "string"},
                    "position": {"type": "integer"},
                    "source": {"type": "string"},
                    "line": {"type": ["integer", "null"]},
                },
            },
        },
    },
}
_PROBLEM: JsonSchema = {
    "description": "What went wrong.",
    "content": {PROBLEM: {"schema": {"$ref": SCHEMAS + "Problem"}}},
}


def _page(name: str, summary: str, kind: str) -> JsonSchema:
    schema: JsonSchema = {"type": "object" if kind == JSON else "string"}
    told: JsonSchema = {"description": summary, "content": {kind: {"schema": schema}}}
    problem: JsonSchema = {"$ref": "#/components/responses/Problem"}
    responses: JsonSchema = {"200": told, "4XX": problem, "5XX": problem}
    return {
        "get": {"operationId": name, "summary": summary, "tags": ["server"], "responses": responses}
    }


PAGES: Mapping[str, Json] = {
    "/healthz": _page("health", "Tell that the process answers; needs no key.", JSON),
    "/readyz": _page("readiness", "Tell that the store can be read.", JSON),
    "/metrics": _page("metrics", "Show the meters, for Prometheus.", "text/plain"),
    "/openapi.json": _page("openapi", "Show this document.", JSON),
    "/docs": _page("docs", "Show this document as a page.", "text/html"),
}
