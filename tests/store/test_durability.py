"""What waits for the disk is counted in the calls that SQLite makes to the system."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.store.making import add_entities, entity, ids_after
from tests.store.remembering import memory

import winnow
from winnow.access import Access, Scope
from winnow.errors import Forbidden, StoreError
from winnow.store.additions import make_draft
from winnow.store.base import Writer
from winnow.store.sqlite.store import open_store

SYSTEM = apsw.vfs_names()[0]
"""SQLite's own way to the files of this system."""
SYNCED: list[str] = []
"""The names of the files that were synced, in order, and `wrote` for each write to a log."""


class _Watched(apsw.VFS):
    """The file system as it is, with a note of each sync and of each write to a log."""

    def __init__(self) -> None:
        super().__init__("watched", SYSTEM, makedefault=True)

    def xOpen(  # noqa: N802
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> "_WatchedFile":
        return _WatchedFile(name, flags)


class _WatchedFile(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__(SYSTEM, name, flags)
        shown = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        self._name = shown.rpartition("/")[2]

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        SYNCED.append(self._name)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        super().xWrite(data, offset)  # pyright: ignore[reportUnknownMemberType]  # of Python 3.12
        if self._name.endswith("-wal"):
            SYNCED.append("wrote")


@pytest.fixture(autouse=True)
def watched() -> Iterator[list[str]]:
    """What has been synced since; every connection made meanwhile is watched."""
    vfs = _Watched()
    try:
        yield SYNCED
    finally:
        apsw.set_default_vfs(SYSTEM)
        vfs.unregister()
        SYNCED.clear()


def is_safe(calls: list[str]) -> bool:
    """Tell whether all that was written to the log was synced after that."""
    return calls[-1:] == ["winnow.db-wal"]


def test_a_write_that_returns_under_full_was_synced(path: Path, watched: list[str]) -> None:
    with closing(open_store(path, durability="full")) as store:
        for number in range(5):
            watched.clear()
            add_entities(store, entity(f"M-{number}"))
            assert "wrote" in watched
            assert is_safe(watched)


def test_normal_syncs_once_in_a_while_and_not_each_write(
    path: Path, watched: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with closing(open_store(path)) as store:
        safe: list[bool] = []
        for step in range(8):
            now = step * 0.05
            watched.clear()
            add_entities(store, entity(f"M-{step}"))
            safe.append(is_safe(watched))
    assert safe == [True, False, True, False, True, False, True, False]


def writes_nothing(writer: Writer) -> None:
    pass


def writes_what_is_undone(writer: Writer) -> None:
    drafts = [make_draft(memory(name)) for name in ("a", "b", "a")]
    with pytest.raises(StoreError, match="UNIQUE"):
        writer.additions.add(drafts)


@pytest.mark.parametrize("write", [writes_nothing, writes_what_is_undone])
def test_a_transaction_that_writes_nothing_is_not_the_one_that_syncs(
    path: Path,
    watched: list[str],
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[Writer], None],
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with closing(open_store(path)) as store:
        add_entities(store, entity("M-1"))
        now = 0.05
        add_entities(store, entity("M-2"))
        now = 0.2
        with store.write() as writer:
            write(writer)
        watched.clear()
        now = 0.21
        add_entities(store, entity("M-3"))
        assert is_safe(watched)


def test_flushing_makes_safe_what_this_and_other_connections_wrote(
    path: Path, watched: list[str]
) -> None:
    with closing(open_store(path)) as store, closing(open_store(path)) as other:
        for one in (store, other):
            add_entities(one, entity("M-1"))
            add_entities(one, entity("M-1", a=1), entity("M-2"))
        watched.clear()
        before = store.last_change()
        store.flush()
        assert is_safe(watched)
        assert store.last_change() == before
        assert ids_after(other, 0) == ["M-1", "M-2"]
        assert store.upkeep.check(0) == []


def test_closing_syncs_what_did_not_wait(path: Path, watched: list[str]) -> None:
    with closing(open_store(path)) as other:
        store = open_store(path)
        add_entities(store, entity("M-1"))
        add_entities(store, entity("M-2"))
        assert not is_safe(watched)
        store.close()
        assert is_safe(watched)
        watched.clear()
        open_store(path).close()
        assert watched == []
        assert ids_after(other, 0) == ["M-1", "M-2"]


def test_a_memory_is_opened_with_the_durability_that_is_asked_for(
    path: Path, watched: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stores_safely(memory: winnow.Memory) -> bool:
        memory.store("one", id="a")
        watched.clear()
        memory.store("two", id="a")
        return is_safe(watched)

    with winnow.open(path, durability="full") as memory:
        assert stores_safely(memory)
    with winnow.open(path) as memory:
        assert not stores_safely(memory)
        memory.flush()
        assert is_safe(watched)
    monkeypatch.setenv("WINNOW_DURABILITY", "full")
    with winnow.open(path) as memory:
        assert stores_safely(memory)
    with winnow.open(path, durability="normal") as memory:
        assert not stores_safely(memory)


def test_who_may_only_read_can_not_let_the_disk_work(path: Path) -> None:
    with winnow.open(path) as memory, pytest.raises(Forbidden, match="the scope write"):
        memory.restricted(Access(frozenset({Scope.READ}))).flush()


def test_flushing_a_closed_store_is_refused(path: Path) -> None:
    store = open_store(path)
    store.close()
    with pytest.raises(StoreError, match="is closed"):
        store.flush()
