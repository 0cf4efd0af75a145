import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.kinds import KINDS
from winnow.packs import builtin_packs
from winnow.records import Finding
from winnow.store.memories import Piece, Record
from winnow.vault.contents import Content
from winnow.vault.folder import SeenNote
from winnow.vault.pieces import MOST_CARRIED, Home
from winnow.vault.reading import BuiltNote, build_note, build_plain_note, strip_note

MODIFIED = datetime(2026, 3, 5, 14, 30, tzinfo=UTC)
TWO_SECTIONS = "# Terms\nTwelve percent.\n# Parties\nNorthwind.\n"


HOME = Home()


def built(text: str, path: str = "a/note.md", home: Home = HOME) -> BuiltNote:
    read = content(text)
    return build_note(SeenNote(path, f"/v/{path}", read.size, read.mtime_ns), read, (), home)


def content(text: str) -> Content:
    data = text.encode()
    return Content(data, len(data), int(MODIFIED.timestamp()) * 1_000_000_000 + 999_999, sure=True)


def pieces(text: str, path: str = "a/note.md") -> tuple[Record, ...]:
    return built(text, path).pieces


def one(text: str, path: str = "a/note.md") -> Record:
    (piece,) = pieces(text, path)
    return piece


def front(**values: object) -> str:
    """A note with these values in its frontmatter, and nothing else."""
    lines = (f"{key}: {json.dumps(value)}\n" for key, value in values.items())
    return f"---\n{''.join(lines)}---\n"


