"""Keys, and that nothing of one namespace shows in what another one's key can ask."""

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.memory.remembering import Clock, open_at
from tests.memory.tenants import OWN, Ask, open_both, told

from winnow.access import FULL, Access, Scope
from winnow.errors import Conflict, Forbidden, InvalidRequest, NotFound, WinnowError
from winnow.memory import Memory
from winnow.memory.upkeep.keys import find_access, has_keys
from winnow.operations import OPERATIONS, Operation

# --- making, listing, revoking -------------------------------------------------------------------


def test_the_secret_of_a_key_opens_what_the_key_allows(memory: Memory) -> None:
    assert not has_keys(memory.engine)
    made = memory.admin.create_key("agent", scopes="read,write", namespaces=["b", "a"])
    assert has_keys(memory.engine)
    assert find_access(memory.engine, made.secret) == Access(
        frozenset({Scope.READ, Scope.WRITE}), frozenset({"a", "b"})
    )
    for wrong in ("", made.secret[:-1], made.secret.upper(), "winnow_", "\ud800"):
        assert find_access(memory.engine, wrong) is None


def test_without_more_a_key_reads_all_namespaces(memory: Memory) -> None:
    made = memory.admin.create_key("reader")
    assert (made.scopes, made.namespaces) == (("read",), None)
    assert find_access(memory.engine, made.secret) == Access(frozenset({Scope.READ}))


def test_secrets_are_nowhere_in_the_store(memory: Memory, tmp_path: Path) -> None:
    secret = memory.admin.create_key("agent").secret
    memory.close()
    files = [one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()]
    assert any(b"agent" in one for one in files)
    assert not any(secret.encode() in one or secret[7:].encode() in one for one in files)


def test_keys_are_listed_without_their_secrets(memory: Memory) -> None:
    memory.admin.create_key("b", scopes=["admin"])
    secret = memory.admin.create_key("a", namespaces="x").secret
    answer = memory.admin.keys()
    assert [(one.name, one.scopes, one.namespaces) for one in answer.keys] == [
        ("a", ("read",), ("x",)),
        ("b", ("admin",), None),
    ]
    assert secret not in repr(answer)


def test_a_revoked_key_opens_nothing_in_every_process_at_once(
    memory: Memory, tmp_path: Path
) -> None:
    secret = memory.admin.create_key("agent").secret
    with open_at(tmp_path / "winnow.db", Clock()) as other:
        assert find_access(other.engine, secret) is not None
        assert memory.admin.revoke_key("agent").warnings is not None  # it was the last
        assert find_access(other.engine, secret) is None
        assert not has_keys(other.engine)


def test_a_name_is_taken_once_and_free_again_when_its_key_is_revoked(memory: Memory) -> None:
    memory.admin.create_key("agent")
    with pytest.raises(Conflict):
        memory.admin.create_key("agent")
    memory.admin.revoke_key("agent")
    memory.admin.create_key("agent")
    with pytest.raises(NotFound, match="did you mean 'agent'"):
        memory.admin.revoke_key("agnet")


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"name": ""}, "/name"),
        ({"name": "a b"}, "/name"),
        ({"name": "a" * 101}, "/name"),
        ({"name": "a", "scopes": "raed"}, "/scopes/0"),
        ({"name": "a", "scopes": ["read", "Admin"]}, "/scopes/1"),
        ({"name": "a", "scopes": ""}, "/scopes"),
        ({"name": "a", "namespaces": []}, "/namespaces"),
        ({"name": "a", "namespaces": ["\ud800"]}, "/namespaces/0"),
    ],
)
def test_a_key_that_says_nothing_or_nonsense_is_refused(
    memory: Memory, given: Mapping[str, Any], pointer: str
) -> None:
    with pytest.raises(InvalidRequest) as caught:
        memory.admin.create_key(**given)
    assert [fault.pointer for fault in caught.value.faults] == [pointer]
    assert not has_keys(memory.engine)


def test_nobody_grants_more_than_they_have(memory: Memory) -> None:
    admin = memory.restricted(Access(frozenset({Scope.ADMIN})))
    admin.admin.create_key("same", scopes="admin")
    with pytest.raises(Forbidden):
        admin.admin.create_key("more", scopes="admin,write")


def test_a_scope_that_only_a_newer_version_knows_is_none_here(memory: Memory) -> None:
    secret = memory.admin.create_key("agent").secret
    (row,) = memory.engine.store.access.read_keys()
    with memory.engine.store.write() as writer:
        writer.keys.delete("agent")
        writer.keys.put(replace(row, scopes=("read", "fly")))
    assert find_access(memory.engine, secret) == Access(frozenset({Scope.READ}))


