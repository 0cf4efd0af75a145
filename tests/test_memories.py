from winnow.kinds import KINDS
from winnow.memories import AT_FIELDS, METADATA, RECORDS, SOURCES
from winnow.schema import snake_case
from winnow.values import Type


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
