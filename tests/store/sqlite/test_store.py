import signal
import subprocess
import sys
import threading
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from tests.store.making import (
    MATTER,
    add_entities,
    add_notes,
    add_vault,
    entity,
    fields_of,
    ids_after,
    note,
    said,
)

from winnow.errors import InvalidRequest, NotFound, StoreError
from winnow.store.base import StoredPack, VaultRow
from winnow.store.memories import NamespaceRow
from winnow.store.sqlite.store import SqliteStore, open_store

WRITE_MANY = """
import sys
from pathlib import Path
from winnow.store.base import Contribution
from winnow.store.sqlite.store import open_store
store = open_store(Path(sys.argv[1]))
sys.stdin.readline()
for number in range(50):
    with store.write() as writer:
        writer.put_entities("default", [Contribution("s.E", f"{sys.argv[2]}-{number}", {})])
store.close()
"""

DIE_WRITING = """
import sys
from pathlib import Path
from winnow.records import Candidate
from winnow.store.base import Contribution
from winnow.store.sqlite.store import open_store
store = open_store(Path(sys.argv[1]))
def put(writer, name):
    writer.put_entities("default", [Contribution("s.E", name, {"a": (Candidate("x" * 5000),)})])
with store.write() as writer:
    put(writer, "kept")
with store.write() as writer:
    for number in range(8000):
        put(writer, f"lost-{number}")
    print("ready", flush=True)
    sys.stdin.readline()
"""


