"""Writes that RocksDB holds back, and the files of its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from diagnostics.signals import rocksdb_writes
from tests.diagnostics.hand_made import JOB, MIDDLE, START, hand_made, needs, only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diagnostics.evidence.subject import FactValue


def sampled(metric: str, *values: float, subtask: int = 0, family: str = "state") -> list[dict[str, Any]]:
    """One value each ten seconds."""
    about = {"job_id": JOB, "vertex_id": MIDDLE, "operator": "enrich", "subtask": subtask, "labels": family}
    return [
        {**about, "metric": metric, "value": value, "ts_ms": START + place * 10_000}
        for place, value in enumerate(values)
    ]


def facts_of(**tables: Any) -> Mapping[str, FactValue]:
    return only(rocksdb_writes.measure(hand_made(**tables)), "rocksdb_writes").facts


def test_the_share_of_stalled_time_is_that_of_the_worst_subtask() -> None:
    rows = [
        *sampled("rocksdb.stall_micros", 0, 0, 0),
        *sampled("rocksdb.stall_micros", 1e6, 2e6, 6e6, subtask=1),
    ]
    facts = facts_of(metric_sample=rows)
    assert (facts["subtask"], facts["stalled_share_ratio"]) == (1, pytest.approx(0.25))


def test_rocksdbs_own_log_shows_what_it_waited_for() -> None:
    about = {"job_id": JOB, "subtask": 1, "process": "taskmanager"}
    texts = {
        "rocks.stall.stop.l0": "Stopping writes because we have 36 level-0 files",
        "rocks.stall.slow.l0": "Stalling writes because we have 20 level-0 files rate 16777216",
    }
    log = [{**about, "event": event, "message": text, "ts_ms": START} for event, text in texts.items()]
    facts = facts_of(log_record=log)
    assert (facts["stops"], facts["slowdowns"]) == (1, 1)
    assert facts["waits_for"] == "files of level 0 that wait for compaction"


def test_files_are_those_of_all_levels_at_the_end() -> None:
    rows = [
        *sampled("rocksdb.num-files-at-level0", 30, 4),
        *sampled("rocksdb.num-files-at-level6", 100, 4800),
        *sampled("rocksdb.num-files-at-level6", 10, 200, family="timers"),
    ]
    facts = facts_of(metric_sample=rows)
    assert (facts["files_most"], facts["level0_files"]) == (5004, 30)


def test_a_write_stall_without_an_end_is_reported() -> None:
    facts = facts_of(metric_sample=sampled("rocksdb.is-write-stopped", 0, 0))
    assert (facts["write_stopped"], facts["stops"]) == (False, 0)


def test_without_rocksdb_nothing_is_measured() -> None:
    heap = [{"metric": "numRecordsIn", "value": 1.0, "ts_ms": START}]
    assert needs(rocksdb_writes.measure(hand_made(metric_sample=heap))) == {"rocksdb_writes": "rocksdb-log"}
