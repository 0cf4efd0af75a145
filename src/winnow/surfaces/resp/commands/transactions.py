"""Commands that gather others, which then run with no change of anybody's between them.

EXEC itself is run by the session, which runs commands.
"""

from typing import Final

from winnow.surfaces.resp.grammar import Given
from winnow.surfaces.resp.replies import OK, Refusal, Reply
from winnow.surfaces.resp.service import Desk
from winnow.surfaces.resp.signatures import Effect, Signature


def _multi(desk: Desk, given: Given) -> Reply:
    if desk.client.queue is not None:
        raise Refusal("ERR MULTI calls can not be nested")
    desk.client.queue = []
    return OK


def _discard(desk: Desk, given: Given) -> Reply:
    if desk.client.queue is None:
        raise Refusal("ERR DISCARD without MULTI")
    desk.client.queue = None
    return OK


def _exec(desk: Desk, given: Given) -> Reply:
    raise Refusal("ERR EXEC without MULTI")


COMMANDS: Final = (
    Signature("multi", "Gather the commands that follow.", _multi, Effect.CONNECTION, most=1),
    Signature("discard", "Forget what was gathered.", _discard, Effect.CONNECTION, most=1),
    Signature("exec", "Run what was gathered, at once.", _exec, Effect.CONNECTION, most=1),
)

NOT_QUEUED: Final = frozenset({"multi", "exec", "discard", "quit", "reset"})
"""Commands that are run at once between MULTI and EXEC, too."""
