"""`Memory`: one open store, with a method for each operation."""

from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Concatenate, ParamSpec, TypeVar

from winnow.errors import Fault, InvalidRequest
from winnow.memory.aggregate import aggregate
from winnow.memory.describe import describe_schemas
from winnow.memory.engine import Engine
from winnow.memory.explain import explain_entity
from winnow.memory.health import check_store, lint_notes
from winnow.memory.importing import import_entities
from winnow.memory.indexing import index_vault
from winnow.memory.recall import count, list_entities, recall
from winnow.operations.answers import IndexAnswer
from winnow.operations.requests import (
    AggregateRequest,
    CountRequest,
    DoctorRequest,
    ExplainRequest,
    ImportRequest,
    IndexRequest,
    LintRequest,
    ListRequest,
    RecallRequest,
    SchemaRequest,
)
from winnow.vault.sync import Progress
from winnow.wire import arguments, decode

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")


def _operation(
    request: Callable[P, R], run: Callable[[Engine, R, list[Fault]], A]
) -> "Callable[Concatenate[_Operations, P], A]":
    """Make a method that takes a request's arguments, reads them as every surface does, and runs.

    What is wrong with the arguments themselves is told together with what `run` finds.
    """

    @wraps(run, assigned=("__doc__",))
    def method(self: "_Operations", /, *args: P.args, **kwargs: P.kwargs) -> A:
        names = [argument.name for argument in arguments(request)]
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        asked, faults = decode(request, given)
        if asked is None:
            raise InvalidRequest(faults)
        return run(self.engine, asked, faults)

    return method


class _Operations:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine


class Admin(_Operations):
    """What one does to a store now and then. Its methods take the arguments of their requests."""

    index = _operation(IndexRequest, index_vault)
    import_ = _operation(ImportRequest, import_entities)
    lint = _operation(LintRequest, lint_notes)
    doctor = _operation(DoctorRequest, check_store)

    def index_with_progress(self, *, progress: Progress, **arguments: object) -> IndexAnswer:
        """Do as `index`, and tell `progress` how many notes of how many are done, and the stage."""
        request, faults = decode(IndexRequest, arguments)
        if request is None:
            raise InvalidRequest(faults)
        return index_vault(self.engine, request, faults, progress)


class Memory(_Operations):
    """One open store. Safe to use from several threads; a context manager that closes it.

    Each method takes the arguments of its request (`winnow.operations.requests`) and returns its
    answer (`winnow.operations.answers`). A wrong argument raises InvalidRequest with every fault.
    """

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.admin = Admin(engine)

    recall = _operation(RecallRequest, recall)
    count = _operation(CountRequest, count)
    list = _operation(ListRequest, list_entities)
    aggregate = _operation(AggregateRequest, aggregate)
    explain = _operation(ExplainRequest, explain_entity)
    schema = _operation(SchemaRequest, describe_schemas)

    def close(self) -> None:
        """Close the store."""
        self.engine.store.close()

    def __enter__(self) -> "Memory":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
