"""Many processes work on one store while everything goes wrong; nothing acknowledged may be lost.

`python -m tests.torture --seconds 600` ends with a line of figures, and with an error if anything
was lost or is damaged. `make torture SECONDS=600` is the same.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from types import FrameType

from tests.torture.checking import find_damage, find_drift, find_losses
from tests.torture.faults import Chaos, small_disk
from tests.torture.ledger import Expected, Ledger, read_ledger
from tests.torture.speaking import Command, Http, Library, Resp, Stdio, Way
from tests.torture.working import Importer, Indexer, Reader, Vault, Worker, Writer

NOTES = 60
SHOWN = 20  # lines of what went wrong
KINDS = (
    *("library", "stdio", "http", "index", "read", "resp"),
    *("command", "import", "library", "stdio", "web"),
)
"""Who works, in the order in which they join; one more is never killed."""


def main() -> int:
    asked = _read_arguments()
    _become_able_to_mount(asked.apart)
    signal.signal(signal.SIGTERM, _stop)
    _say(f"seed {asked.seed}")
    folder = Path(tempfile.mkdtemp(prefix="torture-"))
    try:
        return Torture(folder, asked.seed, asked.processes).run(asked.seconds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Torture:
    """One run in a folder of its own."""

    def __init__(self, folder: Path, seed: int, processes: int) -> None:
        self._folder, self._seed = folder, seed
        self._disk = folder / "disk"
        self._disk.mkdir()
        self._store = self._disk / "winnow.db"
        (folder / "vault").mkdir()
        self._kinds = KINDS[: processes - 1]
        self._ledger = Ledger(folder / "ledger.jsonl")
        self._vault = Vault(folder / "vault", self._ledger, self._random("vault"), NOTES)
        self._witness = Library("witness", self._store, folder)

    def run(self, seconds: float) -> int:
        """Let all work for so many seconds; return the exit code."""
        with ExitStack() as cleanup:
            small = cleanup.enter_context(small_disk(self._disk))
            cleanup.callback(self._witness.close)
            self._witness.begin()  # a process dies with the thread that has started it
            workers = [self._make(kind, place) for place, kind in enumerate(self._kinds)]
            watcher = Reader(self._witness, self._ledger, self._random("watcher"))
            everybody = [*workers, watcher]
            cleanup.callback(_stop_all, everybody, self._vault)
            ways = [one.way for one in workers]
            chaos = Chaos(ways, self._store, self._random("chaos"), small=small)
            _start(everybody)
            self._vault.start()
            chaos.start()
            cleanup.callback(chaos.stop)
            _wait(seconds, everybody)
            chaos.stop()
            _stop_all(everybody, self._vault, keep=self._witness)
            return self._judge(everybody, chaos, small=small)

    def _judge(self, workers: Sequence[Worker], chaos: Chaos, *, small: bool) -> int:
        damage = find_damage(self._store)
        losses = find_losses(self._store, self._replay())
        for worker in workers:
            if isinstance(worker, Indexer):  # now that the notes are at rest, all of them are known
                worker.step()
        self._ledger.close()
        expected = self._replay()
        losses += find_losses(self._store, expected)
        drift = find_drift(self._witness, self._store, self._folder)
        faults = [fault for worker in workers for fault in worker.faults]
        for line in _describe(workers, chaos, expected, small=small):
            _say(line)
        for line in [*damage, *losses, *drift, *faults][:SHOWN]:
            _say(f"WRONG: {line}")
        worst = max((wait for one in workers for wait in one.waits), default=0.0)
        _say(
            f"acknowledged {sum(expected.acknowledged.values())}, lost {len(losses)},"
            f" kills {chaos.made['kills']}, worst wait {worst:.1f} s,"
            f" integrity {'broken' if damage else 'ok'}"
        )
        return 1 if damage or losses or drift or faults else 0

    def _replay(self) -> Expected:
        return read_ledger(self._folder / "ledger.jsonl")

    def _make(self, kind: str, place: int) -> Worker:
        name = f"{kind}-{place}"
        parts = self._ledger, self._random(name)
        if kind == "index":
            return Indexer(Command(name, self._store, self._folder), *parts, self._vault)
        if kind == "import":
            return Importer(Command(name, self._store, self._folder), *parts, self._folder)
        if kind in ("read", "web"):
            way = Library if kind == "read" else Http
            return Reader(way(name, self._store, self._folder), *parts)
        ways = {"library": Library, "stdio": Stdio, "http": Http, "resp": Resp, "command": Command}
        return Writer(ways[kind](name, self._store, self._folder), *parts)

    def _random(self, name: str) -> Random:
        return Random(f"{self._seed} {name}")


def _start(workers: Sequence[Worker]) -> None:
    """Let all begin, and wait until all have."""
    for one in workers:
        one.start()
    for one in workers:
        one.began.wait()


def _wait(seconds: float, workers: Sequence[Worker]) -> None:
    """Wait until the time is over, or somebody has seen a fault."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends and not any(one.faults for one in workers):
        time.sleep(0.1)


def _stop_all(workers: Sequence[Worker], vault: Vault, keep: Way | None = None) -> None:
    vault.stop()
    for one in workers:
        one.stopped.set()
    for one in workers:
        one.join()
        if one.way is not keep:
            one.way.close()


def _describe(
    workers: Sequence[Worker], chaos: Chaos, expected: Expected, *, small: bool
) -> Iterator[str]:
    """Say who waited how long, what was refused, and what went wrong on purpose."""
    for kind in dict.fromkeys(map(_kind, workers)):
        those = [one for one in workers if _kind(one) == kind]
        refused = Counter[str]()
        for one in those:
            refused.update(one.refused)
        parts = [
            _measure("answers", [wait for one in those for wait in one.waits]),
            _measure("first answers", [wait for one in those for wait in one.first_waits]),
            f"errors: {_list(refused)}" if refused else "",
        ]
        yield f"{kind} × {len(those)}: " + "; ".join(filter(None, parts))
    yield "acknowledged: " + _list(expected.acknowledged)
    yield "faults made: " + _list(chaos.made)
    if not small:
        yield "no small disk could be mounted here: only limits of files stood for a full one"


def _kind(worker: Worker) -> str:
    return worker.name.partition("-")[0]


def _measure(name: str, waits: Sequence[float]) -> str:
    if not waits:
        return ""
    waits = sorted(waits)
    p50, p99, worst = (waits[int((len(waits) - 1) * part)] * 1_000 for part in (0.5, 0.99, 1))
    return f"{len(waits):,} {name}, p50 {p50:.1f} ms, p99 {p99:.0f} ms, worst {worst:.0f} ms"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _list(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--processes", type=int, default=12, choices=range(2, 13))
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    parser.add_argument("--apart", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _become_able_to_mount(apart: bool) -> None:
    """Go on in a name space of one's own, where anybody may mount a disk, if the system lets us."""
    if os.geteuid() == 0 or apart or shutil.which("unshare") is None:
        return
    own = ("unshare", "--map-root-user", "--mount")
    if subprocess.run((*own, "true"), capture_output=True, check=False).returncode == 0:
        os.execvp(own[0], (*own, sys.executable, "-m", "tests.torture", "--apart", *sys.argv[1:]))


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit("stopped")


if __name__ == "__main__":
    sys.exit(main())
