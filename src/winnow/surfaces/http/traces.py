"""Spans for OpenTelemetry: one for each request, with the operation and the status."""

import logging
import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec

from opentelemetry import propagate, trace
from opentelemetry.trace import Span, SpanKind

from winnow import __version__

EXPORTERS = "OTEL_TRACES_EXPORTER"
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
WANTED = (EXPORTERS, "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""Each of these says that traces are wanted; the SDK reads more."""

_LOG = logging.getLogger("winnow.http")


def configure_tracing(environment: Mapping[str, str] = os.environ) -> None:
    """Set up the SDK of OpenTelemetry by its own variables, if traces are wanted.

    The SDK and its exporters are installed by whoever wants them; what has set up a provider
    already, such as `opentelemetry-instrument`, is left as it is.
    """
    disabled = environment.get("OTEL_SDK_DISABLED", "").lower() == "true"
    if disabled or not any(environment.get(name) for name in WANTED):
        return
    if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return
    found = list(_find_exporters(environment))
    if found and find_spec("opentelemetry.sdk"):
        _set_up(found)


@contextmanager
def span(method: str, path: str, headers: Mapping[str, str]) -> Generator[Span]:
    """Record a request, as part of the trace that its sender may have begun.

    `path` is that of the route: what stands in its place may be anybody's.
    """
    tracer = trace.get_tracer("winnow", __version__)
    if isinstance(tracer, trace.ProxyTracer):  # it stands for one that nobody has set up
        yield trace.INVALID_SPAN
        return
    with tracer.start_as_current_span(
        f"{method} {path}",
        context=propagate.extract(headers),
        kind=SpanKind.SERVER,
        attributes={"http.request.method": method, "http.route": path},
        record_exception=False,  # its text may hold a memory's
    ) as found:
        yield found


def note(found: Span, operation: str, status: int) -> None:
    """Note what a request came to."""
    found.set_attribute("winnow.operation", operation)
    found.set_attribute("http.response.status_code", status)
    if status >= 500:
        found.set_status(trace.StatusCode.ERROR)


def _find_exporters(environment: Mapping[str, str]) -> Iterator[EntryPoint]:
    protocol = next((environment[name] for name in PROTOCOLS if environment.get(name)), "grpc")
    for name in (environment.get(EXPORTERS) or "otlp").split(","):
        wanted = name.strip()
        if wanted == "otlp":
            wanted = f"otlp_proto_{'http' if protocol.startswith('http') else 'grpc'}"
        known = list(entry_points(group="opentelemetry_traces_exporter", name=wanted))
        if not known and wanted != "none":
            _LOG.warning("no exporter of traces called %s is installed: none are sent", wanted)
        yield from known


def _set_up(exporters: list[EntryPoint]) -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider()
    for one in exporters:
        provider.add_span_processor(BatchSpanProcessor(one.load()()))
    trace.set_tracer_provider(provider)
