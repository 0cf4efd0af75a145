"""What goes wrong in other systems that do this job, asked of this one as a user would.

Each test names the case. What more is to be said of one stands beside the module that it is about.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.vault.making import make_vault

from winnow.app import open_memory
from winnow.errors import InvalidRequest, NotFound
from winnow.filter.ops import TYPED
from winnow.memory import Memory

THING = "case.Thing"
PACK = """
pack: case
schemas:
  Thing:
    id: filename
    declare: [{folder: things}]
    fields:
      name: string
      size: number
      whole: integer
      flag: boolean
      day: date
      at: datetime
      kind: {type: enum, values: [Big, Small]}
      near: {type: ref, to: Thing, reverse: nearTo}
      labels: list of string
  Other:
    id: filename
    declare: [{folder: others}]
    fields:
      size: number
"""
THINGS: Mapping[str, Mapping[str, Any]] = {
    "a": {"name": "50% off", "size": 9, "whole": 1, "flag": True, "day": "2026-03-31"},
    "b": {"name": "5000 off", "size": 10, "whole": 2, "flag": False, "day": "2026-04-01"},
    "c": {"name": "a_b", "size": 100, "whole": 3, "kind": "Big", "near": "a", "labels": ["test"]},
    "d": {"name": "axb", "size": 2.0, "kind": "Small", "near": "b", "labels": ["testing", "a,b"]},
    "e": {"name": "*", "at": "2015-07-23T22:44:08-07:00", "labels": []},
    "f": {"name": "2", "day": "2026-03-30", "at": "2015-07-24T05:44:08"},
    "g": {},
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("cases")
    make_vault(folder / "vault", {".winnow/case.yaml": PACK})
    with open_memory(folder / "winnow.db") as opened:
        for namespace in ("default", "tenant", "signs", "clearing"):
            opened.admin.index(str(folder / "vault"), namespace=namespace)
        put(opened, "default", THINGS)
        put(opened, "tenant", {"a": {"name": "hidden"}, "z": {"name": "hidden"}})
        yield opened


def put(memory: Memory, namespace: str, things: Mapping[str, Mapping[str, Any]]) -> None:
    objects = [{"schema": THING, "id": one, "fields": things[one]} for one in things]
    assert not memory.admin.import_(entities=objects, namespace=namespace).errors


def found(memory: Memory, filters: Any) -> str:
    """The ids that match, in their order."""
    given: dict[str, Any] = {"where": filters} if isinstance(filters, str) else {"filters": filters}
    answer = memory.recall(schema=THING, namespace="default", limit=100, **given)
    return "".join(hit.entity_id for hit in answer.entities)


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(InvalidRequest) as caught:
        call()
    return str(caught.value)


def having(field: str, holds: Callable[[Any], bool]) -> str:
    """The ids of the things that have a value of a field for which something holds."""
    return "".join(one for one, has in THINGS.items() if field in has and holds(has[field]))


BY_HAND: Mapping[str, tuple[str, Any, Callable[[Any], bool]]] = {
    "eq": ("size", 10, lambda size: size == 10),
    "in": ("size", [2, 9], lambda size: size in (2, 9)),
    "gt": ("size", 9, lambda size: size > 9),
    "gte": ("size", 9, lambda size: size >= 9),
    "lt": ("size", 9, lambda size: size < 9),
    "lte": ("size", 9, lambda size: size <= 9),
    "between": ("size", [9, 10], lambda size: 9 <= size <= 10),
    "contains": ("name", "OFF", lambda name: "off" in name),
    "startsWith": ("name", "A", lambda name: name[0] == "a"),
    "endsWith": ("name", "B", lambda name: name[-1] == "b"),
    "has": ("labels", "test", lambda labels: "test" in labels),
    "any": ("labels", {"contains": "test"}, lambda labels: any("test" in one for one in labels)),
    "all": ("labels", {"eq": "test"}, lambda labels: set(labels) == {"test"}),
    "isNull": ("size", False, lambda size: True),
}
COMPLEMENTS = {"ne": "eq", "nin": "in", "none": "any"}


@pytest.mark.parametrize("op", TYPED)
def test_each_operator_selects_what_one_would_by_hand(memory: Memory, op: str) -> None:
    """F01, F09, F10, F11."""
    field, operand, holds = BY_HAND[COMPLEMENTS.get(op, op)]
    expected = having(field, holds)
    if op in COMPLEMENTS:
        expected = "".join(one for one in THINGS if one not in expected)
    assert found(memory, {field: {op: operand}}) == expected


@pytest.mark.parametrize("method", ["recall", "count", "list", "aggregate", "explain"])
def test_an_argument_that_is_not_known_is_refused(memory: Memory, method: str) -> None:
    """F02, F58."""
    told = refusal(lambda: getattr(memory, method)(schema=THING, filter={"size": 9}))
    assert "/filter: unknown argument 'filter'; did you mean 'filters'?" in told


def test_each_answer_repeats_the_filter_as_it_was_applied(memory: Memory) -> None:
    """F03."""
    asked: dict[str, Any] = {
        "schema": THING,
        "filters": {"size": {"gte": 9}},
        "where": "kind != Big",
    }
    for answer in (
        memory.recall(**asked),
        memory.count(**asked),
        memory.list(**asked),
        memory.aggregate(**asked),
        memory.explain("a", namespace="default", **asked),
    ):
        assert answer.where == 'size >= 9 and kind != "Big"'
        assert answer.filters == {"size": {"gte": 9}, "kind": {"ne": "Big"}}


def test_every_field_of_a_schema_can_be_asked_for(memory: Memory) -> None:
    """F07."""
    (schema,) = memory.schema(THING).schemas
    for field in [one.name for one in schema.fields or ()]:
        everything = found(memory, {field: None}) + found(memory, {field: {"isNull": False}})
        assert sorted(everything) == list(THINGS)


def test_signs_that_are_wildcards_elsewhere_stand_for_themselves(memory: Memory) -> None:
    """F08, F34."""
    assert found(memory, {"name": "*"}) == "e"
    assert found(memory, {"name": {"contains": "50%"}}) == "a"
    assert found(memory, {"name": {"startsWith": "a_"}}) == "c"
    assert found(memory, {"name": {"contains": "["}}) == ""


def test_null_asks_whether_a_value_is_there_and_is_no_operand(memory: Memory) -> None:
    """F12."""
    assert found(memory, {"kind": None}) == found(memory, {"kind": {"eq": None}}) == "abefg"
    assert found(memory, {"kind": {"ne": None}}) == "cd"
    for op in ("gt", "contains", "in"):
        assert "null" in refusal(lambda op=op: found(memory, {"name": {op: None}}))


def test_an_error_and_an_empty_answer_are_not_alike(memory: Memory) -> None:
    """F27."""
    assert memory.count(schema=THING, where="size > 1000").count == 0
    with pytest.raises(NotFound):
        memory.explain("nobody", schema=THING)
    assert refusal(lambda: memory.count(schema="case.Thin"))


@pytest.mark.parametrize("blank", ["", " "])
def test_a_blank_namespace_is_refused_and_null_is_absent(memory: Memory, blank: str) -> None:
    """F28."""
    for call in (
        lambda: memory.recall(namespace=blank),
        lambda: memory.count(namespace=blank),
        lambda: memory.check("topic", namespace=blank),
        lambda: memory.schema(namespace=blank),
        lambda: memory.store("text", namespace=blank),
        lambda: memory.get("m1", namespace=blank),
        lambda: memory.delete(where="everything", dry_run=True, namespace=blank),
        lambda: memory.admin.export(namespace=blank),
        lambda: memory.admin.namespace(blank),
    ):
        assert "/na" in refusal(call)
    assert memory.count(schema=THING, namespace=None).count == memory.count(schema=THING).count
    assert memory.count(entity=None, tags=None, kinds=None).count == memory.count().count
    assert memory.count(entity="").count == 0


@pytest.mark.parametrize("limit", [-1, 0, 1_001, 1.5, "10", True])
def test_a_limit_that_is_none_is_refused(memory: Memory, limit: Any) -> None:
    """F29."""
    assert refusal(lambda: memory.list(schema=THING, limit=limit)).startswith("/limit: ")


def test_sort_keys_are_looked_up_like_fields(memory: Memory) -> None:
    """F29b, F32."""
    evil = "size); DROP TABLE entity; --"
    for told in (
        refusal(lambda: memory.list(schema=THING, order_by="sise")),
        refusal(lambda: memory.list(schema=THING, order_by=evil)),
        refusal(lambda: memory.aggregate(schema=THING, group_by=[evil])),
    ):
        assert "unknown field" in told
    assert "/orderBy/0/dir" in refusal(
        lambda: memory.list(schema=THING, order_by=[{"field": "size", "dir": "asc"}])  # pyright: ignore[reportArgumentType]
    )


@pytest.mark.parametrize("key", ["a') OR 1=1 --", "size; --", "$where", "namespace", "1=1"])
def test_a_key_is_a_name_and_never_a_piece_of_a_statement(memory: Memory, key: str) -> None:
    """F30, F31."""
    assert refusal(lambda: found(memory, {key: 1}))
    assert found(memory, {"or": [{"name": "hidden"}, {"id": "z"}]}) == ""
    assert memory.count(schema=THING, where="everything", namespace="tenant").count == 2


@pytest.mark.parametrize("text", ["a-b", "a:b", "a | b", "`a`", "a/b\\c", "'; --", '"', "(", "\0"])
def test_no_text_is_a_piece_of_the_language(memory: Memory, text: str) -> None:
    """F38."""
    put(memory, "signs", {"x": {"name": text, "labels": [text]}, "y": {"name": f"{text}!"}})
    for filters in ({"name": text}, {"labels": {"has": text}}, {"name": {"endsWith": text}}):
        answer = memory.recall(schema=THING, namespace="signs", filters=filters)
        assert list(answer.entity_ids) == ["x"]
        again = memory.recall(schema=THING, namespace="signs", where=answer.where)
        assert again.entity_ids == answer.entity_ids


def test_numbers_are_compared_as_numbers(memory: Memory) -> None:
    """F40."""
    assert found(memory, "size >= 10") == "bc"
    answer = memory.list(schema=THING, where="size > 2", order_by="size", namespace="default")
    assert [hit.fields["size"] for hit in answer.entities] == [9, 10, 100]


def test_values_of_different_types_are_never_alike(memory: Memory) -> None:
    """F42."""
    assert found(memory, {"size": 2}) == found(memory, {"size": 2.0}) == "d"
    assert found(memory, {"name": "2"}) == "f"
    for filters in ({"name": 2}, {"size": "2"}, {"flag": 1}, {"size": True}, {"flag": "true"}):
        assert "expected" in refusal(lambda filters=filters: found(memory, filters))


def test_a_closed_vocabulary_is_checked(memory: Memory) -> None:
    """F49."""
    told = refusal(lambda: found(memory, {"kind": {"in": ["Big", "Huge"]}}))
    assert told.endswith("unknown value 'Huge' (allowed: Big, Small)")


def test_an_item_of_a_list_is_whole(memory: Memory) -> None:
    """F50, F51."""
    assert found(memory, 'labels has "test"') == "c"
    assert found(memory, 'labels has "a,b"') == "d"
    assert found(memory, "labels has a") == ""


def test_a_tag_may_have_any_signs_in_it(memory: Memory, tmp_path: Path) -> None:
    """F111."""
    tags = ["⊙", "标签", "🎉x", "ключ/слово", "日本語-タグ"]
    lines = [f"Line of #{tag}" for tag in tags]
    notes = {f"{n}.md": line for n, line in enumerate(lines)}
    memory.admin.index(str(make_vault(tmp_path / "signs", notes)), namespace="tags")
    for tag, line in zip(tags, lines, strict=True):
        memory.store(f"Stored as {tag}", tags=[tag], namespace="tags")
        asked: Sequence[Mapping[str, Any]] = (
            {"tags": [tag]},
            {"tags": f"#{tag}"},
            {"where": f'tags has "{tag}"'},
            {"filters": {"tags": {"any": {"in": [tag]}}}},
        )
        for one in asked:
            found = memory.list(namespace="tags", **one).memories or ()
            assert {record.text for record in found} == {line, f"Stored as {tag}"}


def test_what_has_no_items_is_asked_for_in_so_many_words(memory: Memory) -> None:
    """F54."""
    assert found(memory, "labels any in (test, testing)") == "cd"
    assert found(memory, "labels none in (test)") == "abdefg"
    assert found(memory, "labels = ()") == "e"
    assert found(memory, "labels is null") == "abfg"


def test_things_of_one_id_and_two_types_are_two(memory: Memory) -> None:
    """F68."""
    other = {"schema": "case.Other", "id": "a", "fields": {"size": 1}}
    memory.admin.import_(entities=[other])
    (hit,) = memory.recall(schema="case.Other", where="id = a").entities
    assert (hit.entity_type, hit.fields) == ("Other", {"size": 1})
    assert found(memory, "id = a and size = 9") == "a"
    assert found(memory, "near.size = 1") == ""


def test_a_day_as_a_bound_is_the_whole_day(memory: Memory) -> None:
    """F70, F73."""
    assert found(memory, {"day": {"lte": "2026-03-31"}}) == "af"
    assert found(memory, {"day": {"gt": "2026-03-31"}}) == "b"
    assert found(memory, {"day": "2026-03-31"}) == "a"
    assert found(memory, {"day": {"in": ["2026-03-30", "2026-04"]}}) == "bf"
    assert found(memory, {"at": {"lte": "2015-07-24"}}) == "ef"


def test_instants_are_compared_over_offsets(memory: Memory) -> None:
    """F71, F72."""
    assert found(memory, 'at = "2015-07-24T05:44:08Z"') == "ef"
    assert found(memory, 'at < "2015-07-23T22:44:09-07:00"') == "ef"
    assert found(memory, 'at > "2015-07-24T07:44:08+02:00"') == ""


def test_null_clears_a_date(memory: Memory) -> None:
    """F77."""
    put(memory, "clearing", {"x": {"day": "2026-03-31", "size": 1}})
    put(memory, "clearing", {"x": {"day": None}})
    (hit,) = memory.recall(schema=THING, namespace="clearing").entities
    assert hit.fields == {"size": 1}
