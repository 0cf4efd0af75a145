"""From a request to the arguments of its operation."""

import json
from typing import Any
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tests.surfaces.http.serving import API, pointers, problem

from winnow.errors import InvalidRequest
from winnow.surfaces.http.arguments import gather, read_query
from winnow.surfaces.http.routes import PREFIX, Found, find_routes, split_path

NAMES = st.text(min_size=1, max_size=8)
RECALL = f"{API}/recall"


def found(method: str, path: str) -> Found:
    steps = split_path(f"{PREFIX}{path}".encode())
    assert steps is not None
    return find_routes(steps)[method]


def asked(query: str) -> dict[str, object]:
    return gather(found("GET", "/recall"), query.encode(), {})


@given(st.dictionaries(NAMES, st.lists(st.text(), min_size=1, max_size=3), max_size=4))
def test_a_query_is_read_as_it_was_written_in_both_ways(texts: dict[str, list[str]]) -> None:
    for spell in (quote, quote_plus):
        pairs = [(name, text) for name, group in texts.items() for text in group]
        assert read_query(urlencode(pairs, quote_via=spell, safe="").encode()) == texts


def test_a_query_that_is_not_utf8_is_refused() -> None:
    for query in (b"q=%ff", b"%c3=1"):
        with pytest.raises(InvalidRequest):
            read_query(query)


@given(st.integers())
def test_numbers_are_read_as_numbers(number: int) -> None:
    assert asked(f"limit={number}") == {"limit": number}
    assert asked(f"minScore={number}") == {"minScore": number}
    assert asked(f"minScore={number}.5") == {"minScore": float(f"{number}.5")}


@pytest.mark.parametrize("text", ["ten", "", "1.5", "1_000", "٣", "0x1", "1e3", " 1", "NaN", "inf"])
def test_what_is_no_number_stays_text_for_the_operation_to_judge(text: str) -> None:
    assert asked(urlencode({"limit": text})) == {"limit": text}


def test_true_and_false_are_read_and_nothing_else_is_taken_for_them() -> None:
    for text, value in (("true", True), ("false", False), ("1", "1"), ("yes", "yes"), ("", "")):
        assert asked(f"includeConfidenceTags={text}") == {"includeConfidenceTags": value}


def test_what_stands_there_twice_is_a_list_that_nothing_be_dropped() -> None:
    assert asked("tags=a&tags=b,c") == {"tags": ["a", "b,c"]}
    assert asked("tags=a") == {"tags": "a"}
    assert asked("limit=1&limit=2") == {"limit": [1, 2]}


def test_an_argument_is_read_under_all_its_names() -> None:
    assert asked("q=river&order_by=id") == {"q": "river", "order_by": "id"}


# --- through the whole API -----------------------------------------------------------------------


def test_all_faults_of_a_request_are_told_at_once_with_the_nearest_names(
    client: TestClient,
) -> None:
    """F02."""
    sent = client.get(RECALL, params={"limti": "5", "limit": "many", "fusion": "liner"})
    assert sent.status_code == 422
    assert pointers(sent) == ["/limti", "/limit", "/fusion"]
    details = [fault["detail"] for fault in problem(sent)["errors"]]
    assert "did you mean 'limit'?" in details[0]
    assert details[1] == "expected a whole number, got text 'many'"
    assert "did you mean 'linear'?" in details[2]


def test_unknown_members_of_a_body_are_refused_like_those_of_a_query(client: TestClient) -> None:
    """F02."""
    by_query = client.get(RECALL, params={"kind": "claim"})
    by_body = client.post(RECALL, json={"kind": "claim"})
    assert by_query.status_code == by_body.status_code == 422
    assert problem(by_query)["errors"] == problem(by_body)["errors"]


def test_filters_and_order_are_json_text_in_a_query(client: TestClient) -> None:
    for number in (1, 9, 10, 100):
        client.post(f"{API}/memories", json={"text": f"no {number}", "metadata": {"n": number}})
    params = {
        "filters": json.dumps({"n": {"gte": 9, "lt": 100}}),
        "orderBy": json.dumps([{"field": "metadata.n", "direction": "desc"}]),
    }
    sent = client.get(RECALL, params=params).json()
    assert [hit["metadata"]["n"] for hit in sent["hits"]] == [10, 9]
    same = client.post(RECALL, json={"where": "n >= 9 and n < 100", "orderBy": "metadata.n:desc"})
    assert sent["hits"] == same.json()["hits"]
    broken = client.get(RECALL, params={"filters": "{"})
    assert (broken.status_code, pointers(broken)) == (422, ["/filters"])


def test_kinds_are_comma_text_a_list_or_repeated(client: TestClient) -> None:
    for kind in ("claim", "decision", "goal"):
        client.post(f"{API}/memories", json={"text": kind, "kind": kind, "id": kind})
    for params in ({"kinds": "claim,decision"}, {"kinds": ["claim", "decision"]}):
        sent = client.get(RECALL, params={"q": "", **params}).json()
        assert sorted(hit["id"] for hit in sent["hits"]) == ["claim", "decision"]


def test_null_counts_as_not_given(client: TestClient) -> None:
    plain = client.post(RECALL, json={}).json()
    assert client.post(RECALL, json={"limit": None, "schema": None}).json() == plain


@pytest.mark.parametrize(
    ("method", "path", "query", "body", "wrong"),
    [
        ("PATCH", "/memories/m1", {}, {"id": "m2", "title": "x"}, ["/id"]),
        ("PATCH", "/memories/m1", {}, {"id": "m1", "title": "x"}, ["/id"]),
        ("PATCH", "/memories/m1", {"namespace": "a"}, {"namespace": "a"}, ["/namespace"]),
        ("PATCH", "/memories/m1", {"title": "x"}, {}, ["/title"]),
        ("POST", "/recall", {"limit": "1"}, {}, ["/limit"]),
        ("POST", "/recall", {"nonsense": "1", "q": "x"}, {}, ["/nonsense", "/q"]),
        ("GET", "/memories/m1", {"id": "m2"}, None, ["/id"]),
        ("GET", "/schemas/legal.Matter", {"schema": "legal.Client"}, None, ["/schema"]),
        ("GET", "/memories/m1", {"nmespace": "a"}, None, ["/nmespace"]),
    ],
)
def test_what_is_given_twice_or_in_the_wrong_place_is_refused(
    client: TestClient,
    method: str,
    path: str,
    query: dict[str, str],
    body: dict[str, Any] | None,
    wrong: list[str],
) -> None:
    client.post(f"{API}/memories", json={"text": "x", "id": "m1"})
    sent = client.request(method, API + path, params=query, json=body)
    assert sent.status_code == 422
    assert pointers(sent) == wrong


def test_the_namespace_of_a_memory_stands_in_the_query_or_in_the_body(client: TestClient) -> None:
    client.post(f"{API}/memories", json={"text": "x", "id": "m", "namespace": "a"})
    place = f"{API}/memories/m"
    assert client.get(place).status_code == 404
    assert client.patch(f"{place}?namespace=a", json={"title": "one"}).json()["title"] == "one"
    assert client.patch(place, json={"title": "two", "namespace": "a"}).json()["title"] == "two"
    assert client.delete(f"{place}?namespace=a").json()["deleted"] == 1
    assert client.post(f"{place}/undelete?namespace=a").json()["title"] == "two"
