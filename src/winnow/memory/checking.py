"""Checking whether anything like a topic is remembered."""

from winnow.errors import Fault, NotAvailable
from winnow.memory.engine import Engine
from winnow.operations.memories import CheckAnswer
from winnow.operations.requests import CheckRequest


def check(engine: Engine, request: CheckRequest, faults: list[Fault]) -> CheckAnswer:
    """Tell whether anything like a topic is remembered."""
    raise NotAvailable("check is not available yet")
