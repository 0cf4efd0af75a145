"""From a resolved filter back to its two spellings: the canonical echo."""

from collections.abc import Iterable, Iterator

from winnow.filter.ast import EVERYTHING, All, Any, Arg, Match, Not, Pred
from winnow.filter.names import name_in_json, name_in_text, quote
from winnow.filter.ops import CONNECTIVES, OPERATORS, Operand
from winnow.schema import Field, snake_case
from winnow.values import Json, Moment, Scalar


def to_json(pred: Pred) -> Json:
    """Spell a filter as JSON: as few objects as say the same, a lone `eq` as the bare value."""
    return _spell_json(flatten(pred))


def to_text(pred: Pred) -> str:
    """Spell a filter as text; what holds everywhere is "", or `everything` inside another."""
    flat = flatten(pred)
    return "" if flat == EVERYTHING else _spell_text(flat)


def flatten(pred: Pred) -> Pred:
    """Take an `and` inside an `and` apart, `or` alike, and brackets from a single part."""
    match pred:
        case Match():
            return _flatten_match(pred)
        case Not(part):
            return Not(flatten(part))
        case All(parts):
            flat = tuple(_spread(All, map(flatten, parts)))
            return flat[0] if len(flat) == 1 else All(flat)
        case Any(parts):
            flat = tuple(_spread(Any, map(flatten, parts)))
            return flat[0] if len(flat) == 1 else Any(flat)


def _flatten_match(match: Match) -> Match:
    inner = _nested(match)
    if inner is None:
        return match
    return Match(match.path, match.field, match.op, (flatten(inner),))


def _spread(kind: type[All[Match]] | type[Any[Match]], parts: Iterable[Pred]) -> Iterator[Pred]:
    for part in parts:
        if isinstance(part, kind):
            yield from part.parts
        else:
            yield part


def _nested(match: Match) -> Pred | None:
    inner = match.args[0] if OPERATORS[match.op].operand is Operand.NESTED else None
    return inner if isinstance(inner, (Match, Not, All, Any)) else None


def _name(match: Match) -> tuple[str, ...]:
    """Return the parts of a test's name, none if it is about an item."""
    if not match.path and not match.field.name:
        return ()
    return (*(step.name for step in match.path), match.field.name)


def _takes_list(match: Match) -> bool:
    """Tell whether an operator that takes one value takes it as a list, on a list field."""
    is_list = isinstance(match.field, Field) and match.field.is_list
    return is_list and match.op in ("eq", "ne")


# --- JSON ----------------------------------------------------------------------------------------

_Object = dict[str, Json]


def _spell_json(pred: Pred) -> _Object:
    return _shorten(_spell_object(pred))


def _spell_object(pred: Pred) -> _Object:
    match pred:
        case Match():
            test: _Object = {pred.op: _operand_in_json(pred)}
            name = _name(pred)
            return {name_in_json(name): test} if name else test
        case Not(part):
            return {"not": _spell_json(part)}
        case Any(parts):
            return {"or": [_spell_json(part) for part in parts]}
        case All(parts):
            objects = [_spell_object(part) for part in parts]
            merged = _merge(objects)
            return {"and": [_shorten(one) for one in objects]} if merged is None else merged


def _merge(objects: Iterable[_Object]) -> _Object | None:
    """Put objects into one that means all of them, None if two want the same key."""
    merged: _Object = {}
    for one in objects:
        for key, value in one.items():
            if key not in merged:
                merged[key] = value
                continue
            known = merged[key]
            if key in _LANGUAGE or not isinstance(known, dict) or not isinstance(value, dict):
                return None
            if known.keys() & value.keys():
                return None
            merged[key] = {**known, **value}
    respelled = len({snake_case(key) for key in merged}) < len(merged)
    return None if respelled else merged


def _shorten(spelled: _Object) -> _Object:
    """Write a bare value for `eq` where it is all that is asked of a field."""
    return {
        key: value["eq"]
        if key not in _LANGUAGE and isinstance(value, dict) and list(value) == ["eq"]
        else value
        for key, value in spelled.items()
    }


_LANGUAGE = frozenset((*OPERATORS, *CONNECTIVES))
_MANY = frozenset((Operand.LIST, Operand.PAIR, Operand.WORDS))


def _operand_in_json(match: Match) -> Json:
    inner = _nested(match)
    if inner is not None:
        return _spell_json(inner)
    values: list[Json] = [_plain(arg) for arg in match.args]
    many = OPERATORS[match.op].operand in _MANY or _takes_list(match)
    return values if many else values[0]


def _plain(arg: Arg) -> Scalar:
    if isinstance(arg, Moment):
        return arg.text
    if isinstance(arg, (Match, Not, All, Any)):
        raise TypeError("a filter stands where a value should be")
    return arg


# --- text ----------------------------------------------------------------------------------------


def _spell_text(pred: Pred) -> str:
    match pred:
        case Match():
            name = _name(pred)
            return f"{name_in_text(name)} {_condition(pred)}" if name else _condition(pred)
        case Not(part):
            return f"not ({_spell_text(part)})"
        case All(parts):
            return " and ".join(map(_bracket, parts)) or "everything"
        case Any(parts):
            return " or ".join(map(_bracket, parts)) or "nothing"


def _bracket(pred: Pred) -> str:
    text = _spell_text(pred)
    return f"({text})" if isinstance(pred, (All, Any)) and pred.parts else text


def _condition(match: Match) -> str:
    operator = OPERATORS[match.op]
    inner = _nested(match)
    if inner is not None:
        return f"{operator.symbol} {_spell_nested(inner)}"
    if operator.operand is Operand.FLAG:
        return "is null" if match.args[0] else "is not null"
    values = [_spell_value(arg) for arg in match.args]
    if operator.operand is Operand.PAIR:
        return f"{operator.symbol} {' and '.join(values)}"
    if operator.operand in (Operand.LIST, Operand.WORDS) or _takes_list(match):
        return f"{operator.symbol} ({', '.join(values)})"
    return f"{operator.symbol} {values[0]}"


def _spell_nested(pred: Pred) -> str:
    bare = isinstance(pred, Match) and not _name(pred) and _nested(pred) is None
    return _spell_text(pred) if bare else f"({_spell_text(pred)})"


def _spell_value(arg: Arg) -> str:
    value = _plain(arg)
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote(value) if isinstance(value, str) else repr(value)
