"""New memories that an import begins many at a time are those that it would merge one by one."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import temporary_memory

from winnow.columns.terms import decode_terms
from winnow.memory.transfer import incoming

NAMES = ("default", "given", "ruled", "none")
VECTORS = st.sampled_from([[1.0, 0.5], [0, 2], [1.0], "x"])
LINES = st.fixed_dictionaries(
    {"text": st.sampled_from(["alpha beta", "We decided to ship", "", "café 设备", "x-86 the"])},
    optional={
        "id": st.sampled_from(["a", "b", "c", "m1", "é", ""]),
        "title": st.sampled_from(["Alpha", "Über alles", ""]),
        "namespace": st.sampled_from(NAMES),
        "kind": st.sampled_from(["claim", "nonsense"]),
        "tags": st.sampled_from([["a", "b,c"], []]),
        "entity": st.just("chopper"),
        "memoryType": st.sampled_from(["semantic", "odd"]),
        "importance": st.sampled_from([0, 0.25, 1, 3]),
        "source": st.just("mail"),
        "metadata": st.sampled_from([{"n": 1, "s": "é"}, {"deep": {"a": [1, None]}}, {}, 7]),
        "vector": VECTORS,
        "createdAt": st.just("2020-01-01T00:00:00.000Z"),
        "expiresAt": st.sampled_from(["2030-01-01", "2020-01-01"]),
    },
)


def refuse(*_: object) -> bool:
    """Leave every memory to the merging."""
    return False


def take_in(lines: list[dict[str, Any]], *, at_once: bool) -> tuple[Any, list[Any]]:
    """Import lines into a new store; return the answer, and all that is stored of them."""
    with temporary_memory() as memory, pytest.MonkeyPatch.context() as patch:
        if not at_once:
            patch.setattr(incoming, "_is_new", refuse)
        memory.admin.set_namespace("given", embedder="external:2")
        memory.admin.set_namespace("ruled", auto_classify="regex_only", language="german")
        memory.admin.set_namespace("none", embedder="none")
        answer = memory.admin.import_(objects=lines)
        again = memory.admin.import_(objects=lines)
        assert again.added == again.changed == 0 or len(lines) != len(
            {one.get("id") for one in lines}
        )
        with memory.engine.store.write() as writer:
            known = writer.records.term_ids(["alpha", "beta", "decid", "ship", "caf", "设备", "x"])
        numbers = {number: term for term, number in known.items()}
        found: list[Any] = []
        for name in NAMES:
            for batch in memory.engine.store.records.scan_versions(name):
                for one in batch:
                    bags = decode_terms([one.record.terms])
                    named = [numbers.get(number) for number in bags.terms.tolist()]
                    counted = sorted(map(str, zip(named, bags.counts.tolist(), strict=True)))
                    found.append((replace(one.record, terms=b""), counted, one.history))
        return (answer.memories, answer.refused, answer.errors, answer.warnings), found


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=12))
def test_they_are_the_same_and_answered_alike(lines: list[dict[str, Any]]) -> None:
    assert take_in(lines, at_once=True) == take_in(lines, at_once=False)
