"""Answers for people: how each is written on a page."""

import sys
from collections.abc import Callable, Mapping
from typing import Any

from winnow.evaluation.report import BenchAnswer, EvaluationAnswer
from winnow.operations import access, answers, memories, reports, settings, upkeep
from winnow.surfaces.cli.page import Page
from winnow.surfaces.cli.render.access import write_key, write_keys, write_revocation
from winnow.surfaces.cli.render.evaluation import write_evaluation
from winnow.surfaces.cli.render.explained import write_explanation
from winnow.surfaces.cli.render.figures import write_aggregate, write_count
from winnow.surfaces.cli.render.hits import write_list, write_recall
from winnow.surfaces.cli.render.intake import write_import, write_index
from winnow.surfaces.cli.render.memories import (
    write_check,
    write_deletion,
    write_memory,
    write_return,
    write_retyping,
)
from winnow.surfaces.cli.render.safety import write_backup, write_restoration
from winnow.surfaces.cli.render.schemas import write_schemas
from winnow.surfaces.cli.render.settings import (
    write_capabilities,
    write_export,
    write_namespace,
    write_namespaces,
    write_reembedding,
)
from winnow.surfaces.cli.render.soundness import write_doctor, write_lint
from winnow.surfaces.cli.render.timing import write_bench

WRITERS: Mapping[type, Callable[[Any, Page], None]] = {
    answers.RecallAnswer: write_recall,
    answers.CountAnswer: write_count,
    answers.ListAnswer: write_list,
    answers.AggregateAnswer: write_aggregate,
    answers.ExplainAnswer: write_explanation,
    answers.SchemaAnswer: write_schemas,
    memories.MemoryRecord: write_memory,
    memories.DeleteAnswer: write_deletion,
    memories.UndeleteAnswer: write_return,
    memories.RetypeAnswer: write_retyping,
    memories.CheckAnswer: write_check,
    settings.NamespaceAnswer: write_namespace,
    settings.NamespacesAnswer: write_namespaces,
    settings.ReembedAnswer: write_reembedding,
    settings.ExportAnswer: write_export,
    settings.CapabilitiesAnswer: write_capabilities,
    reports.IndexAnswer: write_index,
    reports.ImportAnswer: write_import,
    reports.LintAnswer: write_lint,
    upkeep.DoctorAnswer: write_doctor,
    upkeep.BackupAnswer: write_backup,
    upkeep.RestoreAnswer: write_restoration,
    access.CreateKeyAnswer: write_key,
    access.KeysAnswer: write_keys,
    access.RevokeKeyAnswer: write_revocation,
    EvaluationAnswer: write_evaluation,
    BenchAnswer: write_bench,
}


def render(answer: object) -> None:
    """Write an answer on standard output."""
    WRITERS[type(answer)](answer, Page(sys.stdout))
