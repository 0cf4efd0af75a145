"""A store of memories, and its clock."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.memory.remembering import Clock, open_at

from winnow.memory import Memory


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still until it is moved."""
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    """An empty store under that clock."""
    with open_at(tmp_path / "winnow.db", clock) as opened:
        yield opened
