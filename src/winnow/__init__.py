"""Typed memory for AI agents: filters decide, ranking only orders.

`winnow.open(path)` opens a store, `winnow.restore(backup, path)` brings one back.
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from winnow.app import open_memory as open
    from winnow.app import restore_memory as restore
    from winnow.memory import Memory

__all__ = ["Memory", "__version__", "open", "restore"]


def __getattr__(name: str) -> object:
    # Imported on first use: `winnow --help` and `winnow.errors` need none of it.
    if name == "open":
        from winnow.app import open_memory

        return open_memory
    if name == "restore":
        from winnow.app import restore_memory

        return restore_memory
    if name == "Memory":
        from winnow.memory import Memory

        return Memory
    raise AttributeError(f"module 'winnow' has no attribute {name!r}")
