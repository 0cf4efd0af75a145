import io
import pickle
import subprocess
from pathlib import Path

import pytest
from tests.vault.making import look, make_vault, matter

from winnow.packs import builtin_packs
from winnow.store.base import StoredNote
from winnow.vault import workers
from winnow.vault.folder import Skip
from winnow.vault.loading import Loaded, Loader, Reading, ToRead
from winnow.vault.workers import load_batches, serve


@pytest.fixture
def batches(tmp_path: Path) -> list[list[ToRead]]:
    folder = make_vault(tmp_path, {f"{n:02}.md": matter(1000 + n, n) for n in range(12)})
    reads = [ToRead(note) for note in look(folder).notes]
    (folder / "03.md").unlink()
    (folder / "04.md").unlink()
    (folder / "04.md").mkdir()
    return [reads[start : start + 2] for start in range(0, 12, 2)]


@pytest.fixture(autouse=True)
def two_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "MANY", 1)
    monkeypatch.setattr(workers, "count_processors", lambda: 2)


LOADER = Loader(builtin_packs())


def load_here(batches: list[list[ToRead]]) -> list[list[Reading]]:
    return [[LOADER.load(item) for item in batch] for batch in batches]


def test_batches_come_back_in_order_with_what_was_read(batches: list[list[ToRead]]) -> None:
    answers = list(load_batches(LOADER, batches, 12))
    assert [batch for batch, _ in answers] == batches
    readings = [readings for _, readings in answers]
    assert readings == load_here(batches)
    assert readings[1][1] is None
    assert isinstance(readings[2][0], Skip)
    assert isinstance(readings[5][1], Loaded)


@pytest.mark.parametrize(("many", "processors"), [(13, 2), (1, 1)])
def test_few_files_or_one_processor_start_no_worker(
    batches: list[list[ToRead]], monkeypatch: pytest.MonkeyPatch, many: int, processors: int
) -> None:
    monkeypatch.setattr(workers, "MANY", many)
    monkeypatch.setattr(workers, "count_processors", lambda: processors)
    monkeypatch.setattr(subprocess, "Popen", None)
    assert [one for _, one in load_batches(LOADER, batches, 12)] == load_here(batches)


@pytest.mark.parametrize(
    "command",
    [
        ["-c", "raise SystemExit"],
        ["-c", "print('no answer')"],
        ["-c", "import time; time.sleep(600)"],
        ["--no-such-option"],
    ],
)
def test_what_a_worker_does_not_load_is_loaded_here(
    batches: list[list[ToRead]], monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setattr(workers, "_COMMAND", command)
    monkeypatch.setattr(workers, "START_SECONDS", 0.1)
    assert [one for _, one in load_batches(LOADER, batches, 12)] == load_here(batches)


def test_where_no_process_can_be_started_all_is_loaded_here(
    batches: list[list[ToRead]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(11, "no more processes")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert [one for _, one in load_batches(LOADER, batches, 12)] == load_here(batches)


def test_a_program_that_is_not_python_is_not_started_again(
    batches: list[list[ToRead]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.frozen", True, raising=False)
    monkeypatch.setattr(subprocess, "Popen", None)
    assert [one for _, one in load_batches(LOADER, batches, 12)] == load_here(batches)


def test_workers_end_with_the_loading_even_if_it_is_given_up(
    batches: list[list[ToRead]], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    start = workers._start

    def watch() -> "subprocess.Popen[bytes] | None":
        process = start()
        assert process is not None
        started.append(process)
        return process

    monkeypatch.setattr(workers, "_start", watch)
    answers = load_batches(LOADER, batches, 12)
    next(answers)
    assert len(started) == 2
    answers.close()
    assert all(process.returncode is not None for process in started)


def test_a_worker_answers_each_batch_until_there_are_no_more(batches: list[list[ToRead]]) -> None:
    asked = io.BytesIO(b"".join(pickle.dumps(one) for one in (LOADER, *batches)))
    answered = io.BytesIO()
    serve(asked, answered)
    answered.seek(0)
    assert pickle.load(answered) == "ready"
    assert [pickle.load(answered) for _ in batches] == load_here(batches)
    assert answered.read() == b""


def test_a_file_whose_content_is_known_has_no_row_unless_all_is_read_again(
    batches: list[list[ToRead]],
) -> None:
    first = LOADER.load(batches[0][0])
    assert isinstance(first, Loaded)
    assert first.note is not None
    note = StoredNote(1, "00.md", 0, 0, first.note.row.digest)
    item = ToRead(batches[0][0].seen, note)
    known = LOADER.load(item)
    assert isinstance(known, Loaded)
    assert known.note is None
    assert Loader(builtin_packs(), reread=True).load(item) == first