def instant(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def ids(text: str, path: str = "a/note.md") -> dict[str, str]:
    return {piece.text: piece.id for piece in pieces(text, path)}


# --- what a piece carries ------------------------------------------------------------------------


def test_a_note_becomes_a_record_for_each_section() -> None:
    first, second = pieces(TWO_SECTIONS)
    assert (first.text, second.text) == ("# Terms\nTwelve percent.", "# Parties\nNorthwind.")
    assert first.piece == Piece("", "a/note.md", "Terms", 1)
    assert second.piece == Piece("", "a/note.md", "Parties", 3)
    assert first.title == second.title == "Terms"
    assert (first.vector, first.model, first.terms, first.expires_at) == (None, None, b"", None)


def test_each_piece_carries_all_that_the_note_says_of_itself() -> None:
    head = "---\ntitle: Deal\ntags: [law/ip]\nalias: 'Northwind, NW'\nstage: 2\n---\n"
    for piece in pieces(f"{head}# A\nrisk:: low\n# B\n#urgent x\n"):
        assert piece.title == "Deal"
        assert piece.tags == ("law/ip", "urgent")
        assert piece.metadata == {
            "title": "Deal",
            "tags": ["law/ip"],
            "alias": "Northwind, NW",
            "aliases": ["Northwind", "NW"],
            "stage": 2,
            "risk": "low",
        }


def test_aliases_are_a_list_however_they_are_written() -> None:
    """F52: one spelling is as good as another."""
    for spelling in ("[A, B]", "A, B", "\n  - A\n  - B"):
        assert one(f"---\naliases: {spelling}\n---\n").metadata["aliases"] == ["A", "B"]
    assert one("---\naliases: A\n---\naliases:: B\n").metadata["aliases"] == ["A", "B"]


@pytest.mark.parametrize("text", ["", "\n\n", "---\nstage: 2\n---\n"])
def test_an_empty_note_is_one_piece_with_its_title(text: str) -> None:
    piece = one(text, "a/Northwind.md")
    assert (piece.title, piece.text) == ("Northwind", "")


def test_a_piece_belongs_to_the_namespace_of_its_vault() -> None:
    (piece,) = built("x", home=Home("work")).pieces
    assert piece.namespace == "work"


# --- fields of the record ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_note_says_its_kind(kind: str) -> None:
    note = built(f"---\nkind: {kind}\n---\n{TWO_SECTIONS}")
    assert {(one.kind, one.kind_provenance) for one in note.pieces} == {(kind, "declared")}
    assert note.row.findings == ()


@pytest.mark.parametrize(
    "text", ["", "---\nkind:\n---\n", "---\nkind: null\n---\n", "kind:: claim\n"]
)
def test_a_note_that_does_not_say_its_kind_is_an_observation(text: str) -> None:
    note = built(text)
    assert {(one.kind, one.kind_provenance) for one in note.pieces} == {
        ("observation", "channel_derived")
    }
    assert note.row.findings == ()


@pytest.mark.parametrize(
    ("kind", "shown"), [("Claim", "Claim"), ('""', ""), ("12", "12"), ("[claim]", "['claim']")]
)
def test_a_kind_that_is_none_is_a_finding_and_no_kind(kind: str, shown: str) -> None:
    """F60: it is neither taken for another nor dropped in silence."""
    note = built(f"---\nstage: 1\nkind: {kind}\n---\nx\n")
    assert (note.pieces[0].kind, note.pieces[0].kind_provenance) == (
        "observation",
        "channel_derived",
    )
    detail = f"invalid kind '{shown}' (expected one of: {', '.join(KINDS)})"
    assert note.row.findings == (Finding("invalid_kind", "a/note.md", 3, detail),)


@pytest.mark.parametrize("key", ["memoryType", "memory_type", "MemoryType"])
def test_fields_that_are_valid_fill_the_record(key: str) -> None:
    head = {"Entity": "Ada", "importance": "0.75", "source": 2024, key: "semantic"}
    piece = one(front(**head))
    assert (piece.entity, piece.memory_type, piece.importance, piece.source) == (
        "Ada",
        "semantic",
        0.75,
        "2024",
    )
    assert piece.metadata == head


@pytest.mark.parametrize(
    "head",
    [
        {"importance": "high"},
        {"importance": 7},
        {"importance": -0.1},
        {"importance": None},
        {"importance": True},
        {"memoryType": "Semantic"},
        {"memoryType": ["semantic"]},
        {"entity": ["Ada"]},
        {"entity": " "},
        {"source": {"url": "x"}},
        {"source": True},
    ],
)
def test_fields_that_mean_something_else_to_the_note_are_metadata_alone(
    head: Mapping[str, object],
) -> None:
    note = built(front(**head))
    (piece,) = note.pieces
    assert (piece.entity, piece.memory_type, piece.importance, piece.source) == (
        None,
        None,
        0.5,
        None,
    )
    assert piece.metadata == head
    assert note.row.findings == ()


def test_a_number_stands_in_a_text_as_it_is_written() -> None:
    assert one("---\nentity: 007\nsource: 1.10\n---\n").entity == "007"
    assert one("---\nentity: 007\nsource: 1.10\n---\n").source == "1.10"


@pytest.mark.parametrize(
    ("head", "created"),
    [
        ("", MODIFIED),
        ("created: 2026-07-30", datetime(2026, 7, 30, tzinfo=UTC)),
        ("date: 2026-07", datetime(2026, 7, 1, tzinfo=UTC)),
        ("created: 2026-07-30T10:00:00+02:00", datetime(2026, 7, 30, 8, tzinfo=UTC)),
        ("created: 2026-02-30", MODIFIED),
    ],
)
def test_when_a_piece_was_made_and_changed(head: str, created: datetime) -> None:
    """F80: what the note says, else the time of its file, which is when it was changed."""
    piece = one(f"---\n{head}\n---\nx\n")
    assert (piece.created_at, piece.updated_at) == (instant(created), instant(MODIFIED))


def test_a_date_without_a_zone_is_in_the_configured_one() -> None:
    """F72."""
    home = Home(zone=ZoneInfo("Asia/Tokyo"))
    (piece,) = built("---\ncreated: 2026-07-30\n---\n", home=home).pieces
    assert piece.created_at == instant(datetime(2026, 7, 29, 15, tzinfo=UTC))


def test_a_date_at_the_end_of_the_calendar_stays_in_it() -> None:
    for date in ("0001-01-01T00:00+14:00", "9999-12-31T23:59-12:00"):
        created = one(f"---\ncreated: {date}\n---\n").created_at
        assert datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=created)


# --- ids -----------------------------------------------------------------------------------------


def test_equal_texts_in_one_note_have_ids_of_their_own() -> None:
    text = "# A\n## Notes\nnone\n# B\n## Notes\nnone\n# C\n## Notes\nnone\n"
    found = pieces(text)
    assert len({piece.id for piece in found}) == len(found) == 3
    assert [piece.id for piece in pieces(text)] == [piece.id for piece in found]


