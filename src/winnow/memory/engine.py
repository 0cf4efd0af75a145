"""What every operation works with: the store, the schemas and entities, the zone and the clock."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo

from winnow.access import FULL, Access
from winnow.deadlines import DEFAULT_SECONDS
from winnow.errors import Fault, OntologyDisabled, nearest
from winnow.filter.plain import copy_plain
from winnow.memory.changes.sweeping import Sweeper
from winnow.memory.state.contents import Contents
from winnow.memory.state.links import LinkMap
from winnow.memory.state.namespaces import Workshop
from winnow.memory.state.ontology import Ontology
from winnow.memory.state.shelf import Shelf, Shelves
from winnow.memory.times import milliseconds
from winnow.operations.memories import AsOf
from winnow.providers.llm import ChatModel
from winnow.providers.sources import Sources
from winnow.stages import stage
from winnow.store.base import DEFAULT_NAMESPACE, Store, Writer


def now_utc() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Engine:
    """One open store.

    `enabled` is false where typed recall is switched off. `model` classifies memories that no
    rule fits, if one is set up. `release` is that of the program. `access` bounds what all
    operations see and do, `time_limit` how many seconds each of them may take.
    `pythonic` tells that faults name arguments as Python spells them, not as on the wire.
    """

    store: Store
    ontology: Ontology
    workshop: Workshop
    shelves: Shelves
    links: LinkMap
    contents: Contents
    zone: tzinfo
    enabled: bool = True
    clock: Callable[[], datetime] = now_utc
    label: str = ""
    release: str = ""
    sources: Sources = field(default_factory=Sources)
    model: ChatModel | None = None
    access: Access = FULL
    sweeper: Sweeper = field(default_factory=Sweeper)
    time_limit: float | None = DEFAULT_SECONDS
    pythonic: bool = False

    def require_ontology(self) -> None:
        """Refuse what needs schemas where they are switched off."""
        if not self.enabled:
            raise OntologyDisabled("typed recall is switched off (WINNOW_ONTOLOGY=0)")

    def namespaces(self, asked: str | None, faults: list[Fault]) -> list[str]:
        """Return the namespaces that a question speaks of: the one it names, else all it may see.

        A name that is none is added to `faults`; one that must not be seen raises Forbidden.
        """
        if asked is None:
            return self.access.visible(self.ontology.namespaces()) or self.access.own()
        name = self.home(asked, faults)
        return [name] if name else []

    def doubt_namespace(self, name: str) -> str | None:
        """Say of a namespace that there is none of this name, and which one may be meant."""
        there = {DEFAULT_NAMESPACE, *(row.name for row in self.store.records.namespaces())}
        known = self.access.visible(sorted(there | (self.access.namespaces or set())))
        if name in known:
            return None
        guess = nearest(name, known)
        return f"there is no namespace {name!r}" + (f"; did you mean {guess!r}?" if guess else "")

    def doubts(self, asked: str | None) -> list[str]:
        """Return what to warn of, if the namespace that a request names is none."""
        doubt = None if asked is None else self.doubt_namespace(asked)
        return [doubt] if doubt else []

    def home(self, asked: str | None, faults: list[Fault], place: str = "/namespace") -> str:
        """Return the one namespace that a request by id, or a write, speaks of.

        If none is named it is the only one that may be seen, or else `default`.
        A name that is none is added to `faults`, and "" returned; one that must not be seen
        raises Forbidden.
        """
        name = self.access.usual(DEFAULT_NAMESPACE) if asked is None else asked
        wrong = copy_plain(name, place)[1]
        if not name.strip():
            wrong = [Fault(place, "a namespace has a name; leave it out if none is meant")]
        faults.extend(wrong)
        if wrong:
            return ""
        self.access.require_namespace(name)
        return name

    def under_way(self) -> str | None:
        """Tell what a question may wait for: columns that are being made; None if nothing is."""
        return self.shelves.under_way() or self.ontology.building.told()

    def close(self) -> None:
        """Close the store, once nothing is being written beside it."""
        self.shelves.finish()
        self.ontology.finish()
        self.store.close()

    @contextmanager
    def together(self) -> Generator[None]:
        """Let entities, notes and the shelf that are asked for in the block show one state."""
        # The last that is brought up to date moves on to a state no older than any has read.
        with (
            self.ontology.current(),
            self.shelves.current(),
            self.contents.current(),
            self.store.states.stay(),
        ):
            yield

    def shelf(self) -> Shelf:
        """Return the memories and pieces of notes as they stand now; expired ones are dead."""
        with stage("columns"):
            return self.shelves.now(milliseconds(self.clock()))

    @contextmanager
    def write(self) -> Generator[Writer]:
        """Begin a write transaction; now and then it purges what is over, too."""
        with self.store.write() as writer:
            self.sweeper.sweep(writer.records, milliseconds(self.clock()))
            yield writer

    def as_of(self) -> AsOf:
        """Return the last change of what may be seen; others' changes don't count in it."""
        visible = self.access.namespaces
        if visible is None:
            change = self.store.last_change()
        else:
            change = self.store.access.last_change(visible)
        return AsOf(change.number, change.time)
