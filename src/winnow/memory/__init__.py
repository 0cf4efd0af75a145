"""`Memory`: one open store, with a method for each operation."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import fields
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from winnow.errors import Fault, InvalidRequest
from winnow.memory import keeping
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
    DeleteRequest,
    DoctorRequest,
    ExplainRequest,
    GetRequest,
    ImportRequest,
    IndexRequest,
    LintRequest,
    ListRequest,
    RecallRequest,
    SchemaRequest,
    StoreRequest,
    UndeleteRequest,
    UpdateRequest,
)
from winnow.vault.sync import Progress
from winnow.wire import decode, pointer

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
        asked, faults = decode(request, {**_placed(request, args, kwargs), **kwargs})
        if asked is None:
            raise InvalidRequest(faults)
        return run(self.engine, asked, faults)

    return method


def _placed(
    request: Callable[..., object], args: Sequence[object], named: Collection[str]
) -> dict[str, object]:
    """Name the arguments that were given by their place."""
    names = [one.name for one in fields(cast(Any, request)) if not one.kw_only]
    if len(args) > len(names):
        places = f"only {', '.join(names)} can be" if names else "no argument can be"
        detail = f"{len(args)} arguments are given by their place, and {places}; name the others"
        raise InvalidRequest([Fault("", detail)])
    placed = dict(zip(names, args, strict=False))
    if twice := [name for name in placed if name in named]:
        raise InvalidRequest([Fault(pointer(twice[0]), "given by its place, and by its name")])
    return placed


def _steady(run: Callable[[Engine, R, list[Fault]], A]) -> Callable[[Engine, R, list[Fault]], A]:
    """Answer from one state of the store, whatever others write meanwhile."""

    @wraps(run)
    def answer(engine: Engine, request: R, faults: list[Fault]) -> A:
        with engine.store.states.hold():
            return run(engine, request, faults)

    return answer


class _Operations:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine


class Admin(_Operations):
    """What one does to a store now and then. Its methods take the arguments of their requests."""

    index = _operation(IndexRequest, index_vault)
    import_ = _operation(ImportRequest, import_entities)
    lint = _operation(LintRequest, _steady(lint_notes))
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

    recall = _operation(RecallRequest, _steady(recall))
    count = _operation(CountRequest, _steady(count))
    list = _operation(ListRequest, _steady(list_entities))
    aggregate = _operation(AggregateRequest, _steady(aggregate))
    explain = _operation(ExplainRequest, _steady(explain_entity))
    schema = _operation(SchemaRequest, _steady(describe_schemas))
    store = _operation(StoreRequest, keeping.store)
    get = _operation(GetRequest, keeping.get)
    update = _operation(UpdateRequest, keeping.update)
    delete = _operation(DeleteRequest, keeping.delete)
    undelete = _operation(UndeleteRequest, keeping.undelete)

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
