"""LoCoMo: long conversations, questions about them, and the turns that answer each question.

Each conversation is a corpus of its own, each turn a document with its speaker.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
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
    take_list,
    take_object,
    take_text,
    take_words,
)
from winnow.values import describe

# The questions of category 5 have no answer on purpose: there is nothing to find.
CATEGORIES: Final[Mapping[int, str]] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
}
UNANSWERABLE: Final = 5


def read_locomo(path: Path, conversations: int | None = None) -> Dataset:
    """Read a file of conversations, or the first of them; InvalidRequest with the place of a fault.

    A question's evidence may name several turns in one text, or none that there is; what is
    unusable is listed, and a question without any usable evidence is left out.
    """
    place = f"{path}#"
    found = take_list(parse_json(read_text(path), place), place)
    reader = _Reader()
    corpora = [
        reader.read(one, f"{place}/{number}", f"conversation {number + 1}")
        for number, one in enumerate(found[:conversations])
    ]
    return Dataset("locomo", corpora, reader.unusable, reader.unanswered)


@dataclass(slots=True)
class _Reader:
    unusable: list[str] = field(default_factory=list[str])
    unanswered: int = 0

    def read(self, raw: object, place: str, name: str) -> Corpus:
        found = take_object(raw, place)
        documents: dict[str, Document] = {}
        for turn, at in _turns(*member(found, "conversation", place)):
            document = _read_turn(turn, at)
            if document.id in documents:
                raise refuse(f"{at}/dia_id", f"another turn has the id {document.id!r}")
            documents[document.id] = document
        pairs = take_list(*member(found, "qa", place))
        questions = [
            question
            for number, one in enumerate(pairs)
            if (question := self._read_question(one, f"{place}/qa/{number}", documents))
        ]
        return Corpus(name, list(documents.values()), questions)

    def _read_question(
        self, raw: object, place: str, documents: Mapping[str, Document]
    ) -> Question | None:
        found = take_object(raw, place)
        group = _read_category(*member(found, "category", place))
        if group is None:
            return None
        text = take_words(*member(found, "question", place))
        relevant: dict[str, int] = {}
        for number, one in enumerate(take_list(*member(found, "evidence", place))):
            at = f"{place}/evidence/{number}"
            evidence = take_text(one, at)
            named = [turn for turn in find_turns(evidence) if turn in documents]
            if not named:
                self.unusable.append(f"{at}: {evidence!r}")
            relevant |= dict.fromkeys(named, 1)
        if not relevant:
            self.unanswered += 1
            return None
        return Question(text, relevant, group)


def find_turns(evidence: str) -> Sequence[str]:
    """Return the ids of turns that a text names, such as `D1:3`; those of `D8:06; D:9:17` too."""
    return [f"D{int(session)}:{int(turn)}" for session, turn in _TURN.findall(evidence)]


def _turns(conversation: object, place: str) -> Iterator[tuple[object, str]]:
    """Yield the turns of all sessions, each with its place."""
    for key, session in take_object(conversation, place).items():
        if _SESSION.fullmatch(key):
            for number, turn in enumerate(take_list(session, f"{place}/{key}")):
                yield turn, f"{place}/{key}/{number}"


def _read_turn(raw: object, place: str) -> Document:
    found = take_object(raw, place)
    speaker, text = (take_text(*member(found, key, place)) for key in ("speaker", "text"))
    return Document(take_words(*member(found, "dia_id", place)), f"{speaker}: {text}")


def _read_category(category: object, place: str) -> str | None:
    """Return the name of a category, None for the one whose questions are left out."""
    if category == UNANSWERABLE:
        return None
    if not isinstance(category, int) or category not in CATEGORIES:
        raise refuse(place, f"expected 1 to {UNANSWERABLE}, got {describe(category)}")
    return CATEGORIES[category]


_SESSION: Final = re.compile(r"session_\d+")
_TURN: Final = re.compile(r"D:?(\d{1,6}):(\d{1,6})", re.ASCII)
