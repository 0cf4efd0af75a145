"""Who a note is about, by each of the ways in which it can say so."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from winnow.records import Finding
from winnow.schema import DeclareRule, IdSource, plain
from winnow.values import fold
from winnow.vault.note import Note
from winnow.vault.paths import stem_of
from winnow.vault.references import read_reference
from winnow.vault.rules import Rules, SchemaRules
from winnow.vault.statements import Form, Statement


@dataclass(frozen=True, slots=True)
class Source:
    """A note with its path and what it says for machines."""

    note: Note
    path: str
    statements: Sequence[Statement]

    @property
    def stem(self) -> str:
        """Return the file's name without its extension."""
        return stem_of(self.path)

    @property
    def title(self) -> str:
        """Return the note's title, first heading or file name."""
        headings = self.note.headings
        return self.note.title or (headings[0].text if headings else "") or self.stem


@dataclass(slots=True)
class Claim:
    """The ids that a note gives for a schema, and where: by name, or by (id, line) and keys."""

    named: str | None = None
    lines: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    keys: set[str] = field(default_factory=set[str])


Misfit: TypeAlias = tuple[SchemaRules, Statement]


def collect_claims(
    rules: Rules, source: Source, findings: list[Finding]
) -> tuple[dict[str, Claim], list[Misfit]]:
    """Collect the claims of schemas on a note, less those that a reference explains.

    The misfits are id keys whose value is no id.
    """
    claims: dict[str, Claim] = {}
    misfits = _claim_by_keys(rules, source, claims)
    _claim_by_rules(rules, source, claims, findings)
    _claim_by_names(rules, source, claims)
    kept = _unexplained(rules, claims) if len(claims) > 1 else claims
    return {name: claim for name, claim in claims.items() if name in kept}, misfits


def report_misfits(
    misfits: Iterable[Misfit], winner: SchemaRules | None, path: str
) -> Iterator[Finding]:
    """Report id keys whose value is no id, less fields of what a note is about."""
    for schema, statement in misfits:
        if winner is None or statement.key not in winner.fields:
            rule = schema.schema.id
            detail = (
                f"{statement.name}: {statement.value!r} is not an id of {schema.schema.name}"
                f" (such as {rule.examples or rule.pattern})"
            )
            yield Finding("unreadable_value", path, statement.line, detail, field="id")


def _claim_by_keys(rules: Rules, source: Source, claims: dict[str, Claim]) -> list[Misfit]:
    """Read id keys; return those of one schema only whose value is no id of it."""
    misfits: list[Misfit] = []
    for statement in source.statements:
        wanting = rules.id_keys.get(statement.key, ())
        for schema in wanting:
            ids = _ids_of(schema, statement)
            if ids:
                claim = claims.setdefault(schema.schema.name, Claim())
                line = 1 if statement.form is Form.FRONTMATTER else statement.line
                claim.lines += [(entity, line) for entity in ids]
                claim.keys.add(statement.key)
            elif len(wanting) == 1 and statement.value not in (None, ""):
                misfits.append((schema, statement))
    return misfits


def _ids_of(schema: SchemaRules, statement: Statement) -> list[str]:
    raw = statement.written if isinstance(statement.written, list) else [statement.written]
    texts = [one for one in raw if isinstance(one, str)]
    ids = [read_reference(schema.schema.id, text) for text in texts]
    return [one for one in dict.fromkeys(ids) if one]


def _claim_by_rules(
    rules: Rules, source: Source, claims: dict[str, Claim], findings: list[Finding]
) -> None:
    for name, schema in rules.schemas.items():
        if schema.has_id_form or not any(_holds(one, source) for one in schema.schema.id.declare):
            continue
        entity = schema.schema.id.fit(_stated_id(schema, source))
        if entity:
            claims[name] = Claim(named=entity)
        else:
            detail = f"the note should be a {name}, but gives no id for it"
            findings.append(Finding("note_problem", source.path, 1, detail, field="id"))


def _stated_id(schema: SchemaRules, source: Source) -> str:
    rule = schema.schema.id
    if rule.source is not IdSource.FIELD:
        return source.stem if rule.source is IdSource.FILENAME else source.title
    stated = (one.written for one in source.statements if one.key in schema.id_keys)
    return next((text for text in stated if isinstance(text, str) and text.strip()), "")


def _holds(rule: DeclareRule, source: Source) -> bool:
    return (
        (not rule.folder or _lies_in(rule.folder, source.path))
        and (not rule.tag or _is_tagged(rule.tag, source.note.tags))
        and (not rule.key or _says(rule, source.statements))
    )


def _lies_in(folder: str, path: str) -> bool:
    return f"/{fold(folder)}/" in fold(f"/{path.rpartition('/')[0]}/")


def _is_tagged(tag: str, tags: Iterable[str]) -> bool:
    wanted = fold(tag)
    return any(fold(one) == wanted or fold(one).startswith(f"{wanted}/") for one in tags)


def _says(rule: DeclareRule, statements: Iterable[Statement]) -> bool:
    key, wanted = plain(rule.key), fold(rule.value)
    for statement in statements:
        if statement.key == key:
            said = statement.written if isinstance(statement.written, list) else [statement.written]
            texts = [fold(one.strip()) for one in said if isinstance(one, str)]
            if wanted in texts or (not wanted and any(texts)):
                return True
    return False


def _claim_by_names(rules: Rules, source: Source, claims: dict[str, Claim]) -> None:
    """Take the id that stands first in the file name, the title or the first heading."""
    headings = source.note.headings
    for text in (source.stem, source.note.title, headings[0].text if headings else None):
        found = _first_id(rules, text) if text else None
        if found is not None:
            claim = claims.setdefault(found[0], Claim())
            claim.named = claim.named or found[1]


def _first_id(rules: Rules, text: str) -> tuple[str, str] | None:
    """Find the id that stands first in a name, None if there are more of its schema."""
    places: list[tuple[int, str, dict[str, int]]] = []
    for name, schema in rules.schemas.items():
        ids = schema.find_ids(text) if schema.has_id_form else {}
        if ids:
            places.append((min(ids.values()), name, ids))
    if not places:
        return None
    _, name, ids = min(places, key=lambda place: place[0])
    return (name, next(iter(ids))) if len(ids) == 1 else None


def _unexplained(rules: Rules, claims: Mapping[str, Claim]) -> set[str]:
    """Leave out schemas whose ids are only the values of another one's references."""
    explained = {
        name
        for name, claim in claims.items()
        if claim.named is None
        and any(
            _refers(rules.schemas[other], name, claim.keys) for other in claims if other != name
        )
    }
    return (set(claims) - explained) or set(claims)


def _refers(schema: SchemaRules, target: str, keys: Iterable[str]) -> bool:
    return all(any(one.target == target for one in schema.fields.get(key, ())) for key in keys)
