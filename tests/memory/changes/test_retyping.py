"""Giving memories another kind."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.answering import answering, with_model
from tests.memory.remembering import Clock, set_namespace, store_all, temporary_memory
from tests.vault.making import make_vault

from winnow.access import Access, Scope
from winnow.errors import Conflict, Forbidden, InvalidRequest, NotFound, ReadOnly
from winnow.kinds import KINDS, check_kind
from winnow.memory import Memory
from winnow.memory.changes.retyping import MOST_SHOWN
from winnow.store.memories import Past

THEN_LLM = {"governance": {"auto_classify_kind": "regex_then_llm"}}


def kinds(memory: Memory, **conditions: Any) -> dict[str, tuple[str, str | None]]:
    found = memory.recall(limit=1_000, **conditions).memories
    return {hit.id: (hit.kind, hit.kind_provenance) for hit in found}


def past_of(memory: Memory, name: str) -> list[Past]:
    key = memory.engine.store.records.find("default", name)
    assert key is not None
    return memory.engine.store.records.history(key)


# --- one ---------------------------------------------------------------------------------------


def test_a_kind_that_is_given_is_declared(memory: Memory, clock: Clock) -> None:
    before = memory.store("text", id="a", tags="x")
    clock.move(hours=1)
    answer = memory.retype("a", kind="claim")
    assert (answer.matched, answer.changed, answer.filters) == (1, 1, None)
    (one,) = answer.sample
    assert (one.id, one.before, one.kind, one.kind_provenance) == (
        "a",
        "observation",
        "claim",
        "declared",
    )
    after = memory.get("a")
    assert (after.kind, after.kind_provenance) == ("claim", "declared")
    assert (after.text, after.tags, after.created_at) == ("text", ("x",), before.created_at)


def test_f67_a_change_stamps_the_memory_and_stays_in_its_history(
    memory: Memory, clock: Clock
) -> None:
    before = memory.store("text", id="a")
    clock.move(hours=1)
    memory.retype("a", kind="claim")
    assert memory.get("a").updated_at > before.updated_at
    last = past_of(memory, "a")[0].before
    assert last is not None
    assert (last.kind, last.kind_provenance) == ("observation", "channel_derived")


def test_one_that_has_the_kind_already_is_not_touched(memory: Memory, clock: Clock) -> None:
    memory.store("text", id="a", kind="claim")
    before = memory.get("a")
    clock.move(hours=1)
    answer = memory.retype("a", kind="claim")
    assert (answer.matched, answer.changed, answer.sample) == (1, 0, [])
    assert memory.get("a") == before


def test_declaring_the_kind_that_a_rule_has_found_is_a_change(memory: Memory) -> None:
    memory.store("text", id="a")
    assert memory.retype("a", kind="observation").changed == 1
    assert memory.get("a").kind_provenance == "declared"


def test_a_retyped_memory_is_found_by_its_kind_at_once(memory: Memory) -> None:
    memory.store("text", id="a")
    memory.recall("text")
    memory.retype("a", kind="claim")
    assert list(kinds(memory, kinds="claim")) == ["a"]
    assert memory.recall("text").memories[0].components is not None


def test_f69_one_that_is_not_there_is_not_found(memory: Memory) -> None:
    memory.store("text", id="a", namespace="other")
    with pytest.raises(NotFound):
        memory.retype("a", kind="claim")
    assert memory.retype("a", namespace="other", kind="claim").changed == 1


def test_a_deleted_or_expired_memory_is_not_found(memory: Memory, clock: Clock) -> None:
    memory.store("text", id="a")
    memory.delete("a")
    memory.store("text", id="b", ttl_seconds=10)
    clock.move(seconds=11)
    for name in "ab":
        with pytest.raises(NotFound):
            memory.retype(name, kind="claim")


@pytest.mark.parametrize("kind", ["", "Claim", " claim", "hunch"])
def test_f61_a_kind_that_is_none_is_refused_in_the_words_of_a_store(
    memory: Memory, kind: str
) -> None:
    memory.store("text", id="a")
    with pytest.raises(InvalidRequest) as expected:
        check_kind(kind)
    with pytest.raises(InvalidRequest) as refused:
        memory.retype("a", kind=kind)
    assert refused.value.faults == expected.value.faults
    assert memory.get("a").kind == "observation"


@pytest.mark.parametrize(
    ("arguments", "pointer"), [({}, "/kind"), ({"kind": "claim", "auto": True}, "/auto")]
)
def test_a_kind_or_auto_is_given_and_not_both(
    memory: Memory, arguments: dict[str, Any], pointer: str
) -> None:
    memory.store("text", id="a")
    with pytest.raises(InvalidRequest) as refused:
        memory.retype("a", **arguments)
    assert [fault.pointer for fault in refused.value.faults] == [pointer]


def test_all_faults_are_told_at_once(memory: Memory) -> None:
    with pytest.raises(InvalidRequest) as refused:
        memory.retype(kind="hunch", schema="legal.Matter", namespace=" ", where="=", all=True)
    pointers = {fault.pointer for fault in refused.value.faults}
    assert pointers == {"/kind", "/schema", "/namespace", "/where"}


# --- many --------------------------------------------------------------------------------------


def fill(memory: Memory, count: int = 30, **fields: Any) -> None:
    store_all(
        memory,
        [
            {"id": f"r{n}", "text": f"text {n}", "tags": ("odd",) if n % 2 else (), **fields}
            for n in range(count)
        ],
    )


def test_all_that_match_are_changed_and_nothing_else(memory: Memory) -> None:
    fill(memory)
    memory.store("text", id="r1", namespace="other", tags="odd")
    answer = memory.retype(kind="claim", tags="odd", expected_count=15)
    assert (answer.matched, answer.changed, len(answer.sample)) == (15, 15, 15)
    assert answer.where == 'tags any in ("odd")'
    found = kinds(memory, namespace="default")
    assert {name for name, (kind, _) in found.items() if kind == "claim"} == {
        f"r{n}" for n in range(1, 30, 2)
    }
    assert memory.get("r1", namespace="other").kind == "observation"


def test_another_number_than_expected_changes_nothing(memory: Memory) -> None:
    fill(memory)
    change = memory.engine.store.last_change()
    with pytest.raises(Conflict, match="15 match, and 14 were expected"):
        memory.retype(kind="claim", tags="odd", expected_count=14)
    assert memory.engine.store.last_change() == change


def test_a_dry_run_tells_what_would_change_and_changes_nothing(memory: Memory) -> None:
    fill(memory, 2 * MOST_SHOWN)
    change = memory.engine.store.last_change()
    dry = memory.retype(kind="claim", where='text contains "text"', dry_run=True)
    assert (dry.matched, dry.changed, len(dry.sample)) == (40, 40, MOST_SHOWN)
    assert dry.dry_run
    assert memory.engine.store.last_change() == change
    done = memory.retype(kind="claim", where='text contains "text"', all=True)
    assert (done.matched, done.changed, done.sample) == (dry.matched, dry.changed, dry.sample)
    assert done.dry_run is None


def test_many_are_changed_in_one_transaction(memory: Memory) -> None:
    fill(memory, 1_200)
    before = memory.engine.store.last_change().number
    assert memory.retype(kind="claim", all=True).changed == 1_200
    assert memory.engine.store.last_change().number == before + 1


def test_vectors_and_terms_stay(memory: Memory) -> None:
    fill(memory)
    before = memory.recall("text 7", limit=30)
    memory.retype(kind="claim", all=True)
    after = memory.recall("text 7", limit=30)
    scores = [{hit.id: hit.score for hit in one.memories} for one in (before, after)]
    assert scores[0] == scores[1]


def test_pieces_of_notes_are_left_out_and_counted(memory: Memory, tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "vault", {"a.md": "# One\nfirst\n\n# Two\nsecond\n"})
    memory.admin.index(str(vault))
    memory.store("first", id="a")
    answer = memory.retype(kind="claim", where='text contains "first"', expected_count=1)
    assert (answer.matched, answer.changed, answer.read_only) == (1, 1, 1)
    assert memory.retype(kind="claim", all=True).read_only == 2
    piece = memory.recall("second", sources=["vault"]).memories[0]
    assert piece.kind == "observation"
    with pytest.raises(ReadOnly):
        memory.retype(piece.id, kind="claim")


def test_a_namespace_that_must_not_be_seen_is_refused(memory: Memory) -> None:
    memory.store("text", id="a", namespace="secret")
    guest = memory.restricted(Access(frozenset(Scope), frozenset({"default"})))
    with pytest.raises(Forbidden):
        guest.retype("a", kind="claim", namespace="secret")
    with pytest.raises(Forbidden):
        guest.retype(kind="claim", namespace="secret", all=True)
    assert memory.get("a", namespace="secret").kind == "observation"


def test_one_who_may_only_read_is_refused(memory: Memory) -> None:
    memory.store("text", id="a")
    with pytest.raises(Forbidden):
        memory.restricted(Access(frozenset({Scope.READ}))).retype("a", kind="claim")


@given(
    st.lists(st.tuples(st.sampled_from(KINDS), st.booleans()), max_size=8),
    st.sampled_from(KINDS),
    st.sampled_from(KINDS),
)
@settings(max_examples=15, deadline=None)
def test_who_is_changed_is_who_matched(
    memories: list[tuple[str, bool]], asked: str, kind: str
) -> None:
    with temporary_memory() as memory:
        for number, (one, declared) in enumerate(memories):
            memory.store(f"text {number}", id=f"r{number}", kind=one if declared else None)
        before = kinds(memory)
        answer = memory.retype(kind=kind, kinds=[asked], all=True)
        after = kinds(memory)
    meant = {name for name, (one, _) in before.items() if one == asked}
    assert answer.matched == len(meant)
    assert answer.changed == sum(before[name] != (kind, "declared") for name in meant)
    assert after == {**before, **dict.fromkeys(meant, (kind, "declared"))}


# --- auto --------------------------------------------------------------------------------------


def test_auto_lets_the_rules_find_the_kinds_that_nobody_declared(memory: Memory) -> None:
    memory.store("We decided to wait.", id="silent")
    memory.store("We decided to wait.", id="declared", kind="observation")
    memory.store("plain", id="plain")
    answer = memory.retype(auto=True, all=True)
    assert (answer.matched, answer.changed) == (2, 1)
    assert answer.where == 'not (kindProvenance = "declared")'
    assert kinds(memory) == {
        "silent": ("decision", "regex"),
        "declared": ("observation", "declared"),
        "plain": ("observation", "channel_derived"),
    }
    assert memory.retype(auto=True, all=True).changed == 0


def test_auto_leaves_what_no_rule_fits_as_it_is(memory: Memory) -> None:
    store_all(memory, [{"id": "a", "text": "plain", "kind": "goal", "kind_provenance": "llm"}])
    store_all(memory, [{"id": "b", "text": "plain", "kind": "newer", "kind_provenance": None}])
    assert memory.retype(auto=True, all=True).changed == 0
    assert kinds(memory)["a"] == ("goal", "llm")


def test_auto_of_one_that_was_declared_changes_nothing_and_says_why(memory: Memory) -> None:
    memory.store("We decided to wait.", id="a", kind="observation")
    answer = memory.retype("a", auto=True)
    assert (answer.changed, memory.get("a").kind) == (0, "observation")
    assert answer.warnings
    assert "declared" in answer.warnings[0]


def test_auto_reads_the_title_and_the_text_apart(memory: Memory) -> None:
    memory.store("to wait", id="a", title="We decided")
    memory.store("plain", id="b", title="Decision: wait")
    memory.retype(auto=True, all=True)
    assert kinds(memory) == {
        "a": ("observation", "channel_derived"),
        "b": ("decision", "regex"),
    }


@pytest.mark.parametrize("name", [None, "a"])
def test_auto_asks_the_model_where_the_policy_says_so(memory: Memory, name: str | None) -> None:
    memory.store("plain", id="a")
    scope: dict[str, Any] = {"id": name} if name else {"all": True}

    def name_kind(text: str) -> str:
        memory.store("written meanwhile", namespace="other")
        return "goal"

    with answering(name_kind) as (model, endpoint):
        asking = with_model(memory, model)
        assert asking.retype(auto=True, **scope).changed == 0
        assert endpoint.asked == []
        set_namespace(memory, "default", **THEN_LLM)
        assert asking.retype(name, auto=True, dry_run=True).changed == 1
        assert kinds(memory)["a"] == ("observation", "channel_derived")
        assert asking.retype(auto=True, **scope).changed == 1
    assert kinds(memory)["a"] == ("goal", "llm")


def test_words_that_changed_since_the_model_was_asked_keep_their_kind(memory: Memory) -> None:
    memory.store("plain", id="a")
    set_namespace(memory, "default", **THEN_LLM)

    def name_kind(text: str) -> str:
        memory.update("a", text="other words")
        return "goal"

    with answering(name_kind) as (model, _):
        assert with_model(memory, model).retype(auto=True, all=True).changed == 0
    assert kinds(memory)["a"] == ("observation", "channel_derived")


def test_nothing_is_asked_when_another_number_matches_than_was_expected(memory: Memory) -> None:
    memory.store("plain", id="a")
    set_namespace(memory, "default", **THEN_LLM)
    with answering(lambda _: "goal") as (model, endpoint), pytest.raises(Conflict):
        with_model(memory, model).retype(auto=True, expected_count=2)
    assert endpoint.asked == []


def test_a_model_that_is_gone_is_told(memory: Memory) -> None:
    fill(memory)
    set_namespace(memory, "default", **THEN_LLM)
    with answering(lambda _: None) as (model, _):
        answer = with_model(memory, model).retype(auto=True, all=True)
    assert answer.changed == 0
    assert answer.warnings
