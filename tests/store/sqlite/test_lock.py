import os
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from winnow.errors import StoreError
from winnow.store.sqlite import lock as locks
from winnow.store.sqlite.lock import WriteLock

HOLD = """
import sys
from pathlib import Path
from winnow.store.sqlite.lock import WriteLock
with WriteLock(Path(sys.argv[1])).hold():
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "s.d" / "lock"


def waits(lock: WriteLock) -> tuple[threading.Thread, threading.Event]:
    """A thread that takes the lock, and the event that tells that it has it."""
    got = threading.Event()

    def take() -> None:
        with lock.hold():
            got.set()

    thread = threading.Thread(target=take)
    thread.start()
    return thread, got


def test_another_process_is_waited_for_until_it_lets_go_or_dies(place: Path) -> None:
    for end in ("\n", None):
        child = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(place)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        thread, got = waits(WriteLock(place))
        assert not got.wait(0.05)
        if end is None:
            child.kill()
        child.communicate(end)
        thread.join()
        assert got.is_set()


def test_two_locks_of_one_file_exclude_each_other(place: Path) -> None:
    with WriteLock(place).hold():
        thread, got = waits(WriteLock(place))
        assert not got.wait(0.05)
    thread.join()
    assert got.is_set()


def test_a_thread_that_holds_it_is_told_so(place: Path) -> None:
    lock = WriteLock(place)
    with lock.hold(), pytest.raises(StoreError, match="in this thread"), lock.hold_threads():
        pass
    with lock.hold():
        assert place.is_file()


def test_a_fork_meanwhile_keeps_nobody_out(place: Path) -> None:
    ready, done = os.pipe()
    with WriteLock(place).hold():
        child = os.fork()
        if child == 0:
            os.close(done)
            os.read(ready, 1)
            os._exit(0)
    thread, got = waits(WriteLock(place))
    free = got.wait(5)
    os.close(done)
    os.close(ready)
    os.waitpid(child, 0)
    thread.join()
    assert free


def test_a_process_that_forks_off_waits_for_the_lock_like_any_other(place: Path) -> None:
    lock = WriteLock(place)
    with lock.hold():
        pass  # the file is open, and the other process gets it
    begins, begin = os.pipe()
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(begins, 1)
        with lock.hold():
            os.write(tell, b"held")
            os._exit(0)
    with lock.hold():
        os.write(begin, b"!")
        assert not select.select([told], [], [], 0.05)[0]
    assert os.read(told, 4) == b"held"
    os.waitpid(child, 0)
    for end in (begins, begin, told, tell):
        os.close(end)


def test_the_lock_of_a_killed_process_does_not_outlive_it_in_one_that_it_forked(
    place: Path,
) -> None:
    alive, stop = os.pipe()
    holder = os.fork()
    if holder == 0:
        lock = WriteLock(place)
        with lock.hold():
            pass
        if os.fork() == 0:
            os.close(stop)
            os.read(alive, 1)
            os._exit(0)
        with lock.hold():
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(holder, 0)
    thread, got = waits(WriteLock(place))
    free = got.wait(5)
    os.close(stop)
    os.close(alive)
    thread.join()
    assert free


def test_a_lock_whose_file_was_removed_is_that_of_the_new_file(place: Path) -> None:
    lock = WriteLock(place)
    with lock.hold():
        pass
    place.unlink()
    with WriteLock(place).hold():
        thread, got = waits(lock)
        assert not got.wait(0.05)
    thread.join()
    assert got.is_set()


def test_a_platform_without_file_locks_has_the_lock_of_threads(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "fcntl", None)
    lock = WriteLock(place)
    with lock.hold():
        thread, got = waits(lock)
        assert not got.wait(0.05)
    thread.join()
    assert got.is_set()
