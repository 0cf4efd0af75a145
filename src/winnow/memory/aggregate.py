"""Figures over the exact set that a filter describes."""

from winnow.errors import Fault, settle
from winnow.memory.engine import Engine
from winnow.memory.entities.inquiry import inquire
from winnow.memory.entities.questions import match, warn
from winnow.memory.figures import read_figures
from winnow.memory.records.listing import aggregate_memories
from winnow.operations.answers import AggregateAnswer
from winnow.operations.requests import AggregateRequest


def aggregate(engine: Engine, request: AggregateRequest, faults: list[Fault]) -> AggregateAnswer:
    """Compute figures over the exact set of entities, or memories, that a filter describes."""
    if request.schema is None:
        return aggregate_memories(engine, request, faults)
    inquiry = inquire(engine, request, faults)
    question = inquiry.question
    figures = read_figures(request, inquiry.domains, faults)
    settle(faults)
    matched = match(question)
    return AggregateAnswer(
        groups=figures.compute(matched.selections, question.minimum),
        filtered_entities=matched.count,
        undetermined=matched.open_count,
        filters=question.filters,
        where=question.where,
        warnings=warn(question, matched),
        as_of=engine.as_of(),
        of_notes=question.of_notes,
    )
