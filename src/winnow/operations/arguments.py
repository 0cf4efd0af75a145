"""The arguments that requests share: what each takes, and one line of help."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, TypeAlias

from annotated_types import Ge, Le
from typing_extensions import TypedDict

from winnow.wire import Arg

DEFAULT_LIMIT = 10
MAX_LIMIT = 1_000
Level: TypeAlias = Literal["EXTRACTED", "INFERRED", "AMBIGUOUS"]
Direction: TypeAlias = Literal["asc", "desc"]
MemoryType: TypeAlias = Literal["episodic", "semantic", "orientation"]
if TYPE_CHECKING:
    from typing import Any, Protocol, SupportsFloat

    from typing_extensions import Buffer

    class Array(Protocol):
        """An array of numpy, which is a Buffer to type checkers since Python 3.12 only."""

        def __array__(self) -> Any: ...

    Numbers: TypeAlias = Sequence[SupportsFloat] | Buffer | Array
    Texts: TypeAlias = Collection[str]
    Time: TypeAlias = str | date
    Past: TypeAlias = str | date | timedelta
    Seconds: TypeAlias = int | timedelta
else:  # what only Python has is spelled by `Memory` before the codec sees it
    Numbers = Sequence[float]
    Texts = Sequence[str]
    Time = str
    Past = str
    Seconds = int
ImportFormat: TypeAlias = Literal["winnow", "mcp-memory", "mem0", "basic-memory", "markdown", "csv"]


class OrderBy(TypedDict):
    """A sort key; `asc` is the default direction."""

    # How the codec is told that no other key is allowed; a TypedDict knows no ClassVar.
    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012  # pyright: ignore[reportGeneralTypeIssues]

    field: str
    direction: NotRequired[Direction]


Filters: TypeAlias = Annotated[
    Mapping[str, object] | Sequence[Mapping[str, object]] | str | None,
    Arg("a filter in JSON: {field: {operator: value}}, or a list of {field, op, value}"),
]
Where: TypeAlias = Annotated[str | None, Arg("a filter as text: escrowPct >= 10 and …")]
SchemaName: TypeAlias = Annotated[str, Arg("the type of entity, such as legal.Matter")]
Namespace: TypeAlias = Annotated[str | None, Arg("only this namespace; all of them if not given")]
Minimum: TypeAlias = Annotated[
    Level, Arg("values below this confidence count as missing for the filter")
]
Order: TypeAlias = Annotated[
    str | Sequence[OrderBy | str] | None, Arg("sort keys, each field or field:desc")
]
Limit: TypeAlias = Annotated[int, Ge(1), Le(MAX_LIMIT), Arg("how many hits to return")]
Cursor: TypeAlias = Annotated[str | None, Arg("where the last answer to this request ended")]
Home: TypeAlias = Annotated[
    str | None, Arg("the namespace it is in; `default`, or the key's only one, if not given")
]
Id: TypeAlias = Annotated[str, Arg("its id, or its address as recall shows it")]
Tags: TypeAlias = Annotated[
    Texts | str | None, Arg("tags, a list or comma text", spellings=("tag",))
]
Importance: TypeAlias = Annotated[float | int | None, Ge(0), Le(1), Arg("from 0 to 1")]
Metadata: TypeAlias = Annotated[
    Mapping[str, object] | str | None,
    Arg("any keys and values, as JSON; they can be filtered on", spellings=("meta",)),
]
Ttl: TypeAlias = Annotated[
    Seconds | None, Ge(1), Arg("forget it after so many seconds", spellings=("ttl",))
]
Expiry: TypeAlias = Annotated[Time | None, Arg("forget it at this time (ISO 8601)")]
Vector: TypeAlias = Annotated[
    Numbers | str | None, Arg("its vector, where the namespace's embedder is external")
]
Confirmation: TypeAlias = Annotated[
    int | None, Ge(0), Arg("go on only if so many match, no more and no fewer")
]
DryRun: TypeAlias = Annotated[bool, Arg("change nothing, and tell what would be changed")]
Kinds: TypeAlias = Annotated[
    Texts | str | None,
    Arg("only memories of these kinds, a list or comma text", spellings=("kind",)),
]
AnyTag: TypeAlias = Annotated[
    Texts | str | None, Arg("only memories with any of these tags", spellings=("tag",))
]
About: TypeAlias = Annotated[str | None, Arg("only memories about this one, exactly")]
OfType: TypeAlias = Annotated[MemoryType | None, Arg("only memories of this type")]
