import unicodedata
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.records import Finding
from winnow.vault.links import (
    LinkedNote,
    Names,
    Reference,
    find_neighbors,
    join_ways,
    resolve_links,
)
from winnow.vault.markdown import read_note

VAULT = [
    "Root Note.md",
    "Projects/Atlas.md",
    "Projects/Plans/Atlas Plan.md",
    "Projects/Twin.md",
    "Archive/Twin.md",
    "Archive/Projects/Atlas Plan.markdown",
    "People/Ada.md",
    "v1.2.md",
]
ALIASES = {
    "People/Ada.md": ["Countess", "Twin", "Shared"],
    "v1.2.md": ["Release", "Shared", "release"],
}


def vault(
    paths: Sequence[str] = VAULT, links: Mapping[str, Sequence[str]] | None = None
) -> list[LinkedNote]:
    """Notes with keys from 1 in the order of their paths; each link stands in a line of its own."""
    return [
        LinkedNote(
            key,
            path,
            ALIASES.get(path, ()),
            [Reference(one, line) for line, one in enumerate((links or {}).get(path, ()), 1)],
        )
        for key, path in enumerate(paths, 1)
    ]


def meant(target: str, source: str = "Daily/Today.md", paths: Sequence[str] = VAULT) -> list[str]:
    return [note.path for note in Names(vault(paths)).find(target, source)]


# --- what a link means ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("Root Note", "Root Note.md"),
        ("Atlas", "Projects/Atlas.md"),
        ("Projects/Atlas", "Projects/Atlas.md"),
        ("/Projects/Atlas", "Projects/Atlas.md"),
        ("Projects/Atlas.md", "Projects/Atlas.md"),
        ("Plans/Atlas Plan", "Projects/Plans/Atlas Plan.md"),
        ("Projects/Twin", "Projects/Twin.md"),
        ("Countess", "People/Ada.md"),
        ("v1.2", "v1.2.md"),
        ("v1.2.md", "v1.2.md"),
        ("Release", "v1.2.md"),
    ],
)
def test_a_note_is_named_by_its_file_its_path_or_an_alias(target: str, path: str) -> None:
    """F108: from anywhere in the vault."""
    assert meant(target) == [path]
    assert meant(target, "Root Note.md") == [path]


@pytest.mark.parametrize("link", ["[[Atlas#Terms]]", "[[Atlas#^b1]]", "![[Atlas|the plan]]"])
def test_headings_blocks_and_labels_are_no_part_of_the_name(link: str) -> None:
    """F108."""
    (found,) = read_note(link).links
    assert meant(found.target) == ["Projects/Atlas.md"]


@pytest.mark.parametrize(
    ("target", "source", "path"),
    [
        ("./Atlas", "Projects/Twin.md", "Projects/Atlas.md"),
        ("../Twin.md", "Projects/Plans/x.md", "Projects/Twin.md"),
        ("../Archive/Twin", "Projects/Twin.md", "Archive/Twin.md"),
        ("Twin.md", "Archive/x.md", "Archive/Twin.md"),
        ("Plans/Atlas Plan.md", "Projects/x.md", "Projects/Plans/Atlas Plan.md"),
    ],
)
def test_a_path_may_begin_at_the_folder_of_the_note(target: str, source: str, path: str) -> None:
    assert meant(target, source) == [path]


@pytest.mark.parametrize(
    "target",
    [
        "tlas",
        "Atlas Pl",
        "rojects/Atlas",
        "Missing",
        "../Root Note",
        "./Ada",
        "/Atlas",
        "x.png",
        "..",
    ],
)
def test_what_names_no_note_leads_nowhere(target: str) -> None:
    assert meant(target, "Projects/x.md" if target != "../Root Note" else "x.md") == []


@pytest.mark.parametrize(
    ("target", "paths"),
    [
        ("Twin", ["Archive/Twin.md", "Projects/Twin.md"]),
        ("Atlas Plan", ["Archive/Projects/Atlas Plan.markdown", "Projects/Plans/Atlas Plan.md"]),
        ("Shared", ["People/Ada.md", "v1.2.md"]),
    ],
)
def test_what_could_mean_several_notes_is_no_guess(target: str, paths: list[str]) -> None:
    """F108: not even where one of them is near; a file's name counts more than an alias."""
    for source in ("Root Note.md", "Archive/x.md", "People/x.md"):
        assert sorted(meant(target, source)) == paths


