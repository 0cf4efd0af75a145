"""Questions to several namespaces, which may define a schema in different ways."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.memory.importing import MATTER, put
from tests.vault.making import make_vault

from winnow.errors import InvalidRequest
from winnow.memory import Memory

THING = "shop.Thing"
PACK = """
pack: shop
schemas:
  Thing:
    id: filename
    declare: [{{folder: things}}]
    fields:
      size: {size}
      color: {{type: enum, values: {colors}}}
      {own}: string
"""


@pytest.fixture
def differing(memory: Memory, tmp_path: Path) -> Memory:
    """A schema whose `size` is a number in one namespace and a text in another."""
    for name, size, colors, own in (
        ("north", "integer", "[Red, Blue]", "maker"),
        ("south", "string", "[Red, Green]", "owner"),
    ):
        pack = PACK.format(size=size, colors=colors, own=own)
        note = "---\nsize: 12\ncolor: Red\n---\n"
        vault = {".winnow/shop.yaml": pack, f"things/{name}.md": note, "things/lamp.md": note}
        memory.admin.index(str(make_vault(tmp_path / name, vault)), namespace=name)
    return memory


def message(call: Callable[[], object]) -> str:
    with pytest.raises(InvalidRequest) as caught:
        call()
    return str(caught.value)


def test_what_means_the_same_in_all_namespaces_is_answered_for_all(differing: Memory) -> None:
    answer = differing.recall(schema=THING, where="color = Red", order_by="color,id:desc")
    found = [(hit.entity_id, hit.namespace) for hit in answer.entities]
    assert found == [
        ("south", "south"),
        ("north", "north"),
        ("lamp", "north"),
        ("lamp", "south"),
    ]
    groups = differing.aggregate(schema=THING, group_by="color").groups
    assert groups == [{"key": "Red", "count": 4, "metrics": {"count": 4}}]


def test_a_field_of_two_types_orders_and_groups_nothing(differing: Memory) -> None:
    for place, call in (
        ("/orderBy/0", lambda: differing.recall(schema=THING, order_by="size")),
        ("/orderBy/1", lambda: differing.list(schema=THING, order_by=["id", "size:desc"])),
        ("/groupBy/0", lambda: differing.aggregate(schema=THING, group_by="size")),
        ("/metrics/1", lambda: differing.aggregate(schema=THING, metrics="count,max(size)")),
    ):
        told = message(call)
        assert told.startswith(f"{place}: namespaces define 'size' in different ways")
        assert told.endswith("; name one namespace")
    south = differing.aggregate(schema=THING, metrics="max(size)", namespace="south")
    assert south.groups == [{"count": 2, "metrics": {"max(size)": "12"}}]


def test_a_field_that_one_namespace_lacks_orders_nothing_in_silence(differing: Memory) -> None:
    for field, lacking in (("maker", "south"), ("owner", "north")):
        told = message(lambda field=field: differing.recall(schema=THING, order_by=field))
        assert told.startswith(f"/orderBy/0: unknown field '{field}'")
        assert told.endswith(f", as {THING} is defined in '{lacking}'; name one namespace")


def test_a_fault_of_all_namespaces_is_told_once(memory: Memory) -> None:
    for namespace in ("north", "south"):
        put(memory, "MAT-1000", namespace=namespace, escrowPct=12)
    for told in (
        message(lambda: memory.count(schema=MATTER, where="escrwPct = 1")),
        message(lambda: memory.recall(schema=MATTER, order_by="escrwPct")),
    ):
        assert told.count("did you mean 'escrowPct'?") == 1
        assert "name one namespace" not in told


def test_a_fault_of_one_namespace_says_which(differing: Memory) -> None:
    assert message(lambda: differing.count(schema=THING, where="size > 10")) == (
        "/where:1: size >: expected text, got number 10,"
        f" as {THING} is defined in 'south'; name one namespace"
    )
    told = message(lambda: differing.count(schema=THING, where="color > Red"))
    assert told.startswith("/where:1: operator 'gt' does not fit color")
    assert (told.count("/where"), "is defined in" in told) == (1, False)


def test_each_way_in_which_a_schema_is_defined_is_described(differing: Memory) -> None:
    told = differing.schema(THING).schemas
    assert [(one.namespaces, one.entities) for one in told] == [(["north"], 2), (["south"], 2)]
    sizes = [next(field for field in one.fields or () if field.name == "size") for one in told]
    assert [(size.type, size.highest) for size in sizes] == [("integer", 12), ("string", None)]
    (alone,) = differing.schema(THING, namespace="south").schemas
    assert alone.namespaces is None


def test_a_schema_that_is_defined_once_has_no_namespaces(memory: Memory) -> None:
    put(memory, "MAT-1000", namespace="north", escrowPct=12)
    put(memory, "MAT-1000", namespace="south", escrowPct=3)
    (told,) = memory.schema(MATTER).schemas
    assert (told.namespaces, told.entities) == (None, 2)
