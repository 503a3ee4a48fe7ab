"""Maps Prometheus series names and REST metric ids to Flink's metric identifier and scope.

Prometheus joins the logical scope and the identifier by `_` and replaces every other character by `_`; REST puts the
subtask and the operator before the identifier. Evidence tables have the identifier as Flink registers it
(`buffers.inPoolUsage`, `Status.JVM.Memory.Heap.Used`, `rocksdb.is-write-stopped`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

PREFIX = "flink_"
MOST_NAME = 300
FREE_SPACE = frozenset(("node_filesystem_avail_bytes", "kubelet_volume_stats_available_bytes"))
"""Series of other exporters that are read too, under their own name: bytes free on a file system or volume. Source:
Prometheus' node exporter, and the kubelet's metrics."""
CONTAINERS = frozenset(
    (
        "container_memory_working_set_bytes",
        "container_memory_rss",
        "container_spec_memory_limit_bytes",
        "container_cpu_cfs_periods_total",
        "container_cpu_cfs_throttled_periods_total",
        "container_oom_events_total",
        "kube_pod_container_resource_limits",
        "kube_pod_container_status_restarts_total",
        "kube_pod_container_status_last_terminated_reason",
        "kube_pod_status_reason",
    )
)
"""Series of the containers that run processes, read under their own name, and with the reason behind a dot where they
count by reason. Source: cAdvisor's Prometheus metrics, and those of kube-state-metrics."""
REASON = "reason"
_NAMES_OF_CONTAINERS = ("pod", "container", "name", "container_name", "pod_name")
"""Labels that name a container. Source: cAdvisor and kube-state-metrics; with `_name` before Kubernetes 1.16."""
_FLINKS_CONTAINER = re.compile(r"(?i)flink|(?:job|task)[-_]?manager|(?:^|[-_])[jt]m(?:[-_]|$)")
"""In a name of a container or pod of Flink: `flink-main-container` is that of Flink's own Kubernetes integration and of
its operator; others are our choice, as manifests name them.
"""
OTHER_EXPORTERS = FREE_SPACE | CONTAINERS

_SCOPES = (
    ("taskmanager_job_task_operator_", "operator"),
    ("taskmanager_job_task_", "task"),
    ("taskmanager_job_", "job"),
    ("taskmanager_", "taskmanager"),
    ("jobmanager_job_operator_", "operator"),
    ("jobmanager_operator_", "operator"),
    ("jobmanager_job_", "job"),
    ("jobmanager_", "jobmanager"),
)
"""Logical scope in a Prometheus name -> scope, the longest first. Source: Flink documentation, "Metrics", Scope."""

_ROCKSDB = (
    "actual-delayed-write-rate",
    "background-errors",
    "block-cache-capacity",
    "block-cache-usage",
    "block-cache-pinned-usage",
    "compaction-pending",
    "cur-size-active-mem-table",
    "cur-size-all-mem-tables",
    "size-all-mem-tables",
    "estimate-live-data-size",
    "estimate-num-keys",
    "estimate-pending-compaction-bytes",
    "estimate-table-readers-mem",
    "is-write-stopped",
    "mem-table-flush-pending",
    "num-deletes-active-mem-table",
    "num-deletes-imm-mem-tables",
    "num-entries-active-mem-table",
    "num-entries-imm-mem-tables",
    "num-immutable-mem-table",
    "num-live-versions",
    "num-running-compactions",
    "num-running-flushes",
    "num-snapshots",
    "total-sst-files-size",
    "live-sst-files-size",
)
"""Properties of a column family. RocksDB's own statistics (`bytes_written`, `stall_micros`) keep their underscores."""