# --- scopes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda one: one.name)
@pytest.mark.parametrize("scope", Scope)
def test_an_operation_is_refused_without_its_scope_whatever_it_is_asked(
    memory: Memory, operation: Operation, scope: Scope
) -> None:
    bound: Any = memory.restricted(Access(frozenset({scope})))
    for step in operation.method.split("."):
        bound = getattr(bound, step)
    try:
        bound(nonsense=1)
    except Forbidden:
        assert scope is not operation.scope
    except InvalidRequest:
        assert scope is operation.scope


# --- nothing of others ---------------------------------------------------------------------------

MATTER = "legal.Matter"

# What a tenant may ask, in their own namespaces and with an eye on others'.
QUESTIONS: Mapping[str, Ask] = {
    "everything": lambda m: m.recall(limit=100),
    "a query": lambda m: m.recall("river secret0 rises", limit=100),
    "by vector and word": lambda m: m.recall("the bank of a river", min_score=0.0),
    "a metadata key of another": lambda m: m.recall(where="secretkey >= 0"),
    "nearly a metadata key of another": lambda m: m.recall(where="secretkeys >= 0"),
    "a field of a schema of another": lambda m: m.recall(where="hiddenfield = x or escrowPct = 1"),
    "nearly a key that both have": lambda m: m.recall(where="colour = red"),
    "a filter on the namespace": lambda m: m.recall(where='namespace in ("mine", "theirs")'),
    "another namespace by negation": lambda m: m.recall(where='not namespace = "mine"'),
    "an entity of another": lambda m: m.recall(entity="secretperson"),
    "a tag of another": lambda m: m.recall(tags=["secrettag"]),
    "ordered by a key of another": lambda m: m.recall(order_by="metadata.secretkey:desc"),
    "sources": lambda m: m.recall("river", sources=["vault"]),
    "pages of notes": lambda m: m.recall("note", max_depth=1),
    "all matters": lambda m: m.recall(schema=MATTER, near_misses=5),
    "matters by filter": lambda m: m.recall(schema=MATTER, where="escrowPct >= 10", near_misses=9),
    "a matter of another": lambda m: m.recall(schema=MATTER, where='id = "MAT-2389"'),
    "a schema of another": lambda m: m.recall(schema="secretpack.Secretthing"),
    "nearly a schema of another": lambda m: m.recall(schema="secretpack.Secretthings"),
    "count": lambda m: m.count(),
    "count of matters": lambda m: m.count(schema=MATTER),
    "list": lambda m: m.list(limit=100),
    "list of matters": lambda m: m.list(schema=MATTER, limit=100),
    "figures": lambda m: m.aggregate(group_by="namespace", metrics="count"),
    "figures by a key of another": lambda m: m.aggregate(group_by="metadata.secretkey"),
    "figures of matters": lambda m: m.aggregate(
        schema=MATTER, metrics="min(escrowPct), max(escrowPct), max(dealValueUSD)"
    ),
    "explain": lambda m: m.explain("MAT-2388", schema=MATTER, where="escrowPct > 10"),
    "explain of another": lambda m: m.explain("MAT-2389", schema=MATTER, where="escrowPct > 10"),
    "explain there": lambda m: m.explain("MAT-2389", schema=MATTER, namespace="theirs"),
    "schemas": lambda m: m.schema(),
    "ranges of a schema": lambda m: m.schema(MATTER),
    "a schema by name": lambda m: m.schema("secretpack.Secretthing"),
    "check": lambda m: m.check("the river rises"),
    "check of an entity": lambda m: m.check("secret0", entity="secretperson"),
    "get": lambda m: m.get("a", namespace="mine"),
    "get of another": lambda m: m.get("x1", namespace="theirs"),
    "get without a namespace": lambda m: m.get("a"),
    "get of nobody": lambda m: m.get("x1", namespace="mine"),
    "capabilities": lambda m: m.capabilities(),
    "lint": lambda m: m.admin.lint(),
    "lint there": lambda m: m.admin.lint(namespace="theirs"),
    "namespaces": lambda m: m.admin.namespaces(),
    "a namespace": lambda m: m.admin.namespace("mine"),
    "a namespace of another": lambda m: m.admin.namespace("theirs"),
    "nearly one of another": lambda m: m.admin.namespace("empty"),
    "the whole store": lambda m: m.admin.doctor(),
    "keys": lambda m: m.admin.keys(),
    "a key": lambda m: m.admin.revoke_key("secretkeyname"),
    "a new key": lambda m: m.admin.create_key("secretkeyname"),
    "a folder": lambda m: m.admin.index("/", namespace="mine"),
}

