"""The table of operations, which every surface is made from and `winnow.memory` carries out."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from winnow.operations import answers, memories, requests


class Effect(StrEnum):
    """What an operation does to the store."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its name on every surface, what it takes and gives, and what it does.

    `method` is its method of `Memory`, dotted. `positional` are the arguments that a command
    line takes without a name, in order.
    """

    name: str
    method: str
    request: type
    answer: type
    effect: Effect = Effect.READ
    positional: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """One line that says what the operation does."""
        return (self.request.__doc__ or "").strip().splitlines()[0]


OPERATIONS: Mapping[str, Operation] = {
    row.name: row
    for row in (
        Operation(
            "recall", "recall", requests.RecallRequest, answers.RecallAnswer, positional=("query",)
        ),
        Operation("count", "count", requests.CountRequest, answers.CountAnswer),
        Operation("list", "list", requests.ListRequest, answers.ListAnswer),
        Operation("aggregate", "aggregate", requests.AggregateRequest, answers.AggregateAnswer),
        Operation(
            "explain",
            "explain",
            requests.ExplainRequest,
            answers.ExplainAnswer,
            positional=("entity_id",),
        ),
        Operation(
            "schema", "schema", requests.SchemaRequest, answers.SchemaAnswer, positional=("schema",)
        ),
        Operation(
            "store",
            "store",
            requests.StoreRequest,
            memories.MemoryRecord,
            Effect.WRITE,
            ("text",),
        ),
        Operation("get", "get", requests.GetRequest, memories.MemoryRecord, positional=("id",)),
        Operation(
            "update",
            "update",
            requests.UpdateRequest,
            memories.MemoryRecord,
            Effect.WRITE,
            ("id",),
        ),
        Operation(
            "delete",
            "delete",
            requests.DeleteRequest,
            memories.DeleteAnswer,
            Effect.WRITE,
            ("id",),
        ),
        Operation(
            "undelete",
            "undelete",
            requests.UndeleteRequest,
            memories.MemoryRecord,
            Effect.WRITE,
            ("id",),
        ),
        Operation(
            "index",
            "admin.index",
            requests.IndexRequest,
            answers.IndexAnswer,
            Effect.WRITE,
            ("path",),
        ),
        Operation(
            "import",
            "admin.import_",
            requests.ImportRequest,
            answers.ImportAnswer,
            Effect.WRITE,
            ("path",),
        ),
        Operation("lint", "admin.lint", requests.LintRequest, answers.LintAnswer),
        Operation("doctor", "admin.doctor", requests.DoctorRequest, answers.DoctorAnswer),
    )
}
