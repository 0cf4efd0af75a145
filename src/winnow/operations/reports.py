"""What reading notes, importing and looking through notes come to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from winnow.errors import Fault
from winnow.operations.memories import AsOf
from winnow.records import Finding


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """What reading a vault came to.

    `read` counts the files that were opened, `skipped` what was left out or could not be read,
    `kept` notes whose files are gone, so many that it may be a mistake. `problems` are what was
    skipped, and the notes that could not be read as meant, up to a hundred. `redacted` counts the
    secrets in what was read, by kind; they are not stored.
    """

    vault: str
    namespace: str
    notes: int
    added: int
    changed: int
    moved: int
    removed: int
    unchanged: int
    read: int
    skipped: int
    kept: int
    entities: Mapping[str, int]
    findings: int
    problems: Sequence[Finding]
    warnings: Sequence[str] | None
    as_of: AsOf
    redacted: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Intake:
    """How many things of one sort came in. `expired` were left out: their time is over."""

    added: int
    changed: int
    unchanged: int
    expired: int | None = None


@dataclass(frozen=True, slots=True)
class ImportAnswer:
    """What an import came to; a refused line changes nothing, the others go in.

    `added`, `changed` and `unchanged` count memories and entities together. `namespaces` and
    `packs` count those that were set otherwise. `redacted` counts secrets that are not stored, by
    kind. `skipped` were left out on purpose, as warnings say. A dry run tells what would come in.
    """

    added: int
    changed: int
    unchanged: int
    refused: int
    skipped: int | None
    format: str
    dry_run: bool | None
    errors: Sequence[Fault]
    memories: Intake
    entities: Intake
    namespaces: int
    packs: int
    warnings: Sequence[str] | None
    as_of: AsOf
    redacted: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class LintAnswer:
    """What a person should look at; `total` counts all findings, by code in `counts`."""

    findings: Sequence[Finding]
    total: int
    counts: Mapping[str, int]
    missing: Mapping[str, Mapping[str, int]]
    as_of: AsOf
