"""The client of Onyx, against a server that speaks the documented request and answer."""

import logging
from collections.abc import Iterator
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.providers.serving import Asked, Endpoint, Reply, serve

from winnow.errors import SourceError
from winnow.providers import Answers, Found, Remark, Sources
from winnow.providers.onyx import LONGEST_QUERY, Onyx, open_onyx, read_results
from winnow.providers.server import MOST_BYTES
from winnow.values import Json

KEY = "on_very-secret"
ADDRESS = "is WINNOW_ONYX_URL that of the API, such as https://cloud.onyx.app/api?"
DOCUMENTS: list[dict[str, Json]] = [
    {
        "citation_id": 1,
        "title": "Q3 Planning",
        "content": "We plan to hire four people.",
        "link": "https://drive.example/q3",
        "source_type": "google_drive",
        "updated_at": "2026-08-14T09:31:00Z",
    },
    {
        "citation_id": 1,
        "title": "Q3 Planning",
        "content": "The budget is $2M.",
        "link": "https://drive.example/q3",
        "source_type": "google_drive",
        "updated_at": "2026-08-14T09:31:00Z",
    },
    {
        "citation_id": None,
        "title": "#planning",
        "content": "Moved to Tuesday.",
        "link": None,
        "source_type": "slack",
        "updated_at": None,
    },
]
# Every parameter that the guide has.
PARAMETERS = {
    "query", "sources", "document_sets", "tags", "time_cutoff", "persona_id", "provider", "model",
    "skip_query_expansion", "message_history",
}  # fmt: skip


def respond(asked: Asked) -> Reply:
    """Answer as Onyx does."""
    if asked.path != "/api/search":
        return Reply({"detail": "Not Found"}, 404)
    if asked.key != f"Bearer {KEY}":
        return Reply({"error_code": "INVALID_TOKEN", "detail": "Invalid API key"}, 401)
    query, sources = asked.body["query"], asked.body.get("sources")
    if not set(asked.body) <= PARAMETERS or not 1 <= len(str(query)) <= 2048:
        return Reply({"detail": [{"loc": ["body"], "msg": "invalid", "input": query}]}, 422)
    wanted = cast("list[str] | None", sources)
    return Reply(
        {"results": [one for one in DOCUMENTS if not wanted or one["source_type"] in wanted]}
    )


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serve(respond) as endpoint:
        yield endpoint


def settings_for(endpoint: Endpoint) -> dict[str, str]:
    return {"WINNOW_ONYX_URL": f"{endpoint.url}/api", "WINNOW_ONYX_KEY": KEY}


def open_at(endpoint: Endpoint, **more: str) -> Onyx:
    onyx = open_onyx(settings_for(endpoint) | more)
    assert onyx is not None
    return onyx


# Too long to be waited for, so that a failure that may pass is not tried again.
LATER = {"Retry-After": "600"}


def refusal(onyx: Onyx, timeout: float = 60) -> str:
    with pytest.raises(SourceError) as caught:
        onyx.search("planning", 5, timeout)
    return str(caught.value)


def test_sections_become_results_in_the_order_of_onyx(endpoint: Endpoint) -> None:
    first, second, third = open_at(endpoint).search("planning", 5, 60)
    metadata: dict[str, Json] = {
        "citation_id": 1,
        "source_type": "google_drive",
        "updated_at": "2026-08-14T09:31:00Z",
    }
    assert first == Found(
        "Q3 Planning",
        "We plan to hire four people.",
        "https://drive.example/q3",
        score=None,
        metadata=metadata,
    )
    assert (second.text, second.metadata) == ("The budget is $2M.", metadata)
    assert third == Found("#planning", "Moved to Tuesday.", None, None, {"source_type": "slack"})


def test_the_request_is_the_documented_one(endpoint: Endpoint) -> None:
    open_at(endpoint).search(" planning ", 5, 60)
    body: dict[str, Json] = {"query": "planning", "skip_query_expansion": True}
    assert endpoint.asked == [Asked("/api/search", f"Bearer {KEY}", body)]


def test_no_more_results_than_the_limit_are_read(endpoint: Endpoint) -> None:
    assert len(open_at(endpoint).search("planning", 2, 60)) == 2


def test_settings_restrict_the_search(endpoint: Endpoint) -> None:
    onyx = open_at(
        endpoint, WINNOW_ONYX_SOURCES="slack, jira", WINNOW_ONYX_DOCUMENT_SETS="Team A,Team B"
    )
    assert [one.title for one in onyx.search("planning", 5, 60)] == ["#planning"]
    assert endpoint.asked[0].body["sources"] == ["slack", "jira"]
    assert endpoint.asked[0].body["document_sets"] == ["Team A", "Team B"]


def test_any_query_is_one_that_onyx_takes(endpoint: Endpoint) -> None:
    sources = Sources(settings_for(endpoint))

    @given(st.text(max_size=50).filter(str.strip) | st.just("x" * 9_999) | st.just("\ud800"))
    def ask(query: str) -> None:
        assert len(sources.ask(["onyx"], query, 5, 60).found["onyx"]) == 3

    ask()


