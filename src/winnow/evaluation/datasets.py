"""What an evaluation is made of: texts, questions, and which texts answer each question."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from winnow.errors import Fault, InvalidRequest, NotFound
from winnow.filter.plain import find_surrogate
from winnow.values import describe

ALL = "all"
"""The name of the group that has every question."""


@dataclass(frozen=True, slots=True)
class Document:
    """One text that may be found; its id is unique in its corpus."""

    id: str
    text: str
    title: str = ""

    @property
    def words(self) -> str:
        """The text that its vector is made from: as for a record, with the title before it."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Question:
    """A question, how relevant which documents are to it (from 1), and the group it counts to."""

    text: str
    relevant: Mapping[str, int]
    group: str = ALL


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents that are searched together, and the questions about them."""

    name: str
    documents: Sequence[Document]
    questions: Sequence[Question]


@dataclass(frozen=True, slots=True)
class Dataset:
    """All that is measured on.

    `unusable` has each answer that names no document, with its place; `unanswered` counts the
    questions that are left out because nothing usable answers them.
    """

    name: str
    corpora: Sequence[Corpus]
    unusable: Sequence[str] = ()
    unanswered: int = 0


def read_text(path: Path) -> str:
    """Read a file of UTF-8; NotFound if that can't be done."""
    try:
        return path.expanduser().read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotFound(f"can't read {path}: byte {error.start} is not UTF-8") from None
    except OSError as error:
        raise NotFound(f"can't read {path}: {error.strerror or error}") from None


def parse_json(text: str, place: str) -> object:
    """Parse JSON; InvalidRequest if it is none."""
    try:
        return cast(object, json.loads(text))
    except RecursionError:
        raise refuse(place, "not JSON: it is nested too deep") from None
    except ValueError as error:
        raise refuse(place, f"not JSON: {error}") from None


def member(found: Mapping[str, object], key: str, place: str) -> tuple[object, str]:
    """Return a member that an object has to have, and its place."""
    if key not in found:
        raise refuse(place, f"the key {key!r} is missing")
    return found[key], f"{place}/{key}"


def take_object(found: object, place: str) -> Mapping[str, object]:
    """Return what has to be an object."""
    if not isinstance(found, dict):
        raise refuse(place, f"expected an object, got {describe(found)}")
    return cast("dict[str, object]", found)


def take_list(found: object, place: str) -> Sequence[object]:
    """Return what has to be a list."""
    if not isinstance(found, list):
        raise refuse(place, f"expected a list, got {describe(found)}")
    return cast("list[object]", found)


def take_text(found: object, place: str) -> str:
    """Return what has to be a text, with whole characters."""
    if not isinstance(found, str):
        raise refuse(place, f"expected text, got {describe(found)}")
    if find_surrogate(found) is not None:
        raise refuse(place, "half of a surrogate pair is no text")
    return found


def take_words(found: object, place: str) -> str:
    """Return what has to be a text, and not blank."""
    text = take_text(found, place)
    if not text.strip():
        raise refuse(place, "this text is blank")
    return text


def refuse(place: str, detail: str) -> InvalidRequest:
    """Return the error for what is wrong with a file at a place of it."""
    return InvalidRequest([Fault(place, detail)])