def test_an_id_is_none_that_a_memory_is_given() -> None:
    assert one("x").id.startswith("p")


@pytest.mark.parametrize("path", ["other/note.md", "other/renamed.md", "NOTE.MD"])
def test_ids_stay_when_a_note_moves(path: str) -> None:
    """F100: the same note in another place is the same note."""
    for text in (TWO_SECTIONS, "no heading", ""):
        assert ids(text) == ids(text, path)


def test_ids_stay_when_headings_above_or_the_frontmatter_change() -> None:
    before = ids("# A\nx\n## B\ny\n## C\nz\n")
    after = ids("---\ntitle: T\ncreated: 2020\n---\n# New\nx\n### B\n\ny\n## C\nz\n")
    assert after["## C\nz"] == before["## C\nz"]
    assert before.keys() & after.keys() == {"## C\nz"}


shapes = st.sampled_from(["w", "- w\n- w", "w " * 400, "w\n\n" * 600, "```\nw\n```"])


@given(st.lists(shapes, min_size=1, max_size=6), st.data())
def test_an_edit_changes_the_ids_of_its_section_alone(
    shapes: list[str], data: st.DataObject
) -> None:
    def ids_of(number: int, texts: list[str]) -> list[str]:
        whole = front(title="T") + "".join(f"# S{n}\n{text}\n" for n, text in enumerate(texts))
        return [one.id for one in pieces(whole) if one.piece and one.piece.heading == f"S{number}"]

    texts = [shape.replace("w", f"word{number}") for number, shape in enumerate(shapes)]
    place = data.draw(st.integers(0, len(texts) - 1))
    edited = [*texts[:place], f"Edited.\n\n{texts[place]}", *texts[place + 1 :]]
    for number in range(len(texts)):
        same = ids_of(number, texts) == ids_of(number, edited)
        assert same == (number != place)


# --- whatever the note ---------------------------------------------------------------------------


def test_where_pieces_can_t_carry_all_that_a_note_says_the_first_one_does() -> None:
    value = "v" * 60_000
    note = built(front(big=value, entity="Ada", title="t" * 999) + "Some words.\n\n" * 20_000)
    first, *rest = note.pieces
    assert len(rest) * len(value) > MOST_CARRIED
    assert (first.metadata["big"], first.entity, len(first.title)) == (value, "Ada", 999)
    assert {(len(one.metadata), one.entity, one.title) for one in rest} == {(0, None, "t" * 200)}
    (finding,) = note.row.findings
    assert (finding.code, "only its first piece" in finding.detail) == ("note_problem", True)


def test_a_long_note_that_says_little_of_itself_says_it_on_each_piece() -> None:
    note = built(front(stage=2) + "Some words.\n\n" * 100_000)
    assert len(note.pieces) > 900
    assert all(one.metadata == {"stage": 2} for one in note.pieces)
    assert note.row.findings == ()


def test_of_a_note_that_can_t_be_understood_the_text_alone_is_in_pieces() -> None:
    text = "---\nkind: claim\ntags: [x]\n---\n" + "Some words.\n\n" * 300
    for note in (
        build_plain_note("a/note.md", content(text), "why", Home("work")),
        strip_note(built(text, home=Home("work")), "why"),
    ):
        assert len(note.pieces) > 2
        assert " ".join(one.text for one in note.pieces).split() == text.split()
        for piece in note.pieces:
            assert (piece.namespace, piece.title, piece.kind) == ("work", "note", "observation")
            assert (piece.kind_provenance, piece.tags, piece.metadata) == (
                "channel_derived",
                (),
                {},
            )
            assert piece.piece is not None
            assert piece.piece.path == "a/note.md"


@given(st.text(alphabet=st.characters(codec="utf-8")) | st.binary())
def test_any_file_gives_pieces_with_ids_of_their_own(data: str | bytes) -> None:
    read = data.encode() if isinstance(data, str) else data
    seen = SeenNote("n.md", "/v/n.md", len(read), 0)
    note = build_note(seen, Content(read, len(read), 0, sure=True), builtin_packs())
    assert len({piece.id for piece in note.pieces}) == len(note.pieces) > 0
    assert {piece.title for piece in note.pieces} == {note.row.title}
