"""Reading packs: all that is wrong with one is told at once, with its lines.

A mistake is noted and reading goes on with something in its place: what comes of it is used by
nobody.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from winnow.errors import PackError
from winnow.packs.checks import check_names, check_reverse, check_schema, check_targets
from winnow.packs.expressions import BadExpression, check_expression, insert_pieces
from winnow.packs.fields import read_field
from winnow.packs.ids import read_id
from winnow.packs.nodes import Mistakes, Node
from winnow.schema import Pack, Reverse, Schema, snake_case, spell
from winnow.yaml12 import YamlError, load

PACK_KEYS: Mapping[str, str] = {
    "pack": "the name of the pack, the first part of its schemas' names",
    "description": "what the pack is for",
    "key_prefixes": "beginnings of lines such as CLAWQL_ESCROW_PCT=12",
    "precedence": "schemas, the one that a note is about first",
    "pieces": "parts of patterns that are used more than once",
    "schemas": "the types of entities",
}
SCHEMA_KEYS: Mapping[str, str] = {
    "description": "what such an entity is",
    "id": "how an entity is named",
    "declare": "which notes are about such an entity",
    "fields": "what is known of such an entity",
}
REVERSE_KEYS: Mapping[str, str] = {
    "name": "the name of a reference's other side",
    "description": "what it means",
}


def load_pack(text: str, source: str, *, tried: bool = False) -> Pack:
    """Read and check a pack; `source` names the file in messages.

    Its expressions are not checked if they were `tried` before.
    Raises PackError with all mistakes, in the order of the file.
    """
    try:
        document = load(text)
    except YamlError as error:
        raise PackError(source, [(error.line, error.detail)]) from None
    mistakes = Mistakes(document, tried)
    pack = _read_pack(Node(document.value, (), mistakes), source, text)
    if mistakes.found:
        raise PackError(source, sorted(mistakes.found, key=lambda mistake: mistake[0] or 0))
    return pack


@cache
def builtin_packs() -> tuple[Pack, ...]:
    """Return the packs that ship with Winnow, read once."""
    files = sorted(Path(__file__).parent.glob("*.yaml"))
    return tuple(
        load_pack(file.read_text(encoding="utf-8"), file.name, tried=True) for file in files
    )


def _read_pack(node: Node, source: str, text: str) -> Pack:
    options = node.options(PACK_KEYS)
    for key in ("pack", "schemas"):
        if key not in options:
            node.wrong(f"a pack needs {key!r}, {PACK_KEYS[key]}")
    name = options["pack"].name() if "pack" in options else ""
    schemas = _read_schemas(name, options)
    return Pack(
        name=name,
        source=source,
        text=text,
        fingerprint=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        schemas=schemas,
        precedence=_read_precedence(options.get("precedence"), schemas),
        key_prefixes=_read_prefixes(options.get("key_prefixes")),
        keys=_collect_keys(schemas.values()),
    )


def _read_schemas(pack: str, options: Mapping[str, Node]) -> dict[str, Schema]:
    nodes = options["schemas"].mapping() if "schemas" in options else {}
    check_names(nodes)
    pieces = _read_pieces(options.get("pieces"))
    places: dict[str, dict[str, Node]] = {}
    schemas: dict[str, Schema] = {}
    for label, node in nodes.items():
        name = f"{pack}.{label}"
        schemas[name], places[name] = _read_schema(pack, label, node, pieces)
    check_targets(((schema, places[name]) for name, schema in schemas.items()), list(schemas))
    _add_reverses(schemas, places)
    return {name: _with_spellings(schema) for name, schema in schemas.items()}


def _read_schema(
    pack: str, label: str, node: Node, pieces: Mapping[str, str]
) -> tuple[Schema, dict[str, Node]]:
    options = node.options(SCHEMA_KEYS)
    places = options["fields"].mapping() if "fields" in options else {}
    check_names(places)
    schema = Schema(
        name=f"{pack}.{label}",
        label=label,
        id=read_id(options.get("id"), options.get("declare"), node),
        fields={
            name: read_field(name, place, f"{pack}.", pieces) for name, place in places.items()
        },
        description=options["description"].text() if "description" in options else "",
    )
    check_schema(schema, places)
    return schema, places


def _add_reverses(schemas: dict[str, Schema], places: Mapping[str, Mapping[str, Node]]) -> None:
    for source, nodes in places.items():
        for via, place in nodes.items():
            target = schemas.get(schemas[source].fields[via].target or "")
            node = place.mapping().get("reverse") if isinstance(place.value, dict) else None
            if target is None or node is None:
                continue
            reverse = _read_reverse(node, source, via)
            if not reverse.name:
                continue
            check_reverse(reverse, target, node)
            reverses = {**target.reverses, reverse.name: reverse}
            schemas[target.name] = replace(target, reverses=reverses)


def _read_reverse(node: Node, source: str, via: str) -> Reverse:
    if not isinstance(node.value, dict):
        return Reverse(node.text(), source, via)
    options = node.options(REVERSE_KEYS)
    if "name" not in options:
        node.wrong("a reverse needs a name")
    texts = {key: option.text() for key, option in options.items()}
    return Reverse(texts.get("name", ""), source, via, texts.get("description", ""))


def _with_spellings(schema: Schema) -> Schema:
    names: dict[str, tuple[str, ...]] = {
        name: field.aliases for name, field in schema.fields.items()
    }
    names.update(dict.fromkeys(schema.reverses, ()))
    return replace(schema, spellings=spell(names))


def _read_pieces(node: Node | None) -> dict[str, str]:
    """Read the pieces of patterns; a piece may use those above it."""
    pieces: dict[str, str] = {}
    for name, piece in (node.mapping() if node else {}).items():
        text = insert_pieces(piece.text(), pieces)
        pieces[name] = text
        if piece.tried:
            continue
        try:
            check_expression(text)
        except BadExpression as error:
            piece.wrong(str(error))
    return pieces


def _read_precedence(node: Node | None, schemas: Mapping[str, Schema]) -> tuple[str, ...]:
    """Read the order of schemas; those that it leaves out follow in the order of the file."""
    labels = {schema.label: name for name, schema in schemas.items()}
    named: list[str] = []
    for one in node.items() if node else []:
        label = one.choice("schema", labels)
        if label in labels and labels[label] not in named:
            named.append(labels[label])
        elif label in labels:
            one.wrong(f"{label!r} stands twice")
    return (*named, *(name for name in schemas if name not in named))


def _read_prefixes(node: Node | None) -> tuple[str, ...]:
    prefixes: list[str] = []
    for one in node.items() if node else []:
        prefix = one.name().rstrip("_")
        if prefix != prefix.upper():
            one.wrong(f"{prefix!r} must be in upper case")
        prefixes.append(prefix)
    return tuple(prefix for prefix in prefixes if prefix)


def _collect_keys(schemas: Iterable[Schema]) -> dict[str, tuple[tuple[str, str], ...]]:
    keys: dict[str, list[tuple[str, str]]] = {}
    for schema in schemas:
        for name, field in schema.fields.items():
            for spelling in (name, *field.aliases, *field.keys):
                keys.setdefault(_key_name(spelling), []).append((schema.name, name))
        for spelling in schema.id.keys:
            keys.setdefault(_key_name(spelling), []).append((schema.name, "id"))
    return {key: tuple(dict.fromkeys(meanings)) for key, meanings in keys.items() if key}


def _key_name(spelling: str) -> str:
    """Return how a name stands in a key line, "" if it can't: ESCROW_PCT for escrowPct."""
    upper = snake_case(spelling).upper()
    return upper if upper.replace("_", "").isalnum() and upper.isascii() else ""
