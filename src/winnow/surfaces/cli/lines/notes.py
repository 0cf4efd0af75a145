"""What stands beside the records of an answer: lines for standard error."""

from collections.abc import Iterator
from typing import Any, cast

from winnow.errors import counted
from winnow.filter.ops import OPERATORS
from winnow.operations.answers import RecallAnswer, Undetermined
from winnow.operations.memories import CheckAnswer, Profile
from winnow.operations.reports import ImportAnswer, IndexAnswer, LintAnswer


def notes(answer: object) -> Iterator[str]:
    """Yield what a person should know of an answer: warnings, what is open, what is left out."""
    found = cast(Any, answer)
    yield from getattr(found, "warnings", None) or ()
    for note in getattr(found, "source_notes", None) or ():
        yield f"{note.source}: {note.note}"
    for one in getattr(found, "dropped", None) or ():
        yield f"{one.id} was left out: {one.reason}"
    if count := _count_open(getattr(found, "undetermined", None)):
        yield f"{count} undetermined"
    if count := getattr(found, "read_only", None):
        yield describe_pieces(count)
    for kind, more in _MORE.items():
        if isinstance(answer, kind):
            yield from more(answer)
    if cursor := getattr(found, "cursor", None):
        yield f"more with --cursor {cursor}"


def describe_profile(profile: Profile) -> str:
    """Say in a line what a recall read."""
    return (
        f"{counted(profile.candidates, 'candidates')},"
        f" {counted(profile.vectors_compared, 'vectors')} compared,"
        f" {profile.rows_rescored:,} of them twice, {profile.bytes_read:,} bytes of vectors read"
    )


def describe_pieces(count: int) -> str:
    """Say how many pieces of notes were left out of a change."""
    return f"{counted(count, 'pieces')} of notes left out: notes are read-only"


def _count_open(found: object) -> int:
    """Return how many are not certain; an explanation has a yes or no of its own."""
    if isinstance(found, Undetermined):
        return found.count
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def _of_recall(answer: RecallAnswer) -> Iterator[str]:
    for miss in answer.near_misses or ():
        symbol = OPERATORS[miss.op].symbol if miss.op in OPERATORS else miss.op
        yield f"near miss {miss.entity_id}: {miss.field} {symbol} {miss.bound}, not {miss.actual}"
    if answer.profile is not None:
        for one in answer.profile.stages:
            yield f"{one.stage}: {one.milliseconds:.3f} ms"
        yield describe_profile(answer.profile)


def _of_check(answer: CheckAnswer) -> Iterator[str]:
    if answer.message:
        yield answer.message


def _of_index(answer: IndexAnswer) -> Iterator[str]:
    for problem in answer.problems:
        place = problem.path if problem.line is None else f"{problem.path}:{problem.line}"
        yield f"{place}: {problem.detail}"


def _of_import(answer: ImportAnswer) -> Iterator[str]:
    for fault in answer.errors:
        yield f"refused {fault}"


def _of_lint(answer: LintAnswer) -> Iterator[str]:
    for schema, counts in answer.missing.items():
        for name, count in counts.items():
            if count:
                yield f"{count} {schema} lack {name}"


_MORE: dict[type, Any] = {
    RecallAnswer: _of_recall,
    CheckAnswer: _of_check,
    IndexAnswer: _of_index,
    ImportAnswer: _of_import,
    LintAnswer: _of_lint,
}
