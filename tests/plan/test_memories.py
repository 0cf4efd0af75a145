"""What filters on memories mean, case by case; reference and columns are both asked."""

from zoneinfo import ZoneInfo

import pytest
from tests.plan.asking import Memories, under, with_metadata

from winnow.errors import InvalidRequest
from winnow.filter.names import name_in_json
from winnow.values import Json
from winnow.vault.frontmatter import normalize_tags

BERLIN = ZoneInfo("Europe/Berlin")


# --- B. names ---


@pytest.mark.parametrize("key", ["a') OR 1=1 --", 'x"; DROP TABLE record', "1=1", "\0", "%", "a]"])
def test_f30_a_key_is_never_more_than_a_key(key: str) -> None:
    memories = under(key, "x", "y")
    assert memories.filters({name_in_json([key]): "x"}) == ["m0"]
    assert under("other", "x").filters({name_in_json([key]): "x"}) == []


def test_f36_metadata_does_not_reach_a_memory_s_own_fields() -> None:
    forged: Json = {"id": "m1", "namespace": "theirs", "kind": "claim", "importance": 1}
    memories = Memories({"metadata": forged, "namespace": "mine"}, {"namespace": "theirs"})
    assert memories.where("namespace = theirs") == ["m1"]
    assert memories.where("id = m1") == ["m1"]
    assert memories.where("kind = claim") == []
    assert memories.where("importance = 1") == []
    assert memories.where("metadata.namespace = theirs") == ["m0"]
    assert memories.warnings("namespace = theirs") == (
        "namespace is a memory's own field; the key in metadata is metadata.namespace",
    )


@pytest.mark.parametrize(
    "value", ["a-b", "a:b", "a|b", "a/b", "`a`", "*", "%", "' or 1=1 --", '"', "\\", "{}", "a,b"]
)
def test_f38_no_value_is_syntax(value: str) -> None:
    memories = Memories(
        {"metadata": {"k": value}, "tags": [value], "source": value},
        {"metadata": {"k": "x"}, "tags": ["x"], "source": "x"},
    )
    assert memories.filters({"k": value}) == ["m0"]
    assert memories.filters({"k": {"contains": value}}) == ["m0"]
    assert memories.filters({"source": value}) == ["m0"]
    assert memories.filters({"tags": {"has": value}}) == ["m0"]
    assert memories.filters([{"field": "k", "op": "EQ", "value": value}]) == ["m0"]


def test_a_dot_leads_into_an_object_and_a_quoted_one_is_part_of_a_key() -> None:
    memories = with_metadata({"a": {"b": 1}}, {"a.b": 1}, {"a": {"b": {"c": 1}}}, {"a": 1})
    assert memories.filters({"a.b": 1}) == ["m0"]
    assert memories.filters({'"a.b"': 1}) == ["m1"]
    assert memories.where('metadata."a.b" = 1') == ["m1"]
    assert memories.where("metadata.a.b.c = 1") == ["m2"]
    assert memories.where("a is not null") == ["m0", "m2", "m3"]
    assert memories.where("a.b is not null") == ["m0", "m2"]


def test_keys_are_spelled_exactly_and_own_fields_in_two_ways() -> None:
    memories = with_metadata({"dueDate": 1}, {"due_date": 1}, {"Kind": 1})
    assert memories.where("dueDate = 1") == ["m0"]
    assert memories.where("due_date = 1") == ["m1"]
    assert memories.filters({"metadata.dueDate": 1, "metadata.due_date": 1}) == []
    assert memories.where("Kind = 1") == ["m2"]
    both = memories.where("createdAt >= 2026"), memories.where("created_at >= 2026")
    assert both == (["m0", "m1", "m2"],) * 2


@pytest.mark.parametrize("key", ["or", "in", "null", "isNull", "metadata", "@id", "$gt", "", "eq"])
def test_a_key_may_be_a_word_of_the_language(key: str) -> None:
    memories = under(key, 1, 2)
    quoted = f'metadata."{key}"'
    assert memories.filters({quoted: 1}) == ["m0"]
    assert memories.where(f"{quoted} = 1") == ["m0"]


