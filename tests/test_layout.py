"""The code stays small: files, functions, parameters and classes have limits."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
FILE_LINES, FUNCTION_LINES, PARAMETERS, METHODS = 400, 60, 6, 15
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def figures(source: str) -> Iterator[tuple[int, str, int, int]]:
    """Line, what is counted there, the figure, its limit."""
    yield 1, "lines in the file", len(source.splitlines()), FILE_LINES
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, FUNCTION):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            yield node.lineno, f"lines in {node.name}()", length, FUNCTION_LINES
            yield node.lineno, f"parameters of {node.name}()", parameters(node.args), PARAMETERS
        elif isinstance(node, ast.ClassDef):
            names = {part.name for part in node.body if isinstance(part, FUNCTION)}
            yield node.lineno, f"methods of {node.name}", len(names), METHODS


def parameters(args: ast.arguments) -> int:
    named = [*args.posonlyargs, *args.args]
    bound = bool(named) and named[0].arg in ("self", "cls")
    rest = (args.vararg, args.kwarg)
    return len(named) - bound + len(args.kwonlyargs) + sum(arg is not None for arg in rest)


def oversized(path: Path | str, source: str) -> list[str]:
    return [
        f"{path}:{line}: {figure} {what}, the limit is {limit}"
        for line, what, figure, limit in figures(source)
        if figure > limit
    ]


def test_the_source_is_within_its_limits() -> None:
    files = sorted((PROJECT / "src" / "winnow").rglob("*.py"))
    faults = [
        fault
        for file in files
        for fault in oversized(file.relative_to(PROJECT), file.read_text(encoding="utf-8"))
    ]
    assert files
    assert not faults, "\n".join(faults)


def function_of(lines: int) -> str:
    return "\nasync def f():\n" + "    pass\n" * (lines - 1)


def method_with(signature: str) -> str:
    return f"class C:\n    def f({signature}): ...\n"


def class_of(methods: int) -> str:
    return "class C:\n" + "".join(f"    def f{n}(self): ...\n" for n in range(methods))


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("x = 1\n" * 401, "m.py:1: 401 lines in the file, the limit is 400"),
        (function_of(61), "m.py:2: 61 lines in f(), the limit is 60"),
        (
            method_with("self, a, b, /, c, *d, e, f, **g"),
            "m.py:2: 7 parameters of f(), the limit is 6",
        ),
        (class_of(16), "m.py:1: 16 methods of C, the limit is 15"),
    ],
)
def test_what_is_too_large_is_named_with_place_figure_and_limit(source: str, fault: str) -> None:
    assert oversized("m.py", source) == [fault]


@pytest.mark.parametrize(
    "source",
    ["x = 1\n" * 400, function_of(60), method_with("self, a, b, /, c, *d, e, **g"), class_of(15)],
)
def test_the_limit_itself_is_allowed(source: str) -> None:
    assert oversized("m.py", source) == []
