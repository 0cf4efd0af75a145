"""Loading many notes in other processes, so that the store is written meanwhile.

A worker is this module, run by the same Python: it is sent a loader and then batches of files,
and answers each with what it read. Where it can't be started, or breaks, the batch is loaded
here instead.
"""

import copyreg
import os
import pickle
import select
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import fields
from operator import attrgetter
from queue import SimpleQueue
from typing import IO, TypeAlias, cast

from winnow.records import Candidate, Evidence, Finding
from winnow.store.base import Contribution, NoteRow
from winnow.store.memories import Piece, Record
from winnow.vault.loading import Loader, Reading, ToRead
from winnow.vault.reading import BuiltNote

MANY = 2_000
"""Files for which it pays to start workers: that takes as long as to load some 500 here."""
MOST_WORKERS = 4
"""More would wait for the one that writes."""
AHEAD = 2
"""Batches for each worker that are loaded or wait to be written."""
START_SECONDS = 20
"""Seconds that a worker may take to start before it is given up."""

Batch: TypeAlias = list[ToRead]
Readings: TypeAlias = list[Reading]


def load_batches(
    loader: Loader, batches: Iterable[Batch], total: int
) -> Generator[tuple[Batch, Readings]]:
    """Load batches of files, `total` in all, in their order, each before it is asked for."""
    count = min(count_processors(), MOST_WORKERS)
    if total < MANY or count < 2:
        return ((batch, [loader.load(item) for item in batch]) for batch in batches)
    return _load_in_workers(loader, batches, count)


def count_processors() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def serve(source: IO[bytes], target: IO[bytes]) -> None:
    """Be a worker: say so, take a loader, then batches, and answer each until there are no more."""
    _send(_READY, target)
    loader = cast(Loader, pickle.load(source))
    while True:
        try:
            batch = cast(Batch, pickle.load(source))
        except EOFError:
            return
        _send([loader.load(item) for item in batch], target)


def _load_in_workers(
    loader: Loader, batches: Iterable[Batch], count: int
) -> Generator[tuple[Batch, Readings]]:
    workers = [_Worker(loader) for _ in range(count)]
    free: SimpleQueue[_Worker] = SimpleQueue()
    for worker in workers:
        free.put(worker)

    def load(batch: Batch) -> Readings:
        worker = free.get()
        try:
            return worker.load(batch)
        finally:
            free.put(worker)

    threads = ThreadPoolExecutor(count)
    waiting: deque[tuple[Batch, Future[Readings]]] = deque()
    try:
        for batch in batches:
            waiting.append((batch, threads.submit(load, batch)))
            if len(waiting) == count * AHEAD:
                yield _take(waiting)
        while waiting:
            yield _take(waiting)
    finally:
        for worker in workers:
            worker.stop()
        threads.shutdown(cancel_futures=True)


def _take(waiting: "deque[tuple[Batch, Future[Readings]]]") -> tuple[Batch, Readings]:
    batch, future = waiting.popleft()
    return batch, future.result()


class _Worker:
    """A process that loads, or the loader itself where there is none."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self._process = _start()
        self._ready = False

    def load(self, batch: Batch) -> Readings:
        """Load a batch, here if the process can't."""
        process = self._process
        if process is not None and process.stdin is not None and process.stdout is not None:
            try:
                if not self._ready:
                    _prepare(self._loader, process.stdin, process.stdout)
                    self._ready = True
                _send(batch, process.stdin)
                return cast(Readings, pickle.load(process.stdout))
            except Exception:  # noqa: BLE001 - whatever broke it, the loader is still here
                self.stop()
        return [self._loader.load(item) for item in batch]

    def stop(self) -> None:
        """End the process; what it is asked for from now on is loaded here."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


# -P keeps the current folder, in which a stranger's modules may lie, out of Python's path.
_COMMAND = ("-P", "-m", "winnow.vault.workers")


def _start() -> "subprocess.Popen[bytes] | None":
    """Start a process in a session of its own, so that Ctrl-C reaches only the one that asked."""
    if not sys.executable or hasattr(sys, "frozen"):  # a program of its own, not Python
        return None
    try:
        return subprocess.Popen(
            [sys.executable, "-X", f"utf8={sys.flags.utf8_mode}", *_COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError):
        return None


def _prepare(loader: Loader, source: IO[bytes], target: IO[bytes]) -> None:
    """Wait for a worker to begin, and send it the loader; raises what goes wrong."""
    answers, _, _ = select.select([target], [], [], START_SECONDS)
    if not answers or pickle.load(target) != _READY:
        raise TimeoutError("the worker does not begin")
    _send(loader, source)


def _send(value: object, target: IO[bytes]) -> None:
    pickler = pickle.Pickler(target, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCERS
    pickler.dump(value)
    target.flush()


def _reducer(kind: type) -> "Callable[[object], tuple[type, tuple[object, ...]]]":
    """Take a dataclass apart quickly; its own way asks for each field by name, in Python."""
    parts = attrgetter(*(field.name for field in fields(kind)))
    return lambda value: (kind, parts(value))


_REDUCERS = copyreg.dispatch_table.copy()
_REDUCED = (BuiltNote, Candidate, Contribution, Evidence, Finding, NoteRow, Piece, Record)
_REDUCERS.update({kind: _reducer(kind) for kind in _REDUCED})


_READY = "ready"


def _main() -> None:
    """Serve on the standard streams; what a library prints must not get between the answers."""
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, target)


if __name__ == "__main__":
    _main()
