import os
from contextlib import closing
from pathlib import Path

import pytest
from tests.store.making import add_entities, entity
from tests.store.rights import as_nobody

from winnow.errors import StoreError
from winnow.store.sqlite.place import Place, connect, find_place
from winnow.store.sqlite.store import open_store


def test_a_file_that_may_be_written_to_is_not_at_rest(path: Path) -> None:
    assert find_place(path) == Place(path)
    open_store(path).close()
    assert find_place(path) == Place(path)


def test_only_a_file_with_no_log_beside_it_is_at_rest(open_folder: Path) -> None:
    path, none = open_folder / "winnow.db", open_folder / "none.db"
    open_store(path).close()
    with as_nobody(open_folder):
        open_folder.chmod(0o500)
        assert find_place(path).stamp is not None
        assert find_place(none) == Place(none)
        open_folder.chmod(0o700)
        path.with_name("winnow.db-wal").write_bytes(b"x")
        open_folder.chmod(0o500)
        assert find_place(path) == Place(path)


def test_a_file_at_rest_that_moves_is_not_read_on(path: Path) -> None:
    with closing(open_store(path)) as store:
        add_entities(store, entity("M-1"))
    found = path.stat()
    place = Place(path, (found.st_ino, found.st_size, found.st_mtime_ns))
    place.check()
    os.utime(path, ns=(1, 1))
    with pytest.raises(StoreError, match="open it again"):
        place.check()


def test_what_lies_beside_a_store_may_be_written_to_as_the_store_may(path: Path) -> None:
    with closing(open_store(path)), closing(connect(path)):
        beside = [path.with_name(path.name + name) for name in ("-wal", "-shm")]
        for one in beside:
            one.chmod(0o400)
        Place(path).connect().close()
        assert [one.stat().st_mode & 0o777 for one in beside] == [0o600, 0o600]
        path.chmod(0o400)
        beside[0].chmod(0o400)
        Place(path).connect().close()
        assert beside[0].stat().st_mode & 0o777 == 0o400


def test_a_backup_that_nobody_opened_is_at_rest_for_who_leaves_it_untouched(path: Path) -> None:
    backup = path.with_name("b.backup")
    with closing(open_store(path)) as store:
        add_entities(store, entity("M-1"))
        store.upkeep.copy_to(backup, replace=False)
    assert find_place(backup) == Place(backup)
    assert find_place(backup, untouched=True).stamp is not None
    assert find_place(path, untouched=True) == Place(path)
    backup.with_name("b.backup.d").mkdir()
    assert find_place(backup, untouched=True) == Place(backup)
