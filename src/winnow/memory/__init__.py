"""`Memory`: one open store, with a method for each operation."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from datetime import datetime, timedelta
from functools import partial, wraps
from inspect import Parameter, Signature
from types import FunctionType, TracebackType
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar, cast, get_args, get_origin

from winnow import deadlines
from winnow.access import Access, Scope
from winnow.deadlines import read_seconds
from winnow.embed.external import is_array, list_numbers
from winnow.errors import Fault, InvalidRequest
from winnow.filter.native import spell, spell_seconds
from winnow.memory import late
from winnow.memory.aggregate import aggregate
from winnow.memory.changes import deleting, keeping
from winnow.memory.changes.retyping import retype
from winnow.memory.changes.undeleting import Undelete, undelete
from winnow.memory.engine import Engine
from winnow.memory.entities.describe import describe_schemas, list_schemas
from winnow.memory.entities.explain import explain_entity
from winnow.memory.recall import count, list_entities, recall
from winnow.memory.records.checking import check
from winnow.memory.records.others import with_others
from winnow.memory.records.profiling import with_profile
from winnow.memory.upkeep import tuning
from winnow.memory.upkeep.capabilities import capabilities
from winnow.memory.upkeep.keys import create_key, list_keys, revoke_key
from winnow.operations import LONG, OPERATIONS, Operation
from winnow.operations.access import CreateKeyRequest, KeysRequest, RevokeKeyRequest
from winnow.operations.changes import (
    DeleteRequest,
    ExportRequest,
    ImportRequest,
    IndexRequest,
    ReembedRequest,
    RetypeRequest,
    SetNamespaceRequest,
    StoreRequest,
    UndeleteRequest,
    UpdateRequest,
)
from winnow.operations.reports import ImportAnswer, IndexAnswer
from winnow.operations.requests import (
    AggregateRequest,
    CapabilitiesRequest,
    CheckRequest,
    CountRequest,
    DoctorRequest,
    ExplainRequest,
    GetRequest,
    LintRequest,
    ListRequest,
    NamespaceRequest,
    NamespacesRequest,
    RecallRequest,
    SchemaRequest,
)
from winnow.operations.settings import ReembedAnswer
from winnow.operations.upkeep import BackupRequest, DoctorAnswer
from winnow.stages import Progress
from winnow.wire import decode, pointer
from winnow.wire.naming import name_in_python

_ROWS = {one.request: one for one in OPERATIONS.values()}

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")


def _operation(
    request: Callable[P, R], run: Callable[[Engine, R, list[Fault]], A]
) -> "Callable[Concatenate[_Operations, P], A]":
    """Make a method that takes a request's arguments, reads them as every surface does, and runs.

    What is wrong with the arguments themselves is told together with what `run` finds.
    """

    def method(self: "_Operations", /, *args: P.args, **kwargs: P.kwargs) -> A:
        return _carry_out(self.engine, request, run, *args, **kwargs)

    _present(method, _ROWS[cast(type, request)], run.__doc__)
    return method


def _carry_out(
    engine: Engine,
    request: Callable[..., R],
    run: Callable[[Engine, R, list[Fault]], A],
    /,
    *args: object,
    **kwargs: object,
) -> A:
    row = _ROWS[cast(type, request)]
    engine.access.require(row.scope)
    try:
        given = {**_placed(request, args, kwargs), **kwargs}
        asked, faults = _read(request, _date_spans(given, engine.clock))
        with deadlines.limit(None if row.name in LONG else engine.time_limit):
            deadlines.check("waiting for its turn")
            return run(engine, asked, faults)
    except InvalidRequest as error:
        if not engine.pythonic:
            raise
        raise name_in_python(error, request) from None


def _present(method: Callable[..., object], row: Operation, doc: str | None) -> None:
    """Let `help` and editors show a method as if it were written out."""
    shown = cast(FunctionType, method)
    shown.__name__ = row.method.rpartition(".")[2]
    shown.__doc__ = doc
    places = [Parameter("self", Parameter.POSITIONAL_ONLY)]
    for one in fields(row.request):
        kind = Parameter.KEYWORD_ONLY if one.kw_only else Parameter.POSITIONAL_OR_KEYWORD
        default = Parameter.empty if one.default is MISSING else cast(object, one.default)
        hint = get_args(one.type)[0] if get_origin(one.type) is Annotated else one.type
        places.append(Parameter(one.name, kind, default=default, annotation=hint))
    signature = Signature(sorted(places, key=lambda one: one.kind), return_annotation=row.answer)
    cast(Any, method).__signature__ = signature


def _read(request: Callable[..., R], given: Mapping[str, object]) -> tuple[R, list[Fault]]:
    asked, faults = decode(request, {name: _spell(name, one) for name, one in given.items()})
    if asked is None:
        raise InvalidRequest(faults)
    return asked, faults


def _date_spans(given: Mapping[str, object], clock: Callable[[], datetime]) -> dict[str, object]:
    """Return arguments with the time that is so long ago in place of a span of Python."""
    dated = {**given}
    for name in _PAST:
        span = given.get(name)
        if isinstance(span, timedelta):
            try:
                dated[name] = clock() - span
            except OverflowError:
                fault = Fault(pointer(name), f"{span} ago is outside the calendar")
                raise InvalidRequest([fault]) from None
    return dated


_PAST = ("since", "until", "deleted_since")


def _spell(name: str, value: object) -> object:
    """Return an argument that only Python has, such as a date, as every other surface writes it.

    What is inside of filters and metadata is spelled where they are read.
    """
    if name == "vector":
        return _spell_vector(value)
    if isinstance(value, timedelta) and name.endswith("_seconds"):
        return spell_seconds(value)
    return spell(value)


def _spell_vector(value: object) -> object:
    if isinstance(value, list | tuple):
        return [*map(spell, cast(Sequence[object], value))]
    return list_numbers(value) if is_array(value) else value


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
        """For Winnow's own surfaces; programs do without it, for any release may change it."""


