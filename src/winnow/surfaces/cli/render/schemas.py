"""Schemas for people: what may be asked of each field."""

import json
import shlex

from winnow.errors import counted
from winnow.operations.answers import FieldDescription, SchemaAnswer, SchemaDescription
from winnow.surfaces.cli.page import Cell, Column, Page, styled
from winnow.surfaces.cli.render.parts import value_text, write_warnings
from winnow.values import Json

OVERVIEW = (
    Column("schema", whole=True),
    Column("entities", number=True),
    Column("fields", number=True),
    Column("description"),
)
FIELDS = (
    Column("field", whole=True),
    Column("type"),
    Column("values"),
    Column("known", number=True),
    Column("description"),
)
OPERATORS = (Column("type", whole=True), Column("operators"))


def write_schemas(answer: SchemaAnswer, page: Page) -> None:
    """Write the schemas: those with fields in full, else a row for each."""
    for schema in answer.schemas:
        if schema.fields is not None:
            _write_in_full(schema, page)
    brief = [schema for schema in answer.schemas if schema.fields is None]
    if brief:
        page.table(OVERVIEW, (_overview_row(schema) for schema in brief))
    if answer.example is not None:
        page.line(styled(f"example: {_spell(answer.example)}", "dim"))
    write_warnings(answer.warnings, page)


def _spell(example: str) -> str:
    """Return the command of an example, which is the name of an operation and its arguments."""
    name, _, text = example.partition(" ")
    arguments: dict[str, Json] = json.loads(text)
    words = ["winnow", name]
    for argument, value in arguments.items():
        words += [f"--{argument}", value if isinstance(value, str) else json.dumps(value)]
    return shlex.join(words)


def _overview_row(schema: SchemaDescription) -> tuple[Cell, ...]:
    counts = (str(schema.entities), str(len(schema.field_names or ())))
    return (styled(schema.name, "bold"), *counts, schema.description + _where(schema))


def _where(schema: SchemaDescription) -> str:
    """Return where a schema is defined so, if it is defined otherwise elsewhere."""
    return f" (in {', '.join(schema.namespaces)})" if schema.namespaces else ""


def _write_in_full(schema: SchemaDescription, page: Page) -> None:
    page.line(styled(schema.name, "bold"), f"  {schema.description}", _where(schema))
    pattern = f", ids like {schema.id_pattern}" if schema.id_pattern else ""
    page.line(f"{counted(schema.entities, 'entities')}{pattern}")
    page.table(FIELDS, (_field_row(field, page) for field in schema.fields or ()))
    operators = schema.operators or {}
    page.table(OPERATORS, ((type_, " ".join(names)) for type_, names in operators.items()))


def _field_row(field: FieldDescription, page: Page) -> tuple[Cell, ...]:
    return (
        styled(field.name, "bold"),
        " ".join(filter(None, (field.type, field.target, field.unit))),
        _values(field, page),
        value_text(field.entities_with_value),
        field.description or "",
    )


def _values(field: FieldDescription, page: Page) -> str:
    """Return what values a field takes, else those that were seen."""
    if field.choices:
        return ", ".join(field.choices)
    if field.lowest is None and field.highest is None:
        return ""
    dash = page.symbols.dash
    return f"{value_text(field.lowest)} {dash} {value_text(field.highest)}"
