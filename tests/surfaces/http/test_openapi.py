"""The description of the API, and the page made of it."""

import json
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient
from tests.surfaces.http.serving import API

from winnow.surfaces.http.openapi import EXAMPLES, describe_api
from winnow.surfaces.http.page import as_html
from winnow.surfaces.http.routes import ROUTES
from winnow.wire import arguments

DOCUMENT: Any = describe_api()
OPERATIONS = {
    (method.upper(), path): described
    for path, methods in DOCUMENT["paths"].items()
    for method, described in methods.items()
}


def parts(node: Any) -> Iterator[Mapping[str, Any]]:
    """All objects of the document."""
    if isinstance(node, dict):
        found = cast(Mapping[str, Any], node)
        yield found
        for one in found.values():
            yield from parts(one)
    elif isinstance(node, list):
        for one in cast(list[Any], node):
            yield from parts(one)


def test_every_route_is_described_under_an_id_of_its_own() -> None:
    assert {(route.method, route.template) for route in ROUTES} <= OPERATIONS.keys()
    ids = [described["operationId"] for described in OPERATIONS.values()]
    assert len(set(ids)) == len(ids)
    assert all(described["summary"] for described in OPERATIONS.values())


def test_every_reference_leads_to_a_part_of_the_document() -> None:
    for part in parts(DOCUMENT):
        if "$ref" in part:
            found: Any = DOCUMENT
            for step in part["$ref"].removeprefix("#/").split("/"):
                found = found[step]


def test_every_argument_of_every_operation_stands_in_its_description() -> None:
    for route in ROUTES:
        described = OPERATIONS[route.method, route.template]
        named = {one["name"] for one in described.get("parameters", ())}
        if route.body:
            content = described["requestBody"]["content"]["application/json"]
            named |= set(content["schema"]["properties"])
        for one in arguments(route.operation.request):
            assert one.raw or {one.name, one.wire_name, *one.aliases} & named, one.name


def test_a_path_of_the_document_has_its_parameters() -> None:
    for (_, path), described in OPERATIONS.items():
        placed = {one["name"] for one in described.get("parameters", ()) if one["in"] == "path"}
        assert placed == set(re.findall(r"\{(\w+)\}", path))


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_served(client: TestClient, name: str) -> None:
    (route,) = [one for one in ROUTES if one.name == name and one.method == "POST"]
    assert client.post(route.template, json=EXAMPLES[name]).status_code == route.status


@pytest.mark.parametrize(
    ("path", "part"),
    [
        (f"{API}/recall?q=river", "RecallAnswer"),
        (f"{API}/recall?schema=legal.Matter&nearMisses=3", "RecallAnswer"),
        (f"{API}/memories", "ListAnswer"),
        (f"{API}/memories/m1", "MemoryRecord"),
        (f"{API}/schemas/legal.Matter", "SchemaAnswer"),
        (f"{API}/namespaces", "NamespacesAnswer"),
        (f"{API}/capabilities", "CapabilitiesAnswer"),
        (f"{API}/recall/check?topic=river", "CheckAnswer"),
        (f"{API}/memories/nobody", "Problem"),
        (f"{API}/recall?limit=x&where=(", "Problem"),
    ],
)
def test_an_answer_is_as_it_is_described(client: TestClient, path: str, part: str) -> None:
    client.post(f"{API}/memories", json={"text": "the river", "tags": ["a"]})
    schema = {"$ref": f"#/components/schemas/{part}", "components": DOCUMENT["components"]}
    cast(Any, Draft202012Validator(schema)).validate(client.get(path).json())


def test_the_document_is_served_as_it_is(client: TestClient) -> None:
    assert client.get("/openapi.json").json() == json.loads(json.dumps(DOCUMENT))


class _Addresses(HTMLParser):
    """Collects what a page refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.targets: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name in ("href", "src", "action"):
                self.targets.append(value or "")
            if name == "id":
                self.ids.add(value or "")


def test_the_page_needs_nothing_from_anywhere_else(client: TestClient) -> None:
    sent = client.get("/docs")
    assert sent.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in sent.headers["content-security-policy"]
    page = _Addresses()
    page.feed(sent.text)
    assert not page.tags & {"script", "link", "img", "iframe", "object", "form", "base"}
    assert all(one.startswith("#") or one == "/openapi.json" for one in page.targets)
    assert {one[1:] for one in page.targets if one.startswith("#")} <= page.ids
    assert {described["operationId"] for described in OPERATIONS.values()} <= page.ids
    assert "url(" not in sent.text


def test_the_page_shows_every_route_and_argument_as_text() -> None:
    for route in ROUTES:
        assert f"<code>{route.template}</code>" in as_html()
    assert "escrowPct &gt;= 10" in as_html()
