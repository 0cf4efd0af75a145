"""The question to a language model, against a server that speaks `/chat/completions`."""

import json
import logging
import socket
from collections.abc import Iterator
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.providers.serving import Asked, Endpoint, Reply, serve

from winnow.kinds import KINDS, MEANINGS
from winnow.providers.llm import (
    CLASSIFY_KIND,
    LONGEST_TEXT,
    LONGEST_TITLE,
    MOST_TOKENS,
    PROMPT,
    ChatModel,
    find_model,
    read_content,
)
from winnow.providers.server import MOST_BYTES, Server
from winnow.values import Json

KEY = "sk-very-secret"
SECRET = "the launch code is 4711"


def completion(content: Json) -> Reply:
    """A chat completion, as OpenAI documents it."""
    message: Json = {"role": "assistant", "content": content, "refusal": None}
    return Reply(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "small",
            "choices": [
                {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
            ],
            "usage": {"prompt_tokens": 300, "completion_tokens": 1, "total_tokens": 301},
        }
    )


def respond(asked: Asked) -> Reply:
    if asked.path != "/v1/chat/completions":
        return Reply({"error": {"message": "unknown path"}}, 404)
    if asked.key != f"Bearer {KEY}":
        return Reply({"error": {"message": f"wrong key {asked.key}"}}, 401)
    return completion("goal")


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serve(respond) as endpoint:
        yield endpoint


def settings_for(endpoint: Endpoint, **more: str) -> dict[str, str]:
    return {
        "WINNOW_LLM_URL": f"{endpoint.url}/v1",
        "WINNOW_LLM_MODEL": "small",
        "WINNOW_LLM_KEY": KEY,
        **more,
    }


@pytest.fixture
def model(endpoint: Endpoint) -> ChatModel:
    model = find_model(settings_for(endpoint))
    assert model is not None
    return model


def messages(endpoint: Endpoint) -> list[dict[str, str]]:
    return cast("list[dict[str, str]]", endpoint.asked[0].body["messages"])


@pytest.mark.parametrize("kind", KINDS)
def test_the_model_names_a_kind(model: ChatModel, endpoint: Endpoint, kind: str) -> None:
    endpoint.replies.append(completion(f" {kind}\n"))
    assert model.classify_kind("", "We want to be in Lisbon by May.") == kind
    assert len(endpoint.asked) == 1


def test_the_request_is_fixed_but_for_the_memory(model: ChatModel, endpoint: Endpoint) -> None:
    assert model.classify_kind("Lisbon", "We want to move.") == "goal"
    (asked,) = endpoint.asked
    assert asked.key == f"Bearer {KEY}"
    assert asked.body == {
        "model": "small",
        "messages": [
            {"role": "system", "content": PROMPT},
            {"role": "user", "content": '{"title": "Lisbon", "text": "We want to move."}'},
        ],
        "temperature": 0,
        "max_tokens": MOST_TOKENS,
    }


def test_the_prompt_lists_the_sixteen_kinds_and_what_they_are() -> None:
    assert [line for line in PROMPT.splitlines() if line.startswith("- ")] == [
        f"- {kind}: {meaning}" for kind, meaning in MEANINGS.items()
    ]
    assert len(MEANINGS) == 16


@given(title=st.text(), text=st.text())
def test_a_memory_can_not_end_its_quotation(title: str, text: str) -> None:
    body = ChatModel(Server("http://127.0.0.1:1"), "small")._ask(title, f'"}} {text}')
    quoted = cast("list[dict[str, str]]", cast("dict[str, Json]", body)["messages"])[1]["content"]
    assert json.loads(quoted).keys() == {"title", "text"}
    quoted.encode()


def test_a_long_memory_is_cut(model: ChatModel, endpoint: Endpoint) -> None:
    model.classify_kind("t" * 9_999, "x" * 999_999)
    memory = json.loads(messages(endpoint)[1]["content"])
    assert memory == {"title": "t" * LONGEST_TITLE, "text": "x" * LONGEST_TEXT}


def test_lone_surrogates_do_no_harm(model: ChatModel, endpoint: Endpoint) -> None:
    assert model.classify_kind("\udfff", "a \ud800") == "goal"
    assert json.loads(messages(endpoint)[1]["content"]) == {"title": "?", "text": "a ?"}


def test_of_nothing_nothing_is_asked(model: ChatModel, endpoint: Endpoint) -> None:
    assert model.classify_kind("", " \n") is None
    assert endpoint.asked == []


# --- failures: no answer, and no word of the memory in a log -------------------------------------


@pytest.fixture(autouse=True)
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    caplog.set_level(logging.DEBUG)
    yield caplog
    shown = caplog.text + "".join(str(record.exc_info) for record in caplog.records)
    assert SECRET not in shown
    assert KEY not in shown


