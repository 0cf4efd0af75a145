"""The stored files of each version of the store: how they are made, and what is in them.

A script in `store/sqlite/sql` makes a version, and each version has a file in `stored`, written
by the program of that time. `python -m tests.store.storing` writes that of the newest version,
once.
"""

import gzip
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import winnow
from winnow.store.sqlite.connection import Connection

FOLDER = Path(__file__).parent / "stored"
NOTE = "# MAT-1007\n\nCLAWQL_MATTER_ID=MAT-1007\nCLAWQL_ESCROW_PCT=12\n\nA note about escrow.\n"
TEXTS: Mapping[str, str] = {
    "alpha": "Token rotation was approved for every service, at last",
    "beta": "The buyer wants an escrow of 12 %",
    "gamma": "设备 are delivered on Monday",
}
DELETED = "delta"
ESCROW: Mapping[str, int] = {"MAT-1007": 12, "MAT-1008": 15}
"""What a note says of the first matter, and an import of the second."""


def stored(version: int) -> Path:
    """Return the place of the file of a version."""
    return FOLDER / f"{version:04}.db.gz"


def unpack(version: int, path: Path) -> None:
    """Write the file of a version, as its program left it."""
    path.write_bytes(gzip.decompress(stored(version).read_bytes()))


def fill(path: Path, vault: Path) -> None:
    """Make a store with all that a program can keep; only what every program since can do."""
    (vault / "seven.md").write_text(NOTE, encoding="utf-8")
    with winnow.open(path) as memory:
        for name, text in TEXTS.items():
            memory.store(text, id=name, tags=["law/ip"], metadata={"project": "atlas"})
        memory.store(TEXTS["alpha"][:-9], id="alpha")
        memory.update("alpha", text=TEXTS["alpha"])
        memory.store("never mind", id=DELETED)
        memory.delete(DELETED)
        fields = {"escrowPct": ESCROW["MAT-1008"]}
        memory.admin.import_(
            entities=[{"schema": "legal.Matter", "id": "MAT-1008", "fields": fields}]
        )
        memory.admin.index(str(vault))


def pack(path: Path) -> None:
    """Keep the file of a store among the stored ones, under its version."""
    with closing(Connection(path)) as connection:
        connection.execute("UPDATE vault SET root = '/vault'")
        connection.execute("VACUUM")  # else the place where it was is still to be read
        (version,) = connection.one(tuple[int], "PRAGMA user_version")
    if stored(version).exists():
        sys.exit(f"{stored(version).name} is there: what was released once stays as it is")
    stored(version).write_bytes(gzip.compress(path.read_bytes(), mtime=0))


def main() -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "vault").mkdir()
        fill(folder / "winnow.db", folder / "vault")
        pack(folder / "winnow.db")


if __name__ == "__main__":
    main()
