"""Servers in processes of their own, and what each of them uses up."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

COMMAND = str(Path(sys.executable).parent / "winnow")
MEGABYTE = 1 << 20


@contextmanager
def serve_http(store: Path) -> Generator[tuple[int, int]]:
    """Serve a store on a port that was free; yield the process and the port."""
    command = (COMMAND, "--store", str(store), "serve", "--port", "0", "--quiet")
    with TemporaryFile() as log, subprocess.Popen(command, stderr=log) as process:
        try:
            yield process.pid, _wait_for_port(process, log.fileno())
        except BaseException:
            sys.stderr.write(os.pread(log.fileno(), 100_000, 0).decode())  # it may know why
            raise
        finally:
            process.terminate()


def _wait_for_port(process: "subprocess.Popen[bytes]", log: int) -> int:
    while process.poll() is None:
        if found := re.search(rb"listening on \S+:(\d+) ", os.pread(log, 1_000, 0)):
            return int(found[1])
        time.sleep(0.01)
    raise RuntimeError(os.pread(log, 1_000, 0).decode())


def mcp_command(store: Path) -> list[str]:
    """Return what serves a store by standard input and output."""
    return [COMMAND, "--store", str(store), "mcp"]


def resident_megabytes(process: int) -> float:
    """Return how much memory a process has now, files that it has mapped included."""
    shown = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(process)], check=True, stdout=subprocess.PIPE
    )
    return int(shown.stdout) * 1_024 / MEGABYTE


def used_milliseconds(process: int) -> float:
    """Return how long a process has been at work; 0 where the system doesn't tell."""
    try:
        shown = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    user, system = shown.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK") * 1_000
