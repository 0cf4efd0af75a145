"""`winnow eval`: a table for people, the figures as JSON, and one line for what is wrong."""

from pathlib import Path

import pytest
from tests.evaluation.reading import CONVERSATIONS, conversation, write_beir, write_conversations
from tests.surfaces.running import run_winnow

TEXTS = ({"_id": "a", "text": "Boats float."}, {"_id": "b", "text": "Bees dance."})
QUERIES = ({"_id": "q", "text": "the bees"},)


def test_a_table_has_each_way_and_group_in_percent_and_what_was_left_out() -> None:
    ran = run_winnow("eval", "locomo", str(CONVERSATIONS))
    assert (ran.code, ran.err) == (0, "")
    rows = [line.split() for line in ran.out.splitlines()]
    assert rows[0] == ["ranking", "group", "questions", "R@5", "R@10", "MRR@10", "nDCG@10"]
    assert ["keyword", "multi-hop", "1", "50.0", "100.0", "100.0", "81.8"] in rows
    assert [row[1] for row in rows if row[:1] == ["hybrid"]] == [
        "all",
        "multi-hop",
        "single-hop",
        "temporal",
    ]
    assert "texts: 14, searched apart: 2" in ran.out
    assert "questions left out, since no text answers them: 2" in ran.out
    assert "answers that name no text: 3" in ran.out
    assert f"{CONVERSATIONS}#/0/qa/3/evidence/0: 'D'" in ran.out


def test_in_json_the_figures_are_shares(tmp_path: Path) -> None:
    folder = write_beir(tmp_path, TEXTS, QUERIES, "q\tb\t1\n")
    ran = run_winnow("eval", "beir", str(folder), "--embedder", "none", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == {
        "dataset": "beir",
        "embedder": "none",
        "corpora": 1,
        "documents": 2,
        "questions": 1,
        "unanswered": 0,
        "unusable": [],
        "figures": [
            {
                "way": "keyword",
                "group": "all",
                "questions": 1,
                "recallAt5": 1.0,
                "recallAt10": 1.0,
                "mrrAt10": 1.0,
                "ndcgAt10": 1.0,
            }
        ],
    }


def test_the_first_conversations_can_be_measured_alone() -> None:
    ran = run_winnow("eval", "locomo", str(CONVERSATIONS), "--limit-conversations", "1", "--json")
    assert (ran.json["corpora"], ran.json["questions"]) == (1, 3)


def test_of_many_unusable_answers_the_first_are_shown(tmp_path: Path) -> None:
    many = conversation(evidence=["D1:1", *[f"D2:{turn}" for turn in range(25)]])
    path = write_conversations(tmp_path / "many.json", many)
    ran = run_winnow("eval", "locomo", str(path), "--embedder", "none")
    assert "evidence/20: 'D2:19'" in ran.out
    assert "evidence/21" not in ran.out
    assert "and 5 more" in ran.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["locom", "x"], "/format: unknown format 'locom'; did you mean 'locomo'?"),
        (["locomo"], "/path: this argument is required"),
        (["locomo", str(CONVERSATIONS), "--embedder", "statik"], "did you mean 'static'?"),
        (["locomo", "x", "--limit-conversations", "0"], "/limitConversations: expected a whole"),
        (["locomo", "x", "--limit-conversations", "²"], "/limitConversations: expected a whole"),
        (["beir", "x", "--limit-conversations", "1"], "only locomo has conversations"),
        (["locomo", __file__], "not JSON"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words: list[str], told: str) -> None:
    ran = run_winnow("eval", *words)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1


def test_what_has_nothing_to_measure_is_refused(tmp_path: Path) -> None:
    path = write_conversations(tmp_path / "none.json", conversation(evidence=[]))
    ran = run_winnow("eval", "locomo", str(path))
    assert (ran.code, ran.err) == (2, f"winnow: /path: {path} has no question to measure\n")


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    for name in ("locomo", "beir"):
        ran = run_winnow("eval", name, str(tmp_path / "none"))
        assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
        assert "No such file" in ran.err
