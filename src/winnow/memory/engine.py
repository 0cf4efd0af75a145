"""What every operation works with: the store, the schemas and entities, the zone and the clock."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from winnow.errors import Fault, InvalidRequest, OntologyDisabled, settle
from winnow.filter.plain import copy_plain
from winnow.memory.namespaces import Workshop
from winnow.memory.ontology import Ontology
from winnow.memory.shelf import Shelves
from winnow.operations.memories import AsOf
from winnow.store.base import DEFAULT_NAMESPACE, Store


def now_utc() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Engine:
    """One open store. `enabled` is false where typed recall is switched off."""

    store: Store
    ontology: Ontology
    workshop: Workshop
    shelves: Shelves
    zone: tzinfo
    enabled: bool = True
    clock: Callable[[], datetime] = now_utc
    label: str = ""

    def require_ontology(self) -> None:
        """Refuse what needs schemas where they are switched off."""
        if not self.enabled:
            raise OntologyDisabled("typed recall is switched off (WINNOW_ONTOLOGY=0)")

    def namespaces(self, asked: str | None) -> list[str]:
        """Return the namespaces that a request speaks of: the one it names, else all."""
        if asked is None:
            return self.ontology.namespaces()
        return [check_namespace(asked)]

    def as_of(self) -> AsOf:
        """Return the last change."""
        change = self.store.last_change()
        return AsOf(change.number, change.time)


def check_namespace(name: str | None) -> str:
    """Return the namespace of a write, the default one if none is named."""
    if name is None:
        return DEFAULT_NAMESPACE
    if not name.strip():
        raise InvalidRequest([Fault("/namespace", "a namespace has a name; leave it out for all")])
    settle(copy_plain(name, "/namespace")[1])
    return name
