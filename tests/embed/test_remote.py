import socket
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.embed.serving import Endpoint, Reply, answer, items, serve_embeddings

from winnow.embed.base import Embedder
from winnow.embed.remote import (
    BATCH_CHARACTERS,
    BATCH_TEXTS,
    PAUSES,
    Access,
    open_remote,
    split_batches,
)
from winnow.errors import EmbedderError
from winnow.values import Json

KEY = "sk-very-secret"
A, B = [pytest.approx(0.6), pytest.approx(0.8)], [0.0, 1.0]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "*")
    with serve_embeddings() as endpoint:
        yield endpoint


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def embedder(endpoint: Endpoint, pauses: list[float]) -> Embedder:
    access = Access(key=KEY, dimension=2, pause=pauses.append)
    return open_remote("small", endpoint.url, access)


def fail(embedder: Embedder) -> str:
    with pytest.raises(EmbedderError) as caught:
        embedder.embed(["a", "b"])
    return str(caught.value)


def test_texts_become_unit_rows(embedder: Embedder, endpoint: Endpoint) -> None:
    assert embedder.embed(["a", "b"]).tolist() == [A, B]
    assert endpoint.paths == ["/v1/embeddings"]
    assert endpoint.bodies == [{"model": "small", "input": ["a", "b"]}]


def test_nothing_is_asked_before_there_is_a_text(embedder: Embedder, endpoint: Endpoint) -> None:
    assert embedder.embed(["", " "]).tolist() == [[0, 0], [0, 0]]
    assert embedder.identity == f"small at {endpoint.url}; 2 dimensions; unit length"
    assert endpoint.bodies == []


def test_an_unknown_dimension_is_asked_for_once(endpoint: Endpoint) -> None:
    endpoint.replies.append(Reply(body=answer([{"index": 0, "embedding": [1, 2, 3]}])))
    embedder = open_remote("small", endpoint.url)
    assert (embedder.dimension, embedder.dimension) == (3, 3)
    assert len(endpoint.bodies) == 1


def test_vectors_are_taken_by_their_index(embedder: Embedder, endpoint: Endpoint) -> None:
    endpoint.replies.append(Reply(body=answer(items(["a", "b"])[::-1])))
    assert embedder.embed(["a", "b"]).tolist() == [A, B]


def test_vectors_without_an_index_are_taken_in_their_order(
    embedder: Embedder, endpoint: Endpoint
) -> None:
    endpoint.replies.append(Reply(body=answer([{"embedding": [3, 4]}, {"embedding": [0, 2]}])))
    assert embedder.embed(["a", "b"]).tolist() == [A, B]


def test_many_texts_are_asked_for_in_several_requests(
    embedder: Embedder, endpoint: Endpoint
) -> None:
    vectors = embedder.embed(["a", "b"] * BATCH_TEXTS)
    assert [len(texts) for texts in endpoint.inputs] == [BATCH_TEXTS, BATCH_TEXTS]
    assert vectors.tolist() == [A, B] * BATCH_TEXTS


@given(st.lists(st.integers(1, BATCH_CHARACTERS), max_size=100))
def test_a_request_has_neither_too_many_texts_nor_too_long_ones(sizes: list[int]) -> None:
    texts = ["x" * size for size in sizes]
    batches = list(split_batches(texts))
    assert [text for batch in batches for text in batch] == texts
    for batch in batches:
        assert 1 <= len(batch) <= BATCH_TEXTS
        assert sum(map(len, batch)) <= BATCH_CHARACTERS


# --- the key -------------------------------------------------------------------------------------


def test_the_key_is_sent_to_the_server(embedder: Embedder, endpoint: Endpoint) -> None:
    embedder.embed(["a"])
    assert endpoint.keys == [f"Bearer {KEY}"]


def test_without_a_key_none_is_sent(endpoint: Endpoint) -> None:
    open_remote("small", endpoint.url, Access(dimension=2)).embed(["a"])
    assert endpoint.keys == [None]


def test_no_error_shows_the_key(embedder: Embedder, endpoint: Endpoint) -> None:
    body: Json = {"error": {"message": f"Incorrect API key provided: {KEY}.", "code": "invalid"}}
    endpoint.replies.append(Reply(401, body))
    assert fail(embedder) == (
        f"small at {endpoint.url}: HTTP 401 Unauthorized: Incorrect API key provided: ***."
    )


def test_nothing_else_shows_it_either(endpoint: Endpoint) -> None:
    assert KEY not in repr(Access(key=KEY))
    broken = open_remote("small", endpoint.url, Access(key=f"{KEY}\n", dimension=2))
    assert fail(broken) == f"small at {endpoint.url}: the key has a sign that no header may have"


def test_the_key_does_not_follow_a_redirect(embedder: Embedder, endpoint: Endpoint) -> None:
    endpoint.replies.append(Reply(307, b"", {"Location": endpoint.url + "/elsewhere"}))
    assert "HTTP 307 Temporary Redirect" in fail(embedder)
    assert endpoint.paths == ["/v1/embeddings"]


# --- failures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_failure_that_may_pass_is_tried_again(
    embedder: Embedder, endpoint: Endpoint, pauses: list[float], status: int
) -> None:
    endpoint.replies += [Reply(status, {"error": "busy"})] * 2
    assert embedder.embed(["a"]).tolist() == [A]
    assert len(endpoint.bodies) == 3
    assert pauses == list(PAUSES[:2])


