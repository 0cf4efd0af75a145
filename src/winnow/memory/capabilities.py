"""What this memory can do."""

from winnow.errors import Fault, NotAvailable
from winnow.memory.engine import Engine
from winnow.operations.requests import CapabilitiesRequest
from winnow.operations.settings import CapabilitiesAnswer


def capabilities(
    engine: Engine, request: CapabilitiesRequest, faults: list[Fault]
) -> CapabilitiesAnswer:
    """Tell what this memory can do."""
    raise NotAvailable("capabilities is not available yet")
