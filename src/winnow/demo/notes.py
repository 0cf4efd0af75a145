"""The firm's notes: a vault of Markdown made from the data, the same each time."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from winnow.demo.firm import (
    SMALL,
    Client,
    Known,
    Matter,
    clients,
    contested,
    firm_name,
    matters,
)
from winnow.demo.prose import say_client, say_matter, say_option

File: TypeAlias = tuple[str, str]
"""A note: its path in the vault, with `/`, and its text."""


def write_firm(
    vault: Path, count: int = SMALL, *, prose: bool = True, key_lines: bool = True
) -> int:
    """Write the notes of a firm of so many matters, and return how many notes they are."""
    return write_notes(vault, firm_notes(count, prose=prose, key_lines=key_lines))


def write_notes(vault: Path, notes: Iterable[File]) -> int:
    """Write notes into a folder, which is made, and return how many there were."""
    folders: set[str] = set()
    written = 0
    for path, text in notes:
        folder = path.rpartition("/")[0]
        if folder not in folders:
            (vault / folder).mkdir(parents=True, exist_ok=True)
            folders.add(folder)
        with open(f"{vault}/{path}", "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        written += 1
    return written


def firm_notes(count: int = SMALL, *, prose: bool = True, key_lines: bool = True) -> Iterator[File]:
    """Yield a note for each matter of the firm and each client.

    Prose says in words what the key lines say for machines; either can be left out.
    """
    for turn, matter in enumerate(matters(count)):
        said = say_matter(matter, turn) if prose else ""
        yield _matter_note(matter, said, matter.fields() if key_lines else {})
    for turn, client in enumerate(clients()):
        said = say_client(client, turn) if prose else ""
        yield _client_note(client, said, client.fields() if key_lines else {})


def contested_notes() -> Iterator[File]:
    """Yield the four notes of the contested matter, its client's and those of earlier matters."""
    deal = contested()
    yield _matter_note(deal.matter, say_matter(deal.matter, 0), deal.matter.fields())
    for option in deal.options:
        known: Known = {"dealValueUSD": option.price_usd}
        path = f"Memory/{deal.matter.id}-option-{option.letter.lower()}.md"
        title = f"Matter {deal.matter.id}, option {option.letter}"
        yield path, _note(title, say_option(option, deal), _MATTER_ID, deal.matter.id, known)
    for turn, matter in enumerate(deal.prior):
        yield _matter_note(matter, say_matter(matter, turn), matter.fields())
    client = deal.matter.client
    yield _client_note(client, say_client(client, 0), client.fields())


# --- texts ---------------------------------------------------------------------------------------

_MATTER_ID, _CLIENT_ID = "CLAWQL_MATTER_ID", "CLAWQL_CLIENT_ID"
_KEYS: Mapping[str, str] = {
    "title": "CLAWQL_TITLE",
    "clientName": "CLAWQL_CLIENT",
    "client": _CLIENT_ID,
    "status": "CLAWQL_STATUS",
    "openedDate": "CLAWQL_OPENED_DATE",
    "dealType": "CLAWQL_DEAL_TYPE",
    "dealValueUSD": "CLAWQL_DEAL_VALUE_USD",
    "escrowPct": "CLAWQL_ESCROW_PCT",
    "nonCompeteMonths": "CLAWQL_NONCOMPETE_MONTHS",
    "name": "CLAWQL_CLIENT_NAME",
    "tier": "CLAWQL_CLIENT_TIER",
    "industry": "CLAWQL_CLIENT_INDUSTRY",
}
_LONGEST_SLUG = 22
_SEPARATORS = re.compile(r"[^a-z0-9]+")


def _matter_note(matter: Matter, said: str, known: Known) -> File:
    path = f"Memory/{matter.id}-{_slug(matter.title)}.md"
    return path, _note(f"Matter {matter.id}", said, _MATTER_ID, matter.id, known)


def _client_note(client: Client, said: str, known: Known) -> File:
    path = f"Clients/{client.id}-{_slug(client.name)}.md"
    return path, _note(f"Client {client.id}", said, _CLIENT_ID, client.id, known)


def _note(title: str, said: str, id_key: str, entity: str, known: Known) -> str:
    parts = [f"## {firm_name()} — {title}\n"]
    if said:
        parts.append(said)
    if known:
        lines = [f"{id_key}={entity}", *(f"{_KEYS[name]}={known[name]}" for name in known)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _slug(title: str) -> str:
    words = _SEPARATORS.sub(" ", title.lower())
    return textwrap.shorten(words, _LONGEST_SLUG, placeholder="").replace(" ", "-")
