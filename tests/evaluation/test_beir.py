"""A folder in BEIR's format is read, and what is wrong with it has a file and a line."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.evaluation.reading import write_beir

from winnow.errors import InvalidRequest, NotFound
from winnow.evaluation.beir import read_beir
from winnow.evaluation.datasets import Corpus, Document, Question

CORPUS: Sequence[Mapping[str, object]] = (
    {"_id": "d1", "title": "Bees", "text": "They dance."},
    {"_id": "d2", "title": "", "text": "Boats float.", "metadata": {}},
    {"_id": "d3", "text": "A next line\u2028of one text."},
)
QUERIES: Sequence[Mapping[str, object]] = (
    {"_id": "q1", "text": "insects"},
    {"_id": "q2", "text": "ships"},
)
HEAD = "query-id\tcorpus-id\tscore\n"
JUDGED = f"{HEAD}q1\td1\t2\nq1\td2\t0\nq1\td3\t1\nq2\td2\t1\n"


def test_documents_queries_and_judgments_are_one_corpus(tmp_path: Path) -> None:
    read = read_beir(write_beir(tmp_path, CORPUS, QUERIES, JUDGED))
    documents = [
        Document("d1", "They dance.", "Bees"),
        Document("d2", "Boats float."),
        Document("d3", "A next line\u2028of one text."),
    ]
    questions = [Question("insects", {"d1": 2, "d3": 1}), Question("ships", {"d2": 1})]
    assert list(read.corpora) == [Corpus(tmp_path.name, documents, questions)]
    assert (read.unanswered, list(read.unusable)) == (0, [])


def test_the_vector_of_a_document_is_made_from_its_title_too() -> None:
    assert Document("d", "They dance.", "Bees").words == "Bees\nThey dance."
    assert Document("d", "They dance.").words == "They dance."


def test_queries_that_nobody_judged_are_not_asked_nor_counted(tmp_path: Path) -> None:
    read = read_beir(write_beir(tmp_path, CORPUS, QUERIES, "q2\td2\t1\r\n\n"))
    assert [one.text for one in read.corpora[0].questions] == ["ships"]
    assert read.unanswered == 0


def test_what_judgments_name_and_is_not_there_is_unusable(tmp_path: Path) -> None:
    judged = f"{HEAD}q1\td9\t1\nq2\td1\t0\nq3\td1\t1\n"
    read = read_beir(write_beir(tmp_path, CORPUS, QUERIES, judged))
    assert not read.corpora[0].questions
    assert read.unanswered == 2
    assert list(read.unusable) == [
        f"{tmp_path}/qrels/test.tsv:2: no document 'd9'",
        "qrels/test.tsv: no query 'q3'",
    ]


@pytest.mark.parametrize(
    ("corpus", "queries", "judged", "told"),
    [
        ([{"_id": "a"}], QUERIES, JUDGED, "corpus.jsonl:1: the key 'text' is missing"),
        ([*CORPUS, CORPUS[0]], QUERIES, JUDGED, "corpus.jsonl:4: another document has the id 'd1'"),
        ([{"_id": 1, "text": ""}], QUERIES, JUDGED, "corpus.jsonl:1/_id: expected text, got"),
        (CORPUS, [{"_id": "q", "text": " "}], JUDGED, "queries.jsonl:1/text: this text is blank"),
        (CORPUS, QUERIES, "q1\td1\n", "test.tsv:1: expected 3 cells with tabs between, got 2"),
        (CORPUS, QUERIES, f"{HEAD}q1\td1\tyes\n", "test.tsv:2: expected a whole number as the sco"),
    ],
)
def test_a_fault_is_refused_with_its_file_and_line(
    tmp_path: Path,
    corpus: Sequence[Mapping[str, object]],
    queries: Sequence[Mapping[str, object]],
    judged: str,
    told: str,
) -> None:
    folder = write_beir(tmp_path, corpus, queries, judged)
    with pytest.raises(InvalidRequest) as caught:
        read_beir(folder)
    assert told in str(caught.value)


def test_a_line_that_is_no_json_is_refused(tmp_path: Path) -> None:
    folder = write_beir(tmp_path, CORPUS, QUERIES, JUDGED)
    (folder / "queries.jsonl").write_text('\n{"_id": \n', encoding="utf-8")
    with pytest.raises(InvalidRequest, match=r"queries\.jsonl:2: not JSON: "):
        read_beir(folder)


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"can't read .*corpus\.jsonl: No such file"):
        read_beir(tmp_path)
