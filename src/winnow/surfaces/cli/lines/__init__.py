"""Answers for scripts: a line a record, a tab between columns, nothing else on standard output."""

from collections.abc import Mapping

import typer

from winnow.evaluation.report import BenchAnswer, EvaluationAnswer
from winnow.operations import access, answers, memories, reports, settings, upkeep
from winnow.surfaces.cli.lines import found, kept
from winnow.surfaces.cli.lines.notes import notes
from winnow.surfaces.cli.lines.sheet import Sheet, write_row
from winnow.surfaces.cli.plain import in_one_line

# How each answer is written; where it has two forms, the second is that of entities, or fields.
SHEETS: Mapping[type, tuple[Sheet, ...]] = {
    answers.RecallAnswer: (found.MEMORIES, found.ENTITIES),
    answers.ListAnswer: (found.MEMORIES, found.ENTITIES),
    memories.MemoryRecord: (found.MEMORIES,),
    memories.CheckAnswer: (found.LIKES,),
    answers.CountAnswer: (found.COUNT,),
    answers.AggregateAnswer: (found.FIGURES,),
    answers.ExplainAnswer: (found.PARTS,),
    answers.SchemaAnswer: (kept.SCHEMAS, kept.FIELDS),
    memories.DeleteAnswer: (kept.DELETION,),
    memories.UndeleteAnswer: (kept.RETURN,),
    memories.RetypeAnswer: (kept.RETYPING,),
    reports.IndexAnswer: (kept.INDEX,),
    reports.ImportAnswer: (kept.IMPORT,),
    settings.ExportAnswer: (kept.EXPORT,),
    reports.LintAnswer: (kept.FINDINGS,),
    upkeep.DoctorAnswer: (kept.DOCTOR,),
    upkeep.BackupAnswer: (kept.BACKUP,),
    upkeep.RestoreAnswer: (kept.RESTORE,),
    settings.CapabilitiesAnswer: (kept.CAPABILITIES,),
    settings.NamespaceAnswer: (kept.NAMESPACES,),
    settings.NamespacesAnswer: (kept.NAMESPACES,),
    settings.ReembedAnswer: (kept.REEMBEDDING,),
    access.KeysAnswer: (kept.KEYS,),
    access.CreateKeyAnswer: (kept.NEW_KEY,),
    access.RevokeKeyAnswer: (kept.REVOCATION,),
    EvaluationAnswer: (kept.EVALUATION,),
    BenchAnswer: (kept.BENCH,),
}


def write_lines(answer: object) -> None:
    """Write the records of an answer on standard output, and what is beside them on the other."""
    for row in choose_sheet(answer).rows(answer):
        typer.echo(write_row(row))
    for note in notes(answer):
        typer.echo(f"winnow: {in_one_line(note)}", err=True)


def choose_sheet(answer: object) -> Sheet:
    """Return how an answer is written."""
    first, *others = SHEETS[type(answer)]
    return others[0] if others and _is_typed(answer) else first


def _is_typed(answer: object) -> bool:
    """Whether an answer is about entities, or tells the fields of a schema."""
    if isinstance(answer, answers.RecallAnswer):
        return bool(answer.schema)
    if isinstance(answer, answers.ListAnswer):
        return answer.memories is None
    schemas = answer.schemas if isinstance(answer, answers.SchemaAnswer) else ()
    return any(one.fields is not None for one in schemas)
