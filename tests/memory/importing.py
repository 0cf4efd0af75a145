"""A store that is filled by import, and what is asked of it."""

from collections.abc import Mapping

from winnow.memory import Memory

MATTER = "legal.Matter"
CLIENT = "legal.Client"


def put(
    memory: Memory,
    entity: str,
    schema: str = MATTER,
    namespace: str | None = None,
    **fields: object,
) -> None:
    """Import one entity."""
    one: Mapping[str, object] = {"schema": schema, "id": entity, "fields": fields}
    answer = memory.admin.import_(entities=[one], namespace=namespace)
    assert answer.errors == []
