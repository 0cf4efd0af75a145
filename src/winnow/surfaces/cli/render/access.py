"""Keys for people."""

from winnow.operations.access import (
    CreateKeyAnswer,
    KeyDescription,
    KeysAnswer,
    RevokeKeyAnswer,
)
from winnow.surfaces.cli.page import Column, Page, styled
from winnow.surfaces.cli.render.parts import write_warnings

KEYS = (
    Column("name", whole=True),
    Column("scopes", whole=True),
    Column("namespaces"),
    Column("made", whole=True),
)


def write_key(answer: CreateKeyAnswer, page: Page) -> None:
    """Write a new key, its secret on a line of its own."""
    reached = "all namespaces" if answer.namespaces is None else ", ".join(answer.namespaces)
    page.line(styled(answer.name, "bold"), f"  {', '.join(answer.scopes)}  in {reached}")
    page.line(answer.secret)
    page.line(styled("keep the secret now: it is not stored, and not shown again", "yellow"))


def write_keys(answer: KeysAnswer, page: Page) -> None:
    """Write a line for each key."""
    page.table(KEYS, (_row(one) for one in answer.keys))


def write_revocation(answer: RevokeKeyAnswer, page: Page) -> None:
    """Write which key was revoked."""
    write_warnings(answer.warnings, page)
    page.line(f"{answer.name} is revoked")


def _row(one: KeyDescription) -> tuple[str, ...]:
    reached = "all" if one.namespaces is None else ", ".join(one.namespaces)
    return (one.name, ", ".join(one.scopes), reached, one.created_at)