def run(script: str, *args: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_no_write_of_four_processes_is_lost(store: SqliteStore) -> None:
    """F92, F93."""
    children = [run(WRITE_MANY, store.path, f"P{n}") for n in range(4)]
    assert [child.communicate("go\n") for child in children] == [("", "")] * 4
    assert len(ids_after(store, 0, "s.E")) == 200
    assert store.last_change().number == 200
    assert store.upkeep.check() == []


def test_a_process_killed_while_it_writes_leaves_a_whole_store(store: SqliteStore) -> None:
    child = run(DIE_WRITING, store.path)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    log = store.path.with_name("winnow.db-wal")
    assert log.stat().st_size > 20_000_000  # what it wrote has reached the file
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert ids_after(store, 0, "s.E") == ["kept"]
    assert add_entities(store, entity("next", schema="s.E")) == 2
    assert store.upkeep.check() == []
    store.close()
    with closing(open_store(store.path)) as again:
        assert ids_after(again, 0, "s.E") == ["kept", "next"]


def test_the_changes_of_another_process_are_seen(store: SqliteStore) -> None:
    with closing(open_store(store.path)) as other:
        assert other.last_change().number == 0
        first = add_entities(store, entity("M-1", a=1), entity("M-2"))
        assert other.last_change() == store.last_change()
        add_entities(store, entity("M-1", a=2), entity("M-3"))
        assert other.last_change().number == first + 1
        assert ids_after(other, first) == ["M-1", "M-3"]
        assert fields_of(other, "M-1") == {"a": 2}


def test_each_transaction_that_wrote_has_one_number_and_a_time(store: SqliteStore) -> None:
    created = store.last_change()
    with store.write() as writer:
        writer.put_entities("default", [entity("M-1")])
        writer.put_entities("default", [entity("M-2")])
    last = store.last_change()
    assert (created.number, last.number) == (0, 1)
    assert len(last.time) == len("2026-03-05T14:30:00.000Z")
    assert created.time <= last.time
    assert ids_after(store, 0) == ["M-1", "M-2"]


def test_a_transaction_that_wrote_nothing_has_no_number(store: SqliteStore) -> None:
    pack = StoredPack("default", "legal", "builtin", "text")
    with store.write() as writer:
        writer.put_pack(pack)
    last = store.last_change()
    with store.write() as writer:
        writer.put_pack(pack)
        writer.delete_notes([])
        with pytest.raises(NotFound):
            writer.touch_note(7, 1, 1)
    assert store.last_change() == last


def test_an_exception_undoes_the_whole_transaction(store: SqliteStore) -> None:
    def fail() -> None:
        with store.write() as writer:
            writer.put_entities("default", [entity("M-1")])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert ids_after(store, 0) == []
    assert store.last_change().number == 0
    assert add_entities(store, entity("M-2")) == 1


def test_a_writer_ends_with_its_block(store: SqliteStore) -> None:
    with store.write() as writer:
        pass
    with pytest.raises(StoreError, match="has ended"):
        writer.put_entities("default", [entity("M-1")])
    assert ids_after(store, 0) == []


def test_a_write_inside_a_write_is_refused_and_not_waited_for(store: SqliteStore) -> None:
    with store.write() as writer:
        with pytest.raises(StoreError, match="already under way in this thread"), store.write():
            pass
        with pytest.raises(StoreError, match="already under way in this thread"):
            store.close()
        writer.put_entities("default", [entity("M-1")])
    assert ids_after(store, 0) == ["M-1"]


def test_readers_see_the_state_before_a_write_and_do_not_wait(store: SqliteStore) -> None:
    add_entities(store, entity("M-1"))
    with store.write() as writer:
        writer.put_entities("default", [entity("M-2")])
        assert ids_after(store, 0) == ["M-1"]
        assert store.last_change().number == 1
        assert store.find_entity("default", MATTER, "M-2") is None
    assert ids_after(store, 0) == ["M-1", "M-2"]


def test_a_scan_under_way_sees_one_state(store: SqliteStore) -> None:
    add_entities(store, *(entity(f"M-{n:04}", a=1) for n in range(2000)))
    batches = store.scan_entities(MATTER, 0)
    first = next(batches)
    add_entities(store, *(entity(f"M-{n:04}", a=2) for n in range(2001)))
    rest = list(batches)
    assert len(rest) >= 2
    everything = [first, *rest]
    assert sum(len(batch.ids) for batch in everything) == 2000
    assert all(fields == {"a": 1} for batch in everything for fields in batch.fields)
    assert [one for batch in everything for one in batch.ids] == ids_after(store, 0)[:2000]


def test_a_scan_that_is_given_up_frees_its_connection(store: SqliteStore) -> None:
    add_entities(store, *(entity(f"M-{n}") for n in range(1000)))
    for _ in range(5):
        next(store.scan_entities(MATTER, 0))
    assert len(store._readers._free) == 1


def test_a_scan_may_end_after_the_store_was_closed(path: Path) -> None:
    """F95."""
    store = open_store(path)
    add_entities(store, *(entity(f"M-{n}") for n in range(1000)))
    batches = store.scan_entities(MATTER, 0)
    count = len(next(batches).ids)
    store.close()
    assert count + sum(len(batch.ids) for batch in batches) == 1000


def test_threads_may_write_and_read_at_once(store: SqliteStore) -> None:
    """F91."""
    faults: list[Exception] = []

    def work(name: str) -> None:
        try:
            for number in range(20):
                last = add_entities(store, entity(f"{name}-{number}"))
                assert ids_after(store, last - 1) != []
                assert store.upkeep.check() == []
        except (StoreError, AssertionError) as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(f"T{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(ids_after(store, 0)) == 80


def test_closing_waits_for_a_write_that_is_under_way(store: SqliteStore) -> None:
    begun, closing_now = threading.Event(), threading.Event()

    def work() -> None:
        with store.write() as writer:
            begun.set()
            closing_now.wait()
            writer.put_entities("default", [entity("M-1")])

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    closer = threading.Thread(target=store.close)
    closer.start()
    closing_now.set()
    thread.join()
    closer.join()
    with closing(open_store(store.path)) as again:
        assert ids_after(again, 0) == ["M-1"]


def test_ids_ascend_through_all_batches(store: SqliteStore) -> None:
    names = [f"M-{(n * 7919) % 3001:04}" for n in range(3001)]
    add_entities(store, *(entity(name) for name in names))
    assert ids_after(store, 0) == sorted(names)
    first = add_entities(store, *(entity(name, a=1) for name in names))
    assert ids_after(store, first - 1) == sorted(names)
    keys = [key for batch in store.scan_entities(MATTER, 0) for key in batch.keys]
    again = [one for batch in store.rescan_entities(keys[::-1]) for one in batch.ids]
    assert again == sorted(names)


def test_a_schema_that_nobody_knows_has_no_entities(store: SqliteStore) -> None:
    assert list(store.scan_entities("no.Such", 0)) == []
    assert list(store.scan_entities("no.Such", 5)) == []
    assert list(store.rescan_entities([])) == []
    assert store.read_entities([]) == []
    assert store.find_entity("default", "no.Such", "M-1") is None


def test_entities_are_read_in_the_order_of_their_keys(store: SqliteStore) -> None:
    add_entities(store, entity("M-1"), entity("M-2"))
    one, two = (store.find_entity("default", MATTER, name) or 0 for name in ("M-1", "M-2"))
    found = store.read_entities([two, one, two])
    assert [each.id for each in found] == ["M-2", "M-1", "M-2"]
    with pytest.raises(NotFound, match="no entity has the key 99"):
        store.read_entities([one, 99])


def test_packs_are_kept_for_each_namespace(store: SqliteStore) -> None:
    first, second = (StoredPack(name, "legal", "builtin", "v1") for name in ("b", "a"))
    newer = replace(first, source="mine.yaml", text="v2")
    with store.write() as writer:
        for pack in (first, second, newer):
            writer.put_pack(pack)
    assert store.packs() == [second, newer]
    last = store.last_change()
    with store.write() as writer:
        writer.drop_pack(newer.namespace, newer.name)
    assert store.packs() == [second]
    assert store.last_change() != last


def test_namespaces_are_those_that_hold_anything(store: SqliteStore) -> None:
    add_vault(store, namespace="with a vault")
    add_entities(store, entity("M-1"), namespace="an entity")
    with store.write() as writer:
        writer.put_pack(StoredPack("pack", "legal", "builtin", ""))
        with pytest.raises(InvalidRequest):
            writer.put_entities("nothing", [entity("\ud800")])
        writer.put_entities("nothing", [])
    assert store.namespaces() == ["an entity", "pack", "with a vault"]


def test_a_vault_is_added_once_and_then_changed(store: SqliteStore) -> None:
    vault = add_vault(store)
    assert vault.key
    changed = replace(vault, name="v", fingerprint="f2", packs=("/p/a.yaml", "b"))
    with store.write() as writer:
        assert writer.put_vault(changed) == changed
        assert writer.put_vault(replace(changed, key=0)) == changed
    other = add_vault(store, namespace="other")
    assert other.key != vault.key
    assert store.vaults() == [changed, other]


def test_a_vault_keeps_its_namespace(store: SqliteStore) -> None:
    vault = add_vault(store)
    with store.write() as writer, pytest.raises(NotFound, match="no vault of the key"):
        writer.put_vault(replace(vault, namespace="other"))
    with store.write() as writer, pytest.raises(NotFound):
        writer.put_vault(VaultRow(99, "/x", "x", "default", "", ()))
    assert store.vaults() == [vault]


def test_the_notes_of_a_vault_are_its_own(store: SqliteStore) -> None:
    one, other = add_vault(store, "/one"), add_vault(store, "/other")
    add_notes(store, one, note("b.md"), note("a.md", said("a.md", "M-1")))
    add_notes(store, other, note("a.md"))
    assert [each.path for each in store.notes(one)] == ["a.md", "b.md"]
    assert [each.path for each in store.notes(other)] == ["a.md"]


@pytest.mark.parametrize("durability", ["normal", "full"])
def test_every_durability_keeps_what_was_committed(path: Path, durability: str) -> None:
    with closing(open_store(path, durability=durability)) as store:
        for number in range(5):
            add_entities(store, entity(f"M-{number}"))
    with closing(open_store(path)) as store:
        assert len(ids_after(store, 0)) == 5


def test_an_unknown_durability_is_refused_with_those_that_are_known(path: Path) -> None:
    with pytest.raises(InvalidRequest, match=r"did you mean 'full'.*allowed: normal, full"):
        open_store(path, durability="ful")
    assert not path.exists()


def test_only_what_may_touch_settings_moves_what_is_said_of_them(
    path: Path, store: SqliteStore
) -> None:
    first = store.spaces.settled()
    for number in range(3):
        add_entities(store, entity(f"M-{number}"))
        assert store.spaces.settled() == first
    with store.write() as writer:
        writer.records.put_namespace(NamespaceRow("default", {"language": "german"}))
    second = store.spaces.settled()
    assert second != first
    with closing(open_store(path)) as other:
        add_entities(other, entity("M-9"))  # what it was nobody here knows
    third = store.spaces.settled()
    assert third not in (first, second)
    with suppress(ZeroDivisionError), store.write() as writer:
        writer.records.put_namespace(NamespaceRow("default", {}))
        raise ZeroDivisionError
    assert store.spaces.settled() == third
    with store.write() as writer:
        assert writer.spaces.settled() == third