def told(log: pytest.LogCaptureFixture) -> list[str]:
    """What was logged of the model, which is at debug."""
    records = [one for one in log.records if one.name.startswith("winnow")]
    assert all(one.levelno == logging.DEBUG for one in records)
    return [one.getMessage().removeprefix(f"{CLASSIFY_KIND}: no kind: ") for one in records]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (completion(SECRET), "the answer is none of the kinds"),
        (completion("hunch"), "the answer is none of the kinds"),
        (completion("Claim"), "the answer is none of the kinds"),
        (completion("claim."), "the answer is none of the kinds"),
        (completion(""), "the answer is none of the kinds"),
        (completion(None), "the answer is none of the kinds"),
        (completion(["claim"]), "the answer is none of the kinds"),
        (Reply({"choices": []}), "the answer is none of the kinds"),
        (Reply({"choices": [None]}), "the answer is none of the kinds"),
        (Reply("claim"), "the answer is none of the kinds"),
        (Reply(b"claim"), "its answer is not JSON"),
        (Reply(b'{"choices": [{"mess'), "its answer is not JSON"),
        (Reply(b""), "its answer is not JSON"),
        (Reply(b'"' + b"x" * MOST_BYTES + b'"'), "its answer is longer than 8 MB"),
        (Reply({"error": {"message": f"{SECRET} {KEY}"}}, 500), "HTTP 500"),
        (Reply({"error": {"message": f"{SECRET} {KEY}"}}, 429), "HTTP 429"),
        (Reply({"error": {"message": f"{SECRET} {KEY}"}}, 400), "HTTP 400"),
    ],
)
def test_any_other_answer_is_none(
    model: ChatModel,
    endpoint: Endpoint,
    log: pytest.LogCaptureFixture,
    reply: Reply,
    reason: str,
) -> None:
    endpoint.replies.append(reply)
    assert model.classify_kind(SECRET, SECRET) is None
    assert told(log) == [reason]
    assert len(endpoint.asked) == 1  # one call, whatever comes of it


def test_a_model_that_is_slow_is_not_waited_for(
    endpoint: Endpoint, log: pytest.LogCaptureFixture
) -> None:
    endpoint.stalled = True
    model = find_model(settings_for(endpoint, WINNOW_LLM_TIMEOUT="0.1"))
    assert model is not None
    assert model.classify_kind(SECRET, SECRET) is None
    assert told(log) == ["no answer in time"]


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 200 OK\r\nX-Slow:", b"HTTP/1.1 200 OK\r\nX-Slow: x\r\n\r\n"]
)
def test_a_model_that_trickles_is_not_waited_for(
    endpoint: Endpoint, log: pytest.LogCaptureFixture, head: bytes
) -> None:
    endpoint.trickling = head
    model = find_model(settings_for(endpoint, WINNOW_LLM_TIMEOUT="0.1"))
    assert model is not None
    assert model.classify_kind(SECRET, SECRET) is None
    assert told(log) == ["no answer in time"]


def test_a_connection_that_breaks_is_none(
    endpoint: Endpoint, model: ChatModel, log: pytest.LogCaptureFixture
) -> None:
    endpoint.replies.append(Reply(b"", 200, {"Content-Length": "99", "Connection": "close"}))
    assert model.classify_kind(SECRET, SECRET) is None
    assert told(log) == ["RemoteProtocolError"]


def test_a_model_that_is_not_there_is_none(log: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    model = ChatModel(Server(f"http://127.0.0.1:{port}", KEY), "small")
    assert model.classify_kind(SECRET, SECRET) is None
    assert told(log) == ["ConnectError"]


def test_an_error_that_nobody_foresaw_is_none(log: pytest.LogCaptureFixture) -> None:
    class Broken(Server):
        def post(self, body: Json, timeout: float, pauses: object = ()) -> Json:
            raise LookupError(SECRET)

    assert ChatModel(Broken("http://127.0.0.1:1"), "small").classify_kind("", SECRET) is None
    assert told(log) == ["LookupError"]


# --- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"WINNOW_LLM_KEY": KEY}, {"WINNOW_LLM_URL": " "}])
def test_without_a_model_there_is_none_which_is_logged_at_debug(
    settings: dict[str, str], log: pytest.LogCaptureFixture
) -> None:
    assert find_model(settings) is None
    assert told(log) == [f"{CLASSIFY_KIND}: no model is set up"]


@pytest.mark.parametrize("end", ["/v1", "/v1/", "/v1/chat/completions", "/v1/chat/completions/"])
def test_the_address_may_have_the_path_already(endpoint: Endpoint, end: str) -> None:
    model = find_model(settings_for(endpoint, WINNOW_LLM_URL=endpoint.url + end))
    assert model is not None
    assert model.classify_kind("", "x") == "goal"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("WINNOW_LLM_MODEL", "", "WINNOW_LLM_MODEL is not set"),
        ("WINNOW_LLM_URL", "", "WINNOW_LLM_URL is not set"),
        ("WINNOW_LLM_URL", "localhost:11434", "WINNOW_LLM_URL: expected an address"),
        ("WINNOW_LLM_KEY", f"{KEY}\x00", "WINNOW_LLM_KEY: the key has a sign"),
        ("WINNOW_LLM_TIMEOUT", "soon", "WINNOW_LLM_TIMEOUT: expected seconds"),
    ],
)
def test_settings_that_are_wrong_are_no_model_and_a_warning(
    endpoint: Endpoint, log: pytest.LogCaptureFixture, name: str, value: str, told: str
) -> None:
    assert find_model(settings_for(endpoint, **{name: value})) is None
    (record,) = log.records
    assert record.levelno == logging.WARNING
    assert record.getMessage().startswith(f"{CLASSIFY_KIND} is off: {told}")


JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["choices", "message", "content"]), inner)
    ),
)


@given(JSON)
def test_of_any_answer_the_content_is_a_text_or_none(answer: Json) -> None:
    content = read_content(answer)
    assert content is None or isinstance(content, str)
