"""Stages are measured when somebody asks, each without what it holds."""

import time

from winnow.stages import OTHER, measured, stage, tally


def test_each_stage_has_its_own_time() -> None:
    with measured() as record:
        time.sleep(0.002)
        with stage("outer"):
            time.sleep(0.004)
            with stage("inner"):
                time.sleep(0.008)
    assert list(record.seconds) == [OTHER, "outer", "inner"]
    assert record.seconds[OTHER] >= 0.002
    assert record.seconds["outer"] >= 0.004
    assert record.seconds["inner"] >= 0.008


def test_a_stage_that_fails_ends() -> None:
    with measured() as record:
        try:
            with stage("failing"):
                raise KeyError
        except KeyError:
            pass
        assert record.current == OTHER


def test_counts_add_up() -> None:
    with measured() as record:
        tally("rows", 2)
        tally("rows", 3)
    assert record.counts == {"rows": 5}


def test_nothing_is_kept_where_nobody_asks() -> None:
    with stage("unseen"):
        tally("rows", 1)
    with measured() as record:
        pass
    assert (list(record.seconds), record.counts) == ([OTHER], {})
