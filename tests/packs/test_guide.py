"""docs/packs.md: its example works as it says, and its tables name every key there is."""

import re
from pathlib import Path

import pytest

from winnow.packs import load_pack
from winnow.packs.fields import FIELD_KEYS
from winnow.packs.ids import DECLARE_KEYS, ID_KEYS
from winnow.packs.loading import PACK_KEYS, SCHEMA_KEYS
from winnow.quantities import QUANTITIES, read_quantity
from winnow.records import Confidence
from winnow.vault.extract import extract
from winnow.vault.markdown import read_note

GUIDE = (Path(__file__).parents[2] / "docs" / "packs.md").read_text(encoding="utf-8")
YAML, NOTE = (
    re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)[0]
    for language in ("yaml", "markdown")
)


def test_the_note_of_the_example_is_what_the_guide_says() -> None:
    declared = extract(read_note(NOTE), "books/Dune.md", [load_pack(YAML, "shelf.yaml")])
    (book,) = declared.declarations
    assert (book.schema, book.entity, declared.findings) == ("shelf.Book", "Dune", ())
    found = {
        name: [(one.value, one.confidence) for one in all_] for name, all_ in book.fields.items()
    }
    extracted, inferred = Confidence.EXTRACTED, Confidence.INFERRED
    assert found == {
        "author": [("Frank Herbert", extracted)],
        "genres": [(("Science fiction", "Politics"), extracted)],
        "shelf": [("Read", extracted)],
        "finished": [("2026-03-05", extracted)],
        "rating": [(4.5, extracted)],
        "pages": [(612, inferred)],
    }


@pytest.mark.parametrize("key", [*PACK_KEYS, *SCHEMA_KEYS, *ID_KEYS, *DECLARE_KEYS, *FIELD_KEYS])
def test_the_guide_names_every_key(key: str) -> None:
    assert re.search(rf"`{key}`|^ *{key}: |\b{key}: ", GUIDE, re.MULTILINE)


@pytest.mark.parametrize("name", QUANTITIES)
def test_the_guide_shows_every_placeholder_with_examples_that_are_read(name: str) -> None:
    (shown,) = re.findall(rf"^\| `{{{name}}}` \| (.*) \|$", GUIDE, re.MULTILINE)
    for text in re.findall(r"`([^`]+)`", shown):
        match = re.fullmatch(QUANTITIES[name].expression, text, re.IGNORECASE)
        assert match
        assert read_quantity(name, match[0])
