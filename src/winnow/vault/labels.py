"""Lines of prose that name a field and its value: `- **Status:** Active`, `| Escrow | 12% |`."""

import re
from collections.abc import Callable, Iterator, Mapping

from winnow.expressions import compile_own
from winnow.quantities import QUANTITIES, read_quantity
from winnow.schema import Field, plain
from winnow.values import Type, UnreadableValue, Value
from winnow.vault.guards import is_bound, is_denied, is_doubtful, is_joined
from winnow.vault.prose import Found, even, without_marks
from winnow.vault.references import link_text, read_references
from winnow.vault.rules import Label, SchemaRules
from winnow.vault.statements import QUOTE_LENGTH


def read_label(rules: SchemaRules, entity: str, number: int, line: str) -> Iterator[Found]:
    """Read a line of prose, if it is a label with a value that the labelled field takes.

    A number in a line that names another entity may be that one's, and is left out.
    """
    found = _LINE.match(line) or (_ROW.match(line) if line.lstrip().startswith("|") else None)
    if found is None:
        return
    labels = rules.labels.get(plain(_MARKS.sub("", found["label"])))
    if labels is None:
        return
    text = without_marks(even(found["value"]))
    quote = line.strip()[:QUOTE_LENGTH].rstrip()
    if labels[0].quantity != "words" and any(one != entity for one in rules.find_ids(text)):
        return
    for label in labels:
        try:
            value = _value(rules, label, text)
        except UnreadableValue as error:
            yield Found(label.field, None, number, quote, str(error))
            return
        if value is not None:
            yield Found(label.field, value, number, quote)
            return


_MARKS = re.compile(r"[*_`]")
_LINE = re.compile(
    r"[ \t>]*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+)?(?:\[[xX]\][ \t]+)?[*_]{0,3}"
    r"(?P<label>[^\W\d_][^:|\n]{0,38}[\w%*_]):(?!:)[*_]{0,3}[ \t]+(?P<value>\S.*)"
)
_ROW = re.compile(
    r"[ \t]*\|[ \t]*(?P<label>[^|\n]{2,40}?)[ \t]*\|[ \t]*(?P<value>[^|\n]+?)[ \t]*\|[ \t]*$"
)


def _value(rules: SchemaRules, label: Label, text: str) -> Value | None:
    """Read the value of a label, None if it states none; raises UnreadableValue."""
    field = label.field
    if label.quantity == "words":
        reader = _read_list if field.is_list and field.type is not Type.REF else _WORDS[field.type]
        return reader(rules, field, text)
    if is_doubtful(text):
        return None
    if label.states_unit or label.quantity in ("number", "date"):
        try:
            return field.read(text)
        except UnreadableValue:
            pass  # it may still begin with a quantity
    expression = compile_own(QUANTITIES[label.quantity].expression)
    found = expression.match(text)
    if found is None or not _ends_well(text, found.end()):
        return None
    another = expression.search(text, found.end())
    if another is not None and is_joined(text[found.end() : another.start()]):
        return None
    if is_bound(text, 0, found.end()) or is_denied(text, 0, found.end()):
        return None
    return field.read(read_quantity(label.quantity, found[0]))


def _ends_well(text: str, end: int) -> bool:
    return end == len(text) or text[end] in " ,;.()/"


def _read_choice(_: SchemaRules, field: Field, text: str) -> Value | None:
    """Read a choice with a remark behind it, if need be."""
    try:
        return field.read(text)
    except UnreadableValue:
        choice = _REMARK.split(text, maxsplit=1)[0]
        if choice == text:
            raise
        return field.read(choice)


def _read_string(rules: SchemaRules, field: Field, text: str) -> Value | None:
    """Take a whole text; one with a label of its own in it is several statements."""
    if ": " in text or " | " in text or "::" in text:
        return None
    return field.read(link_text(text))


def _read_list(_: SchemaRules, field: Field, text: str) -> Value | None:
    return None if ": " in text else field.read(text)


def _read_reference(rules: SchemaRules, field: Field, text: str) -> Value | None:
    """Take ids only: prose also names people and companies here."""
    try:
        ids = read_references(rules.targets[field.target or ""], text)
    except UnreadableValue:
        return None
    return ids if field.is_list else ids[0] if len(ids) == 1 else None


def _read_boolean(_: SchemaRules, field: Field, text: str) -> Value | None:
    try:
        return field.read(text)
    except UnreadableValue:
        return None


_REMARK = re.compile(r" ?[(;.]| [-–—] ")
_WORDS: Mapping[Type, Callable[[SchemaRules, Field, str], Value | None]] = {
    Type.STRING: _read_string,
    Type.ENUM: _read_choice,
    Type.REF: _read_reference,
    Type.BOOLEAN: _read_boolean,
}