# What a tenant may change; each is asked of stores of its own.
CHANGES: Mapping[str, Ask] = {
    "store": lambda m: m.store("the river rises", namespace="mine"),
    "store there": lambda m: m.store("mine", namespace="theirs"),
    "store without a namespace": lambda m: m.store("mine"),
    "store by an id of another": lambda m: m.store("new", id="x1", namespace="mine"),
    "update": lambda m: m.update("a", namespace="mine", title="title"),
    "update there": lambda m: m.update("x1", namespace="theirs", title="title"),
    "delete": lambda m: m.delete("a", namespace="mine"),
    "delete there": lambda m: m.delete("x1", namespace="theirs"),
    "delete all": lambda m: m.delete(all=True, where="river is null or true = true"),
    "delete by filter": lambda m: m.delete(where="text contains river", dry_run=True),
    "delete by a key of another": lambda m: m.delete(where="secretkey >= 0", all=True),
    "undelete there": lambda m: m.undelete("x4", namespace="theirs"),
    "retype": lambda m: m.retype(where="text contains river", kind="claim", all=True),
    "retype there": lambda m: m.retype("x1", kind="claim", namespace="theirs"),
    "set": lambda m: m.admin.set_namespace("mine", language="german"),
    "set there": lambda m: m.admin.set_namespace("theirs", language="english"),
    "reembed": lambda m: m.admin.reembed(all=True),
    "reembed there": lambda m: m.admin.reembed(namespace="theirs", all=True),
    "import there": lambda m: m.admin.import_(
        entities=[{"schema": MATTER, "id": "MAT-2389", "fields": {}, "namespace": "theirs"}],
        namespace="mine",
    ),
}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, Memory]]:
    alone, shared = open_both(tmp_path_factory.mktemp("tenants"))
    with alone, shared:
        yield alone, shared


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_is_what_it_would_be_without_the_others(
    both: tuple[Memory, Memory], question: str
) -> None:
    """F31, and all that a question could tell of another tenant."""
    alone, shared = both
    assert told(QUESTIONS[question], shared) == told(QUESTIONS[question], alone)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_what_it_would_be_without_the_others_and_leaves_theirs(
    tmp_path: Path, change: str
) -> None:
    alone, shared = open_both(tmp_path)
    with alone, shared:
        everything = Memory(replace(shared.engine, access=FULL))
        before = everything.list(namespace="theirs", limit=100).memories
        assert told(CHANGES[change], shared) == told(CHANGES[change], alone)
        assert everything.list(namespace="theirs", limit=100).memories == before
        assert everything.count(schema=MATTER, namespace="theirs").count == 4


def test_another_namespace_by_name_is_refused_whether_it_exists_or_not(
    both: tuple[Memory, Memory],
) -> None:
    _, shared = both
    asks: tuple[Callable[[str], object], ...] = (
        lambda name: shared.recall(namespace=name),
        lambda name: shared.get("a", namespace=name),
        lambda name: shared.store("x", namespace=name),
        lambda name: shared.count(schema=MATTER, namespace=name),
        lambda name: shared.admin.set_namespace(name, language="german"),
    )
    for ask in asks:
        words: set[str] = set()
        for name in ("theirs", "nobodys"):
            with pytest.raises(Forbidden) as caught:
                ask(name)
            words.add(str(caught.value).replace(name, "NAME"))
        assert len(words) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"schema": MATTER},
        {"schema": MATTER, "order_by": "escrowPct"},
        {"query": "river"},
        {"order_by": "createdAt"},
    ],
)
def test_a_cursor_of_another_key_is_refused(
    both: tuple[Memory, Memory], arguments: Mapping[str, Any]
) -> None:
    _, shared = both
    others = (FULL, Access(OWN.scopes, frozenset({"theirs"})), Access(OWN.scopes))
    own = shared.recall(**arguments, limit=1).cursor
    assert own is not None
    assert shared.recall(**arguments, limit=1, cursor=own).returned == 1
    for other in others:
        foreign = shared.restricted(other).recall(**arguments, limit=1).cursor
        assert foreign is not None
        with pytest.raises(InvalidRequest, match="belongs to another request"):
            shared.recall(**arguments, limit=1, cursor=foreign)


