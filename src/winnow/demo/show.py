"""The demo: writes the firm's notes, indexes them, asks the first question and tells the answer.

All text is ASCII and at most 80 characters wide, so that it reads the same when piped.
"""

import shlex
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.text import Text

from winnow.app import open_memory
from winnow.demo.firm import SCHEMA, SMALL, Question, matters, questions
from winnow.demo.notes import write_firm
from winnow.errors import VaultError
from winnow.operations.answers import EntityHit, NearMiss, OpenEntity, RecallAnswer

NEAR_MISSES = 4
_VAULT, _STORE, _NAMESPACE = "vault", "winnow.db", "demo"
_WIDTH, _TITLE_WIDTH = 80, 22


def run_demo(
    console: Console, folder: Path | None = None, *, store: str | Path | None = None
) -> RecallAnswer:
    """Show on a made-up firm what Winnow does, and leave its notes and store to be tried on.

    The notes go into `folder`, which must be empty or new, or into a temporary folder; so does
    the store, if no other is given. In a store that exists the demo keeps to a namespace of its
    own. Returns the answer to the question.
    """
    place = _prepare(folder)
    store = store or place / _STORE
    question = questions()[0]
    notes = write_firm(place / _VAULT)
    started = perf_counter()
    with open_memory(store) as memory:
        memory.admin.index(path=str(place / _VAULT), namespace=_NAMESPACE)
        seconds = perf_counter() - started
        answer = memory.recall(
            question.ask,
            schema=SCHEMA,
            where=question.where,
            near_misses=NEAR_MISSES,
            namespace=_NAMESPACE,
        )
    width = min(console.width, _WIDTH)
    for part in (*_introduce(notes, seconds, width), *_tell(question, answer, width)):
        console.print(part)
    for part in _tell_next(place, store):
        console.print(part, soft_wrap=True)  # what is to be typed is never broken over lines
    return answer


def _prepare(folder: Path | None) -> Path:
    """Make the folder; one with anything in it may be somebody's notes."""
    if folder is None:
        return Path(tempfile.mkdtemp(prefix="winnow-demo-"))
    place = folder.expanduser()
    try:
        place.mkdir(parents=True, exist_ok=True)
        if any(place.iterdir()):
            raise VaultError(f"{place} is not empty; name a new folder for the demo")
    except OSError as error:
        raise VaultError(f"{place} can't be used for the demo: {error.strerror}") from None
    return place


def _introduce(notes: int, seconds: float, width: int) -> Iterator[Text]:
    yield Text("Exact answers from a folder of notes", style="bold")
    yield _lines(
        f"A law firm keeps a note for each of its {SMALL} matters, and one for each client: prose,"
        f" then a few lines such as CLAWQL_ESCROW_PCT=12. Winnow has read these {notes} notes in"
        f" {seconds:.2f} s, as it reads any folder of Markdown.",
        width,
    )


def _tell(question: Question, answer: RecallAnswer, width: int) -> Iterator[Text]:
    yield _heading("Question")
    yield _lines(question.ask, width, "cyan")
    yield _lines(question.where, width, "bold cyan")
    count, scanned = answer.filtered_entities, answer.scanned_entities
    yield _heading(f"{count} of {scanned} match: the exact set, and where it is written", "green")
    for hit in answer.entities:
        yield from _tell_hit(hit)
    yield _heading("Near misses: one value keeps each of these out", "yellow")
    for miss in answer.near_misses or ():
        yield _row(miss.entity_id, _say_miss(miss))
    yield _heading("Undetermined: neither in nor ruled out, so not passed over", "magenta")
    for one in answer.undetermined.sample:
        yield _row(one.entity_id, _say_open(one))
    yield _heading("Why this is not similarity search")
    yield _lines(_WHY, width)


_WHY = (
    "A similarity search ranks notes by how alike they read. MAT-2390 with its 9 % reads like"
    " MAT-2388 with its 10 %, so it comes back too, somebody has to open every note to check, and"
    " MAT-2444 is gone without a word. Winnow takes typed values out of the notes and tests each"
    " one: the same five in a firm of 12 matters or of 1,000,000, in one call, each time."
)


def _tell_next(place: Path, store: str | Path) -> Iterator[Text]:
    yield _heading("Try next")
    yield Text(f"  The notes are in {place}; delete it when you are done.")
    winnow = _command_name()
    for command in (
        f"export WINNOW_STORE={shlex.quote(str(store))}",
        f"{winnow} explain MAT-2390 --schema {SCHEMA} --where 'escrowPct >= 10'",
        f"{winnow} recall --schema {SCHEMA} --where 'client.tier = Platinum'",
        f"{winnow} aggregate --schema {SCHEMA} --group-by dealType",
        f"{winnow} schema {SCHEMA}",
    ):
        yield Text(f"  {command}", style="cyan")


def _command_name() -> str:
    """Return what the user types: `winnow`, or its path where that would not be found."""
    typed = Path(sys.argv[0])
    if typed.name != "winnow" or shutil.which("winnow"):
        return "winnow"
    return shlex.quote(str(typed))


# --- parts ---------------------------------------------------------------------------------------


def _heading(text: str, color: str = "") -> Text:
    return Text(f"\n{text}", style=f"bold {color}")


def _lines(text: str, width: int, style: str = "") -> Text:
    return Text(
        textwrap.fill(
            text, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
        ),
        style,
    )


def _row(entity: str, reason: str) -> Text:
    title = next((matter.title for matter in matters() if matter.id == entity), "")
    return Text.assemble("  ", (entity, "bold"), f"  {title:<{_TITLE_WIDTH}}  {reason}")


def _tell_hit(hit: EntityHit) -> Iterator[Text]:
    values = ", ".join(f"{name} {hit.fields[name]}" for name in hit.evidence)
    yield Text.assemble(
        "  ", (hit.entity_id, "bold"), f"  {hit.fields['title']}: ", (values, "green")
    )
    for source in hit.evidence.values():
        place = f"{source.path}:{source.line}"
        yield Text.assemble("    ", (place, "dim"), "  ", source.quote or "")


def _say_miss(miss: NearMiss) -> str:
    """Say how a value fails: `escrowPct 9, 1 short of 10`."""
    value = f"{miss.field} {miss.actual}"
    if miss.by == 0:
        return f"{value}, not more than {miss.bound}"
    return f"{value}, {miss.by} short of {miss.bound}"


def _say_open(one: OpenEntity) -> str:
    return ", ".join(f"{part.field} is {part.reason} in the notes" for part in one.fields)
