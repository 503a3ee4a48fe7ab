from __future__ import annotations

import pytest

from diagnostics.notation.metric_unit import is_counter, rate_unit, unit_of


@pytest.mark.parametrize(
    ("metric", "unit"),
    [
        ("lastCheckpointDuration", "ms"),
        ("lastCheckpointSize", "bytes"),
        ("checkpointAlignmentTime", "ns"),
        ("currentOutputWatermark", "epoch ms"),
        ("busyTimeMsPerSecond", "ms/s"),
        ("numRecordsOutPerSecond", "records/s"),
        ("mailboxMailsPerSecond", "1/s"),
        ("numBytesOutPerSecond", "bytes/s"),
        ("Shuffle.Netty.Input.Buffers.inPoolUsage", "ratio"),
        ("Shuffle.Netty.Input.numBytesInRemote", "bytes"),
        ("Status.JVM.Memory.Heap.Used", "bytes"),
        ("Status.JVM.Memory.Direct.Count", None),
        ("Status.JVM.GarbageCollector.G1_Young_Generation.Time", "ms"),
        ("window.rocksdb.total-sst-files-size", "bytes"),
        ("numRunningJobs", None),
        ("loadTime", None),
    ],
)
def test_flinks_own_metrics_have_the_unit_of_its_documentation_and_others_none(metric: str, unit: str | None) -> None:
    assert unit_of(metric) == unit


def test_a_counter_grows_in_its_unit_each_second() -> None:
    assert (rate_unit("numRecordsIn"), rate_unit("fullRestarts")) == ("records/s", "1/s")


def test_numbers_of_jobs_and_of_processes_fall_again_and_are_no_counters() -> None:
    gauges = ("numRunningJobs", "numRegisteredTaskManagers", "numPendingTaskManagers", "numberOfInProgressCheckpoints")
    counters = ("numRestarts", "numRecordsIn", "numberOfFailedCheckpoints", "uptime")
    assert [is_counter(each) for each in (*gauges, *counters)] == [False] * 4 + [True] * 4
