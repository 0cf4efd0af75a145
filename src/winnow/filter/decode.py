"""From the JSON spelling of a filter to its tree."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NoReturn

from winnow.errors import Fault, InvalidRequest
from winnow.filter.ast import All, Any, Expr, Not, Place, Test
from winnow.filter.limits import check_size
from winnow.filter.mistakes import explain_operator_in_json
from winnow.filter.names import UnreadableName, name_in_text, quote, split_name
from winnow.filter.ops import CONNECTIVES, OPERATORS, SPELLINGS, Operand
from winnow.filter.plain import children, copy_plain, pointer_to
from winnow.filter.triples import decode_triples
from winnow.schema import snake_case
from winnow.values import Json, UnreadableValue, describe


def decode_filter(raw: object, pointer: str) -> Expr:
    """Read a filter from decoded JSON; raise InvalidRequest with all its faults.

    A list holds triples. Python's dates are read as ISO text, Decimals as numbers, tuples as lists.
    """
    plain, faults = copy_plain(raw, pointer)
    if isinstance(plain, list):
        expr = decode_triples(plain, pointer, faults)
    else:
        expr = _Decoder(faults).read_filter(plain, pointer)
    if faults:
        raise InvalidRequest(faults)
    check_size(expr, pointer)
    return expr


def load_json(text: str, pointer: str) -> object:
    """Decode JSON that names no key twice in an object; raise InvalidRequest with the position."""
    twice: list[tuple[object, str]] = []
    try:
        value: object = json.loads(
            text, object_pairs_hook=partial(_read_object, twice), parse_constant=_refuse_constant
        )
    except json.JSONDecodeError as error:
        raise InvalidRequest([Fault(pointer, _explain(error), error.pos)]) from None
    except RecursionError:
        raise InvalidRequest([Fault(pointer, "the JSON is nested too deep")]) from None
    except UnreadableValue as error:
        raise InvalidRequest([Fault(pointer, str(error))]) from None
    except ValueError:  # of int(), which refuses to spend minutes on one number
        raise InvalidRequest([Fault(pointer, "a number has too many digits")]) from None
    if twice:
        raise InvalidRequest(Fault(_find(value, pointer, part), why) for part, why in twice)
    return value


# --- the tree ------------------------------------------------------------------------------------

_CONNECTIVES: Mapping[str, str] = {
    spelling: word for word in CONNECTIVES for spelling in (word, "$" + word)
}
_Name = tuple[str, ...]


@dataclass(slots=True)
class _Decoder:
    """Reads parts of a filter; a part that can't be read is a fault and holds everywhere."""

    faults: list[Fault]
    marked: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.marked = {fault.pointer for fault in self.faults}

    def read_filter(self, raw: Json, at: str) -> Expr:
        """Read an object whose keys are names and connectives."""
        if not isinstance(raw, dict):
            return self._fault(at, _not_a_filter(raw))
        parts: list[Expr] = []
        names: dict[str, _Name] = {}
        for key, value in raw.items():
            here = pointer_to(at, key)
            if key in _CONNECTIVES:
                parts.append(self._connect(_CONNECTIVES[key], value, here, self.read_filter))
            elif name := self._read_name(key, here):
                names[key] = name
                parts += self._read_field(name, value, here)
        self._refuse_two_spellings(names, at)
        return _conjoin(parts)

    def _read_name(self, key: str, at: str) -> _Name:
        try:
            complaint = _misplaced(key)
            if complaint is None:
                return split_name(key)
        except UnreadableName as error:
            complaint = f"{key!r} is not a name: {error}"
        self._fault(at, complaint)
        return ()

    def _refuse_two_spellings(self, names: Mapping[str, _Name], at: str) -> None:
        seen: dict[_Name, str] = {}
        for key, name in names.items():
            if name[0] == "metadata" and len(name) > 1:  # its keys are never respelled
                continue
            first = seen.setdefault(tuple(map(snake_case, name)), key)
            if names[first] != name:
                detail = f"{first!r} and {key!r} are both given, and are one field; keep one"
                detail += f" (keys of metadata are metadata.{first} and metadata.{key})"
                self._fault(pointer_to(at, key), detail)

    def _read_field(self, name: _Name, raw: Json, at: str) -> Iterable[Expr]:
        if isinstance(raw, dict):
            return self._read_operators(name, raw, at)
        return (Test(name, "eq", raw, Place(at)),)

    def _read_operators(self, name: _Name, raw: dict[str, Json], at: str) -> list[Expr]:
        if not raw and name:
            self._fault(at, f"no operator (write {{{quote('eq')}: …}} or another)")
        return [self._read_operator(name, key, raw[key], pointer_to(at, key)) for key in raw]

    def _read_operator(self, name: _Name, key: str, raw: Json, at: str) -> Expr:
        if key in _CONNECTIVES:
            word = _CONNECTIVES[key]
            expr = self._connect(word, raw, at, partial(self._read_inside, name))
            return _keep_name(expr, name, at) if name else expr
        op = SPELLINGS.get(key)
        if op is None:
            return self._fault(at, explain_operator_in_json(key, name_in_text(name)))
        if OPERATORS[op].operand is Operand.NESTED:
            return Test(name, op, self._read_nested(op, raw, at), Place(at))
        return Test(name, op, raw, Place(at))

    def _read_inside(self, name: _Name, raw: Json, at: str) -> Expr:
        if not isinstance(raw, dict):
            hint = "" if isinstance(raw, list) else ' (write {"eq": …})'
            return self._fault(at, f"expected an object of operators, got {describe(raw)}{hint}")
        return _conjoin(self._read_operators(name, raw, at))

    def _read_nested(self, op: str, raw: Json, at: str) -> Expr:
        if isinstance(raw, list):
            if op == "all":
                return self._fault(at, _LIST_AFTER_ALL)
            return Test((), "in", raw, Place(at))
        if not isinstance(raw, dict):
            hint = f'{{"{op}": {{"eq": …}}}}'
            return self._fault(at, f"{op} takes a filter, got {describe(raw)} (write {hint})")
        if _speaks_of_items(raw):
            return _conjoin(self._read_operators((), raw, at))
        return self.read_filter(raw, at)

    def _connect(self, word: str, raw: Json, at: str, read: Callable[[Json, str], Expr]) -> Expr:
        if word == "not":
            return Not(read(raw, at))
        if not isinstance(raw, list):
            hint = f' (write "{word}": [{{…}}, {{…}}])'
            return self._fault(at, f"{word} takes a list of objects, got {describe(raw)}{hint}")
        parts = tuple(read(item, f"{at}/{index}") for index, item in enumerate(raw))
        return All(parts) if word == "and" else Any(parts)

    def _fault(self, at: str, detail: str) -> Expr:
        if at not in self.marked:
            self.faults.append(Fault(at, detail))
        return All(())


