from hypothesis import given
from hypothesis import strategies as st

from winnow.kinds import KINDS
from winnow.memories import AT_FIELDS, METADATA, RECORDS, SOURCES, distinct_tags
from winnow.schema import snake_case
from winnow.values import Type, clean_tag, fold


def test_the_fields_of_a_memory_are_found_in_both_spellings_and_no_other() -> None:
    for name in RECORDS.fields:
        assert RECORDS.spellings[name] == RECORDS.spellings[snake_case(name)] == name
    assert RECORDS.spellings.keys() == {*RECORDS.fields, *map(snake_case, RECORDS.fields)}
    assert METADATA.name not in RECORDS.spellings


def test_closed_vocabularies_are_those_of_the_product() -> None:
    assert RECORDS.fields["kind"].choices == KINDS
    assert RECORDS.fields["memoryType"].choices == ("episodic", "semantic", "orientation")
    assert RECORDS.fields["kindProvenance"].choices == (
        *("declared", "channel_derived", "regex", "llm"),
    )


def test_each_name_with_at_reads_a_field() -> None:
    assert SOURCES.keys() == AT_FIELDS.keys()
    assert RECORDS.fields.keys() >= set(SOURCES.values())
    assert all(field.name == name for name, field in AT_FIELDS.items())


def test_only_memories_are_open() -> None:
    assert RECORDS.open
    assert METADATA.type is Type.OPEN


spelled = st.tuples(st.sampled_from(["", " ", "#", "##", " # "]), st.sampled_from(["", "/", " /"]))


@given(st.lists(st.tuples(st.text("aBß/# é", max_size=4), spelled), max_size=6))
def test_f52_f53_one_tag_is_kept_once_however_it_is_written(
    written: list[tuple[str, tuple[str, str]]],
) -> None:
    tags = distinct_tags(before + tag + after for tag, (before, after) in written)
    assert distinct_tags(tags) == tags
    assert {fold(tag) for tag in tags} == {fold(clean_tag(tag)) for tag, _ in written} - {""}
