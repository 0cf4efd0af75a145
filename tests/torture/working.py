"""Who works on the store: each a thread that asks by a process of its own, again and again."""

import json
import re
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

from tests.torture.ledger import Ledger, Versions
from tests.torture.speaking import Gone, Hung, Refused, Resp, Way

_TEXT = (
    "escrow harbor token rotation buyer seller pilot tide night delivery courier invoice court"
    " clause merger notice signature vault ledger closing audit license patent trial lease rent"
    " deposit broker counsel partner draft review 设备 contrato Frist délai"
)
WORDS = _TEXT.split()
NAMED = re.compile(r"\[([\w-]+)#(\d+)\]")
"""A thing and its version, as they stand in its text."""

FIRST_NOTED, FIRST_IMPORTED = 1_000, 9_000
"""From these numbers on matters are of notes, and imported ones."""

# Errors that a full disk, a read-only file and a crowd may cause; any other is a fault.
EXCUSED = frozenset({"store_error", "too_slow", "vault_error"})


class Worker(Thread, ABC):
    """One who works until he is stopped. What he has seen go wrong is in `faults`."""

    def __init__(self, way: Way, ledger: Ledger, random: Random) -> None:
        super().__init__(name=way.name)
        self.way = way
        self.ledger = ledger
        self.random = random
        self.stopped = Event()
        self.waits: list[float] = []
        self.first_waits: list[float] = []
        """Those for the first of its operation that a process has answered."""
        self.refused: Counter[str] = Counter()
        self.faults: list[str] = []
        self.began = Event()
        """Set when the process of its own has answered once."""

    @abstractmethod
    def step(self) -> None:
        """Do one thing."""

    def run(self) -> None:
        try:
            while not self.stopped.is_set():
                try:
                    self.way.begin()
                    self.began.set()
                    self.step()
                except Gone:
                    self.stopped.wait(0.05)
                except Refused as error:
                    self.excuse(error)
                    self.stopped.wait(0.05)
        except Hung as error:
            self.faults.append(str(error))
        except Exception as error:  # noqa: BLE001  # what is wrong with the test must end it, too
            self.faults.append(f"{self.name}: {error!r}")
        finally:
            self.began.set()

    def ask(self, operation: str, **arguments: Any) -> Any:
        """Ask, and note how long the answer took."""
        begin = time.monotonic()
        waits = self.waits if operation in self.way.warm else self.first_waits
        try:
            answer = self.way.call(operation, **arguments)
        except Refused:
            waits.append(time.monotonic() - begin)
            raise
        waits.append(time.monotonic() - begin)
        if self.way.lasts:
            self.way.warm.add(operation)
        return answer

    def excuse(self, error: Refused) -> None:
        """Take an error for what it is: the fault that was made, or one of the store."""
        self.refused[error.code] += 1
        if error.code not in EXCUSED:
            self.faults.append(f"{self.name}: {error}")

    def write(self, what: str, puts: Versions, run: Callable[[], Any]) -> Any:
        """Write, with notes in the ledger before and after."""
        number = self.ledger.attempt(self.name, what, puts, index=what == "index")
        answer = run()
        self.ledger.acknowledge(number)
        return answer


class Writer(Worker):
    """Stores, changes, deletes and reads memories of his own."""

    def __init__(self, way: Way, ledger: Ledger, random: Random) -> None:
        super().__init__(way, ledger, random)
        self._count = 0
        self._own: dict[str, tuple[str, int]] = {}

    def step(self) -> None:
        choice = self.random.choices((self._store, self._update, self._forget, self._get), _SHARES)
        choice[0]()

    def _store(self) -> None:
        self._count += 1
        named = self.random.random() < 0.8 or isinstance(self.way, Resp)
        key = f"{self.name}-{self._count}" if named else f"auto-{self.name}-{self._count}"
        given = {"id": key} if named else {}
        text = text_of(key, 1, self.random)
        answer = self.write(
            "store", {f"memory:{key}": 1}, lambda: self.ask("store", text=text, **given)
        )
        self._own[key] = (answer["id"], 1)

    def _update(self) -> None:
        if (key := self._pick()) is None:
            return
        name, version = self._own.pop(key)
        text = text_of(key, version + 1, self.random)
        puts = {f"memory:{key}": version + 1}
        self.write("update", puts, lambda: self.ask("update", id=name, text=text))
        self._own[key] = (name, version + 1)

    def _forget(self) -> None:
        if (key := self._pick()) is not None:
            name, _ = self._own.pop(key)
            self.write("delete", {f"memory:{key}": None}, lambda: self.ask("delete", id=name))

    def _get(self) -> None:
        if (key := self._pick()) is not None:
            name, version = self._own[key]
            found = versions_in(self.ask("get", id=name)["text"])
            if found != {key: version}:
                self.faults.append(f"{self.name} wrote {key}#{version} and reads {found}")

    def _pick(self) -> str | None:
        return self.random.choice(list(self._own)) if self._own else None


