"""Adding many new memories at once, as a pipeline of commands or an import brings them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple, Protocol

from winnow.rank.analyse import Analyser
from winnow.store.memories import Record
from winnow.values import Json


class Draft(NamedTuple):
    """A memory that is about to be added: what a Record has of it, several times cheaper to make.

    The fields are those of a Record, in its order; a piece of a note is never added so.
    """

    namespace: str
    id: str
    text: str
    title: str
    kind: str
    kind_provenance: str | None
    entity: str | None
    memory_type: str | None
    tags: tuple[str, ...]
    importance: float
    source: str | None
    metadata: Mapping[str, Json]
    created_at: int
    updated_at: int
    expires_at: int | None
    vector: bytes | None
    model: str | None
    terms: bytes

    def record(self) -> Record:
        """Return it as a record."""
        return Record(*self)


@dataclass(frozen=True, slots=True)
class Sheet:
    """Many new memories of one namespace that are alike, as columns with an entry for each.

    All they have is here; `metadata` are texts without a type, by their keys. Every text is UTF-8.
    `now` is when they were made.
    """

    namespace: str
    ids: Sequence[str]
    texts: Sequence[str]
    kinds: Sequence[str]
    kind_provenances: Sequence[str]
    importances: Sequence[float]
    metadata: Mapping[str, Sequence[str]]
    now: int
    expires_at: Sequence[int | None]
    vectors: Sequence[bytes | None]
    model: str | None
    terms: Sequence[bytes]


def make_draft(record: Record) -> Draft:
    """Return a record as one that is about to be added."""
    return Draft._make(_read_fields(record))


_read_fields = attrgetter(*Draft._fields)


class Additions(Protocol):
    """What one transaction adds."""

    def encode_terms(self, texts: Sequence[Sequence[str]], analyser: Analyser) -> list[bytes]:
        """Return the terms of records that have these texts; new terms get numbers."""
        ...

    def add(self, drafts: Sequence[Draft]) -> None:
        """Add memories whose ids nothing in their namespaces has; StoreError if something does.

        None is added then.
        """
        ...

    def add_sheet(self, sheet: Sheet) -> bool:
        """Add a sheet of memories, which is quicker yet; tell whether they were added.

        None is if anything in the namespace, be it deleted, has one of the ids.
        """
        ...

    def free_ids(self, namespace: str, count: int) -> list[str]:
        """Return the next automatic ids, so many, without taking them.

        They are in order, and none is or was in use.
        """
        ...

    def take_ids(self, namespace: str, last: str) -> None:
        """Let the counter of a namespace stand at an automatic id, so that later ones come next."""
        ...
