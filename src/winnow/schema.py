"""Schemas: the fields of an entity, how one is named, and how references lead on."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from enum import StrEnum

from winnow.errors import unknown
from winnow.expressions import compile_id
from winnow.records import Candidate, Resolved, resolve
from winnow.values import (
    NUMERIC,
    Json,
    Scalar,
    Type,
    UnreadableValue,
    Value,
    describe,
    is_value,
    read_value,
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A rule that finds a value in prose: a regular expression whose group `value` is a quantity.

    `quantity` names a row of `winnow.quantities`, with which the expression begins if it
    `leads`. `frame` is the expression with something short in place of the quantity's.
    """

    expression: str
    quantity: str
    frame: str = ""
    leads: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A typed field of a schema.

    Notes name it by its name, its aliases and its `keys` (any text); lines of prose such as
    `Escrow: 12%` also by its `labels`.
    """

    name: str
    type: Type
    is_list: bool = False
    unit: str | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    choices: tuple[str, ...] = ()
    choice_aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    target: str | None = None
    aliases: tuple[str, ...] = ()
    description: str = ""
    patterns: tuple[Pattern, ...] = ()
    keys: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def read(self, raw: Json) -> Value | None:
        """Read a raw value as this field's, None if it says nothing (null or a blank text)."""
        if _is_blank(raw):
            return None
        if self.is_list:
            return self._read_list(raw)
        if isinstance(raw, list) and len(raw) == 1:
            raw = raw[0]
        return self._read_scalar(raw)

    def holds(self, value: Value) -> bool:
        """Tell whether a stored value is one that this field may have; a pack can change."""
        if self.is_list:
            return isinstance(value, tuple) and all(is_value(self.type, item) for item in value)
        return not isinstance(value, tuple) and is_value(self.type, value)

    def weigh(self, candidates: Iterable[Candidate], zone: tzinfo) -> Resolved | None:
        """Weigh the candidates that the field may have, with dates in `zone`; None if none is."""
        return resolve(self.type, [one for one in candidates if self.holds(one.value)], zone)

    def _read_list(self, raw: Json) -> Value:
        items = raw if isinstance(raw, list) else split_list(raw) if isinstance(raw, str) else [raw]
        return tuple(self._read_scalar(item) for item in items if not _is_blank(item))

    def _read_scalar(self, raw: Json) -> Scalar:
        value = read_value(self.type, _strip_unit(raw, self.unit))
        if self.type is Type.ENUM:
            return self._read_choice(str(value))
        if self.type is Type.REF:
            return _strip_link(str(value))
        if self.type in NUMERIC and not isinstance(value, str):
            self._check_range(value)
        return value

    def _read_choice(self, text: str) -> str:
        choice = self.choice_aliases.get(plain(text))
        if choice is None:
            raise UnreadableValue(unknown("value", text, self.choices))
        return choice

    def _check_range(self, value: int | float) -> None:
        low, high = self.minimum, self.maximum
        if (low is not None and value < low) or (high is not None and value > high):
            span = f"{'' if low is None else low}..{'' if high is None else high}"
            raise UnreadableValue(f"{describe(value)} is outside {span}")


@dataclass(frozen=True, slots=True)
class Reverse:
    """The other side of a reference: the entities of `source` whose field `via` names this one."""

    name: str
    source: str
    via: str
    description: str = ""


class IdSource(StrEnum):
    """Where a note says the id of the entity that it is about."""

    PATTERN = "pattern"
    FILENAME = "filename"
    TITLE = "title"
    FIELD = "field"


@dataclass(frozen=True, slots=True)
class DeclareRule:
    """What a note must have, all of it, to be about an entity; what is "" is not asked for.

    `folder` is one or more names of folders that follow each other in the note's path, `tag`
    has the tags below it, `key` is a frontmatter or inline field that says `value`, if given.
    """

    folder: str = ""
    tag: str = ""
    key: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class IdRule:
    """How an entity of a schema is named in notes.

    With the source PATTERN an id is found by its form: in `keys` (names of frontmatter and
    inline fields), the file name, the title, the first heading, or by `mentions`, regular
    expressions whose group `id` is an id that the prose declares. With another source a note
    that meets one of `declare` is about the entity that its file name, its title or the first
    of its `keys` names.
    """

    pattern: str
    keys: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    examples: str = ""
    source: IdSource = IdSource.PATTERN
    declare: tuple[DeclareRule, ...] = ()

    def fit(self, text: str) -> str | None:
        """Return the id that a text is, in upper case if only that fits, None if it is none.

        Raises PackError for a pattern that takes too long.
        """
        stripped = text.strip()
        for candidate in (stripped, stripped.upper()):
            if compile_id(self.pattern).match(candidate):
                return candidate
        return None


