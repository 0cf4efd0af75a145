"""Which column of a table becomes which field of a memory: `text=Body`, `tags=Labels:;`.

`FIELD=COLUMN`, and behind a colon the type of a value of metadata, such as `number`, or what
stands between the items of a list.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from winnow.errors import Fault, InvalidRequest, nearest, unknown
from winnow.schema import snake_case
from winnow.values import Json, Type, UnreadableValue, read_value

Convert: TypeAlias = Callable[[str], Json]
"""Reads a cell that is not empty; raises UnreadableValue."""

METADATA: Final = "metadata."
LIST_FIELD: Final = "tags"
FIELDS: Final = (
    *("text", "title", "id", "kind", "entity", "memoryType", "importance", "source", LIST_FIELD),
    *("createdAt", "updatedAt", "expiresAt"),
)
TYPES: Final[Mapping[str, Type]] = {
    "text": Type.STRING,
    "integer": Type.INTEGER,
    "number": Type.NUMBER,
    "boolean": Type.BOOLEAN,
    "date": Type.DATE,
    "datetime": Type.DATETIME,
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: where it stands, what it is called, and what a cell of it becomes."""

    index: int
    name: str
    field: str
    convert: Convert


def read_columns(texts: Sequence[str], header: Sequence[str]) -> list[Column]:
    """Read what a request says of the columns of a table, and what follows for the others.

    A column that nothing is said of becomes metadata, as text. With nothing said at all, columns
    that are called like a field become it. Raises InvalidRequest with every mistake.
    """
    faults = list(_check_header(header))
    columns = [
        *(_read_column(text, place, header, faults) for place, text in enumerate(texts)),
        *(_guess(header) if not texts else ()),
    ]
    found = [one for one in columns if one is not None]
    taken = {one.index for one in found}
    rest = (place for place in range(len(header)) if place not in taken)
    found += [Column(place, header[place], f"{METADATA}{header[place]}", str) for place in rest]
    faults = faults or _check_fields(found, header)
    if faults:
        raise InvalidRequest(faults)
    return found


def read_cell(column: Column, cell: str) -> Json:
    """Read a cell that is not empty; raises UnreadableValue that names its column."""
    try:
        return column.convert(cell)
    except UnreadableValue as error:
        raise UnreadableValue(f"column {column.name!r}: {error}") from None


def _read_column(
    text: str, place: int, header: Sequence[str], faults: list[Fault]
) -> Column | None:
    here = f"/map/{place}"
    field, equals, column = text.partition("=")
    field = _SPELLINGS.get(field.strip(), field.strip())
    if not equals or not column:
        faults.append(Fault(here, f"expected FIELD=COLUMN, such as text={header[0]}; got {text!r}"))
        return None
    if field not in FIELDS and not (field.startswith(METADATA) and field != METADATA):
        faults.append(Fault(here, unknown("field", field, [*FIELDS, "metadata.KEY"])))
        return None
    # The longest that fits, for the name of a column may have a colon in it, as the rest may.
    name = max((one for one in header if f"{column}:".startswith(f"{one}:")), key=len, default=None)
    if name is None:
        faults.append(Fault(here, unknown("column", column.partition(":")[0], header)))
        return None
    how = column[len(name) + 1 :]
    convert = _find_convert(field, how, colon=column != name)
    if convert is None:
        faults.append(Fault(here, _explain_how(field, how)))
        return None
    return Column(header.index(name), name, field, convert)


def _find_convert(field: str, how: str, *, colon: bool) -> Convert | None:
    """Return what reads the cells of a column, None if that can't be said of the field."""
    if field == LIST_FIELD:
        return _split_at(how if colon else ",") if not colon or _separates(how) else None
    if not colon:
        return _CONVERTS.get(field, str)
    if not field.startswith(METADATA):
        return None
    if how in TYPES:
        return _read_as(TYPES[how])
    return _split_at(how) if _separates(how) else None


def _explain_how(field: str, how: str) -> str:
    if field == LIST_FIELD:
        return f"what stands between tags is a sign such as ; or |, not {how!r}"
    if not field.startswith(METADATA):
        return f"{field} has its own type; leave :{how} out"
    near = nearest(how, TYPES)
    hint = f" (did you mean {near!r}?)" if near else ""
    return f"expected a type ({', '.join(TYPES)}) or a sign between items, got {how!r}{hint}"


def _separates(how: str) -> bool:
    return bool(how) and not any(sign.isalnum() for sign in how)


def _split_at(separator: str) -> Convert:
    return lambda cell: [part for one in cell.split(separator) if (part := one.strip())]


def _read_as(type_: Type) -> Convert:
    return lambda cell: read_value(type_, cell.strip())


def _read_number(cell: str) -> Json:
    return read_value(Type.NUMBER, cell.strip())


def _guess(header: Sequence[str]) -> list[Column]:
    """Return the columns that are called like a field."""
    return [
        Column(place, name, field, _find_convert(field, "", colon=False) or str)
        for place, name in enumerate(header)
        if (field := _SPELLINGS.get(name)) is not None
    ]


def _check_header(header: Sequence[str]) -> list[Fault]:
    twice = sorted({name for name in header if header.count(name) > 1})
    return [Fault("/lines/1", f"column {name!r} stands twice in the header") for name in twice]


def _check_fields(columns: Sequence[Column], header: Sequence[str]) -> list[Fault]:
    fields = [one.field for one in columns]
    twice = sorted({name for name in fields if fields.count(name) > 1})
    faults = [Fault("/map", f"{name} would come from several columns") for name in twice]
    if "text" not in fields:
        detail = f"say which column is the text: text=COLUMN, with one of {', '.join(header)}"
        faults.append(Fault("/map", detail))
    return faults


_CONVERTS: Final[Mapping[str, Convert]] = {"importance": _read_number}
_SPELLINGS: Final[Mapping[str, str]] = {
    spelling: field for field in FIELDS for spelling in (field, snake_case(field))
}
