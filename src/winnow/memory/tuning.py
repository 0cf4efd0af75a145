"""The settings of namespaces, shown and changed."""

from winnow.errors import Fault, NotAvailable
from winnow.memory.engine import Engine
from winnow.operations.changes import SetNamespaceRequest
from winnow.operations.requests import NamespaceRequest, NamespacesRequest
from winnow.operations.settings import NamespaceAnswer, NamespacesAnswer


def list_namespaces(
    engine: Engine, request: NamespacesRequest, faults: list[Fault]
) -> NamespacesAnswer:
    """List the namespaces that may be seen."""
    raise NotAvailable("list_namespaces is not available yet")


def show_namespace(
    engine: Engine, request: NamespaceRequest, faults: list[Fault]
) -> NamespaceAnswer:
    """Show how a namespace is set."""
    raise NotAvailable("show_namespace is not available yet")


def set_namespace(
    engine: Engine, request: SetNamespaceRequest, faults: list[Fault]
) -> NamespaceAnswer:
    """Change the settings of a namespace."""
    raise NotAvailable("set_namespace is not available yet")