def test_a_name_with_at_reads_the_memory() -> None:
    memories = Memories(
        {"id": "a", "text": "Alpha", "importance": 0.1, "metadata": {"@id": "b", "id": "b"}},
        {"id": "b", "createdAt": "2026-03-05T12:00:00.123Z"},
    )
    assert memories.where('@ID = "a"') == ["a"]
    assert memories.where('@text contains "alpha"') == ["a"]
    assert memories.where("@importance < 0.3") == ["a"]
    assert memories.where("@created_at = 1772712000123") == ["b"]
    assert memories.where("@updated_at >= 1772712000000") == ["a", "b"]
    assert memories.where('metadata."@id" = b') == ["a"]


@pytest.mark.parametrize("name", ["@", "@nope", "@kind", "@created", "@@id", "@id.x"])
def test_another_name_with_at_is_an_error(name: str) -> None:
    with pytest.raises(InvalidRequest, match=r"unknown field|is no object"):
        Memories().filters({name: 1})


# --- C. types ---


def test_f40_numbers_are_compared_as_numbers() -> None:
    memories = under("n", 9, 10, 100, "100")
    assert memories.where("n >= 10") == ["m1", "m2"]
    assert memories.where('n >= "10"') == ["m3"]


def test_f41_a_value_of_another_type_does_not_match_and_never_fails() -> None:
    memories = under("n", None, "2026-03-05", "x", [1], {"a": 1}, True, 5, 10**400)
    assert memories.where("n > 1") == ["m6", "m7"]
    assert memories.where("not (n > 1)") == ["m0", "m1", "m2", "m3", "m4", "m5"]
    assert memories.where("n != 5") == ["m0", "m1", "m2", "m3", "m4", "m5", "m7"]
    assert memories.where("n is null") == ["m0"]


def test_f42_types_are_never_mixed() -> None:
    memories = under("n", "2", 2, 2.0, True, 1, False, 0)
    assert memories.where("n = 2") == ["m1", "m2"]
    assert memories.where('n = "2"') == ["m0"]
    assert memories.where("n = true") == ["m3"]
    assert memories.where("n = 1") == ["m4"]
    assert memories.where("n in (0, false)") == ["m5", "m6"]


def test_f42_numbers_beyond_a_float_are_exact() -> None:
    memories = under("n", 9007199254740992, 9007199254740993, 2**70, 2**70 + 1, 0.5)
    assert memories.where("n = 9007199254740993") == ["m1"]
    assert memories.where(f"n = {2**70 + 1}") == ["m3"]
    assert memories.where(f"n >= {2**70}") == ["m2", "m3"]


def test_f44_true_is_found_however_it_was_written() -> None:
    memories = under("done", True, False, "True", "true", 1)
    assert memories.filters({"done": True}) == ["m0"]
    assert memories.filters({"done": {"ne": True}}) == ["m1", "m2", "m3", "m4"]
    assert memories.filters({"done": {"nin": [True, False]}}) == ["m2", "m3", "m4"]


def test_texts_are_compared_by_code_point_and_searched_in_any_case() -> None:
    memories = under("t", "a", "B", "straße", "STRASSE", "é", "e\u0301")
    assert memories.where('t > "B"') == ["m0", "m2", "m3", "m4", "m5"]
    assert memories.where('t contains "strasse"') == ["m2", "m3"]
    assert memories.where('t = "é"') == ["m4"]
    assert memories.where('t endsWith "É"') == ["m4", "m5"]


# --- D. lists and tags ---


def tagged(*tags: str) -> Memories:
    """Make a memory of each tag."""
    lists: list[list[Json]] = [[tag] for tag in tags]
    return Memories(*({"tags": one} for one in lists))


def test_f50_a_comma_in_a_tag_is_part_of_it() -> None:
    memories = Memories({"tags": ["a,b"]}, {"tags": ["a"]}, {"tags": ["a", "b"]})
    assert memories.filters({"tags": {"has": "a,b"}}) == ["m0"]
    assert memories.where('tags any in ("a", "b")') == ["m1", "m2"]


