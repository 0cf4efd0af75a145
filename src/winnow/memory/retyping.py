"""Giving memories another kind."""

from winnow.errors import Fault, NotAvailable
from winnow.memory.engine import Engine
from winnow.operations.changes import RetypeRequest
from winnow.operations.memories import RetypeAnswer


def retype(engine: Engine, request: RetypeRequest, faults: list[Fault]) -> RetypeAnswer:
    """Give one memory, or many, another kind."""
    raise NotAvailable("retype is not available yet")
