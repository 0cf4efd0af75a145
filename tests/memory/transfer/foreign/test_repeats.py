"""Ids that come twice in what is imported."""

from pathlib import Path

import pytest
from tests.memory.transfer.foreign.bringing import bring, counts, lines, stored, told, write

from winnow.memory import Memory
from winnow.memory.transfer.foreign.repeats import refuse_repeats
from winnow.values import UnreadableValue


def test_an_id_that_comes_again_with_something_else_is_refused(
    memory: Memory, tmp_path: Path
) -> None:
    table = write(tmp_path, "a.csv", "id,text\n1,One\n2,Two\n1,Other\n")
    for expected in ((2, 0, 0, 1), (0, 0, 2, 1)):
        answer = memory.admin.import_(str(table))
        assert counts(answer) == expected
        (refused,) = told(answer)
        assert refused == "/lines/4: the id '1' stands in line 2 already, with something else"
    assert stored(memory)["1"].text == "One"


def test_it_is_looked_for_in_files_and_in_objects_of_other_systems(
    memory: Memory, tmp_path: Path
) -> None:
    found = [{"id": "a", "memory": "One"}, {"id": "a", "memory": "Two"}]
    file = write(tmp_path, "a.json", lines(*found))
    for answer in (
        memory.admin.import_(str(file), format="mem0"),
        memory.admin.import_(objects=found, format="mem0"),
    ):
        assert answer.refused == 1
        assert "the id 'mem0:a' stands" in told(answer)[0]


def test_one_that_says_the_same_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    table = write(tmp_path, "a.csv", "id,text\n1,One\n1,One\n")
    assert counts(bring(memory, table)) == (1, 0, 1, 0)


@pytest.mark.parametrize("raw", [UnreadableValue("no"), [], {"text": "a"}, {"id": 1}])
def test_what_has_no_id_passes(raw: object) -> None:
    found = [(1, raw), ("/a", raw)]
    assert [*refuse_repeats(iter(found))] == found


def test_lines_of_winnow_may_change_what_earlier_lines_said(memory: Memory) -> None:
    objects = [{"id": "a", "text": "One"}, {"id": "a", "text": "Two"}]
    assert memory.admin.import_(objects=objects).refused == 0
    assert memory.get("a").text == "Two"