def test_a_path_from_the_root_counts_more_than_the_end_of_a_longer_one() -> None:
    paths = ["Twin.md", "a/Twin.md", "a/b/Twin.md"]
    assert meant("Twin", "a/x.md", paths) == ["Twin.md"]
    assert meant("b/Twin", "a/x.md", paths) == ["a/b/Twin.md"]
    assert meant("Twin.md", "a/x.md", paths) == ["Twin.md", "a/Twin.md"]


@pytest.mark.parametrize("target", ["ATLAS", "atlas", "projects/aTLAS.MD", "countess"])
def test_case_does_not_count(target: str) -> None:
    """F108."""
    assert len(meant(target)) == 1


def test_between_names_that_differ_in_case_alone_it_does() -> None:
    paths = ["a/note.md", "a/Note.md", "b/NOTE.md"]
    assert meant("Note", paths=paths) == ["a/Note.md"]
    assert meant("a/note", paths=paths) == ["a/note.md"]
    assert len(meant("nOTE", paths=paths)) == 3


@pytest.mark.parametrize("name", ["Café", "Ἀθῆναι", "会議ノート", "한글", "İstanbul"])
def test_forms_of_unicode_do_not_count(name: str) -> None:
    """F108: macOS keeps the names of files in another form than people type."""
    for form in ("NFC", "NFD"):
        path = unicodedata.normalize(form, f"x/{name}.md")
        assert meant(name, paths=[path]) == [path]
        assert meant(unicodedata.normalize("NFD", name), paths=[path]) == [path]
    assert meant("a\u00a0b", paths=["a b.md"]) == ["a b.md"]


# --- all links of a vault ------------------------------------------------------------------------


def test_links_lead_to_other_notes_each_once() -> None:
    links = {
        "Root Note.md": ["Atlas", "projects/atlas.md", "Ada", "Missing", "", "Root Note", "x.png"],
        "People/Ada.md": ["Root Note"],
    }
    found = resolve_links(vault(links=links))
    assert found.targets == {1: (2, 7), 7: (1,)}
    assert found.findings == ()


def test_a_link_that_could_mean_several_is_a_finding_that_names_them() -> None:
    """F108."""
    found = resolve_links(vault(links={"Root Note.md": ["Atlas", "Twin", "x", "Twin"]}))
    assert found.targets == {1: (2,)}
    detail = "a link to 'Twin' could mean 'Archive/Twin.md' or 'Projects/Twin.md'"
    assert found.findings == (
        Finding("ambiguous_link", "Root Note.md", 2, detail),
        Finding("ambiguous_link", "Root Note.md", 4, detail),
    )


def test_of_countless_notes_that_a_link_could_mean_the_first_are_named() -> None:
    paths = ["a.md", *(f"{n:03}/Twin.md" for n in range(500))]
    (finding,) = resolve_links(vault(paths, {"a.md": ["Twin"]})).findings
    assert finding.detail.startswith("a link to 'Twin' could mean '000/Twin.md', '001/Twin.md', ")
    assert finding.detail.endswith("'009/Twin.md' or 490 more")


# --- neighbors -----------------------------------------------------------------------------------


def test_neighbors_are_found_both_ways_the_nearest_first() -> None:
    joined = join_ways({1: [2], 2: [3], 4: [1], 5: [6]})
    assert find_neighbors(joined, [1], 1) == {2: 1, 4: 1}
    assert list(find_neighbors(joined, [1], 9).items()) == [(2, 1), (4, 1), (3, 2)]
    assert find_neighbors(joined, [1, 5], 1) == {2: 1, 4: 1, 6: 1}
    assert find_neighbors(joined, [1], 0) == find_neighbors(joined, [9], 3) == {}


edges = st.dictionaries(st.integers(0, 9), st.sets(st.integers(0, 9), max_size=3), max_size=10)


@given(edges, st.sets(st.integers(0, 9), max_size=3), st.integers(0, 5))
def test_neighbors_are_those_that_a_walk_of_so_many_links_reaches(
    targets: dict[int, set[int]], notes: set[int], depth: int
) -> None:
    steps = {(a, b) for a, ends in targets.items() for b in ends}
    steps |= {(b, a) for a, b in steps}
    reached = dict.fromkeys(notes, 0)
    for distance in range(1, depth + 1):
        for here, there in steps:
            if reached.get(here) == distance - 1:
                reached.setdefault(there, distance)
    expected = {note: distance for note, distance in reached.items() if distance}
    assert find_neighbors(join_ways(targets), notes, depth) == expected


@given(st.lists(st.text(min_size=1), min_size=1, max_size=5, unique=True), st.text(), st.text())
def test_any_name_can_be_looked_for(paths: list[str], target: str, source: str) -> None:
    found = meant(target, source, [f"{path}.md" for path in paths])
    assert len(set(found)) == len(found)
