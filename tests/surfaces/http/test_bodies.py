"""Bodies: how long they may be, and that they are JSON."""

from collections.abc import Iterator

import anyio
import pytest
from starlette.datastructures import Headers
from starlette.testclient import TestClient
from starlette.types import Message, Receive
from tests.surfaces.http.serving import API, body_of, client_of, pointers, problem

from winnow.memory import Memory
from winnow.surfaces.http.bodies import Gone, read_body
from winnow.surfaces.http.limits import Limits
from winnow.surfaces.http.problems import Refusal

STORE = f"{API}/memories"
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "Application/JSON; charset=utf-8",
        'application/json; charset="UTF-8"',
        "application/merge-patch+json",
    ],
)
def test_json_is_read_by_all_its_names(client: TestClient, kind: str) -> None:
    sent = client.post(STORE, content=body_of(text="x"), headers={"content-type": kind})
    assert sent.status_code == 201


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "application/jsonx"},
        {"content-type": "application/json; charset=latin-1"},
        {**JSON, "content-encoding": "gzip"},
    ],
)
def test_what_is_not_json_is_refused_unread(
    client: TestClient, memory: Memory, headers: dict[str, str]
) -> None:
    """A page of another site can send forms and plain text, but no JSON."""
    sent = client.post(STORE, content=body_of(text="x"), headers=headers)
    assert problem(sent)["code"] == "unsupported_media_type"
    assert sent.status_code == 415
    assert memory.count().count == 0


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"nothing",
        b"",
        b'{"text": "\xff"}',
        b'{"text": NaN}',
        b'{"text": "x", "text": "y"}',
        b'{"a":' * 5_000,
        b'{"text": ' + b"9" * 5_000 + b"}",
    ],
    ids=lambda content: content[:20],
)
def test_what_is_malformed_is_refused_and_never_a_fault_of_ours(
    client: TestClient, content: bytes
) -> None:
    """F14."""
    sent = client.post(STORE, content=content, headers=JSON)
    if content:
        assert (sent.status_code, problem(sent)["code"]) == (400, "malformed_json")
        assert problem(sent)["detail"].count("not JSON") <= 1
    else:
        assert (sent.status_code, pointers(sent)) == (422, ["/text"])


@pytest.mark.parametrize("content", [b"[]", b'"text"', b"1", b"null", b"true"])
def test_a_body_that_is_no_object_is_refused(client: TestClient, content: bytes) -> None:
    sent = client.post(STORE, content=content, headers=JSON)
    assert (sent.status_code, pointers(sent)) == (422, [""])
    assert "expected an object" in sent.text


def test_a_byte_order_mark_is_no_part_of_a_body(client: TestClient) -> None:
    """F112."""
    sent = client.post(STORE, content=b"\xef\xbb\xbf" + body_of(text="x"), headers=JSON)
    assert sent.status_code == 201


def test_a_body_may_have_as_many_bytes_as_are_allowed_and_not_one_more(memory: Memory) -> None:
    content = body_of(text="x" * 100)
    for allowed, status in ((len(content), 201), (len(content) - 1, 413)):
        with client_of(memory, limits=Limits(body=allowed)) as client:
            sent = client.post(STORE, content=content, headers=JSON)
            assert sent.status_code == status
    assert problem(sent)["code"] == "body_too_long"
    assert sent.headers["connection"] == "close"


def test_a_body_of_unknown_length_is_bounded_too(memory: Memory) -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"text": "'
        for _ in range(1_000):
            yield b"x" * 1_000

    with client_of(memory, limits=Limits(body=10_000)) as client:
        assert client.post(STORE, content=pieces(), headers=JSON).status_code == 413


def test_a_length_that_is_no_number_worth_the_name_is_refused(client: TestClient) -> None:
    sent = client.post(STORE, content=b"", headers={"content-length": "9" * 30})
    assert sent.status_code == 413


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_body_where_none_is_read_is_refused_not_ignored(client: TestClient, method: str) -> None:
    sent = client.request(method, f"{STORE}/m1", content=b"{}", headers=JSON)
    assert (sent.status_code, problem(sent)["code"]) == (400, "body_not_read")


def read(receive: Receive) -> bytes:
    return anyio.run(read_body, Headers({}), receive, Limits(body_seconds=0.01))


def test_a_body_that_does_not_come_is_waited_for_no_longer_than_is_allowed() -> None:
    async def receive() -> Message:
        await anyio.sleep_forever()
        raise AssertionError

    with pytest.raises(Refusal) as caught:
        read(receive)
    assert (caught.value.status, caught.value.code) == (408, "body_too_slow")
    assert caught.value.headers == {"connection": "close"}


def test_a_client_that_is_gone_gets_no_answer() -> None:
    async def receive() -> Message:
        return {"type": "http.disconnect"}

    with pytest.raises(Gone):
        read(receive)
