import gzip
import json
import logging
import socket
from collections.abc import Iterator

import pytest
from tests.providers.serving import Asked, Endpoint, Reply, serve

from winnow.providers.server import MOST_BYTES, PAUSES, Refusal, Server
from winnow.values import Json

KEY = "sk-very-secret"
ENOUGH = 60.0  # seconds; no test needs them


def echo(asked: Asked) -> Reply:
    return Reply({"asked": asked.body})


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serve(echo) as endpoint:
        yield endpoint


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def server(endpoint: Endpoint, pauses: list[float]) -> Server:
    return Server(f"{endpoint.url}/x", KEY, pauses.append)


def refusal(server: Server, timeout: float = ENOUGH) -> Refusal:
    answer = server.post({"q": "a"}, timeout)
    assert isinstance(answer, Refusal)
    return answer


def test_a_body_is_sent_with_the_key_and_the_answer_returned(
    server: Server, endpoint: Endpoint
) -> None:
    assert server.post({"q": "设备"}, ENOUGH) == {"asked": {"q": "设备"}}
    assert endpoint.asked == [Asked("/x", f"Bearer {KEY}", {"q": "设备"})]


def test_without_a_key_none_is_sent(endpoint: Endpoint) -> None:
    Server(f"{endpoint.url}/x").post({}, ENOUGH)
    assert endpoint.asked[0].key is None


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"error_code": "INVALID_TOKEN", "detail": "Invalid token"}, "Invalid token"),
        ({"error": {"message": "no such model"}}, "no such model"),
        ({"error": "no such model"}, "no such model"),
        ({"detail": [{"loc": ["body"], "msg": "too long"}, {"msg": "and"}]}, "too long; and"),
        ({"status": 7}, '{"status": 7}'),
        ([], "[]"),
        (b"plain\n text", "plain text"),
        (b"<html><body><h1>Bad\n gateway</h1></body></html>", "Bad gateway"),
        (b'{"detail":' * 300_000, ""),
        (b"", ""),
    ],
)
def test_a_refusal_is_told_in_the_servers_words(
    server: Server, endpoint: Endpoint, body: "Json | bytes", told: str
) -> None:
    endpoint.replies.append(Reply(body, 404))
    refused = refusal(server)
    assert (refused.brief, refused.status) == ("HTTP 404", 404)
    assert len(refused.detail) <= 300
    if told:
        assert refused.detail == told


def test_a_message_that_is_nested_deeply_is_looked_for_no_further(
    server: Server, endpoint: Endpoint
) -> None:
    body: Json = "deep"
    for _ in range(500):
        body = {"detail": body}
    endpoint.replies.append(Reply(body, 400))
    assert refusal(server).detail.startswith('{"detail": {')


def test_neither_an_error_nor_a_log_shows_the_key(
    server: Server, endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.replies.append(Reply({"detail": f"Incorrect API key provided: {KEY}."}, 401))
    refused = refusal(server)
    assert str(refused) == "HTTP 401: Incorrect API key provided: ***."
    assert KEY not in caplog.text
    assert KEY not in repr((server, refused))


def test_the_key_does_not_follow_a_redirect(server: Server, endpoint: Endpoint) -> None:
    endpoint.replies.append(Reply(b"", 307, {"Location": f"{endpoint.url}/elsewhere"}))
    assert refusal(server).brief == "HTTP 307"
    assert [asked.path for asked in endpoint.asked] == ["/x"]


@pytest.mark.parametrize(
    "raw", [b"not JSON", b"", b"[" * 100_000, b'{"a": "\xff"}', b"9" * 5_000, b"<html></html>"]
)
def test_an_answer_that_is_not_json_is_a_refusal(
    server: Server, endpoint: Endpoint, raw: bytes
) -> None:
    endpoint.replies.append(Reply(raw))
    assert refusal(server) == Refusal("its answer is not JSON", status=200)


def test_an_answer_that_is_too_long_is_not_read_to_its_end(
    server: Server, endpoint: Endpoint
) -> None:
    endpoint.replies += [Reply(b'"' + b"x" * MOST_BYTES + b'"'), Reply(b"x" * MOST_BYTES * 2, 500)]
    assert refusal(server) == Refusal("its answer is longer than 8 MB")
    assert refusal(server) == Refusal("its answer is longer than 8 MB")


def test_an_answer_is_not_unpacked(server: Server, endpoint: Endpoint) -> None:
    bomb = gzip.compress(json.dumps("x" * MOST_BYTES).encode())
    endpoint.replies.append(Reply(bomb, headers={"Content-Encoding": "gzip"}))
    assert refusal(server).brief == "its answer is not JSON"


# --- time ----------------------------------------------------------------------------------------

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"


def test_a_server_that_does_not_answer_is_given_up(
    server: Server, endpoint: Endpoint, pauses: list[float]
) -> None:
    endpoint.stalled = True
    assert server.post({}, 0.1, PAUSES) == Refusal("no answer in time")
    assert pauses == []


def test_a_server_that_sends_a_byte_now_and_then_is_given_up(
    server: Server, endpoint: Endpoint
) -> None:
    endpoint.trickling = HEAD
    assert refusal(server, timeout=0.2) == Refusal("no answer in time")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_failure_that_may_pass_is_tried_again(
    server: Server, endpoint: Endpoint, pauses: list[float], status: int
) -> None:
    endpoint.replies += [Reply({"error": "busy"}, status)] * 2
    assert server.post({}, ENOUGH, PAUSES) == {"asked": {}}
    assert pauses == list(PAUSES[:2])


def test_after_the_last_try_the_refusal_is_the_last_one(
    server: Server, endpoint: Endpoint, pauses: list[float]
) -> None:
    endpoint.replies += [Reply("one", 500), Reply("two", 502), Reply("x", 503), Reply("last", 500)]
    assert str(server.post({}, ENOUGH, PAUSES)) == "HTTP 500: last"
    assert pauses == list(PAUSES)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 501])
def test_a_failure_that_stays_is_not_tried_again(
    server: Server, endpoint: Endpoint, pauses: list[float], status: int
) -> None:
    endpoint.replies.append(Reply("no", status))
    assert str(server.post({}, ENOUGH, PAUSES)) == f"HTTP {status}: no"
    assert (len(endpoint.asked), pauses) == (1, [])


def test_a_server_that_says_how_long_to_wait_is_given_the_time(
    server: Server, endpoint: Endpoint, pauses: list[float]
) -> None:
    endpoint.replies += [
        Reply({}, 429, {"Retry-After": "7"}),
        Reply({}, 429, {"Retry-After": "0.1"}),
        Reply({}, 429, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}),
    ]
    server.post({}, ENOUGH, PAUSES)
    assert pauses == [7, PAUSES[1], PAUSES[2]]


def test_no_pause_is_longer_than_the_time_that_is_left(
    server: Server, endpoint: Endpoint, pauses: list[float]
) -> None:
    endpoint.replies.append(Reply("later", 429, {"Retry-After": f"{ENOUGH}"}))
    assert str(server.post({}, ENOUGH, PAUSES)) == "HTTP 429: later"
    assert pauses == []


def test_a_server_that_is_not_there_is_tried_again(pauses: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    server = Server(f"http://127.0.0.1:{port}/x", pause=pauses.append)
    refused = server.post({}, ENOUGH, PAUSES)
    assert isinstance(refused, Refusal)
    assert refused.brief == "ConnectError"
    assert pauses == list(PAUSES)


def test_an_address_that_the_client_does_not_take_is_a_refusal() -> None:
    assert refusal(Server("http://a..b/\x00")).brief in ("InvalidURL", "LocalProtocolError")
