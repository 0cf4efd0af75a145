"""A folder in the format of BEIR: `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from winnow.evaluation.datasets import (
    Corpus,
    Dataset,
    Document,
    Question,
    member,
    parse_json,
    read_text,
    refuse,
    take_object,
    take_text,
    take_words,
)

CORPUS: Final = "corpus.jsonl"
QUERIES: Final = "queries.jsonl"
JUDGMENTS: Final = "qrels/test.tsv"


def read_beir(folder: Path) -> Dataset:
    """Read documents, queries and judgments; InvalidRequest with file and line of a fault.

    Queries that no line judges are not asked. A judgment that names a document or a query that
    is not there is unusable, and a query without any that says "relevant" is left out.
    """
    documents = {one.id: one for one in _documents(folder / CORPUS)}
    judged = _read_judgments(folder / JUDGMENTS, documents)
    queries = dict(_queries(folder / QUERIES))
    unknown = [f"{JUDGMENTS}: no query {name!r}" for name in judged.relevant if name not in queries]
    asked = [Question(text, judged.relevant.get(name, {})) for name, text in queries.items()]
    questions = [one for one in asked if one.relevant]
    unanswered = sum(name in judged.names and name not in judged.relevant for name in queries)
    corpus = Corpus(folder.name, list(documents.values()), questions)
    return Dataset("beir", [corpus], [*judged.unusable, *unknown], unanswered)


@dataclass(slots=True)
class _Judgments:
    """Which documents are relevant to the query of a name; `names` are all that were judged."""

    relevant: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    names: set[str] = field(default_factory=set[str])
    unusable: list[str] = field(default_factory=list[str])


def _documents(path: Path) -> Iterator[Document]:
    seen: set[str] = set()
    for found, place in _objects(path):
        name = take_words(*member(found, "_id", place))
        if name in seen:
            raise refuse(place, f"another document has the id {name!r}")
        seen.add(name)
        title = take_text(found.get("title") or "", f"{place}/title")
        yield Document(name, take_text(*member(found, "text", place)), title)


def _queries(path: Path) -> Iterator[tuple[str, str]]:
    for found, place in _objects(path):
        name, text = (take_words(*member(found, key, place)) for key in ("_id", "text"))
        yield name, text


def _objects(path: Path) -> Iterator[tuple[Mapping[str, object], str]]:
    """Yield the object of each line that is not blank, with its place."""
    for place, line in _lines(path):
        yield take_object(parse_json(line, place), place), place


def _read_judgments(path: Path, documents: dict[str, Document]) -> _Judgments:
    judged = _Judgments()
    for number, (place, line) in enumerate(_lines(path)):
        cells = line.split("\t")
        if len(cells) != len(_HEAD):
            raise refuse(place, f"expected {len(_HEAD)} cells with tabs between, got {len(cells)}")
        query, document, grade = (cell.strip() for cell in cells)
        if number == 0 and not _is_whole(grade):
            continue  # the head of the table
        if not _is_whole(grade):
            raise refuse(place, f"expected a whole number as the score, got {grade!r}")
        judged.names.add(query)
        if document not in documents:
            judged.unusable.append(f"{place}: no document {document!r}")
        elif int(grade) > 0:
            judged.relevant.setdefault(query, {})[document] = int(grade)
    return judged


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each line that is not blank."""
    # Not `splitlines`: a text may hold other signs that it takes for the end of a line.
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            yield f"{path}:{number}", line


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and text.isascii()


_HEAD: Final = ("query-id", "corpus-id", "score")