def test_a_server_that_says_how_long_to_wait_is_given_the_time(
    embedder: Embedder, endpoint: Endpoint, pauses: list[float]
) -> None:
    endpoint.replies += [
        Reply(429, {}, {"Retry-After": "7"}),
        Reply(429, {}, {"Retry-After": "0.1"}),
        Reply(429, {}, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}),
    ]
    embedder.embed(["a"])
    assert pauses == [7, PAUSES[1], PAUSES[2]]


def test_a_server_that_wants_too_long_is_not_waited_for(
    embedder: Embedder, endpoint: Endpoint, pauses: list[float]
) -> None:
    endpoint.replies.append(Reply(429, {"message": "come back"}, {"Retry-After": "3600"}))
    assert fail(embedder).endswith("HTTP 429 Too Many Requests: come back")
    assert pauses == []


def test_after_the_last_try_the_error_says_what_the_server_said(
    embedder: Embedder, endpoint: Endpoint, pauses: list[float]
) -> None:
    page = b"<html><body><h1>Bad\n gateway</h1></body></html>"
    endpoint.replies += [Reply(502, page)] * 9
    assert fail(embedder) == f"small at {endpoint.url}: HTTP 502 Bad Gateway: Bad gateway"
    assert pauses == list(PAUSES)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"error": {"message": "no such model"}}, "no such model"),
        ({"error": "no such model"}, "no such model"),
        ({"message": "no such model"}, "no such model"),
        ({"detail": [{"msg": "no"}]}, '{"detail": [{"msg": "no"}]}'),
        ([], "[]"),
        (b"plain", "plain"),
    ],
)
def test_a_refusal_is_told_in_the_servers_words_and_not_tried_again(
    embedder: Embedder, endpoint: Endpoint, body: "Json | bytes", told: str
) -> None:
    endpoint.replies.append(Reply(404, body))
    assert fail(embedder) == f"small at {endpoint.url}: HTTP 404 Not Found: {told}"
    assert len(endpoint.bodies) == 1


def test_a_server_that_is_not_there_is_named(pauses: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    embedder = open_remote(
        "small", f"http://127.0.0.1:{port}/v1", Access(dimension=2, pause=pauses.append)
    )
    assert fail(embedder).startswith(f"small at http://127.0.0.1:{port}/v1: ConnectError: ")
    assert pauses == list(PAUSES)


def test_a_server_that_takes_too_long_is_asked_once(
    endpoint: Endpoint, pauses: list[float]
) -> None:
    endpoint.stalled = True
    access = Access(timeout=0.2, dimension=2, pause=pauses.append)
    assert "ReadTimeout" in fail(open_remote("small", endpoint.url, access))
    assert len(endpoint.bodies) == 1


GOOD: list[Json] = items(["a", "b"])
DEEP = b'{"data": ' + b"[" * 100_000


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"not JSON", "its answer is not JSON"),
        (DEEP, "its answer is not JSON"),
        (b'{"data": "\xff"}', "its answer is not JSON"),
        ([], "its answer has no list `data`"),
        ({"data": None}, "its answer has no list `data`"),
        (answer(GOOD[:1]), "it gave 1 vectors for 2 texts"),
        (answer([*GOOD, GOOD[0]]), "it gave 3 vectors for 2 texts"),
        (answer([GOOD[0], GOOD[0]]), "it gave 2 vectors for 2 texts"),
        (answer(["x", "y"]), "item 0 of its answer is not an object"),
        (answer([{"index": "0"}]), "item 0 of its answer has no whole number as index"),
        (answer([{"index": 0}]), "item 0 of its answer: expected a list of numbers, got null"),
        (
            answer([{"index": 0, "embedding": [1, "2"]}]),
            "item 0 of its answer: expected a number at place 1, got text '2'",
        ),
        (
            b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}',
            "item 0 of its answer: the number at place 0 is not finite in 32 bits",
        ),
        (
            answer([GOOD[0], {"index": 1, "embedding": [1, 2, 3]}]),
            "it gave vectors of different lengths",
        ),
    ],
)
def test_an_answer_that_is_none_is_an_error(
    embedder: Embedder, endpoint: Endpoint, body: "Json | bytes", told: str
) -> None:
    endpoint.replies.append(Reply(body=body))
    assert fail(embedder) == f"small at {endpoint.url}: {told}"


def test_f101_vectors_of_another_dimension_than_before_are_an_error(
    embedder: Embedder, endpoint: Endpoint
) -> None:
    longer: list[Json] = [{"index": place, "embedding": [1, 2, 3]} for place in (0, 1)]
    endpoint.replies.append(Reply(body=answer(longer)))
    assert fail(embedder) == f"small at {endpoint.url} gave 2 x 3 numbers, not 2 x 2"


def test_f101_requests_that_disagree_on_the_dimension_are_an_error(
    embedder: Embedder, endpoint: Endpoint
) -> None:
    texts = ["a"] * (BATCH_TEXTS + 1)
    endpoint.replies += [Reply(), Reply(body=answer([{"index": 0, "embedding": [1, 2, 3]}]))]
    with pytest.raises(EmbedderError, match="vectors of different lengths"):
        embedder.embed(texts)


def test_f101_one_name_on_two_servers_is_two_models() -> None:
    access = Access(dimension=2)
    first = open_remote("small", "http://127.0.0.1:1/v1", access)
    second = open_remote("small", "http://127.0.0.1:2/v1", access)
    larger = open_remote("small", "http://127.0.0.1:1/v1", replace(access, dimension=3))
    assert len({first.identity, second.identity, larger.identity}) == 3