_SHARES = (50, 25, 12, 13)


class Importer(Worker):
    """Imports files of memories and entities, new ones and those of before."""

    def __init__(self, way: Way, ledger: Ledger, random: Random, folder: Path) -> None:
        super().__init__(way, ledger, random)
        self._path = folder / f"{way.name}.jsonl"
        self._version = 0

    def step(self) -> None:
        self._version += 1
        numbers = self.random.sample(range(60), 12)
        entities = [f"MAT-{FIRST_IMPORTED + one}" for one in numbers[:4]]
        memories = [f"{self.name}-{one}" for one in numbers[4:]]
        lines: list[Mapping[str, Any]] = [
            *(
                {"schema": "legal.Matter", "id": one, "fields": {"dealValueUSD": self._version}}
                for one in entities
            ),
            *({"id": one, "text": text_of(one, self._version, self.random)} for one in memories),
        ]
        self._path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
        puts = {f"entity:{one}": self._version for one in entities}
        puts |= {f"memory:{one}": self._version for one in memories}
        self.write("import", puts, lambda: self.ask("import", path=self._path))
        self.stopped.wait(self.random.random())


class Vault:
    """A folder of notes that is edited all the time, by another than who reads it."""

    def __init__(self, folder: Path, ledger: Ledger, random: Random, notes: int) -> None:
        self.folder = folder
        self._ledger, self._random = ledger, random
        self._there: dict[int, bool] = {}
        self._count = 0
        self._stopped = Event()
        self._thread = Thread(target=self._edit_on, name="editor")
        for number in range(1, notes + 1):
            self._put(number)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _edit_on(self) -> None:
        while not self._stopped.wait(self._random.uniform(0.01, 0.1)):
            number = self._random.choice(list(self._there))
            if self._there[number] and self._random.random() < 0.05:
                self._remove(number)
            else:
                self._put(number)

    def _put(self, number: int) -> None:
        self._count += 1
        name = f"n{number}"
        said = f"CLAWQL_MATTER_ID=MAT-{FIRST_NOTED + number}\nCLAWQL_DEAL_VALUE_USD={self._count}\n"
        text = f"# Note {number}\n\n{said}\n{text_of(name, self._count, self._random)}\n"
        fresh = self.folder.parent / f"{name}.new"
        fresh.write_text(text, encoding="utf-8")
        edit = self._ledger.attempt("editor", "edit", {f"note:{name}": self._count})
        fresh.replace(self.folder / f"{name}.md")
        self._ledger.place(edit)
        self._there[number] = True

    def _remove(self, number: int) -> None:
        edit = self._ledger.attempt("editor", "edit", {f"note:n{number}": None})
        (self.folder / f"n{number}.md").unlink()
        self._ledger.place(edit)
        self._there[number] = False


class Indexer(Worker):
    """Reads the vault again and again."""

    def __init__(self, way: Way, ledger: Ledger, random: Random, vault: Vault) -> None:
        super().__init__(way, ledger, random)
        self._vault = vault

    def step(self) -> None:
        self.write("index", {}, lambda: self.ask("index", path=self._vault.folder))
        self.stopped.wait(self.random.random())


class Reader(Worker):
    """Reads what others write, and sees nothing that was never there, or is there no more."""

    def step(self) -> None:
        names = [one for one in self.ledger.names() if re.match(r"memory:(?!auto-|resp)", one)]
        if names:
            name = self.random.choice(names)
            before, writes = self.ledger.now(name)
            find = self.random.choice((self._get, self._recall))
            found = find(name.removeprefix("memory:"))
            allowed = before | self.ledger.since(name, writes)
            if found not in allowed:
                self.faults.append(f"{self.name} reads {name}#{found}, not one of {allowed}")
        self.stopped.wait(0.02)

    def _get(self, name: str) -> int | None:
        try:
            text = self.ask("get", id=name)["text"]
        except Refused as error:
            if error.code != "not_found":
                raise
            return None
        return versions_in(text)[name]

    def _recall(self, name: str) -> int | None:
        where = f'text contains "[{name}#"'
        hits = self.ask("recall", query=f"{name} {self.random.choice(WORDS)}", where=where)["hits"]
        if len(hits) > 1:
            self.faults.append(f"{self.name} finds {name} {len(hits)} times")
        return versions_in(hits[0]["text"])[name] if hits else None


def text_of(name: str, version: int, random: Random) -> str:
    return f"[{name}#{version}] {' '.join(random.choices(WORDS, k=12))}"


def versions_in(text: str) -> dict[str, int]:
    return {name: int(version) for name, version in NAMED.findall(text)}
