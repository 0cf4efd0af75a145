"""Acting as a user who has no more rights than others."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def as_nobody(folder: Path) -> Generator[None]:
    """Root may write anywhere, so act as a user who may not."""
    if os.geteuid() != 0:
        yield
        return
    for one in [*folder.rglob("*"), folder]:
        os.chown(one, 65534, 65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
