"""The parts of a pack's file, each with its place, read as what is wanted or noted as a mistake."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from winnow.errors import unknown
from winnow.values import Json, describe
from winnow.yaml12 import Document

Path: TypeAlias = tuple[str | int, ...]


NAME_RULE = "a letter, then letters, digits and _"


def is_name(text: str) -> bool:
    """Tell whether a text can name a pack, a schema, a field or a reverse."""
    return text.isascii() and text.isidentifier() and text[0] != "_"


@dataclass(slots=True)
class Mistakes:
    """What is wrong with a file, as (line, detail).

    Expressions that were `tried` before, by the tests, are taken as they are: trying them takes
    longer than all the rest.
    """

    document: Document
    tried: bool = False
    found: list[tuple[int | None, str]] = field(default_factory=list[tuple[int | None, str]])

    def note(self, path: Path, detail: str) -> None:
        """Note a mistake at a path, or at the nearest part of the file above it."""
        shown = ".".join(str(part) for part in path)
        line = next(
            (
                self.document.lines[path[:length]]
                for length in range(len(path), 0, -1)
                if path[:length] in self.document.lines
            ),
            1,
        )
        self.found.append((line, f"{shown}: {detail}" if shown else detail))


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the file; each method returns what it can and notes what it can't."""

    value: Json
    path: Path
    mistakes: Mistakes

    @property
    def tried(self) -> bool:
        """Whether the expressions of the file were tried before."""
        return self.mistakes.tried

    def wrong(self, detail: str) -> None:
        """Note a mistake here."""
        self.mistakes.note(self.path, detail)

    def mapping(self) -> dict[str, "Node"]:
        """Read keys with values; null has none."""
        if self.value is None:
            return {}
        if not isinstance(self.value, dict):
            self.wrong(f"expected keys with values, got {describe(self.value)}")
            return {}
        return {key: self._child(key, value) for key, value in self.value.items()}

    def options(self, allowed: Mapping[str, str]) -> dict[str, "Node"]:
        """Read a mapping whose keys are those of `allowed`; others are mistakes."""
        options = self.mapping()
        for key, node in options.items():
            if key not in allowed:
                node.wrong(unknown("key", key, allowed))
        return {key: node for key, node in options.items() if key in allowed}

    def items(self) -> list["Node"]:
        """Read a list; one value stands for a list of it, null for an empty one."""
        if self.value is None:
            return []
        if not isinstance(self.value, list):
            return [self]
        return [self._child(index, value) for index, value in enumerate(self.value)]

    def text(self) -> str:
        """Read a text; a number or boolean is taken as it is written. "" after a mistake."""
        if isinstance(self.value, str):
            return self.value.strip()
        written = self.mistakes.document.texts.get(self.path)
        if written is None:
            self.wrong(f"expected a text, got {describe(self.value)}")
        return written or ""

    def name(self) -> str:
        """Read an identifier; "" after a mistake."""
        text = self.text()
        if text and not is_name(text):
            self.wrong(f"{text!r} is not a name: {NAME_RULE}")
            return ""
        return text

    def texts(self) -> tuple[str, ...]:
        """Read a list of texts that differ."""
        texts = [(node, node.text()) for node in self.items()]
        for index, (node, text) in enumerate(texts):
            if text and text in (other for _, other in texts[:index]):
                node.wrong(f"{text!r} stands twice")
        return tuple(dict.fromkeys(text for _, text in texts if text))

    def number(self) -> int | float | None:
        """Read a number, or null."""
        if self.value is None or (
            isinstance(self.value, int | float) and not isinstance(self.value, bool)
        ):
            return self.value
        self.wrong(f"expected a number, got {describe(self.value)}")
        return None

    def choice(self, what: str, allowed: Iterable[str]) -> str | None:
        """Read one of the allowed texts."""
        text = self.text()
        if not text or text in allowed:
            return text or None
        self.wrong(unknown(what, text, allowed))
        return None

    def pairs(self) -> Iterator[tuple[str, "Node"]]:
        """Read list items that are a text, or a text with something behind a colon."""
        for node in self.items():
            if not isinstance(node.value, dict):
                text = node.text()
                if text:
                    yield text, Node(None, node.path, node.mistakes)
            elif len(node.value) == 1:
                yield from node.mapping().items()
            else:
                node.wrong(f"expected a text, or one text with a colon, got {describe(node.value)}")

    def _child(self, key: str | int, value: Json) -> "Node":
        return Node(value, (*self.path, key), self.mistakes)
