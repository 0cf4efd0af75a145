"""Writing what is stored as JSON lines."""

from winnow.errors import Fault, NotAvailable
from winnow.memory.engine import Engine
from winnow.operations.changes import ExportRequest
from winnow.operations.settings import ExportAnswer


def export(engine: Engine, request: ExportRequest, faults: list[Fault]) -> ExportAnswer:
    """Write memories, and imported entities, as JSON lines."""
    raise NotAvailable("export is not available yet")
