"""The table of operations, which every surface is made from and `winnow.memory` carries out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from winnow.access import Scope
from winnow.operations import (
    access,
    answers,
    changes,
    memories,
    reports,
    requests,
    settings,
    upkeep,
)


class Effect(StrEnum):
    """What an operation does to the store: nothing, add and change, or remove."""

    READ = "read"
    WRITE = "write"
    DESTROY = "destroy"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its name on every surface, what it takes and gives, and what it does.

    `method` is its method of `Memory`, dotted. `positional` are the arguments that a command
    line takes without a name, in order; `tool` is its name as a tool of MCP, "" for none;
    `scope` is what a key must allow. `several` is its answer where it speaks of more than one.
    """

    name: str
    method: str
    request: type
    answer: type
    effect: Effect = Effect.READ
    positional: tuple[str, ...] = ()
    tool: str = ""
    scope: Scope = Scope.READ
    several: type | None = None

    @property
    def summary(self) -> str:
        """One line that says what the operation does."""
        return (self.request.__doc__ or "").strip().splitlines()[0]

    @property
    def command(self) -> tuple[str, ...]:
        """The words of its command: a group such as `namespace`, and its name."""
        return tuple(self.name.split(" "))


def _questions() -> Iterator[Operation]:
    yield Operation(
        "recall",
        "recall",
        requests.RecallRequest,
        answers.RecallAnswer,
        positional=("query",),
        tool="memory_recall",
    )
    yield Operation(
        "check",
        "check",
        requests.CheckRequest,
        memories.CheckAnswer,
        positional=("topic",),
        tool="recall_check",
    )
    yield Operation("count", "count", requests.CountRequest, answers.CountAnswer)
    yield Operation("list", "list", requests.ListRequest, answers.ListAnswer, tool="memory_list")
    yield Operation(
        "aggregate",
        "aggregate",
        requests.AggregateRequest,
        answers.AggregateAnswer,
        tool="memory_aggregate",
    )
    yield Operation(
        "explain",
        "explain",
        requests.ExplainRequest,
        answers.ExplainAnswer,
        positional=("entity_id",),
        tool="memory_explain",
    )
    yield Operation(
        "schema",
        "schema",
        requests.SchemaRequest,
        answers.SchemaAnswer,
        positional=("schema",),
        tool="memory_schema",
    )
    yield Operation(
        "get",
        "get",
        requests.GetRequest,
        memories.MemoryRecord,
        positional=("id",),
        tool="memory_get",
    )
    yield Operation(
        "capabilities",
        "capabilities",
        requests.CapabilitiesRequest,
        settings.CapabilitiesAnswer,
        positional=("accept",),
        tool="memory_capabilities",
    )


def _changes() -> Iterator[Operation]:
    rows = (
        ("store", changes.StoreRequest, memories.MemoryRecord, Effect.WRITE, "text"),
        ("update", changes.UpdateRequest, memories.MemoryRecord, Effect.WRITE, "id"),
        ("delete", changes.DeleteRequest, memories.DeleteAnswer, Effect.DESTROY, "id"),
        ("undelete", changes.UndeleteRequest, memories.MemoryRecord, Effect.WRITE, "id"),
        ("retype", changes.RetypeRequest, memories.RetypeAnswer, Effect.WRITE, "id"),
    )
    tools = ("store", "update", "delete")
    for name, request, answer, effect, positional in rows:
        tool = f"memory_{name}" if name in tools else ""
        several = memories.UndeleteAnswer if name == "undelete" else None
        words = (positional,)
        yield Operation(name, name, request, answer, effect, words, tool, Scope.WRITE, several)


def _administration() -> Iterator[Operation]:
    yield Operation(
        "index",
        "admin.index",
        changes.IndexRequest,
        reports.IndexAnswer,
        Effect.WRITE,
        ("path",),
        "memory_index",
        Scope.ADMIN,
    )
    yield Operation(
        "import",
        "admin.import_",
        changes.ImportRequest,
        reports.ImportAnswer,
        Effect.WRITE,
        ("path",),
        scope=Scope.ADMIN,
    )
    yield Operation(
        "export",
        "admin.export",
        changes.ExportRequest,
        settings.ExportAnswer,
        positional=("path",),
        scope=Scope.ADMIN,
    )
    yield Operation("lint", "admin.lint", requests.LintRequest, reports.LintAnswer)
    yield Operation(
        "doctor", "admin.doctor", requests.DoctorRequest, upkeep.DoctorAnswer, scope=Scope.ADMIN
    )
    yield Operation(
        "backup",
        "admin.backup",
        upkeep.BackupRequest,
        upkeep.BackupAnswer,
        positional=("path",),
        scope=Scope.ADMIN,
    )


def _settings() -> Iterator[Operation]:
    yield Operation(
        "namespace list",
        "admin.namespaces",
        requests.NamespacesRequest,
        settings.NamespacesAnswer,
    )
    yield Operation(
        "namespace get",
        "admin.namespace",
        requests.NamespaceRequest,
        settings.NamespaceAnswer,
        positional=("name",),
    )
    yield Operation(
        "namespace set",
        "admin.set_namespace",
        changes.SetNamespaceRequest,
        settings.NamespaceAnswer,
        Effect.WRITE,
        ("name",),
        scope=Scope.ADMIN,
    )
    yield Operation(
        "reembed",
        "admin.reembed",
        changes.ReembedRequest,
        settings.ReembedAnswer,
        Effect.WRITE,
        scope=Scope.ADMIN,
    )


def _access() -> Iterator[Operation]:
    rows = (
        ("create", "create_key", access.CreateKeyRequest, access.CreateKeyAnswer, Effect.WRITE),
        ("list", "keys", access.KeysRequest, access.KeysAnswer, Effect.READ),
        ("revoke", "revoke_key", access.RevokeKeyRequest, access.RevokeKeyAnswer, Effect.DESTROY),
    )
    for name, method, request, answer, effect in rows:
        positional = () if effect is Effect.READ else ("name",)
        yield Operation(
            f"keys {name}",
            f"admin.{method}",
            request,
            answer,
            effect,
            positional,
            scope=Scope.ADMIN,
        )


LONG = frozenset({"index", "import", "export", "reembed", "doctor", "backup", "namespace set"})
"""The operations that may take as long as they need: they work through all that there is."""

OPERATIONS: Mapping[str, Operation] = {
    row.name: row
    for rows in (_questions, _changes, _administration, _settings, _access)
    for row in rows()
}
