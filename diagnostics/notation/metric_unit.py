"""The unit of a metric from its name. Flink reports plain numbers; their units are in its documentation."""

from __future__ import annotations

import re
from functools import cache

from diagnostics.language import to_say

_UNITS: tuple[tuple[str, str], ...] = (
    ("ms/s", r".*TimeMsPerSecond"),
    (
        to_say("bytes/s"),
        r"numBytes\w*PerSecond|System\.Network\..*Rate|.*rocksdb\.actual-delayed-write-rate",
    ),
    (to_say("records/s"), r"numRecords\w*PerSecond|lateRecordsDroppedRate|Kafka[\w.]+\.records?-[\w-]+-rate"),
    (to_say("buffers/s"), r"numBuffers\w*PerSecond"),
    ("1/s", r"(num|mailbox|startWork)\w*PerSecond"),
    (
        "epoch ms",
        r"lastCheckpoint\w+Timestamp|currentInput\d*Watermark|currentOutputWatermark|watermark\.currentWatermark",
    ),
    ("ns", r"checkpointAlignmentTime|\w+Nanos|Status\.JVM\.CPU\.Time|.*-ns-total|.*\.\w*[sS]tate\w+Latency"),
    ("µs", r"rocksdb\.stall_micros"),
    (
        "ms",
        r"lastCheckpointDuration|lastDurationOfMaterialization|uptime|downtime"
        r"|(running|initializing|deploying|restarting|cancelling|failing|created)Time(Total)?"
        r"|(max|accumulate)\w+TimeMs|watermark\.accumulated\w+TimeMs|mailboxLatencyMs|estimatedTimeToConsumeBuffersMs"
        r"|initializationTime|.*\.latency|watermark(Latency|Lag|AlignmentDrift)|current\w+EventTimeLag|sourceIdleTime"
        r"|currentSendTime|cache\.latestLoadTime|Kafka\w+\..*-(latency|time)-avg|Status\.JVM\.GarbageCollector\..*\.Time",
    ),
    (to_say("percent"), r"Status\.Shuffle\.Netty\.RequestedMemoryUsage|System\.CPU\.(Usage|IOWait|Steal)"),
    (
        to_say("bytes"),
        r"lastCheckpoint\w*(Size|Buffered|Data)|fileMerging\.\w+FileSize|.*\.(input|output)QueueSize|debloatedBufferSize"
        r"|Status\.Shuffle\.Netty\.\w+Memory|(.*\.)?numBytes\w*|pendingBytes|cache\.numCachedBytes"
        r"|KafkaProducer\.(buffer-available-bytes|batch-size-avg)|Status\.JVM\.Memory\.\w+\.(?!Count$)\w+"
        r"|Status\.Flink\.Memory\.Managed\.\w+|System\.(Memory|Swap)\.\w+|forst\.fileCache\.\w+Bytes|uploadSizes"
        r"|last\w+SizeOf\w+|.*State(Get|Put|Update)ValueSize|rocksdb\.\w*bytes\w*"
        r"|.*rocksdb\.(block-cache-.*|cur-size-.*|size-all-.*|total-sst-.*|live-sst-.*|estimate-(live|pending|table)-.*)",
    ),
    (to_say("ratio"), r".*[pP]oolUsage|.*BuffersUsage|.*[hH]itRate|Status\.JVM\.CPU\.Load"),
    (to_say("buffers"), r"(.*\.)?(input|output)QueueLength|.*QueueLen|(.*\.)?numBuffers\w*"),
    (
        to_say("records"),
        r"numRecords\w*|numLateRecordsDropped|pendingRecords|.*records-lag-max|bundleSize|aec_\w+_size",
    ),
    (
        to_say("0 or 1"),
        r"\w+State|isBackPressured|.*rocksdb\.(compaction-pending|is-write-stopped|mem-table-flush-pending)",
    ),
)
"""Unit -> patterns of metric names; the first match counts. Source: Flink documentation, Metrics (the tables of system
metrics), and RocksDB's documentation of its properties.
"""


_COUNTERS = re.compile(
    "^num(?!.*PerSecond$|(RunningJobs|(Registered|Pending)TaskManagers|berOfInProgressCheckpoints)$)"
    "|^(fullRestarts|uptime|downtime)$|[.](Count|Time|TimeMsTotal)$"
)
"""Metrics that only grow. Source: Flink documentation, Metrics, type counter; numbers of jobs and of processes are
gauges that fall again.
"""


@cache
def is_counter(metric: str) -> bool:
    """Whether the metric only grows, so that its rate matters."""
    return _COUNTERS.search(metric) is not None


@cache
def unit_of(metric: str) -> str | None:
    """The unit of one of Flink's own metrics; None for a plain count and for user-defined metrics."""
    return next((unit for unit, pattern in _UNITS if re.fullmatch(pattern, metric)), None)


def rate_unit(metric: str) -> str:
    """The unit of a counter's rate."""
    unit = unit_of(metric)
    return f"{unit}/s" if unit else "1/s"