@dataclass(frozen=True, slots=True)
class Schema:
    """One type of entity; `name` is `pack.Label`, `label` what a person calls it.

    Where it is `open`, a name that is no field's is a key of metadata.
    """

    name: str
    label: str
    id: IdRule
    fields: Mapping[str, Field]
    reverses: Mapping[str, Reverse] = field(default_factory=dict[str, Reverse])
    description: str = ""
    spellings: Mapping[str, str] = field(default_factory=dict[str, str])
    open: bool = False

    def find(self, name: str) -> Field | Reverse | None:
        """Look a field or reverse up by its name, alias or snake_case spelling."""
        known = self.spellings.get(name) or self.spellings.get(snake_case(name), "")
        return self.fields.get(known) or self.reverses.get(known)

    def names(self) -> Iterator[str]:
        """List the names of the fields, then of the reverses."""
        yield from self.fields
        yield from self.reverses


@dataclass(frozen=True, slots=True)
class Pack:
    """A file of schemas that know each other.

    `precedence` lists schema names; the first that a note declares is what the note is about.
    `key_prefixes` are those of lines such as `CLAWQL_ESCROW_PCT=12`; `keys` maps the part
    after the prefix, in upper case, to (schema name, field name or "id").
    """

    name: str
    source: str
    text: str
    fingerprint: str
    schemas: Mapping[str, Schema]
    precedence: tuple[str, ...] = ()
    key_prefixes: tuple[str, ...] = ()
    keys: Mapping[str, tuple[tuple[str, str], ...]] = field(
        default_factory=dict[str, tuple[tuple[str, str], ...]]
    )


class Catalog:
    """The schemas of several packs, looked up by their full names."""

    def __init__(self, packs: Iterable[Pack]) -> None:
        self.packs = tuple(packs)
        self._schemas: dict[str, Schema] = {}
        for pack in self.packs:
            self._schemas.update(pack.schemas)

    def __iter__(self) -> Iterator[Schema]:
        return iter(self._schemas.values())

    def get(self, name: str) -> Schema | None:
        """Return the schema of that name."""
        return self._schemas.get(name)

    def names(self) -> list[str]:
        """List the full names of all schemas."""
        return list(self._schemas)


def spell(names: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Map each name, its aliases and their snake_case spellings to the name."""
    spellings: dict[str, str] = {}
    for name, aliases in names.items():
        for spelling in (name, *aliases):
            spellings.setdefault(spelling, name)
            spellings.setdefault(snake_case(spelling), name)
    return spellings


def spell_choices(choices: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Map the plain spelling of each choice and of its aliases to the choice."""
    return {
        plain(spelling): choice
        for choice, aliases in choices.items()
        for spelling in (choice, *aliases)
    }


def snake_case(name: str) -> str:
    """Return `escrow_pct` for `escrowPct`, `deal_value_usd` for `dealValueUSD`."""
    return _HUMP.sub("_", name).lower()


def plain(text: str) -> str:
    """Return the form in which spellings of a name are the same: `escrowpct` for `Escrow Pct`."""
    return _JOINTS.sub("", text).casefold()


def split_list(text: str) -> list[Json]:
    """Split a text at its commas, but not inside `[[links]]` and quotes; drop blank items."""
    inner = text.strip()
    if inner.startswith("[") and inner.endswith("]") and not _OPENS_LINK.match(inner):
        inner = inner[1:-1]
    items = (match[match.lastgroup or 0].strip() for match in _ITEM.finditer(inner))
    return [item for item in items if item]


_JOINTS = re.compile(r"[\s_\-]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OPENS_LINK = re.compile(r"\[\[(?!\[)")
# Linear, whatever the text: what stands before a comma or the end is never given back.
_ITEM = re.compile(
    r"""\s*+(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')\s*+(?:,|$)"""
    r"""|(?P<bare>(?:\[\[[^\[\]]*\]\]|[^,\[]+|\[)*+)(?:,|$)"""
)
_LINK = re.compile(r"!?\[\[([^\[\]|#^]+)[^\[\]]*\]\]")
_LONGEST = 100  # characters of a number with its unit
_SIGNS: Mapping[str, re.Pattern[str]] = {
    "percent": re.compile(r"\s*(?:%|percent|pct)$", re.IGNORECASE),
    "USD": re.compile(r"^(?:US)?\$\s*|\s*(?:USD|dollars)$|^USD\s*", re.IGNORECASE),
    "months": re.compile(r"\s*(?:months?|mos?\.?)$", re.IGNORECASE),
    "hours": re.compile(r"\s*(?:hours?|h)$", re.IGNORECASE),
}


def _is_blank(raw: Json) -> bool:
    return raw is None or (isinstance(raw, str) and not raw.strip())


def _strip_unit(raw: Json, unit: str | None) -> Json:
    if not isinstance(raw, str) or unit is None or unit not in _SIGNS or len(raw) > _LONGEST:
        return raw
    return _SIGNS[unit].sub("", raw.strip())


def _strip_link(text: str) -> str:
    match = _LINK.fullmatch(text.strip())
    return match[1].strip() if match else text
