"""Kinds of records: the sixteen names, the filter on them, and how a record gets its kind."""

from winnow.kinds.classifier import classify
from winnow.kinds.policy import Assigned, Policy, assign, read_mode, read_model_word, read_policy
from winnow.kinds.selection import AnyKind, KindFilter, NoKind, OneOf, read_kinds
from winnow.kinds.table import (
    DEFAULT_KIND,
    KINDS,
    MEANINGS,
    Provenance,
    check_kind,
    read_kind,
)
from winnow.values import Json

__all__ = [
    "DEFAULT_KIND",
    "KINDS",
    "MEANINGS",
    "AnyKind",
    "Assigned",
    "KindFilter",
    "NoKind",
    "OneOf",
    "Policy",
    "Provenance",
    "assign",
    "check_kind",
    "classify",
    "read_kind",
    "read_kinds",
    "read_mode",
    "read_model_word",
    "read_policy",
    "vocabulary",
]


def vocabulary() -> dict[str, Json]:
    """Return what `capabilities` says of kinds, its block `memory_kind_vocab`."""
    return {
        "vocabulary": list(KINDS),
        "recall_filter": "implemented",
        "cli_filter": "implemented",
        "auto_classify": "implemented",
        "auto_classify_modes": [mode.value for mode in Policy],
    }
