"""All commands, by name."""

from collections.abc import Mapping
from typing import Final

from winnow.surfaces.resp.commands import (
    changes,
    connection,
    indexes,
    keyspace,
    questions,
    server,
    texts,
    transactions,
)
from winnow.surfaces.resp.signatures import Signature

TABLE: Final[Mapping[str, Signature]] = {
    one.name: one
    for group in (indexes, changes, questions, keyspace, texts, transactions, connection, server)
    for one in group.COMMANDS
}
