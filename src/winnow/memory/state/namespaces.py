"""The settings of namespaces: what makes their vectors and terms, and who gives kinds."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from winnow.embed.base import Embedder
from winnow.embed.external import ExternalEmbedder
from winnow.embed.model import Model, ModelEmbedder
from winnow.embed.registry import DEFAULT_EMBEDDER, open_embedder
from winnow.embed.remote import Access
from winnow.errors import EmbedderError, InvalidRequest, NotAvailable
from winnow.kinds import Policy, read_policy
from winnow.rank.analyse import DEFAULT_LANGUAGE, Analyser
from winnow.store.base import Store
from winnow.store.memories import NamespaceRow
from winnow.values import Json

EMBEDDER_KEY: Final = "WINNOW_EMBEDDER_KEY"
"""The variable with the key that a server of an embedder gets."""

EMBEDDER, LANGUAGE, GOVERNANCE = "embedder", "language", "governance"
SECRETS: Final = "secrets"
"""What becomes of secrets in what is stored."""
REDACT, KEEP = "redact", "keep"
MODEL: Final = "model"
"""The identity of the embedder when it was last asked for it: a server need not be up for that."""
ANALYSED: Final = "analysed"
"""False while the terms of some records may be those of the language before."""


@dataclass(frozen=True, slots=True)
class NamespaceSettings:
    """What a namespace is set to; the defaults hold for one that was never set.

    `model` is what the embedder called itself when it was last asked, None if it never was.
    `analysed` is false while some records may have terms of another language. With `redacts`
    secrets of well-known shapes are not stored.
    """

    embedder: str = DEFAULT_EMBEDDER
    language: str = DEFAULT_LANGUAGE
    policy: Policy = Policy.OFF
    model: str | None = None
    analysed: bool = True
    redacts: bool = False


def read_settings(row: NamespaceRow) -> NamespaceSettings:
    """Read the settings that a store keeps of a namespace."""
    given = row.settings
    return NamespaceSettings(
        embedder=_text(given, EMBEDDER) or DEFAULT_EMBEDDER,
        language=_text(given, LANGUAGE) or DEFAULT_LANGUAGE,
        policy=_read_policy(given.get(GOVERNANCE)),
        model=_text(given, MODEL),
        analysed=given.get(ANALYSED) is not False,
        redacts=given.get(SECRETS) == REDACT,
    )


def makes_vectors(embedder: Embedder | None) -> bool:
    """Tell whether vectors are made from texts, and not given by the caller."""
    return embedder is not None and not isinstance(embedder, ExternalEmbedder)


def may_wait(embedder: Embedder | None) -> bool:
    """Tell whether making a vector may wait for a network, as when a model is first fetched."""
    return isinstance(embedder, ModelEmbedder)


class Workshop:
    """Embedders and analysers, each made once. Safe to use from several threads."""

    def __init__(self, store: Store, environment: Mapping[str, str] = os.environ) -> None:
        self._store = store
        self._environment = environment
        self._lock = Lock()
        self._embedders: dict[str, Embedder | None] = {}
        self._analysers: dict[str, Analyser] = {}
        self._read = _Read(-1)

    @property
    def settled(self) -> int:
        """What the store's `settled` was when settings were last asked for."""
        return self._read.settled

    def settings(self, namespace: str, settled: int | None = None) -> NamespaceSettings:
        """Return the settings of a namespace as they stand now.

        With what the store's `settled` is, or was, they are those of that state if they are known.
        """
        if settled is None:
            settled = self._store.spaces.settled()
        read = self._read
        if read.settled != settled or len(read.settings) > _MOST_READ:
            read = self._read = _Read(settled)
        known = read.settings.get(namespace)
        if known is None:
            known = read_settings(self._store.records.namespace(namespace))
            # What others have changed meanwhile may be in it, or not: then it is not kept.
            if self._store.spaces.settled() == settled:
                read.settings[namespace] = known
        return known

    def embedder(self, spec: str) -> Embedder | None:
        """Return the embedder that a spec names, None for `none`.

        One whose extra is not installed here raises EmbedderError when it is used: what a
        namespace holds can be read and searched by keyword all the same. Raises InvalidRequest
        for a text that names none.
        """
        with self._lock:
            if spec not in self._embedders:
                self._embedders[spec] = self._open(spec)
            return self._embedders[spec]

    def identity(self, settings: NamespaceSettings) -> str | None:
        """Return what a namespace's embedder calls itself, None for `none`.

        A model that may have to be fetched or asked for is not, if its name is known. Raises
        EmbedderError.
        """
        embedder = self.embedder(settings.embedder)
        if embedder is None:
            return None
        known = settings.model if may_wait(embedder) else None
        return known or embedder.identity

    def analyser(self, language: str) -> Analyser:
        """Return the analyser of a language."""
        with self._lock:
            if language not in self._analysers:
                self._analysers[language] = Analyser(language)
            return self._analysers[language]

    def _open(self, spec: str) -> Embedder | None:
        key = self._environment.get(EMBEDDER_KEY, "").strip() or None
        try:
            return open_embedder(spec, Access(key))
        except NotAvailable as error:
            reason = str(error)

        def refuse() -> Model:
            raise EmbedderError(reason)

        return ModelEmbedder(refuse)


@dataclass(frozen=True, slots=True)
class _Read:
    """The settings that were read while the store said this number for all of them."""

    settled: int
    settings: dict[str, NamespaceSettings] = field(default_factory=dict[str, NamespaceSettings])


_MOST_READ: Final = 10_000


def _read_policy(governance: Json) -> Policy:
    """Read a policy; one that only a newer version knows is none."""
    try:
        return read_policy({GOVERNANCE: governance}) or Policy.OFF
    except InvalidRequest:
        return Policy.OFF


def _text(settings: Mapping[str, Json], key: str) -> str | None:
    value = settings.get(key)
    return value if isinstance(value, str) else None