class Admin(_Operations):
    """What one does to a store now and then. Its methods take the arguments of their requests.

    `import_(objects=…)` stores many memories at once. Those with progress take the same arguments
    by name, and tell how far they are.
    """

    index = _operation(IndexRequest, late.index_vault)
    import_ = _operation(ImportRequest, late.import_)
    export = _operation(ExportRequest, _steady(late.export))
    lint = _operation(LintRequest, _steady(late.lint_notes))
    doctor = _operation(DoctorRequest, late.check_store)
    backup = _operation(BackupRequest, late.back_up)
    namespaces = _operation(NamespacesRequest, _steady(tuning.list_namespaces))
    namespace = _operation(NamespaceRequest, _steady(tuning.show_namespace))
    set_namespace = _operation(SetNamespaceRequest, tuning.set_namespace)
    reembed = _operation(ReembedRequest, late.reembed)
    create_key = _operation(CreateKeyRequest, create_key)
    keys = _operation(KeysRequest, _steady(list_keys))
    revoke_key = _operation(RevokeKeyRequest, revoke_key)

    def repair(self) -> DoctorAnswer:
        """Do as `doctor`, and mend what can be mended without losing anything."""
        self.engine.access.require(_ROWS[DoctorRequest].scope)
        return late.repair_store(self.engine)

    def index_with_progress(self, *, progress: Progress, **arguments: object) -> IndexAnswer:
        """Do as `index`, and tell `progress` how many notes of how many are done, and the stage."""
        run = partial(late.index_vault, progress=progress)
        return _carry_out(self.engine, IndexRequest, run, **arguments)

    def import_with_progress(self, *, progress: Progress, **arguments: object) -> ImportAnswer:
        """Do as `import_`, and tell `progress` how many bytes of how many are read, and the stage.

        Of no bytes where nobody knows how many there are.
        """
        run = partial(late.import_, progress=progress)
        return _carry_out(self.engine, ImportRequest, run, **arguments)

    def reembed_with_progress(self, *, progress: Progress, **arguments: object) -> ReembedAnswer:
        """Do as `reembed`, and tell `progress` how many of how many are done, and the stage."""
        run = partial(late.reembed, progress=progress)
        return _carry_out(self.engine, ReembedRequest, run, **arguments)


class Memory(_Operations):
    """One open store. Safe to use from several threads; a context manager that closes it.

    Each method takes the arguments of its request (`winnow.operations.requests`) and returns its
    answer (`winnow.operations.answers`). A wrong argument raises InvalidRequest with every fault.
    Many memories are stored at once, and much faster, by `admin.import_(objects=…)`.
    """

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.admin = Admin(engine)

    recall = _operation(RecallRequest, with_profile(with_others(_steady(recall))))
    check = _operation(CheckRequest, _steady(check))
    count = _operation(CountRequest, _steady(count))
    list = _operation(ListRequest, _steady(list_entities))
    aggregate = _operation(AggregateRequest, _steady(aggregate))
    explain = _operation(ExplainRequest, _steady(explain_entity))
    schema = _operation(SchemaRequest, _steady(describe_schemas))
    store = _operation(StoreRequest, keeping.store)
    get = _operation(GetRequest, keeping.get)
    update = _operation(UpdateRequest, keeping.update)
    delete = _operation(DeleteRequest, deleting.delete)
    undelete = cast(Undelete, _operation(UndeleteRequest, undelete))
    retype = _operation(RetypeRequest, retype)
    capabilities = _operation(CapabilitiesRequest, capabilities)

    def schema_names(self) -> Sequence[str]:
        """List the names of the schemas that may be seen; none where typed recall is off."""
        return list_schemas(self.engine)

    def restricted(self, access: Access) -> "Memory":
        """Return this store as somebody sees it who may do no more than `access` says."""
        return Memory(replace(self.engine, access=access))

    def within(self, seconds: float | None) -> "Memory":
        """Return this store as one that gives each operation so many seconds, 0 for no limit.

        An operation that takes longer raises TooSlow, and has changed nothing. Those that work
        through everything (index, import, export, reembed, doctor) take as long as they need.
        """
        limit = None if seconds is None else read_seconds(f"{seconds}", "/seconds")
        return Memory(replace(self.engine, time_limit=limit))

    def flush(self) -> None:
        """Wait until not even a failure of power can take what was written, by whatever process.

        A store whose `durability` is `full` has done so when a write returns.
        """
        self.engine.access.require(Scope.WRITE)
        self.engine.store.flush()

    def close(self) -> None:
        """Close the store."""
        self.engine.close()

    def __enter__(self) -> "Memory":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
