"""References: the id that a value such as `[[CLT-0042 Acme Corp|Acme]]` names."""

import re
from urllib.parse import unquote

from winnow.schema import IdRule, IdSource, split_list
from winnow.values import Json, Scalar, UnreadableValue, describe


def read_reference(rule: IdRule, text: str) -> str | None:
    """Return the id that a text is or links to, by the target's rule, None if it is none.

    The name of a linked note may go on behind the id; a text must be the id and no more.
    """
    stripped = text.strip()
    link = _link(stripped)
    if link is None:
        return rule.fit(stripped)
    for name in (_note_name(link["target"]), link["label"] or ""):
        entity = rule.fit(name) or _leading_id(rule, name)
        if entity:
            return entity
    return None


def names_an_id(rule: IdRule, text: str) -> bool:
    """Tell whether a text is an id or means to be one: `CLT-42` does, a company's name does not."""
    if rule.source is not IdSource.PATTERN or read_reference(rule, text) is not None:
        return True
    shape = re.match(r"[A-Za-z]+[-_]?(?=\\?[\[d0-9])", rule.pattern)
    start = shape[0].casefold() if shape else ""
    return bool(start) and text.strip("[] \t").casefold().startswith(start)


def link_text(text: str) -> str:
    """Return what a reader sees of a text that is a link, or the text."""
    link = _link(text.strip())
    return text if link is None else (link["label"] or _note_name(link["target"])).strip()


def read_references(rule: IdRule, raw: Json) -> tuple[Scalar, ...]:
    """Read a list of references, or a text that is one; blank items are dropped.

    Raises UnreadableValue.
    """
    items = raw if isinstance(raw, list) else split_list(raw) if isinstance(raw, str) else [raw]
    return tuple(require_reference(rule, item) for item in items if item not in (None, ""))


def require_reference(rule: IdRule, raw: Json) -> str:
    """Read one reference; raises UnreadableValue."""
    entity = read_reference(rule, raw) if isinstance(raw, str) else None
    if entity is None:
        expected = f", expected one such as {rule.examples}" if rule.examples else ""
        raise UnreadableValue(f"{describe(raw)} is not an id{expected}")
    return entity


_WIKILINK = re.compile(r"!?\[\[(?P<target>[^\[\]|#^]*)[^\[\]|]*(?:\|(?P<label>[^\[\]]*))?\]\]")
_MARKDOWN_LINK = re.compile(r"\[(?P<label>[^\[\]]*)\]\(<?(?P<target>[^()<>]+)>?\)")


def _link(text: str) -> re.Match[str] | None:
    return _WIKILINK.fullmatch(text) or _MARKDOWN_LINK.fullmatch(text)


def _note_name(target: str) -> str:
    """Return the name of a note from a link to it, without folders and extension."""
    name = unquote(target.strip()) if "%" in target else target.strip()
    return name.rpartition("/")[2].partition("#")[0].removesuffix(".md").strip()


def _leading_id(rule: IdRule, name: str) -> str | None:
    if rule.source is not IdSource.PATTERN:
        return None
    leading = re.match(rf"(?:{rule.pattern})(?![^\W_])", name, re.IGNORECASE)
    return rule.fit(leading[0]) if leading else None
