"""Notes about matters, and a store that has read them."""

import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.memory.remembering import Clock, open_at
from tests.vault.making import make_vault

from winnow.memory import Memory
from winnow.operations.answers import RecallAnswer


def about(matter: int | Sequence[int], text: str = "", **frontmatter: Any) -> str:
    """A note that declares a matter, or a block for each of several."""
    if not isinstance(matter, int):
        return "\n".join(f"CLAWQL_MATTER_ID=MAT-{one}\n\n{text}\n" for one in matter)
    fields = {"id": f"MAT-{matter}", **frontmatter}
    lines = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return f"---\n{lines}---\n{text}\n"


@contextmanager
def noted(notes: Mapping[str, str], namespace: str | None = None) -> Generator[Memory]:
    """A store of the notes of one vault; their times are those of the clock's first day."""
    with tempfile.TemporaryDirectory() as name, open_at(Path(name) / "w.db", Clock()) as memory:
        read(memory, Path(name) / "vault", notes, namespace)
        yield memory


def read(
    memory: Memory, folder: Path, notes: Mapping[str, str], namespace: str | None = None
) -> None:
    """Write notes into a folder and index it."""
    make_vault(folder, notes)
    memory.admin.index(str(folder), namespace=namespace)


def entities(answer: RecallAnswer) -> list[str]:
    """The ids of the hits."""
    return [hit.entity_id for hit in answer.entities]