_DOTTED = (
    *(
        f"fileMerging.{name}"
        for name in ("logicalFileCount", "logicalFileSize", "physicalFileCount", "physicalFileSize")
    ),
    *(f"cache.{name}" for name in ("hitCount", "missCount", "loadCount", "numLoadFailures", "latestLoadTime")),
    "cache.numCachedRecords",
    "cache.numCachedBytes",
    "topn.cache.hitRate",
    "topn.cache.size",
    *(f"asyncStateProcessing.{name}" for name in ("numInFlightRecords", "activeBufferSize", "blockingBufferSize")),
    "asyncStateProcessing.numBlockingKeys",
    "KafkaSourceReader.commitsSucceeded",
    "KafkaSourceReader.commitsFailed",
    "KafkaConsumer.currentOffsets",
    "KafkaConsumer.committedOffsets",
    "coordinator.enumerator.unassignedSplits",
    "coordinator.unassignedSplits",
    *(
        f"forst.fileCache.{name}"
        for name in ("hit", "miss", "usedBytes", "remainingBytes", "lru.evict", "lru.loadback")
    ),
    *(f"watermark.{name}" for name in ("currentWatermark", "activeTimeMsPerSecond", "pausedTimeMsPerSecond")),
    *(f"watermark.{name}" for name in ("idleTimeMsPerSecond", "accumulatedActiveTimeMs", "accumulatedPausedTimeMs")),
    "watermark.accumulatedIdleTimeMs",
)

_OF_CONNECTORS = frozenset(
    (
        *("totalFilteredRows", "totalFlushFailedTimes", "numFailLoads", "totalFlushRows"),
        *("totalFlushFilteredRows", "totalFlushFailedNumber", "totalFlushLoadedRows"),
        *("elapsedSecondsSinceLastSuccessfulCommit", "committedDataFilesCount", "committedDataFilesByteCount"),
        *("maxLevel0FileCount", "lastCommitAttempts"),
        *("numAcksFailed", "millisBehindLatest"),
        *("numIgnoredSchemaChangeEvents", "numFailedSchemaChangeEvents"),
    )
)
"""Metrics that connectors register behind the names of their groups, of tables, topics or shards: the last part of the
name says which it is. Source: DorisWriteMetrics, StarRocksStreamLoadListener, IcebergFilesCommitterMetrics, Paimon's
page "Metrics", MetricNames of the Pulsar connector, KinesisShardMetrics, SchemaOperatorMetrics of Flink CDC."""

_PLAIN_CHARACTERS = re.compile(r"[^a-zA-Z0-9:_]")
_KNOWN = {_PLAIN_CHARACTERS.sub("_", name): name for name in (*_DOTTED, *(f"rocksdb.{name}" for name in _ROCKSDB))}

_TASK_GROUPS = ("buffers.", "Shuffle.Netty.")
_DOTS_ONLY = ("Status_", "System_", "Shuffle_Netty_", "buffers_")
_COLLECTOR = re.compile(r"Status_JVM_GarbageCollector_(.+)_(Count|Time|TimeMsPerSecond)$")
_INTERFACE = re.compile(r"System_Network_(.+)_(ReceiveRate|SendRate)$")
_KAFKA_CLIENT = re.compile(r"((?:KafkaSourceReader[_.])?KafkaConsumer|KafkaProducer)[_.](.+)$")
_KAFKA_OFFSET = re.compile(r"KafkaSourceReader_topic_partition_(\w+)$")
_KAFKA_OFFSET_REST = re.compile(r"KafkaSourceReader\.topic\.(.+)\.partition\.(\d+)\.(\w+)$")
_STATE_ACCESS = re.compile(
    r"(.+)[_.]((?:value|list|map|aggregating|reducing|state)[A-Z]\w*(?:Latency|KeySize|ValueSize))$"
)
_SPLIT_WATERMARK = re.compile(r"split_(watermark_\w+)$")
_SPLIT_WATERMARK_REST = re.compile(r"split\.(.+)\.(watermark\.\w+)$")
_QUANTILE = re.compile(r"(.+)_(median|p75|p90|p95|p98|p99|p999)$")
_PARTS = re.compile(r"[_.]")
_SUBTASK = re.compile(r"(\d{1,9})\.(.+)$", re.DOTALL)