_LIST_AFTER_ALL = (
    'all takes a filter, not a list: {"all": {"in": […]}} if every item has to be one of these,'
    ' {"and": [{"has": …}, {"has": …}]} if each of these has to be an item'
)


def _conjoin(parts: list[Expr]) -> Expr:
    """And the parts of one object; what its own `and` lists is no deeper than the rest."""
    if len(parts) == 1:
        return parts[0]
    flat: list[Expr] = []
    for part in parts:
        flat += part.parts if isinstance(part, All) else (part,)
    return All(tuple(flat))


def _keep_name(expr: Expr, name: _Name, at: str) -> Expr:
    """Keep the field of an empty `and` or `or` in the tree, so that its name is looked up."""
    if not isinstance(expr, (All, Any)) or expr.parts:
        return expr
    missing, given = (Test(name, "isNull", flag, Place(at)) for flag in (True, False))
    return Any((missing, given)) if isinstance(expr, All) else All((missing, given))


def _speaks_of_items(raw: dict[str, Json]) -> bool:
    """Tell whether the operand of `any` and its kin tests the items, not their fields."""
    waiting: list[Json] = [raw]
    for part in waiting:
        if not isinstance(part, dict):
            continue
        for key, value in part.items():
            if key not in _CONNECTIVES:
                return key in SPELLINGS
            waiting += value if isinstance(value, list) else [value]
    return False


def _misplaced(key: str) -> str | None:
    """Say what is wrong with a key where a field's name should be, None if nothing is."""
    if key in SPELLINGS:
        example = f'{{"escrowPct": {{"{SPELLINGS[key]}": …}}}}'
        field = f"a field of that name is written {quote(key)!r}"
        return f"{key!r} is an operator and stands inside a field, such as {example}; {field}"
    if key.casefold() in CONNECTIVES:
        return f"unknown field {key!r}; did you mean {key.casefold()!r}?"
    return explain_operator_in_json(key, "") if key.startswith("$") else None


def _not_a_filter(raw: Json) -> str:
    hint = " (the text of a filter goes into where)" if isinstance(raw, str) else ""
    return f"expected an object with fields, got {describe(raw)}{hint}"


# --- JSON text -----------------------------------------------------------------------------------

_JSON_MISTAKES: Mapping[str, str] = {
    "Expecting value": "expected a value",
    "Expecting property name": "expected a key in double quotes",
    "Expecting ':' delimiter": "expected ':'",
    "Expecting ',' delimiter": "expected ',' or the closing bracket",
    "Illegal trailing comma": "expected no comma before the closing bracket",
    "Extra data": "expected the end",
    "Unterminated string": "expected a closing quote for this one",
    "Invalid control character": "expected no raw control character (write \\n, \\t, \\u0000)",
    "Invalid \\": "expected an escape of JSON (write \\\\ for a backslash)",
    "Unexpected UTF-8 BOM": "expected no byte order mark",
}


def _read_object(twice: list[tuple[object, str]], pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, value in pairs:
        if key in found:
            both = f"{describe(found[key])} and {describe(value)}"
            twice.append((found, f"the key {key!r} stands twice in one object, with {both}"))
        found[key] = value
    return found


def _refuse_constant(word: str) -> NoReturn:
    raise UnreadableValue(f"{word} is not a number of JSON")


def _explain(error: json.JSONDecodeError) -> str:
    known = (text for start, text in _JSON_MISTAKES.items() if error.msg.startswith(start))
    found = error.doc[error.pos : error.pos + 1]
    hint = " (JSON has double quotes)" if found == "'" else ""
    return f"not JSON: {next(known, error.msg)}, found {repr(found) if found else 'the end'}{hint}"


def _find(value: object, pointer: str, wanted: object) -> str:
    """Return the pointer of a part of decoded JSON, that of the whole if it was dropped."""
    waiting: list[tuple[object, str]] = [(value, pointer)]
    for part, at in waiting:
        if part is wanted:
            return at
        waiting += children(part, at)
    return pointer
