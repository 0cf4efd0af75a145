"""Spans for OpenTelemetry."""

from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.testclient import TestClient
from tests.surfaces.http.serving import API

from winnow.surfaces.http import traces


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """What is recorded while a provider is set up."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    yield exporter
    provider.shutdown()


def one(spans: InMemorySpanExporter) -> ReadableSpan:
    (found,) = spans.get_finished_spans()
    return found


def test_a_request_is_a_span_with_its_route_and_operation_and_no_text(
    client: TestClient, spans: InMemorySpanExporter
) -> None:
    client.get(f"{API}/memories/secret-id?namespace=secret")
    found = one(spans)
    assert found.name == "GET /api/v1/memories/{id}"
    assert dict(found.attributes or {}) == {
        "http.request.method": "GET",
        "http.route": "/api/v1/memories/{id}",
        "winnow.operation": "get",
        "http.response.status_code": 404,
    }
    assert found.status.is_unset
    assert "secret" not in found.to_json()


def test_a_span_belongs_to_the_trace_that_its_sender_began(
    client: TestClient, spans: InMemorySpanExporter
) -> None:
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    client.get("/healthz", headers={"traceparent": parent})
    context = one(spans).context
    assert context is not None
    assert format(context.trace_id, "032x") == "0af7651916cd43dd8448eb211c80319c"


def test_a_fault_of_the_server_is_a_failed_span(
    client: TestClient, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("winnow.memory.Memory.recall", None)
    assert client.get(f"{API}/recall").status_code == 500
    assert not one(spans).status.is_ok
    assert not one(spans).events


@pytest.mark.parametrize(
    ("environment", "count"),
    [
        ({}, None),
        ({"OTEL_TRACES_EXPORTER": "console"}, 1),
        ({"OTEL_TRACES_EXPORTER": "none"}, None),
        ({"OTEL_TRACES_EXPORTER": "console", "OTEL_SDK_DISABLED": "true"}, None),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}, None),  # not installed here
        ({"OTEL_SERVICE_NAME": "mine"}, None),
    ],
)
def test_the_sdk_is_set_up_by_its_own_variables_if_they_ask_for_traces(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], count: int | None
) -> None:
    made: list[TracerProvider] = []
    monkeypatch.setattr(trace, "set_tracer_provider", made.append)
    monkeypatch.setattr(trace, "get_tracer_provider", trace.ProxyTracerProvider)
    traces.configure_tracing(environment)
    assert len(made) == (count or 0)
    for provider in made:
        provider.shutdown()


def test_a_provider_that_is_set_up_already_is_left_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[TracerProvider] = []
    monkeypatch.setattr(trace, "set_tracer_provider", made.append)
    monkeypatch.setattr(trace, "get_tracer_provider", TracerProvider)
    traces.configure_tracing({"OTEL_TRACES_EXPORTER": "console"})
    assert made == []
