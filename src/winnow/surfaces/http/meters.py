"""What a server counts of itself, for Prometheus: how many, and how long; never what about."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

TEXT = CONTENT_TYPE_LATEST
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Meters:
    """The meters of one server. Labels are the names of operations and statuses, nothing else."""

    def __init__(self, inside: Callable[[], int], running: Callable[[], int]) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "winnow_http_requests",
            "Requests that were answered.",
            ("operation", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "winnow_http_request_seconds",
            "How long an answer took.",
            ("operation",),
            buckets=SECONDS,
            registry=self._registry,
        )
        self._watch("winnow_http_calls", "Calls that are carried out or wait for it.", inside)
        self._watch("winnow_http_calls_running", "Calls that are carried out.", running)

    def count(self, operation: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests.labels(operation, str(status)).inc()
        self._seconds.labels(operation).observe(seconds)

    def show(self) -> bytes:
        """Return all meters as text."""
        return generate_latest(self._registry)

    def _watch(self, name: str, help_: str, read: Callable[[], int]) -> None:
        Gauge(name, help_, registry=self._registry).set_function(read)
