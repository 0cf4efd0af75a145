"""How large a filter may be, in either spelling."""

from winnow.errors import Fault, InvalidRequest
from winnow.filter.ast import MAX_DEPTH, MAX_NODES, All, Any, Expr, Not, Test

TOO_DEEP = f"the filter is nested more than {MAX_DEPTH} levels deep"
TOO_LARGE = f"the filter has more than {MAX_NODES:,} tests and connectives"


def check_size(expr: Expr, pointer: str) -> None:
    """Raise InvalidRequest if a filter is too deep or too large; a test alone is one level."""
    level, depth, nodes = [expr], 0, 0
    while level:
        depth, nodes = depth + 1, nodes + len(level)
        if depth > MAX_DEPTH or nodes > MAX_NODES:
            raise InvalidRequest([Fault(pointer, TOO_DEEP if depth > MAX_DEPTH else TOO_LARGE)])
        level = [part for node in level for part in _parts(node)]


def _parts(node: Expr) -> tuple[Expr, ...]:
    match node:
        case Not(part):
            return (part,)
        case All(parts) | Any(parts):
            return parts
        case Test():
            inner = node.operand
            return (inner,) if isinstance(inner, (Test, Not, All, Any)) else ()