def test_f51_f53_a_tag_has_those_below_it_in_any_case_and_no_longer_word() -> None:
    memories = tagged("test", "testing", "TEST/unit", "te", "test0", "a/test")
    assert memories.where("tags has test") == ["m0", "m2"]
    assert memories.where('tags has "#Test"') == ["m0", "m2"]
    assert memories.where("tags any in (TEST)") == ["m0", "m2"]
    assert memories.where("tags none = test") == ["m1", "m3", "m4", "m5"]
    assert memories.where("tags = (Test)") == ["m0"]


def test_f34_signs_in_tags_are_plain() -> None:
    memories = tagged("c_sharp", "cXsharp", "50%")
    assert memories.where('tags has "c_sharp"') == ["m0"]
    assert memories.where('tags has "%"') == []


@pytest.mark.parametrize("written", [["law", "ip"], "law, ip", "#law #ip", ["#law", "ip", "IP"]])
def test_f52_tags_are_found_however_a_note_writes_them(written: Json) -> None:
    tags: list[Json] = [*normalize_tags(written)]
    memories = Memories({"tags": tags})
    assert memories.where("tags = (ip, law)") == ["m0"]


def test_f52_one_tag_is_not_a_list_of_signs() -> None:
    memories = Memories({"tags": ["law"]}, {"tags": ["l"]})
    assert memories.filters({"tags": {"has": "law"}}) == ["m0"]
    wrongs: list[Json] = [{"tags": "law"}, {"tags": {"any": {"in": "law"}}}]
    for wrong in wrongs:
        with pytest.raises(InvalidRequest, match="expected a list, got text 'law'"):
            memories.filters(wrong)


def test_f54_any_all_none_exact_and_untagged_can_each_be_asked_for() -> None:
    memories = Memories({"tags": []}, {"tags": ["a"]}, {"tags": ["a", "b"]}, {"tags": ["b"]})
    assert memories.where("tags any = a") == ["m1", "m2"]
    assert memories.where("tags all = a") == ["m1"]
    assert memories.where("tags none = a") == ["m0", "m3"]
    assert memories.where("tags = (B, a)") == ["m2"]
    assert memories.where("tags has a and tags has b") == ["m2"]
    assert memories.where("tags = ()") == memories.where("tags is null") == ["m0"]


@pytest.mark.parametrize("blank", ["", " ", "#", "/"])
def test_f55_a_blank_tag_is_none(blank: str) -> None:
    wanted: Json = ["a", blank]
    with pytest.raises(InvalidRequest, match="expected a tag"):
        Memories({"tags": ["a"]}).filters({"tags": {"any": {"in": wanted}}})


def test_lists_in_metadata_are_lists_only_where_they_are() -> None:
    memories = under("l", ["a", 1, True], "a", ["A"], [], [None], ["a", {"x": 1}], ["a", "a"])
    assert memories.where("l has a") == ["m0", "m5", "m6"]
    assert memories.where("l = a") == ["m1"]
    assert memories.where("l = (a)") == ["m6"]
    assert memories.where("l = ()") == ["m3", "m4"]
    assert memories.where("l = (true, 1, a)") == ["m0"]
    assert memories.where("l any (= 1 or startsWith A)") == ["m0", "m2", "m5", "m6"]
    assert memories.where('l all startsWith "a"') == ["m2", "m6"]
    assert memories.where("l none = a") == ["m1", "m2", "m3", "m4"]
    assert memories.where("l is null") == []


def test_a_list_of_dates_is_equal_to_the_same_dates_alone() -> None:
    memories = under("l", ["2026"], ["2026-01"], ["2026-01-01T00:00Z"], ["2026-01-01T01:00+01:00"])
    assert memories.filters({"l": ["2026"]}) == ["m0"]
    assert memories.filters({"l": ["2026-01-01T00:00:00Z"]}) == ["m2", "m3"]
    assert memories.filters({"l": {"has": "2026"}}) == ["m0", "m1", "m2", "m3"]


def test_lists_may_lie_in_lists_and_objects_in_them_are_not_looked_into() -> None:
    memories = under("l", [["a"], ["b"]], [{"a": "b"}], ["a"])
    assert memories.where("l any has a") == ["m0"]
    assert memories.where("l any = (b)") == ["m0"]
    assert memories.where("l.a = b") == []
    assert memories.where("l any is not null") == ["m0", "m1", "m2"]


