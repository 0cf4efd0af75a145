"""Where the stores to compare with come from: what is installed, else a copy in the cache.

Each store has a folder of its own there, so that what one needs never changes what another gets.
"""

import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from bench.compare.data import keep
from bench.compare.peers.base import Peer, Unavailable

REQUIREMENTS: Final = Path(__file__).with_name("requirements.txt")
PROJECT: Final = Path(__file__).parents[2]
_LINE: Final = re.compile(
    r"(?P<npm># from npm: )?(?P<name>[\w-]+)(?P<extra>\[\w+\])?==(?P<version>\S+)"
)
_PATIENCE: Final = 900  # seconds for one store's packages


@dataclass(frozen=True, slots=True)
class Requirement:
    """A package at the version that is compared."""

    name: str
    version: str
    extra: str = ""
    from_npm: bool = False

    def __str__(self) -> str:
        return f"{self.name}{self.extra}=={self.version}"


@dataclass(frozen=True, slots=True)
class Place:
    """How a process finds a store: what is added to its environment, and which version it is."""

    environment: Mapping[str, str]
    version: str


def read_requirements(text: str) -> Mapping[str, Requirement]:
    """Return the packages of a requirements file by name; those of npm stand in comments."""
    found = filter(None, map(_LINE.fullmatch, text.splitlines()))
    return {
        one["name"]: Requirement(one["name"], one["version"], one["extra"] or "", bool(one["npm"]))
        for one in found
    }


def find_place(peer: Peer, cache: Path, *, install: bool) -> Place:
    """Return where a store is, installed into the cache if need be and allowed.

    Raises Unavailable.
    """
    known = read_requirements(REQUIREMENTS.read_text("utf-8"))
    wanted = [known[name] for name in peer.packages]
    environment = {"PYTHONPATH": _join_paths()}
    first = wanted[0]
    from_pip = [one for one in wanted if not one.from_npm]
    version = _installed(first) or first.version
    if not all(map(_installed, from_pip)):
        site = _fetch(cache / "site", from_pip, install=install)
        environment["PYTHONPATH"] = _join_paths(site)
        version = first.version
    if first.from_npm:
        version = first.version
        if "KLYRO" not in os.environ:
            folder = _fetch(cache / "site", [first], install=install)
            environment["KLYRO"] = str(folder / "package" / "bin" / "klyro")
    return Place(environment, version)


def ours() -> Place:
    """Return where Winnow itself is."""
    return Place({"PYTHONPATH": _join_paths()}, "")


def _join_paths(*first: Path) -> str:
    given = os.environ.get("PYTHONPATH")
    return os.pathsep.join((*map(str, first), str(PROJECT), *([given] if given else [])))


def _installed(wanted: Requirement) -> str | None:
    try:
        return metadata.version(wanted.name)
    except metadata.PackageNotFoundError:
        return None


def _fetch(site: Path, wanted: Iterable[Requirement], *, install: bool) -> Path:
    wanted = list(wanted)
    names = [f"{one.name}-{one.version}" for one in wanted]
    python = f"{sys.implementation.cache_tag}"
    folder = site / "-".join((*names, python))
    if not install and not folder.exists():
        raise Unavailable(f"{wanted[0].name} is not installed")
    load = _pack if wanted[0].from_npm else _install
    return keep(folder, lambda into: load(wanted, into))


def _install(wanted: Iterable[Requirement], folder: Path) -> None:
    print(f"installing {', '.join(map(str, wanted))} ...", file=sys.stderr)
    words = ["install", "--quiet", "--disable-pip-version-check", "--target", str(folder)]
    _call([sys.executable, "-m", "pip", *words, *map(str, wanted)])


def _pack(wanted: Iterable[Requirement], folder: Path) -> None:
    for one in wanted:
        _call(["npm", "pack", "--silent", f"{one.name}@{one.version}"], folder)
    for archive in folder.glob("*.tgz"):
        with tarfile.open(archive) as file:
            file.extractall(folder, filter="data")


def _call(command: list[str], folder: Path | None = None) -> None:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{command[0]}: {error}") from None
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Unavailable(lines[-1] if lines else f"{command[0]} ended with {done.returncode}")
