"""Hooks of Claude Code: what they are told, within a bounded time, as one JSON object."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from threading import Thread

from winnow.errors import Fault, InvalidRequest, unknown
from winnow.surfaces.cli.session import Session, write_json
from winnow.values import Json

DEADLINE = 3.0
"""Seconds after which a hook says nothing rather than let anybody wait."""


def run_hook(session: Session, event: str) -> None:
    """Print what a hook has to say; an empty object if that can't be found out in time."""
    if event not in EVENTS:
        raise InvalidRequest([Fault("/event", unknown("event", event, EVENTS))])
    told: list[Mapping[str, Json]] = []
    thread = Thread(target=_tell, args=(session, event, told), daemon=True)
    thread.start()
    thread.join(DEADLINE)
    write_json(json.dumps(told[0] if told else {}, ensure_ascii=False))
    if thread.is_alive():
        sys.stdout.flush()
        os._exit(0)  # a store that does not answer must not keep the process


def _tell(session: Session, event: str, told: list[Mapping[str, Json]]) -> None:
    try:
        told.append(EVENTS[event](session))
    except Exception:  # noqa: BLE001  # a hook never stands in anybody's way
        told.append({})


def _begin(session: Session) -> Mapping[str, Json]:
    """Tell the agent what is stored, in numbers: no text of a memory gets in unasked."""
    from winnow.app import open_memory

    with open_memory(session.store, create=False) as memory:
        memories = memory.count().count
        types = [one for one in memory.schema().schemas if one.entities]
    parts = [f"memories and pieces of notes: {memories}"]
    parts += [f"{one.name}: {one.entities}" for one in types]
    context = (
        f"Winnow, the typed memory of this project, holds {'; '.join(parts)}. Before answering"
        ' from memory, ask it: "all X where …" is memory_recall with schema and filters, anything'
        " told in words is memory_recall with a query. Before storing, ask recall_check."
    )
    return {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": context},
    }


def _end(session: Session) -> Mapping[str, Json]:
    """Tell the person how much is remembered, and when the last of it was stored."""
    from winnow.app import open_memory

    with open_memory(session.store, create=False) as memory:
        newest = memory.list(limit=1, order_by="createdAt:desc", where="path is null")
    if not newest.memories:
        return {}
    count, last = newest.filtered_entities, newest.memories[0].created_at
    return {"systemMessage": f"Winnow holds memories: {count}; the last was stored at {last}."}


EVENTS: Mapping[str, Callable[[Session], Mapping[str, Json]]] = {
    "session-start": _begin,
    "session-end": _end,
}
