"""What goes wrong on purpose: kills, a full disk, a read-only store, file limits, clocks."""

import errno
import resource
import subprocess
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from threading import Event, Thread

from tests.torture.speaking import Way

DAY = 86_400.0
DISK = 256 * 2**20  # bytes of the small disk


class Chaos(Thread):
    """Makes faults, one after another, until it is stopped; then all is as it was."""

    def __init__(self, ways: Sequence[Way], store: Path, random: Random, *, small: bool) -> None:
        super().__init__(name="chaos")
        self._ways, self._store, self._random = ways, store, random
        self._stopped = Event()
        self.made: Counter[str] = Counter()
        self._kinds = {
            self._kill: 10,
            self._turn_clock: 3,
            self._make_read_only: 1,
            self._limit_files: 1,
            **({self._fill_disk: 1} if small else {}),
        }

    def run(self) -> None:
        self._kill()
        while not self._stopped.wait(self._random.uniform(0.1, 1.5)):
            (make,) = self._random.choices(list(self._kinds), list(self._kinds.values()))
            make()

    def stop(self) -> None:
        self._stopped.set()
        self.join()

    def _kill(self) -> None:
        """Kill one that lives."""
        ways = self._random.sample(self._ways, len(self._ways))
        self.made["kills"] += any(one.kill() for one in ways)

    def _turn_clock(self) -> None:
        seconds = self._random.choice((-400, -1, -0.01, 0, 0.01, 1, 400)) * DAY
        self._random.choice(self._ways).turn_clock(seconds)
        self.made["jumps of a clock"] += 1

    def _make_read_only(self) -> None:
        """Take the right to write away; who has the file open keeps it, who starts does not."""
        with _read_only(self._store):
            self._wait_and_kill()
        self.made["times read-only"] += 1

    def _fill_disk(self) -> None:
        with _filled(self._store.with_name("ballast")):
            self._wait_and_kill()
        self.made["times a full disk"] += 1

    def _limit_files(self) -> None:
        """Let one process write no further into files than to some place, as a quota does."""
        process = self._random.choice(self._ways).process
        size = self._random.choice((0, 2**16, 2**20))
        if process is not None and _limit(process.pid, size):
            self._stopped.wait(self._random.uniform(0.1, 1.0))
            _limit(process.pid, resource.RLIM_INFINITY)
            self.made["limits of files"] += 1

    def _wait_and_kill(self) -> None:
        self._stopped.wait(self._random.uniform(0.1, 0.6))
        self._kill()
        self._stopped.wait(self._random.uniform(0.1, 0.6))


@contextmanager
def small_disk(folder: Path) -> Generator[bool]:
    """Let a folder be a disk of its own, if that is possible here, and tell whether it is."""
    mount = ("mount", "-t", "tmpfs", "-o", f"size={DISK},mode=700", "tmpfs", str(folder))
    done = not subprocess.run(mount, capture_output=True, check=False).returncode
    try:
        yield done
    finally:
        if done:
            subprocess.run(("umount", "-l", str(folder)), check=True)


@contextmanager
def _filled(ballast: Path) -> Generator[None]:
    """Leave no byte free on the disk during the block."""
    size = 2**20
    with ballast.open("wb", buffering=0) as file:
        try:
            while size:
                try:
                    file.write(bytes(size))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    size //= 2
            yield
        finally:
            ballast.unlink()


@contextmanager
def _read_only(store: Path) -> Generator[None]:
    files = [store, store.with_name(f"{store.name}.d") / "lock"]
    changed = [one for one in files if one.exists()]
    for one in changed:
        one.chmod(0o400)
    try:
        yield
    finally:
        for one in changed:
            one.chmod(0o600)


def _limit(process: int, size: int) -> bool:
    with suppress(OSError):
        resource.prlimit(process, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        return True
    return False
