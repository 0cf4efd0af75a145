"""How a pack says which notes are about which entity, and how entities are named."""

from collections.abc import Mapping

from winnow.expressions import compile_id
from winnow.packs.expressions import BadExpression, check_expression, read_mention
from winnow.packs.nodes import Node
from winnow.schema import DeclareRule, IdRule, IdSource

ID_KEYS: Mapping[str, str] = {
    "pattern": "a regular expression that every id matches",
    "keys": "frontmatter and inline fields that hold the id",
    "mentions": "texts such as 'Matter {id}' that declare an entity",
    "example": "an id, for people",
    "from": "filename or title, for entities without a form of id",
}
DECLARE_KEYS: Mapping[str, str] = {
    "folder": "the note lies in it, or below",
    "tag": "the note has it, or one below",
    "field": "the note has this frontmatter or inline field",
    "is": "the value of `field`",
}
DECLARED_ID = ".+"
"""The form of ids that are a file name, a title or a field: any text."""


def read_id(node: Node | None, declare: Node | None, owner: Node) -> IdRule:
    """Read `id` and `declare` of a schema."""
    rules = tuple(_read_declare(rule) for rule in declare.items()) if declare else ()
    if node is None:
        owner.wrong("a schema needs an id, such as `id: {pattern: 'MAT-[0-9]{4,}'}`")
        return IdRule(DECLARED_ID, declare=rules)
    rule = _read_short_id(node) if isinstance(node.value, str) else _read_long_id(node)
    if (rule.source is IdSource.PATTERN) == bool(rules):
        node.wrong(
            "`declare` says which notes are about an entity whose id is a filename, a title or a"
            " field; an entity with an id pattern needs none"
            if rules
            else "an id that is a filename, a title or a field needs `declare`"
        )
    return IdRule(rule.pattern, rule.keys, rule.mentions, rule.examples, rule.source, rules)


def _read_short_id(node: Node) -> IdRule:
    """Read `filename`, `title` or `field NAME`."""
    source, _, key = node.text().partition(" ")
    if source == IdSource.FIELD and key.strip():
        return IdRule(DECLARED_ID, keys=(key.strip(),), source=IdSource.FIELD)
    if source in (IdSource.FILENAME, IdSource.TITLE) and not key:
        return IdRule(DECLARED_ID, source=IdSource(source))
    node.wrong(f"expected filename, title, 'field NAME' or a pattern, got {node.text()!r}")
    return IdRule(DECLARED_ID, source=IdSource.FILENAME)


def _read_long_id(node: Node) -> IdRule:
    options = node.options(ID_KEYS)
    source = IdSource.PATTERN
    if "from" in options:
        named = options["from"].choice("source of an id", [IdSource.FILENAME, IdSource.TITLE])
        source = IdSource(named) if named else IdSource.FILENAME
    elif "pattern" not in options:
        node.wrong("an id needs a pattern")
    pattern = _read_id_pattern(options.get("pattern"))
    examples = options["example"].text() if "example" in options else ""
    if examples and not node.tried and not compile_id(pattern).match(examples):
        options["example"].wrong(f"{examples!r} does not match the pattern {pattern!r}")
    keys = options["keys"].texts() if "keys" in options else ()
    return IdRule(pattern, keys, _read_mentions(options.get("mentions"), pattern), examples, source)


def _read_id_pattern(node: Node | None) -> str:
    text = node.text() if node else ""
    if node is None or not text:
        return DECLARED_ID
    if node.tried:
        return text
    try:
        check_expression(text)
    except BadExpression as error:
        node.wrong(str(error))
        return DECLARED_ID
    if compile_id(text).match(""):
        node.wrong(f"the pattern {text!r} matches an empty id")
    return text


def _read_mentions(node: Node | None, pattern: str) -> tuple[str, ...]:
    mentions: list[str] = []
    for mention in node.items() if node else []:
        try:
            mentions.append(read_mention(mention.text(), pattern, tried=mention.tried))
        except BadExpression as error:
            mention.wrong(str(error))
    return tuple(mentions)


def _read_declare(node: Node) -> DeclareRule:
    options = node.options(DECLARE_KEYS)
    if not options:
        node.wrong("expected a folder, a tag or a field that such a note has")
    if "is" in options and "field" not in options:
        node.wrong("`is` is the value of a `field`, which is not named")
    texts = {key: option.text() for key, option in options.items()}
    return DeclareRule(
        folder=texts.get("folder", "").strip("/"),
        tag=texts.get("tag", "").strip("#/"),
        key=texts.get("field", ""),
        value=texts.get("is", ""),
    )
