"""How candidates stand in the store: compact JSON, a plain value where nothing is to be added.

An entry of a field is a plain value (EXTRACTED, machine_readable, no evidence; a list for a list
value) or `{"c": [row, …]}` with a row for each candidate: `[value, level, method]`, with
evidence `[…, line, quote]`, and `[…, line, quote, path]` if the path is not the source's own.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from winnow.errors import Fault, InvalidRequest, StoreError
from winnow.filter.raw import is_broken
from winnow.records import Candidate, Confidence, Evidence, Finding, Method
from winnow.store.base import PlainOrCandidates
from winnow.values import Scalar, Value

Fields: TypeAlias = Mapping[str, tuple[Candidate, ...]]

_METHODS: Mapping[str, Method] = {
    "m": Method.MACHINE_READABLE,
    "p": Method.PATTERN,
    "l": Method.LLM,
}
_LETTERS: Mapping[Method, str] = {method: letter for letter, method in _METHODS.items()}
_LEVELS: Mapping[int, Confidence] = {int(level): level for level in Confidence}
_CANDIDATES = "c"

# What comes back from JSON: no type says what its lists hold in each place.
_Row: TypeAlias = list[Any]
_Entries: TypeAlias = dict[str, Any]

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_ascii_encoder = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def encode_json(value: object) -> str:
    """Encode what JSON can hold; anything else, NaN too, is an InvalidRequest."""
    try:
        text = _encoder.encode(value)
        return _ascii_encoder.encode(value) if is_broken(text) else text
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequest([Fault("", f"can't be stored as JSON: {error}")]) from error


def decode_json(text: str) -> Any:
    """Decode what `encode_json` made."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"the store holds JSON that is damaged: {error}") from error


def decode_texts(text: str) -> tuple[str, ...]:
    """Decode a list of texts."""
    return tuple(decode_json(text))


def encode_fields(fields: Fields, path: str) -> str:
    """Encode what a source says of an entity; `path` is the source's own."""
    return encode_json({name: _encode_entry(some, path) for name, some in fields.items() if some})


def merge_fields(before: str, fields: Fields, path: str) -> str:
    """Replace in `before` the fields that are named; one without candidates is taken out."""
    entries: _Entries = decode_json(before)
    for name, candidates in fields.items():
        if candidates:
            entries[name] = _encode_entry(candidates, path)
        else:
            entries.pop(name, None)
    return encode_json(entries)


def decode_fields(
    text: str, path: str, default: Evidence | None = None
) -> dict[str, tuple[Candidate, ...]]:
    """Decode what a source says; a candidate without evidence gets `default`."""
    entries: _Entries = decode_json(text)
    return {name: _decode_entry(entry, path, default) for name, entry in entries.items()}


def decode_columns(
    imported: Sequence[str], noted: Sequence[str | None]
) -> "list[Mapping[str, PlainOrCandidates]]":
    """Decode many entities for the columns, without evidence, in one go.

    `noted` holds, where an entity has notes, what they say, joined by commas. An equal candidate
    of another source is left out, so that a field is plain again if all say the same.
    """
    joined = ",".join(imported)
    loaded: list[_Entries] = decode_json(f"[{joined}]")
    found: list[_Columns] = [*loaded]
    # Entries that are not plain show as braces beside those of the entities.
    if joined.count("{") > len(imported):
        found = [_simplify_entries(entries) for entries in loaded]
    for at, texts in enumerate(noted):
        if texts is not None:
            found[at] = _merge_entries(decode_json(f"[{imported[at]},{texts}]"))
    return found


def encode_findings(findings: Iterable[Finding], path: str) -> str:
    """Encode what was found in the note of this path."""
    return encode_json(
        [
            [one.code, one.line, one.detail, one.entity, one.field]
            + ([] if one.path == path else [one.path])
            for one in findings
        ]
    )


def decode_findings(text: str, path: str) -> Iterator[Finding]:
    """Decode what was found in a note, for its present path."""
    for code, line, detail, entity, field, *elsewhere in decode_json(text):
        yield Finding(code, elsewhere[0] if elsewhere else path, line, detail, entity, field)


# --- entries -----------------------------------------------------------------------------------


def _encode_entry(candidates: tuple[Candidate, ...], path: str) -> object:
    if len(candidates) == 1:
        one = candidates[0]
        if (
            one.evidence is None
            and one.confidence is Confidence.EXTRACTED
            and one.method is Method.MACHINE_READABLE
        ):
            return one.value
    return {_CANDIDATES: [_encode_candidate(one, path) for one in candidates]}


def _encode_candidate(candidate: Candidate, path: str) -> _Row:
    row: _Row = [candidate.value, int(candidate.confidence), _LETTERS[candidate.method]]
    evidence = candidate.evidence
    if evidence is None:
        return row
    place = [evidence.line, evidence.quote]
    return [*row, *place] if evidence.path == path else [*row, *place, evidence.path]


def _decode_entry(entry: Any, path: str, default: Evidence | None) -> tuple[Candidate, ...]:
    if _has_rows(entry):
        return tuple(_decode_candidate(row, path, default) for row in entry[_CANDIDATES])
    return (Candidate(_value(entry), evidence=default),)


def _has_rows(entry: object) -> bool:
    return type(entry) is dict


def _decode_candidate(row: _Row, path: str, default: Evidence | None) -> Candidate:
    value, level, method, *place = row
    evidence = default
    if place:
        line, quote, *other = place
        evidence = Evidence(other[0] if other else path, line, quote)
    return Candidate(_value(value), _LEVELS[level], _METHODS[method], evidence)


def _value(plain: Scalar | list[Scalar]) -> Value:
    return plain if isinstance(plain, str | int | float) else tuple(plain)


# --- entries for the columns -------------------------------------------------------------------

_Columns: TypeAlias = "Mapping[str, PlainOrCandidates]"
_PLAIN_MARKS = [int(Confidence.EXTRACTED), _LETTERS[Method.MACHINE_READABLE]]


def _simplify_entries(entries: _Entries) -> _Columns:
    if not any(map(_has_rows, entries.values())):
        return entries
    return _merge_entries([entries])


def _merge_entries(sources: Iterable[_Entries]) -> _Columns:
    rows: dict[str, list[_Row]] = {}
    for entries in sources:
        for name, entry in entries.items():
            if _has_rows(entry):
                rows.setdefault(name, []).extend(entry[_CANDIDATES])
            else:
                rows.setdefault(name, []).append([entry, *_PLAIN_MARKS])
    return {name: _simplify(some) for name, some in rows.items()}


def _simplify(rows: list[_Row]) -> PlainOrCandidates:
    if len(rows) > 1:
        # Their text tells 1 from True and 1.0, as equality would not.
        rows = list({repr(row[:3]): row for row in rows}.values())
    if len(rows) == 1 and rows[0][1:3] == _PLAIN_MARKS:
        return rows[0][0]
    return tuple(_decode_candidate(row[:3], "", None) for row in rows)
