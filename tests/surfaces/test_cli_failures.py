"""What goes wrong ends with a line and an exit code, and never with a traceback."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.surfaces.running import IDS, Ran, Winnow, run_winnow, start_winnow, typed

import winnow.app
from winnow.errors import StoreError
from winnow.memories import RECORDS
from winnow.operations import OPERATIONS
from winnow.surfaces.cli.failures import respell
from winnow.wire import arguments

KEPT = frozenset(RECORDS.fields)  # a name that fields have, too, is none of an argument
ON_MATTERS = ("--schema", "legal.Matter")


def line_of(ran: Ran) -> str:
    """The one line that a failed command says."""
    assert ran.out == ""
    assert ran.err.startswith("winnow: ")
    assert ran.err.count("\n") == 1
    return ran.err.removeprefix("winnow: ").rstrip("\n")


@pytest.mark.parametrize("how", [(), ("--json",)])
def test_all_faults_of_a_request_stand_in_one_line(ask: Winnow, how: tuple[str, ...]) -> None:
    words = ("--schema", "legal.Mater", "--limit", "ten", "--order-by", "title:up")
    ran = ask("recall", *words, "--where", "escrowPct >=", *how)
    faults = line_of(ran).split("; /")
    assert ran.code == 2
    assert sorted(fault.split(":")[0].strip("/") for fault in faults) == [
        "limit",
        "orderBy/0",
        "schema",
        "where",
    ]
    assert "did you mean 'legal.Matter'?" in ran.err


def test_an_unknown_field_is_told_with_its_place_and_the_nearest_name(ask: Winnow) -> None:
    ran = ask("count", *ON_MATTERS, "--filters", '{"escrowPc": {"gte": 10}}')
    assert ran.code == 2
    assert re.match(r"/filters/escrowPc.*did you mean 'escrowPct'\?", line_of(ran))


def test_what_is_required_is_asked_for(ask: Winnow) -> None:
    ran = ask("explain", "--where", "escrowPct > 1")
    assert ran.code == 2
    told = line_of(ran)
    assert "/entityId: this argument is required" in told
    assert "/schema: this argument is required" in told


def test_what_is_not_stored_is_an_error_but_not_one_of_usage(ask: Winnow) -> None:
    ran = ask("explain", "MAT-23881", *ON_MATTERS, "--where", "escrowPct > 1", "--json")
    assert ran.code == 1
    assert IDS[0] in line_of(ran)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("recall", "--limt", "3"), "no such option: --limt (did you mean --limit?)"),
        (("count", "--zzz"), "no such option: --zzz (see winnow count --help)"),
        (("explian",), "no such command 'explian'. Did you mean 'explain'?"),
        (("zzz",), "no such command 'zzz' (see winnow --help)"),
        (("--json",), "missing command (see winnow --help)"),
        (("keys", "--json"), "missing command (see winnow keys --help)"),
        (("recall", "--json", "--plain"), "/plain: can't be given together with json"),
        (("--plain", "recall", "--json"), "/plain: can't be given together with json"),
        (("recall", "--limit"), "option '--limit' requires an argument"),
    ],
)
def test_wrong_usage_is_told_in_one_line(words: tuple[str, ...], line: str) -> None:
    ran = run_winnow(*words)
    assert ran.code == 2
    assert line_of(ran) == line


def test_too_many_words_are_not_passed_over(ask: Winnow) -> None:
    ran = ask("recall", "all", "matters", *ON_MATTERS)
    assert ran.code == 2
    assert "(matters); put words that belong together in quotes" in line_of(ran)


def test_a_store_that_is_none_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "s.db").write_bytes(b"not a store" * 1000)
    ran = run_winnow("--store", str(tmp_path / "s.db"), "count")
    assert ran.code == 1
    assert "s.db" in line_of(ran)
    assert (tmp_path / "s.db").read_bytes() == b"not a store" * 1000


def test_a_store_elsewhere_is_not_available_yet() -> None:
    ran = run_winnow("--store", "postgresql://host/db", "doctor")
    assert ran.code == 1
    assert "not available yet" in line_of(ran)


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(winnow.app, "open_memory", fail)
    monkeypatch.setattr(winnow.app, "open_to_check", fail)


def test_what_nobody_foresaw_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, ValueError("of\nno\x1b[2J use"))
    ran = run_winnow("doctor")
    assert ran.code == 1
    assert line_of(ran) == (
        r"internal error: ValueError: of no\x1b[2J use (run with WINNOW_DEBUG=1 for details)"
    )


def test_what_nobody_foresaw_is_shown_in_full_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, ValueError("of no use"))
    with pytest.raises(ValueError, match="of no use"):
        run_winnow("doctor", env={"WINNOW_DEBUG": "1"})


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (StoreError("it is\ndamaged"), "it is damaged"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (PermissionError(13, "Permission denied", "/a/b"), "/a/b: Permission denied"),
    ],
)
def test_what_the_system_refuses_is_an_error_in_one_line(
    monkeypatch: pytest.MonkeyPatch, error: Exception, line: str
) -> None:
    raising(monkeypatch, error)
    ran = run_winnow("doctor")
    assert ran.code == 1
    assert line_of(ran) == line


def test_an_interrupt_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, KeyboardInterrupt())
    assert run_winnow("doctor") == Ran(130, "", "")


@pytest.mark.parametrize("how", [(), ("--json",)])
def test_a_reader_that_goes_away_is_no_reason_to_complain(store: str, how: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with start_winnow("--store", store, "list", *ON_MATTERS, *how, stdout=writing) as process:
        os.close(writing)
        assert process.communicate()[1] == b""
    assert process.returncode == 1


def test_output_that_cannot_be_written_is_an_error(store: str) -> None:
    with (
        open("/dev/full", "wb") as full,
        start_winnow("--store", store, "doctor", "--json", stdout=full) as process,
    ):
        error = process.communicate()[1]
    assert error == b"winnow: No space left on device\n"
    assert process.returncode == 1


def test_closed_streams_are_no_reason_to_complain(store: str) -> None:
    """As of a job of cron, or of `>&-`."""
    script = 'exec >&- 2>&-; exec "$@"'
    line = ["sh", "-c", script, "sh", *typed("--store", store, "doctor")]
    assert subprocess.run(line, check=False).returncode == 0


# Any text may be the path of a file: what reads or writes one is left alone.
WITH_PATHS = ("index", "import", "export", "backup")
OPTIONS = sorted(
    {
        f"--{one.name.replace('_', '-')}"
        for name, operation in OPERATIONS.items()
        for one in arguments(operation.request)
        if name not in WITH_PATHS
    }
)
WORDS = st.one_of(
    st.sampled_from([*OPTIONS, *ON_MATTERS, *IDS, "escrowPct > 1", "{}", "escrowPct", "--json"]),
    st.text(st.characters(exclude_characters="\0"), max_size=12),
)
TAKING_NO_PATH = [name for name in OPERATIONS if name not in WITH_PATHS]


@settings(max_examples=150)
@given(st.sampled_from(TAKING_NO_PATH), st.lists(WORDS, max_size=6))
def test_whatever_is_typed_ends_with_an_exit_code_and_at_most_one_line(
    store: str, command: str, words: list[str]
) -> None:
    ran = run_winnow("--store", store, command, *words)
    assert ran.code in (0, 1, 2)
    assert "internal error" not in ran.err
    assert (ran.err.count("\n") == 1) == (ran.code > 0) or command == "count"


def test_names_of_arguments_are_told_as_options_and_places_as_they_are() -> None:
    for told, shown in (
        ("/id: give one of id, ids and deletedSince", "id, --ids and --deleted-since"),
        ("/all: give one of dryRun, expectedCount and all", "-run, --expected-count and --all"),
        ("/expiresAt: give ttlSeconds or expiresAt, not both", "--ttl-seconds or --expires-at,"),
        ("/orderBy: leave out minScore; /minScore: so", "out --min-score; /minScore: so"),
        ("/where: 'minScore' and kind or memoryType; n.minScore", None),
        ("/where: unknown field 'x' (allowed: createdAt, memoryType)", None),
        ("3 match, and all of them and more", None),
    ):
        respelled = respell(told)
        assert (shown in respelled) if shown else respelled == told
        assert respelled.startswith(told.partition(":")[0])


def test_every_argument_of_two_words_is_told_as_its_option() -> None:
    for row in OPERATIONS.values():
        for one in arguments(row.request):
            if "_" in one.name and one.name not in row.positional and one.wire_name not in KEPT:
                option = f"--{one.name.replace('_', '-')}"
                assert respell(f"leave {one.wire_name} out") == f"leave {option} out"