# --- F. dates ---


def test_f70_a_day_as_an_upper_bound_is_the_whole_day() -> None:
    memories = under("due", "2026-03-31T23:59:59Z", "2026-04-01", "2026-03-31", "soon", 20260331)
    assert memories.where('due <= "2026-03-31"') == ["m0", "m2"]
    assert memories.where('due > "2026-03-31"') == ["m1"]
    assert memories.where('due = "2026-03-31"') == ["m0", "m2"]
    assert memories.where('due between "2026-03" and "2026-04"') == ["m0", "m1", "m2"]


def test_f71_instants_are_compared_across_offsets() -> None:
    memories = under("at", "2015-07-23T22:44:08-07:00", "2015-07-24T05:44:09Z")
    assert memories.where('at = "2015-07-24T05:44:08Z"') == ["m0"]
    assert memories.where('at > "2015-07-24T05:44:08Z"') == ["m1"]


def test_f72_a_time_without_an_offset_is_in_the_zone() -> None:
    memories = under("at", "2026-03-05T12:00", "2026-03-05T11:00Z", zone=BERLIN)
    assert memories.where('at = "2026-03-05T11:00Z"') == ["m0", "m1"]


def test_f73_operators_on_dates_read_their_operands_alike() -> None:
    memories = Memories(
        {"createdAt": "2026-01-01T08:00:00Z", "metadata": {"at": "2026-01-01T08:00"}},
        {"createdAt": "2026-01-02T00:00:00Z", "metadata": {"at": "2026-01-02"}},
    )
    for name in ("createdAt", "at"):
        assert memories.filters({name: "2026-01-01"}) == ["m0"]
        assert memories.filters({name: {"in": ["2026-01-01"]}}) == ["m0"]
        assert memories.filters({name: {"gt": "2026-01-01"}}) == ["m1"]
        assert memories.filters({name: {"lte": "2026-01-01"}}) == ["m0"]


def test_a_partial_date_that_may_lie_on_either_side_does_not_match() -> None:
    memories = under("due", "2026", "2026-03", "2026-03-05")
    assert memories.where('due >= "2026-03-03"') == ["m2"]
    assert memories.where('due < "2026-03-03"') == []
    assert memories.where('due >= "2026-03"') == ["m1", "m2"]


def test_a_text_that_is_no_date_is_not_compared_with_one() -> None:
    memories = under("v", "2026", "abc", "2026-13", " 2026", "20260")
    assert memories.where('v >= "2000"') == ["m0"]
    assert memories.where('v >= "2000x"') == ["m0", "m1", "m2", "m4"]
    assert memories.where('v contains "2026"') == ["m0", "m2", "m3", "m4"]


# --- own fields ---


def test_a_kind_of_a_newer_version_is_an_observation() -> None:
    memories = Memories({"kind": "hunch"}, {"kind": "claim"})
    assert memories.where("kind = observation") == ["m0"]
    with pytest.raises(InvalidRequest, match="unknown value 'hunch'"):
        memories.where("kind = hunch")


def test_what_a_memory_does_not_have_is_missing() -> None:
    memories = Memories({"title": "", "entity": "chopper"}, {"title": "T", "expiresAt": None})
    assert memories.where("title is null") == ["m0"]
    assert memories.where("entity = chopper") == ["m0"]
    assert memories.where("entity != chopper") == ["m1"]
    assert memories.where("expiresAt is null and memoryType is null") == ["m0", "m1"]


def test_an_instant_of_a_memory_lies_in_its_day() -> None:
    memories = Memories(
        {"createdAt": "2026-03-04T23:30:00Z"}, {"createdAt": "2026-03-05T23:30:00Z"}, zone=BERLIN
    )
    assert memories.where("createdAt = 2026-03-05") == ["m0"]
    assert memories.where("createdAt <= 2026-03-05") == ["m0"]
    assert memories.where('createdAt > "2026-03-05T00:29:59+01:00"') == ["m0", "m1"]
