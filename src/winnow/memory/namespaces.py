"""The settings of namespaces: what makes their vectors and terms, and who gives kinds."""

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

from winnow.embed.base import Embedder
from winnow.embed.registry import DEFAULT_EMBEDDER, open_embedder
from winnow.kinds import Policy, read_policy
from winnow.rank.analyse import DEFAULT_LANGUAGE, Analyser
from winnow.store.memories import NamespaceRow, RecordReader
from winnow.values import Json


@dataclass(frozen=True, slots=True)
class NamespaceSettings:
    """What a namespace is set to; the defaults hold for one that was never set."""

    embedder: str = DEFAULT_EMBEDDER
    language: str = DEFAULT_LANGUAGE
    policy: Policy = Policy.OFF


def read_settings(row: NamespaceRow) -> NamespaceSettings:
    """Read the settings that a store keeps of a namespace."""
    given = row.settings
    governance = given.get("governance")
    policy = read_policy({"governance": governance}) if governance is not None else None
    return NamespaceSettings(
        embedder=_text(given, "embedder", DEFAULT_EMBEDDER),
        language=_text(given, "language", DEFAULT_LANGUAGE),
        policy=policy or Policy.OFF,
    )


class Workshop:
    """Embedders and analysers, each made once. Safe to use from several threads."""

    def __init__(self, records: RecordReader) -> None:
        self._records = records
        self._lock = Lock()
        self._embedders: dict[str, Embedder | None] = {}
        self._analysers: dict[str, Analyser] = {}

    def settings(self, namespace: str) -> NamespaceSettings:
        """Return the settings of a namespace as they stand now."""
        return read_settings(self._records.namespace(namespace))

    def embedder(self, spec: str) -> Embedder | None:
        """Return the embedder that a spec names, None for `none`."""
        with self._lock:
            if spec not in self._embedders:
                self._embedders[spec] = open_embedder(spec)
            return self._embedders[spec]

    def analyser(self, language: str) -> Analyser:
        """Return the analyser of a language."""
        with self._lock:
            if language not in self._analysers:
                self._analysers[language] = Analyser(language)
            return self._analysers[language]


def _text(settings: Mapping[str, Json], key: str, default: str) -> str:
    value = settings.get(key)
    return value if isinstance(value, str) else default
