"""The samples of the metrics that signals follow over time."""

from __future__ import annotations

from functools import partial

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.metric_samples import SAMPLE_COLUMNS, in_order, single_samples
from diagnostics.arithmetic.thinning import thin_samples, unthinned

MOST_POINTS = 300_000
"""Samples that are kept as they are; of more the last one of each slot of time. Our choice: 30 MB."""

FOLLOWED = (
    "numRecordsIn",
    "numRecordsOut",
    "numRecordsInPerSecond",
    "numRecordsOutPerSecond",
    "numBytesIn",
    "busyTimeMsPerSecond",
    "backPressuredTimeMsPerSecond",
    "checkpointStartDelayNanos",
    "checkpointAlignmentTime",
    "currentInputWatermark",
    "currentOutputWatermark",
    "numLateRecordsDropped",
    "pendingRecords",
    "numRegisteredTaskManagers",
    "taskSlotsAvailable",
    "taskSlotsTotal",
    "numRestarts",
    "fullRestarts",
    "numberOfCompletedCheckpoints",
    "numberOfFailedCheckpoints",
    "numberOfInProgressCheckpoints",
    "lastCheckpointDuration",
    "lastCheckpointSize",
    "lastCheckpointFullSize",
    "Status.JVM.CPU.Load",
    "Status.JVM.CPU.Time",
    "System.CPU.IOWait",
    "System.CPU.Steal",
    "Status.JVM.Memory.Heap.Used",
    "Status.JVM.Memory.Heap.Max",
    "Status.JVM.Memory.Metaspace.Used",
    "Status.JVM.Memory.Metaspace.Max",
    "Status.Shuffle.Netty.TotalMemorySegments",
    "Status.Shuffle.Netty.UsedMemorySegments",
    "Status.Shuffle.Netty.RequestedMemoryUsage",
)
FOLLOWED_PREFIX = "Status.JVM.GarbageCollector."

SERIES = ("metric", "job_id", "vertex_id", "vertex", "operator", "subtask", "task_manager", "file_id")
"""What tells a series of a file apart."""


def is_followed(metric: str) -> bool:
    """Whether there are series of the metric."""
    return metric in FOLLOWED or metric.startswith(FOLLOWED_PREFIX)


_KEEP = partial(thin_samples, series=SERIES, most=MOST_POINTS)

AGGREGATOR = Aggregator(
    name="metric_points",
    table="metric_sample",
    columns=SAMPLE_COLUMNS,
    reduce=lambda rows: _KEEP(unthinned(single_samples(rows, is_followed))),
    merge=_KEEP,
    finish=in_order,
)
