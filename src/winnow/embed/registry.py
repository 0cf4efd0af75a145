"""Embedders by the text that names one in a namespace's settings."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from winnow.embed.base import Embedder
from winnow.embed.external import MOST_DIMENSIONS, ExternalEmbedder
from winnow.embed.fastembed import open_fastembed
from winnow.embed.onnx import open_onnx
from winnow.embed.remote import OPENAI, Access, check_url, open_remote
from winnow.embed.sentence import open_sentence
from winnow.embed.static import StaticEmbedder
from winnow.errors import Fault, InvalidRequest, unknown

DEFAULT_EMBEDDER: Final = "static"
NO_EMBEDDER: Final = "none"


def open_embedder(
    spec: str, access: Access | None = None, *, pointer: str = "/embedder"
) -> Embedder | None:
    """Return the embedder that `spec` names, None for `none`; nothing is loaded yet.

    Raises InvalidRequest for a text that names none, and NotAvailable where an extra is missing.
    """
    family, colon, rest = spec.strip().partition(":")
    found = FAMILIES.get(family)
    if found is None:
        detail = unknown("embedder", family, FAMILIES)
        raise InvalidRequest([Fault(pointer, detail)])
    try:
        return found.open(rest if colon else None, access or Access())
    except ValueError as error:
        detail = f"{error} (write {found.form!r}, such as {found.example!r})"
        raise InvalidRequest([Fault(pointer, detail)]) from None


@dataclass(frozen=True, slots=True)
class Family:
    """Embedders that are opened alike. `open` gets what follows the colon, None without one.

    It raises ValueError with what is wrong.
    """

    form: str
    example: str
    open: Callable[[str | None, Access], Embedder | None]


def _bare(make: Callable[[], Embedder | None]) -> Callable[[str | None, Access], Embedder | None]:
    def open_(rest: str | None, _: Access) -> Embedder | None:
        if rest is not None:
            raise ValueError("nothing may follow")
        return make()

    return open_


def _named(make: Callable[[str], Embedder]) -> Callable[[str | None, Access], Embedder]:
    def open_(rest: str | None, _: Access) -> Embedder:
        return make(_require_model(rest))

    return open_


def _require_model(rest: str | None) -> str:
    model = (rest or "").strip()
    if not model:
        raise ValueError("expected the name of a model")
    return model


def _open_external(rest: str | None, _: Access) -> Embedder:
    digits = (rest or "").strip()
    if not re.fullmatch(r"[0-9]{1,6}", digits) or not 1 <= int(digits) <= MOST_DIMENSIONS:
        raise ValueError(f"expected a dimension from 1 to {MOST_DIMENSIONS}")
    return ExternalEmbedder(int(digits))


def _open_remote(rest: str | None, access: Access) -> Embedder:
    model = _require_model(rest)
    # The name of a model may itself hold an @.
    parts = re.fullmatch(r"(?P<model>.+)@(?P<url>[a-z]+://.*)", model, re.IGNORECASE | re.DOTALL)
    if parts is None:
        return open_remote(model, OPENAI, access)
    if fault := check_url(parts["url"]):
        raise ValueError(fault)
    return open_remote(parts["model"], parts["url"], access)


FAMILIES: Final[Mapping[str, Family]] = {
    "static": Family("static", "static", _bare(StaticEmbedder)),
    "onnx": Family("onnx", "onnx", _bare(open_onnx)),
    "fastembed": Family(
        "fastembed:MODEL", "fastembed:BAAI/bge-small-en-v1.5", _named(open_fastembed)
    ),
    "sentence-transformers": Family(
        "sentence-transformers:MODEL",
        "sentence-transformers:all-MiniLM-L6-v2",
        _named(open_sentence),
    ),
    "openai": Family(
        "openai:MODEL@URL", "openai:nomic-embed-text@http://localhost:11434/v1", _open_remote
    ),
    "external": Family("external:DIMENSION", "external:384", _open_external),
    NO_EMBEDDER: Family(NO_EMBEDDER, NO_EMBEDDER, _bare(lambda: None)),
}