def test_a_cursor_of_a_list_is_bound_to_its_key_too(both: tuple[Memory, Memory]) -> None:
    _, shared = both
    choices: tuple[Mapping[str, Any], ...] = ({}, {"schema": MATTER})
    for arguments in choices:
        foreign = shared.restricted(FULL).list(**arguments, limit=1).cursor
        with pytest.raises(InvalidRequest, match="belongs to another request"):
            shared.list(**arguments, limit=1, cursor=foreign)


def test_a_cursor_does_not_tell_how_much_others_have_stored(memory: Memory) -> None:
    for number in range(30):
        memory.store(f"theirs {number}", namespace="theirs")
    for number in range(30):
        memory.store(f"mine {number}", namespace="mine")
    secret = memory.admin.create_key("mine", namespaces="mine").secret
    access = find_access(memory.engine, secret)
    assert access is not None
    bound = memory.restricted(access)
    seen: list[str] = []
    cursor = None
    while True:
        answer = bound.recall("mine", limit=7, cursor=cursor)
        seen += [hit.id for hit in answer.memories]
        cursor = answer.cursor
        if cursor is None:
            break
        keys = json.loads(base64.urlsafe_b64decode(cursor + "=="))[1]
        assert len(keys) == len(seen)
        assert min(keys) > 1_000_000
    assert sorted(seen) == sorted(f"m{number}" for number in range(1, 31))


def test_an_export_has_nothing_of_others(both: tuple[Memory, Memory], tmp_path: Path) -> None:
    alone, shared = both
    texts: list[str] = []
    for name, memory in (("alone", alone), ("shared", shared)):
        path = tmp_path / f"{name}.jsonl"
        memory.admin.export(str(path))
        texts.append(path.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    assert "secret" not in texts[1]
    with pytest.raises(Forbidden):
        shared.admin.export(str(tmp_path / "other.jsonl"), namespace="theirs")


def test_a_namespace_that_is_granted_and_empty_is_empty_not_an_error(memory: Memory) -> None:
    memory.store("text", namespace="other")
    bound = memory.restricted(Access(frozenset(Scope), frozenset({"new"})))
    assert bound.recall().filtered_entities == 0
    assert bound.recall(schema=MATTER).entity_ids == []
    assert bound.count().count == 0
    assert [one.name for one in bound.schema().schemas]
    assert bound.recall().as_of.change == 0
    bound.store("first", namespace="new")
    assert bound.recall().filtered_entities == 1
    assert bound.recall().as_of.change == 1


def test_a_key_for_one_namespace_need_not_name_it(memory: Memory) -> None:
    memory.store("theirs", id="a")
    mine = memory.restricted(Access(frozenset(Scope), frozenset({"mine"})))
    assert mine.store("text", id="a").namespace == "mine"
    assert mine.update("a", text="mine").text == mine.get("a").text == "mine"
    assert mine.delete("a").deleted == 1
    assert mine.undelete("a").namespace == "mine"
    assert memory.get("a").text == "theirs"
    both = memory.restricted(Access(frozenset(Scope), frozenset({"mine", "other"})))
    with pytest.raises(Forbidden, match="does not reach the namespace 'default'"):
        both.get("a")


def test_who_reaches_no_namespace_is_refused_everything(memory: Memory) -> None:
    """F25."""
    memory.store("text")
    bound = memory.restricted(Access(frozenset(Scope), frozenset()))
    asks: tuple[Callable[[], object], ...] = (
        bound.recall,
        bound.list,
        bound.schema,
        lambda: bound.recall(schema=MATTER),
        lambda: bound.store("text"),
        lambda: bound.get("m1"),
    )
    for ask in asks:
        with pytest.raises(Forbidden):
            ask()


def test_a_vault_of_ones_own_may_be_read_again_and_no_other_folder(tmp_path: Path) -> None:
    alone, shared = open_both(tmp_path)
    with alone, shared:
        own = str(tmp_path / "mine")
        assert shared.admin.index(own, namespace="mine").notes == 1
        refused: tuple[Mapping[str, Any], ...] = (
            {"path": str(tmp_path / "secretvault")},
            {"path": own, "pack": str(tmp_path / "secretvault" / ".winnow" / "pack.yaml")},
            {"path": str(tmp_path)},
        )
        for arguments in refused:
            with pytest.raises(Forbidden):
                shared.admin.index(**arguments, namespace="mine")
        for namespace in ("theirs", "empty"):
            with pytest.raises(WinnowError):
                shared.admin.index(own, namespace=namespace)
