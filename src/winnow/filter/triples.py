"""Triples of a field, an operator and a value, all of which have to hold: the third spelling.

The operators are those of `TRIPLES`, in any case. On a memory they compare texts, or numbers if
both sides are numbers; on the typed field of a schema they are the ordinary ones.
"""

from collections.abc import Iterable

from winnow.errors import Fault, InvalidRequest, unknown
from winnow.filter.ast import All, Expr, Place, Test
from winnow.filter.limits import check_size
from winnow.filter.mistakes import explain_operator_in_triple
from winnow.filter.names import UnreadableName, split_name
from winnow.filter.ops import TRIPLES
from winnow.filter.plain import pointer_to
from winnow.memories import METADATA
from winnow.values import Json, describe

KEYS = ("field", "op", "value")


def decode_triples(raw: list[Json], pointer: str, faults: list[Fault]) -> Expr:
    """Read a list of `{field, op, value}`; what can't be read is added to `faults`.

    A field is named as in every JSON filter, `client.tier` or `metadata."a.b"`.
    """
    tests = (_decode(item, f"{pointer}/{index}", faults) for index, item in enumerate(raw))
    return All(tuple(test for test in tests if test is not None))


def read_triples(triples: Iterable[tuple[str, str, str]], pointer: str) -> Expr:
    """Read (field, operator, value) as RESP has them; raise InvalidRequest.

    A field without `@` is a key of metadata, whatever signs it has.
    """
    tests: list[Expr] = []
    faults: list[Fault] = []
    for index, (field, op, value) in enumerate(triples):
        at = f"{pointer}/{index}"
        name = (field,) if field.startswith("@") else (METADATA.name, field)
        tests.append(Test(name, _read_operator(op, f"{at}/op", faults), value, Place(at)))
    if faults:
        raise InvalidRequest(faults)
    expr = All(tuple(tests))
    check_size(expr, pointer)
    return expr


def _decode(item: Json, at: str, faults: list[Fault]) -> Test | None:
    if not isinstance(item, dict):
        hint = "{field, op, value}"
        faults.append(Fault(at, f"expected an object {hint}, got {describe(item)}"))
        return None
    strange = [Fault(pointer_to(at, key), _explain(key)) for key in item if key not in KEYS]
    missing = [Fault(at, f"a triple has a {key}, too") for key in KEYS if key not in item]
    if strange or missing:
        faults += strange or missing
        return None
    name = _read_name(item["field"], f"{at}/field", faults)
    op = _read_operator(item["op"], f"{at}/op", faults)
    return Test(name, op, item["value"], Place(at))


def _explain(key: str) -> str:
    return f'{unknown("key", key, KEYS)} (a list holds triples; filters are joined by "and")'


def _read_name(raw: Json, at: str, faults: list[Fault]) -> tuple[str, ...]:
    if not isinstance(raw, str):
        faults.append(Fault(at, f"expected the name of a field, got {describe(raw)}"))
        return ("",)
    try:
        return split_name(raw)
    except UnreadableName as error:
        faults.append(Fault(at, f"{raw!r} is not a name: {error}"))
        return ("",)


def _read_operator(raw: Json, at: str, faults: list[Fault]) -> str:
    if isinstance(raw, str) and raw.upper() in TRIPLES:
        return raw.upper()
    told = explain_operator_in_triple(raw) if isinstance(raw, str) else None
    faults.append(Fault(at, told or f"expected an operator, got {describe(raw)}"))
    return "EQ"
