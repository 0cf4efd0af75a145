"""Making the vectors of what is stored again."""

from winnow.errors import Fault, NotAvailable
from winnow.memory.engine import Engine
from winnow.operations.changes import ReembedRequest
from winnow.operations.settings import ReembedAnswer


def reembed(engine: Engine, request: ReembedRequest, faults: list[Fault]) -> ReembedAnswer:
    """Make the vectors that the current embedder has not made."""
    raise NotAvailable("reembed is not available yet")
