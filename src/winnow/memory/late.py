"""Operations that are seldom asked for: what they need is imported when they first are.

Reading Markdown, importing and looking after a store take as many modules as all else together; a
question, with which most programs begin, needs none of them.
"""

from typing import TYPE_CHECKING, TypeAlias

from winnow.errors import Fault
from winnow.memory.engine import Engine
from winnow.stages import Progress

if TYPE_CHECKING:
    from winnow.operations.changes import (
        ExportRequest,
        ImportRequest,
        IndexRequest,
        ReembedRequest,
    )
    from winnow.operations.reports import ImportAnswer, IndexAnswer, LintAnswer
    from winnow.operations.requests import DoctorRequest, LintRequest
    from winnow.operations.settings import ExportAnswer, ReembedAnswer
    from winnow.operations.upkeep import BackupAnswer, BackupRequest, DoctorAnswer

Faults: TypeAlias = list[Fault]


def index_vault(
    engine: Engine, request: "IndexRequest", faults: Faults, progress: Progress | None = None
) -> "IndexAnswer":
    """Read a folder of notes."""
    from winnow.memory.upkeep.indexing import index_vault as run

    return run(engine, request, faults, progress)


def import_(
    engine: Engine, request: "ImportRequest", faults: Faults, progress: Progress | None = None
) -> "ImportAnswer":
    """Import memories and entities."""
    from winnow.memory.transfer.importing import import_ as run

    return run(engine, request, faults, progress)


def export(engine: Engine, request: "ExportRequest", faults: Faults) -> "ExportAnswer":
    """Write memories and entities."""
    from winnow.memory.transfer.exporting import export as run

    return run(engine, request, faults)


def lint_notes(engine: Engine, request: "LintRequest", faults: Faults) -> "LintAnswer":
    """Tell what in the notes a person should look at."""
    from winnow.memory.upkeep.health import lint_notes as run

    return run(engine, request, faults)


def check_store(engine: Engine, request: "DoctorRequest", faults: Faults) -> "DoctorAnswer":
    """Tell whether the store is sound."""
    from winnow.memory.upkeep.soundness import check_store as run

    return run(engine, request, faults)


def repair_store(engine: Engine) -> "DoctorAnswer":
    """Mend what can be mended without losing anything."""
    from winnow.memory.upkeep.soundness import repair_store as run

    return run(engine)


def back_up(engine: Engine, request: "BackupRequest", faults: Faults) -> "BackupAnswer":
    """Copy the store into a file."""
    from winnow.memory.upkeep.backing import back_up as run

    return run(engine, request, faults)


def reembed(
    engine: Engine, request: "ReembedRequest", faults: Faults, progress: Progress | None = None
) -> "ReembedAnswer":
    """Make the vectors that the current embedder has not made."""
    from winnow.memory.upkeep.reembedding import reembed as run

    return run(engine, request, faults, progress)
