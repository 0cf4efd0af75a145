"""What a command says at a terminal while it waits for columns."""

from io import StringIO
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pytest

from winnow.memory import Memory
from winnow.surfaces.cli import waiting


class Terminal(StringIO):
    """Somebody looks at it."""

    def isatty(self) -> bool:
        return True


class Busy:
    """A memory that makes columns; it is told how often somebody has looked."""

    def __init__(self, *lines: str | None) -> None:
        self.lines = [*lines]
        self.seen = Event()
        self.engine = SimpleNamespace(under_way=self._next)
        self.closed = False

    def _next(self) -> str | None:
        line = self.lines.pop(0) if self.lines else None
        if not self.lines:
            self.seen.set()
        return line

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def patch(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(waiting, "PATIENCE", 0.001)
    return monkeypatch


def shown_for(patch: pytest.MonkeyPatch, busy: Any) -> str:
    """Return what a terminal shows while a memory is busy."""
    shown = Terminal()
    with patch.context() as within:  # not earlier: pytest puts its own there before each phase
        within.setattr("sys.stderr", shown)
        with waiting.waiting(cast(Memory, busy)):
            busy.seen.wait(60)
    return shown.getvalue()


def test_it_tells_what_it_waits_for_and_takes_that_away(patch: pytest.MonkeyPatch) -> None:
    shown = shown_for(patch, Busy("making columns: 5 memories read", None, None))
    first, told, *more = shown.split("\r\x1b[K")
    assert (first, told) == ("", "making columns: 5 memories read")
    assert set(more) == {""}


def test_it_says_nothing_where_nothing_is_waited_for(patch: pytest.MonkeyPatch) -> None:
    assert shown_for(patch, Busy(None, None)) == ""


@pytest.mark.parametrize("kind", ["dumb", None])
def test_it_does_not_look_where_a_line_can_not_be_taken_back(
    patch: pytest.MonkeyPatch, kind: str | None
) -> None:
    if kind is None:
        patch.delenv("TERM")
    else:
        patch.setenv("TERM", kind)
    busy = Busy("making columns")
    busy.seen.set()
    assert shown_for(patch, busy) == ""
    assert busy.lines == ["making columns"]


def test_closing_closes_whatever_happens() -> None:
    busy = Busy()
    with pytest.raises(ValueError, match="wrong"), waiting.closing(cast(Memory, busy)):
        raise ValueError("wrong")
    assert busy.closed
