import json
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.errors import InvalidRequest, StoreError
from winnow.records import Candidate, Confidence, Evidence, Finding, Method
from winnow.store.base import PlainOrCandidates
from winnow.store.sqlite.rows import (
    decode_columns,
    decode_fields,
    decode_findings,
    encode_fields,
    encode_findings,
    encode_json,
    merge_fields,
)
from winnow.values import Value

texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('\0{}\\"𝔘é'), max_size=8)
scalars = (
    texts
    | st.integers()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([2**53 + 1, 2**63 - 1, -(2**63), 10**30, 0.1, 1e300, 2.0, 5e-324, ""])
)
values = scalars | st.lists(scalars, max_size=3).map(tuple)
evidence = st.builds(
    Evidence,
    st.sampled_from(["notes/a.md", "b.md", "winnow://s/e"]),
    st.none() | st.integers(1, 10**6),
    st.none() | texts,
)
candidates = st.builds(
    Candidate,
    values,
    st.sampled_from(Confidence),
    st.sampled_from(Method),
    st.none() | evidence,
)
fields = st.dictionaries(texts, st.lists(candidates, min_size=1, max_size=3).map(tuple), max_size=4)


def exact(value: object) -> str:
    """Tells 1 from True and 2.0, as `==` does not."""
    return repr(value)


@given(fields, st.sampled_from(["notes/a.md", "winnow://s/e"]))
def test_candidates_come_back_as_they_were(
    before: dict[str, tuple[Candidate, ...]], path: str
) -> None:
    text = encode_fields(before, path)
    assert exact(decode_fields(text, path)) == exact(before)
    assert text.encode()


@given(values)
def test_a_plain_value_is_stored_as_itself(value: Value) -> None:
    stored = json.loads(encode_fields({"f": (Candidate(value),)}, "a.md"))
    assert exact(stored["f"]) == exact(list(value) if isinstance(value, tuple) else value)


def test_evidence_follows_the_note_when_it_moves() -> None:
    at_home, elsewhere = Evidence("old.md", 3, "q"), Evidence("other.md", 4)
    text = encode_fields(
        {"f": (Candidate(1, evidence=at_home), Candidate(2, evidence=elsewhere))}, "old.md"
    )
    moved = decode_fields(text, "new.md")
    assert [one.evidence for one in moved["f"]] == [Evidence("new.md", 3, "q"), elsewhere]


def test_candidates_without_evidence_get_the_default() -> None:
    default = Evidence("winnow://s/e")
    inferred = Candidate(2, Confidence.INFERRED, Method.LLM)
    text = encode_fields({"f": (Candidate(1),), "g": (inferred,)}, "winnow://s/e")
    decoded = decode_fields(text, "winnow://s/e", default)
    assert [one.evidence for some in decoded.values() for one in some] == [default, default]


@given(fields, fields)
def test_merging_replaces_what_is_named_and_keeps_the_rest(
    first: dict[str, tuple[Candidate, ...]], second: dict[str, tuple[Candidate, ...]]
) -> None:
    merged = merge_fields(encode_fields(first, "a.md"), second, "a.md")
    assert exact(decode_fields(merged, "a.md")) == exact({**first, **second})


@given(fields)
def test_a_field_without_candidates_is_taken_out(
    before: dict[str, tuple[Candidate, ...]],
) -> None:
    text = encode_fields(before, "a.md")
    assert merge_fields(text, dict.fromkeys(before, ()), "a.md") == "{}"
    assert encode_fields({**before, "gone": ()}, "a.md") == text


def unproved(sources: list[dict[str, tuple[Candidate, ...]]]) -> dict[str, list[str]]:
    """What the columns must see: each field's distinct candidates in order, without evidence."""
    seen: dict[str, list[str]] = {}
    for source in sources:
        for name, some in source.items():
            for one in some:
                shown = exact(Candidate(one.value, one.confidence, one.method))
                if shown not in seen.setdefault(name, []):
                    seen[name].append(shown)
    return seen


def as_candidates(entry: PlainOrCandidates) -> list[str]:
    if isinstance(entry, tuple):
        return [exact(one) for one in entry]
    # A list of values is a list here, a tuple in a candidate.
    value = tuple(entry) if isinstance(entry, list) else entry
    return [exact(Candidate(cast("Value", value)))]


@given(st.lists(st.tuples(fields, st.lists(fields, max_size=2)), min_size=1, max_size=4))
def test_the_columns_see_every_distinct_candidate_in_order(
    entities: list[tuple[dict[str, tuple[Candidate, ...]], list[dict[str, tuple[Candidate, ...]]]]],
) -> None:
    imported = [encode_fields(own, "winnow://s/e") for own, _ in entities]
    noted = [",".join(encode_fields(one, "a.md") for one in notes) or None for _, notes in entities]
    decoded = decode_columns(imported, noted)
    for (own, notes), found in zip(entities, decoded, strict=True):
        assert {name: as_candidates(entry) for name, entry in found.items()} == unproved(
            [own, *notes]
        )


def test_the_columns_see_a_plain_value_where_all_sources_say_the_same() -> None:
    extracted = Candidate(10, evidence=Evidence("a.md", 1))
    noted = encode_fields({"f": (extracted, extracted), "g": (extracted,)}, "a.md")
    assert decode_columns(['{"f":10}'], [noted]) == [{"f": 10, "g": 10}]
    assert decode_columns(["{}"], [noted]) == [{"f": 10, "g": 10}]
    assert decode_columns([noted], [None]) == [{"f": 10, "g": 10}]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object()])
def test_what_json_can_not_hold_is_refused(value: object) -> None:
    with pytest.raises(InvalidRequest, match="can't be stored as JSON"):
        encode_json({"f": value})


def test_an_endless_integer_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="can't be stored as JSON"):
        encode_json(10**5000)


def test_what_is_nested_too_deeply_is_refused() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InvalidRequest, match="can't be stored as JSON"):
        encode_json(deep)


def test_damaged_json_is_an_error_of_the_store() -> None:
    with pytest.raises(StoreError, match="damaged"):
        decode_fields('{"f":', "a.md")


def test_findings_come_back_with_the_present_path_of_their_note() -> None:
    findings = (
        Finding("unreadable", "a.md", 3, "bad", "MAT-1", "escrowPct"),
        Finding("broken", "a.md", None, "bad"),
        Finding("ambiguous", "other.md", 1, "bad"),
    )
    text = encode_findings(findings, "a.md")
    assert list(decode_findings(text, "a.md")) == list(findings)
    assert [one.path for one in decode_findings(text, "new.md")] == ["new.md", "new.md", "other.md"]
