"""Schemas as resources: what `memory_schema` answers, to be read by an address."""

from collections.abc import Sequence

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, Resource, ResourceTemplate, TextResourceContents

from winnow.errors import InvalidRequest, WinnowError, unknown
from winnow.memory import Memory
from winnow.wire import encode_text

ALL = "winnow://schemas"
_MIME = "application/json"


def list_resources(names: Sequence[str]) -> list[Resource]:
    """Return the resources: all schemas, and each of them."""
    every = Resource(
        name="schemas", uri=ALL, description="All schemas, without fields", mime_type=_MIME
    )
    return [every, *map(_list_schema, names)]


def _list_schema(name: str) -> Resource:
    return Resource(
        name=name,
        uri=f"{ALL}/{name}",
        description=f"{name}: its fields, their operators, and the values seen",
        mime_type=_MIME,
    )


def list_templates() -> list[ResourceTemplate]:
    """Return the one template: a schema by its name."""
    return [
        ResourceTemplate(
            name="schema",
            uri_template=f"{ALL}/{{name}}",
            description="One schema: its fields, their operators, and the values seen",
            mime_type=_MIME,
        )
    ]


def read_resource(memory: Memory, uri: str) -> TextResourceContents:
    """Read a resource. Raises MCPError for one that there is not, with the nearest address."""
    name = uri.removeprefix(f"{ALL}/") if uri.startswith(f"{ALL}/") else None
    if uri != ALL and not name:
        addresses = [ALL, *(one.uri for one in list_resources(memory.schema_names())[1:])]
        raise MCPError(INVALID_PARAMS, unknown("resource", uri, addresses))
    try:
        answer = memory.schema(name)
    except InvalidRequest as error:
        raise MCPError(INVALID_PARAMS, str(error)) from None
    except WinnowError as error:
        raise MCPError(INVALID_PARAMS, f"{error.code}: {error}") from None
    return TextResourceContents(uri=uri, mime_type=_MIME, text=encode_text(answer))