_QUANTILES = {"median": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p98": 0.98, "p99": 0.99, "p999": 0.999}

JOBMANAGER_METRICS = frozenset(
    ("numRegisteredTaskManagers", "numPendingTaskManagers", "numRunningJobs", "taskSlotsAvailable", "taskSlotsTotal")
)
JOB_METRIC = re.compile(
    r"(?:lastC\w*|numberOf\w+Checkpoints|totalNumberOfCheckpoints|numRestarts|numRescales|fullRestarts|uptime|downtime"
    r"|(?:running|initializing|deploying|restarting|cancelling|failing|created)(?:State|Time|TimeTotal)"
    r"|allSubTasksRunningOrFinishedTime)$"
)


@dataclass(frozen=True, slots=True)
class MetricName:
    """The parts of a series name or metric id.

    metric    Flink's identifier without its scope
    scope     jobmanager, taskmanager, job, task or operator; None when the name does not contain it
    operator  operator name as printed, only from REST ids (Prometheus has a label)
    subtask   index from 0, only from REST ids
    quantile  0 to 1 for one quantile of a histogram
    labels    further parts of the name, e.g. the column family of a RocksDB metric
    """

    metric: str
    scope: str | None
    operator: str | None = None
    subtask: int | None = None
    quantile: float | None = None
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def is_of_flink(labels: Mapping[str, str]) -> bool:
    """Whether a series of CONTAINERS is of a container of Flink, or names none: a whole namespace has others, too."""
    names = [labels[each] for each in _NAMES_OF_CONTAINERS if labels.get(each)]
    return not names or any(_FLINKS_CONTAINER.search(each) for each in names)


@lru_cache(maxsize=4096)
def from_prometheus(series: str) -> MetricName | None:
    """Parts of a series name of Flink's Prometheus reporter, or of OTHER_EXPORTERS; None for any other series."""
    if series in OTHER_EXPORTERS:
        return MetricName(series, None)
    if not series.startswith(PREFIX):
        return None
    plain = series[len(PREFIX) : MOST_NAME]
    for prefix, scope in _SCOPES:
        if plain.startswith(prefix) and len(plain) > len(prefix):
            metric, labels = _identifier(plain[len(prefix) :])
            return MetricName(metric, scope, labels=labels)
    return MetricName(plain, None)


def _identifier(plain: str) -> tuple[str, Mapping[str, str]]:
    if plain in _KNOWN:
        return _KNOWN[plain], {}
    for pattern, template in (
        (_COLLECTOR, "Status.JVM.GarbageCollector.{}.{}"),
        (_INTERFACE, "System.Network.{}.{}"),
        (_KAFKA_OFFSET, "KafkaSourceReader.{}"),
    ):
        found = pattern.match(plain)
        if found:
            return template.format(*found.groups()), {}
    if plain.startswith(_DOTS_ONLY):
        return plain.replace("_", "."), {}
    return _grouped(plain)


def _grouped(plain: str) -> tuple[str, Mapping[str, str]]:
    """Identifier and labels of a metric in a group with a user-defined name: RocksDB, Kafka clients, state latency,
    splits.
    """
    start = plain.find("rocksdb_")
    if start == 0 or (start > 0 and plain[start - 1] in "_."):
        family = plain[: max(start - 1, 0)]
        return _rocksdb(plain[start:]), {} if family in ("", "column_family") else {"column_family": family}
    client = _KAFKA_CLIENT.match(plain)
    if client:
        return f"{client.group(1).replace('_', '.')}.{client.group(2).replace('_', '-')}", {}
    access = _STATE_ACCESS.match(plain)
    if access:
        return access.group(2), {"state_name": access.group(1)}
    split = _SPLIT_WATERMARK.match(plain)
    if split:
        return _KNOWN.get(split.group(1), split.group(1)), {}
    return _connector_metric(plain) or plain, {}


def _connector_metric(identifier: str) -> str | None:
    """The metric of a connector without the names in front of it; None for any other."""
    last = _PARTS.split(identifier)[-1]
    return last if last in _OF_CONNECTORS else None


def _rocksdb(plain: str) -> str:
    sanitised = _PLAIN_CHARACTERS.sub("_", plain)
    if sanitised.startswith("rocksdb_num_files_at_level"):
        return "rocksdb.num-files-at-level" + sanitised[len("rocksdb_num_files_at_level") :]
    return _KNOWN.get(sanitised, "rocksdb." + sanitised[len("rocksdb_") :])


@lru_cache(maxsize=8192)
def from_rest(metric_id: str, scope: str | None) -> MetricName:
    """Parts of a metric id of the REST API.

    scope  from the path of the answer: jobmanager, taskmanager, job or task (for everything below a vertex); None
           without a path, then the scope is derived from the id
    """
    metric_id = metric_id[:MOST_NAME]
    subtask = None
    numbered = _SUBTASK.match(metric_id)
    if numbered and scope in (None, "task"):
        subtask, metric_id = int(numbered.group(1)), numbered.group(2)
        scope = "task"
    if scope is None:
        scope = _scope_of(metric_id)
    operator = None
    if scope == "task" and "." in metric_id and not metric_id.startswith(_TASK_GROUPS):
        operator, metric_id = metric_id.split(".", 1)
        scope = "operator"
    quantile = _QUANTILE.match(metric_id)
    share = _QUANTILES[quantile.group(2)] if quantile else None
    metric, labels = _rest_identifier(quantile.group(1) if quantile else metric_id)
    return MetricName(metric, scope, operator, subtask, share, labels)


def _scope_of(metric_id: str) -> str | None:
    if metric_id in JOBMANAGER_METRICS:
        return "jobmanager"
    if JOB_METRIC.match(metric_id):
        return "job"
    if metric_id.startswith(("Status.Shuffle.", "Status.Network.", "Status.Flink.")):
        return "taskmanager"
    return None if metric_id.startswith(("Status.", "System.")) else "task"


def _rest_identifier(metric_id: str) -> tuple[str, Mapping[str, str]]:
    offset = _KAFKA_OFFSET_REST.match(metric_id)
    if offset:
        topic, partition, name = offset.groups()
        return f"KafkaSourceReader.{name}", {"topic": topic, "partition": partition}
    split = _SPLIT_WATERMARK_REST.match(metric_id)
    if split:
        return split.group(2), {"split": split.group(1)}
    if "rocksdb" in metric_id or _KAFKA_CLIENT.match(metric_id) or _STATE_ACCESS.match(metric_id):
        return _grouped(metric_id.replace("rocksdb.", "rocksdb_"))
    return _connector_metric(metric_id) or metric_id, {}


_RESOURCE_ID = re.compile(r"(.+):(\d{1,5})_([0-9a-f]{6})$")
_ADDRESS = re.compile(r"(\d{1,3})_(\d{1,3})_(\d{1,3})_(\d{1,3})$")


@lru_cache(maxsize=1024)
def host_of_label(label: str) -> str:
    """A host before Prometheus' replacement of characters: `127_0_0_1` was an address; other names stay as printed."""
    return _ADDRESS.sub(r"\1.\2.\3.\4", label) if _ADDRESS.match(label) else label


@lru_cache(maxsize=1024)
def resource_id_of_label(label: str) -> str:
    """A TaskManager's resource id as in REST and logs: `127_0_0_1:19030_3a4b9e` was `127.0.0.1:19030-3a4b9e`."""
    found = _RESOURCE_ID.match(label)
    return f"{host_of_label(found.group(1))}:{found.group(2)}-{found.group(3)}" if found else label
