"""Values that a note gives in a form for machines: each is read as its field's type or reported."""

from collections.abc import Iterator, Sequence

from winnow.records import Candidate, Evidence, Finding, Method
from winnow.schema import Field
from winnow.values import Scalar, Type, UnreadableValue, Value
from winnow.vault.claims import Source
from winnow.vault.references import names_an_id, read_references, require_reference
from winnow.vault.rules import SchemaRules
from winnow.vault.statements import Form, Statement
from winnow.vault.subjects import Block


def read_machine_values(
    rules: SchemaRules, block: Block, source: Source, findings: list[Finding]
) -> Iterator[tuple[str, Candidate]]:
    """Yield (field, candidate) for the statements of a block, in the order of the lines.

    Frontmatter and inline fields that name one list field make one list, as in Dataview; none
    is made if a part of it can't be read.
    """
    lists: dict[str, list[tuple[Statement, Value | None]]] = {}
    broken: set[str] = set()
    for statement in block.statements_of(source.statements):
        field = _field_of(rules, statement)
        if field is None:
            continue
        try:
            value = _read(rules, field, statement)
        except UnreadableValue as error:
            findings.append(_unreadable(error, field, statement, (source.path, block.entity)))
            broken.add(field.name)
            continue
        if field.is_list and statement.form is not Form.KEY_LINE:
            lists.setdefault(field.name, []).append((statement, value))
        elif value is not None:
            yield field.name, _candidate(value, statement, block, source)
    for name, parts in lists.items():
        merged = _merge([value for _, value in parts])
        if merged is not None and name not in broken:
            yield name, _candidate(merged, parts[0][0], block, source)


def _field_of(rules: SchemaRules, statement: Statement) -> Field | None:
    """Find the field that a statement means; a name that is no id is not for a reference."""
    if statement.key in rules.id_keys:
        return None
    fields = rules.fields.get(statement.key, ())
    if len(fields) < 2 or not isinstance(statement.written, str):
        return fields[0] if fields else None
    target = rules.targets.get(fields[0].target or "")
    if target is None or names_an_id(target, statement.written):
        return fields[0]
    return fields[1]


def _read(rules: SchemaRules, field: Field, statement: Statement) -> Value | None:
    raw = statement.raw(field)
    if field.type is not Type.REF or raw is None or raw == "":
        return field.read(raw)
    target = rules.targets[field.target or ""]
    if field.is_list:
        return read_references(target, raw)
    return require_reference(target, raw[0] if isinstance(raw, list) and len(raw) == 1 else raw)


def _unreadable(
    error: UnreadableValue, field: Field, statement: Statement, where: tuple[str, str]
) -> Finding:
    path, entity = where
    detail = f"{statement.name}: {error}"
    return Finding("unreadable_value", path, statement.line, detail, entity, field.name)


def _merge(parts: Sequence[Value | None]) -> Value | None:
    """Join lists; nothing but empty ones leaves nothing to say."""
    items: list[Scalar] = []
    for part in parts:
        items += part if isinstance(part, tuple) else ()
    return tuple(dict.fromkeys(items)) or None


def _candidate(value: Value, statement: Statement, block: Block, source: Source) -> Candidate:
    evidence = Evidence(source.path, statement.line, statement.quote)
    return Candidate(value, block.cap, Method.MACHINE_READABLE, evidence)
