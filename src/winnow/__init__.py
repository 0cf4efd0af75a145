"""Typed memory for AI agents: filters decide, ranking only orders.

`winnow.open(path)` opens a store, `winnow.restore(backup, path)` brings one back.
`winnow.to_json(answer)` writes an answer as the HTTP API does. Everything that is refused is a
`winnow.errors.WinnowError`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from winnow import errors
    from winnow.app import open_in_python as open
    from winnow.app import restore_memory as restore
    from winnow.memory import Memory
    from winnow.wire import to_json

__all__ = ["Memory", "__version__", "errors", "open", "restore", "to_json"]

# Imported on first use: `winnow --help` needs none of it.
_HOMES = {
    "open": ("winnow.app", "open_in_python"),
    "restore": ("winnow.app", "restore_memory"),
    "Memory": ("winnow.memory", "Memory"),
    "to_json": ("winnow.wire", "to_json"),
}


def __getattr__(name: str) -> object:
    if name == "errors":
        return import_module("winnow.errors")
    if name not in _HOMES:
        raise AttributeError(f"module 'winnow' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    found: object = getattr(import_module(module), attribute)
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
