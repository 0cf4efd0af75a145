"""One target, fed by atheris for some seconds: `python -m tests.hostile.guided NAME SECONDS`."""

import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any


def main(name: str, seconds: str) -> None:
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["winnow"]):
        targets = importlib.import_module("tests.hostile.targets")
    target = targets.TARGETS[name]
    corpus = Path(tempfile.mkdtemp(prefix="winnow-fuzz-"))
    for number, piece in enumerate(target.pieces):
        (corpus / str(number)).write_bytes(piece)
    limits = [
        f"-max_total_time={seconds}",
        "-timeout=10",
        "-max_len=4000",
        f"-artifact_prefix={corpus}/",
    ]
    atheris.Setup([sys.argv[0], *limits, str(corpus)], target.check)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