def test_a_query_that_is_too_long_for_onyx_is_cut(endpoint: Endpoint) -> None:
    assert open_at(endpoint).search("x" * 9_999, 5, 60)
    assert endpoint.asked[0].body["query"] == "x" * LONGEST_QUERY


def test_a_slash_at_the_end_of_the_address_does_not_matter(endpoint: Endpoint) -> None:
    assert open_at(endpoint, WINNOW_ONYX_URL=f"{endpoint.url}/api/").search("q", 5, 60)


def test_without_an_address_there_is_no_client() -> None:
    assert open_onyx({"WINNOW_ONYX_KEY": KEY}) is None
    assert open_onyx({"WINNOW_ONYX_URL": " "}) is None


@pytest.mark.parametrize(
    ("name", "value"), [("WINNOW_ONYX_URL", "onyx.example"), ("WINNOW_ONYX_KEY", "on_\u00fc")]
)
def test_settings_that_are_wrong_are_named(name: str, value: str) -> None:
    with pytest.raises(SourceError, match=rf"^{name}: "):
        open_onyx({"WINNOW_ONYX_URL": "http://127.0.0.1:1/api", name: value})


# --- failures ------------------------------------------------------------------------------------


def test_a_wrong_key_is_said_and_not_shown(
    endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    onyx = open_at(endpoint, WINNOW_ONYX_KEY="on_other-secret")
    assert refusal(onyx) == "HTTP 401: Invalid API key (check WINNOW_ONYX_KEY)"
    endpoint.replies.append(Reply({"detail": "no such key: on_other-secret"}, 401))
    assert refusal(onyx) == "HTTP 401: no such key: *** (check WINNOW_ONYX_KEY)"
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply({"error_code": "INTERNAL_ERROR", "detail": "oops"}, 500, LATER), "HTTP 500: oops"),
        (Reply(b"<h1>Bad Gateway</h1>", 502, LATER), "HTTP 502: Bad Gateway"),
        (
            Reply({"error_code": "INSUFFICIENT_PERMISSIONS", "detail": "no"}, 403),
            "HTTP 403: no (WINNOW_ONYX_KEY must be allowed to search)",
        ),
        (
            Reply({"error_code": "NOT_IMPLEMENTED", "detail": "needs a vector database"}, 501),
            "HTTP 501: needs a vector database",
        ),
        (Reply({"detail": [{"msg": "bad query", "input": "q"}]}, 422), "HTTP 422: bad query"),
        (Reply(b'{"results": [', 200), f"its answer is not JSON ({ADDRESS})"),
        (Reply(b"<html>Sign in</html>", 200), f"its answer is not JSON ({ADDRESS})"),
        (Reply(b"", 307, {"Location": "/auth/login"}), f"HTTP 307 ({ADDRESS})"),
        (Reply(b'"' + b"x" * MOST_BYTES + b'"'), "its answer is longer than 8 MB"),
        (Reply([]), f"its answer has no list `results` ({ADDRESS})"),
        (Reply({"results": None}), f"its answer has no list `results` ({ADDRESS})"),
        (Reply({"results": [7]}), "result 1 of its answer is not an object"),
        (Reply({"results": [{"title": "t"}]}), "result 1 of its answer has no text `content`"),
        (
            Reply({"results": [DOCUMENTS[0], {"title": None, "content": "c"}]}),
            "result 2 of its answer has no text `title`",
        ),
    ],
)
def test_a_failure_of_onyx_is_a_remark_and_never_a_failed_recall(
    endpoint: Endpoint, reply: Reply, told: str
) -> None:
    endpoint.replies.append(reply)
    answers = Sources(settings_for(endpoint)).ask(["onyx"], "planning", 5, timeout=60)
    assert answers == Answers({}, (Remark("onyx", told),))


def test_an_address_without_the_api_is_explained(endpoint: Endpoint) -> None:
    onyx = open_at(endpoint, WINNOW_ONYX_URL=endpoint.url)
    assert refusal(onyx) == f"HTTP 404: Not Found ({ADDRESS})"


def test_a_failure_that_may_pass_is_tried_again_while_there_is_time(endpoint: Endpoint) -> None:
    endpoint.replies.append(Reply({"detail": "busy"}, 503, {"Retry-After": "0.01"}))
    assert len(open_at(endpoint).search("planning", 5, 60)) == 3
    assert len(endpoint.asked) == 2


def test_an_onyx_that_does_not_answer_is_given_up(endpoint: Endpoint) -> None:
    endpoint.stalled = True
    assert refusal(open_at(endpoint), timeout=0.1) == "no answer in time"


def test_an_onyx_that_never_comes_to_the_end_of_its_headers_is_given_up(
    endpoint: Endpoint,
) -> None:
    endpoint.trickling = b"HTTP/1.1 200 OK\r\nX-Slow:"
    answers = Sources(settings_for(endpoint)).ask(["onyx"], "planning", 5, timeout=0.1)
    assert answers == Answers({}, (Remark("onyx", "no answer in time"),))


def test_what_is_not_documented_is_left_alone() -> None:
    answer: Json = {"results": [{"title": "t", "content": "c", "link": 7, "score": 0.5}]}
    assert read_results(answer, 5) == [Found("t", "c")]
