"""The parts of a TaskManager's memory: as its REST answer states them, or as Flink derives them from a configuration.

Source: Flink documentation, "Set up TaskManager Memory", and its `TaskExecutorProcessUtils`, 1.10 and newer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diagnostics.aggregators import config_options, task_managers
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.evidence import Evidence, read_once
from diagnostics.notation.flink_values import number, size_bytes
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.configuration.computed_sizes import MEMORY, without_computed_sizes
from diagnostics.reconstruction.configuration.flink_releases import flink_releases
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series

MIB = 2.0**20
SEGMENT_BYTES = 32_768.0
"""Default of taskmanager.memory.segment-size in every version."""
PARTS = (
    "framework_heap",
    "task_heap",
    "managed",
    "framework_off_heap",
    "task_off_heap",
    "network",
    "metaspace",
    "overhead",
)
"""The parts whose sum is the total process memory, in the order of Flink's documentation."""
NETWORK_UNBOUNDED_SINCE = (1, 17, 0)
"""The release from which on network memory has no upper bound by default. Source: vocabulary/settings.csv."""
HEAP, DIRECT = ("framework_heap", "task_heap"), ("framework_off_heap", "task_off_heap")


@dataclass(frozen=True, slots=True)
class MemoryModel:
    """The memory of one TaskManager.

    task_manager  resource id, None for a model derived from a configuration
    parts         part -> configured bytes
    total_bytes   total process memory, as stated or as the sum
    used          `heap`, `managed`, `direct`, `network`, `metaspace` -> the most bytes measured in use
    assumed       whether a default was taken that depends on a version which is not known
    usable_heap   the heap that the JVM says it can use, in bytes: without the survivor space that its collector keeps
                  empty; None where no file states it
    """

    task_manager: str | None
    parts: Mapping[str, float]
    total_bytes: float
    used: Mapping[str, float] = field(default_factory=dict)
    assumed: bool = False
    usable_heap: float | None = None

    @property
    def room(self) -> Mapping[str, float]:
        """The limits, of the heap what can be used of it."""
        limits = self.limits
        return limits | {"heap": min(limits["heap"], self.usable_heap)} if self.usable_heap else limits

    @property
    def limits(self) -> dict[str, float]:
        """The configured bytes of each area: the heap and the direct memory consist of two parts each."""
        joined = {"heap": HEAP, "direct": (*DIRECT, "network")}
        return {
            area: sum(self.parts[part] for part in joined.get(area, (area,)))
            for area in ("heap", "managed", "direct", "network", "metaspace")
        }


@read_once
def memory_models(evidence: Evidence) -> Sequence[MemoryModel]:
    """The model of each TaskManager, sorted by name; one without a name where only a configuration is known.

    Reads   task_manager (memoryConfiguration, metrics), metric_sample (Status.*), config_option.
    """
    answered = _answered(evidence)
    if answered:
        return answered
    options = _options(evidence)
    releases = flink_releases(evidence).stated
    derived = derive(options, bounded_network=bool(releases) and max(releases) < NETWORK_UNBOUNDED_SINCE)
    return [MemoryModel(None, derived, sum(derived.values()), assumed=not releases)] if derived else []


def _answered(evidence: Evidence) -> list[MemoryModel]:
    rows: dict[str, list[Any]] = {}
    for row in named_rows(evidence.answer(task_managers.AGGREGATOR)):
        rows.setdefault(row.task_manager, []).append(row)
    series = metric_series(evidence)
    models = []
    for name in sorted(rows):
        stated = next((row for row in rows[name] if row.process_bytes is not None), None)
        if stated is None:
            continue
        parts = {
            "framework_heap": stated.framework_heap_bytes,
            "task_heap": stated.task_heap_bytes,
            "managed": stated.configured_managed_bytes,
            "framework_off_heap": stated.framework_off_heap_bytes,
            "task_off_heap": stated.task_off_heap_bytes,
            "network": stated.configured_network_bytes,
            "metaspace": stated.metaspace_max_bytes,
            "overhead": stated.jvm_overhead_bytes,
        }
        known = {part: value or 0.0 for part, value in parts.items()}
        used, usable = _used(rows[name], series, evidence, name), _usable_heap(rows[name], series, evidence, name)
        models.append(MemoryModel(name, known, stated.process_bytes, used, usable_heap=usable))
    return models


def _usable_heap(rows: Sequence[Any], series: MetricSeries, evidence: Evidence, name: str) -> float | None:
    """The largest heap that the JVM states, from the answers and from metrics; 0 before its first heartbeat."""
    metered = _metered("Status.JVM.Memory.Heap.Max", series, evidence, name)
    return max((size for size in (*(row.heap_max_bytes for row in rows), *metered) if size), default=None)


def _metered(metric: str, series: MetricSeries, evidence: Evidence, name: str) -> list[float]:
    """The values of a metric of the TaskManager."""
    cluster = cluster_of(evidence)
    return [
        point.value
        for each in series.of(metric)
        if each.task_manager and normalised(cluster.task_manager(each.task_manager)) == normalised(name)
        for point in each.known
        if point.value is not None
    ]


def _used(rows: Sequence[Any], series: MetricSeries, evidence: Evidence, name: str) -> Mapping[str, float]:
    """The most bytes in use, from the answers and from metrics."""
    segments = [row.segments_used * SEGMENT_BYTES for row in rows if row.segments_used is not None]
    readings: dict[str, list[float]] = {
        "heap": [row.heap_used_bytes for row in rows if row.heap_used_bytes is not None],
        "direct": [row.direct_used_bytes for row in rows if row.direct_used_bytes is not None],
        "network": segments,
    }
    for area, metric in (
        ("heap", "Status.JVM.Memory.Heap.Used"),
        ("managed", "Status.Flink.Memory.Managed.Used"),
        ("metaspace", "Status.JVM.Memory.Metaspace.Used"),
    ):
        readings[area] = [*readings.get(area, []), *_metered(metric, series, evidence, name)]
    return {area: max(values) for area, values in readings.items() if values}


def _options(evidence: Evidence) -> Mapping[str, str]:
    """Option below MEMORY -> its text, the last statement of it."""
    rows = without_computed_sizes(named_rows(evidence.answer(config_options.AGGREGATOR)))
    return {row.key.removeprefix(MEMORY): row.value for row in rows if row.key.startswith(MEMORY) and row.value}


def derive(options: Mapping[str, str], *, bounded_network: bool = False) -> dict[str, float] | None:
    """The parts that Flink derives from its options; None where no total is set or the parts do not fit.

    options          option below `taskmanager.memory.` -> its text
    bounded_network  whether the default of `network.max` is 1 GiB (until 1.16) instead of no limit
    """

    def size(name: str, default: float = 0.0) -> float:
        value = size_bytes(options.get(name))
        return default if value is None else value

    def fraction(name: str, default: float) -> float:
        value = number(options.get(name))
        return default if value is None or not 0 <= value < 1 else value

    fixed = {
        "framework_heap": size("framework.heap.size", 128 * MIB),
        "framework_off_heap": size("framework.off-heap.size", 128 * MIB),
        "task_off_heap": size("task.off-heap.size"),
    }
    metaspace = size("jvm-metaspace.size", 256 * MIB)
    overhead_share = fraction("jvm-overhead.fraction", 0.1)
    overhead_range = size("jvm-overhead.min", 192 * MIB), size("jvm-overhead.max", 1024 * MIB)
    network_share = fraction("network.fraction", 0.1)
    network_range = size("network.min", 64 * MIB), size("network.max", 1024 * MIB if bounded_network else math.inf)
    totals = ("process.size", "flink.size", "task.heap.size", "managed.size")
    process, flink, task_heap, managed = (size_bytes(options.get(name)) for name in totals)
    if flink is None and process is not None and (task_heap is None or managed is None):
        flink = process - metaspace - _within(process * overhead_share, overhead_range)
    if task_heap is not None and managed is not None:
        rest = sum(fixed.values()) + task_heap + managed
        if flink is None:
            network = _within(rest * network_share / (1 - network_share), network_range)
            flink = rest + network
        network = flink - rest
    elif flink is None:
        return None
    elif task_heap is not None:
        managed = flink * fraction("managed.fraction", 0.4)
        network = flink - sum(fixed.values()) - task_heap - managed
    else:
        managed = managed if managed is not None else flink * fraction("managed.fraction", 0.4)
        network = _within(flink * network_share, network_range)
        task_heap = flink - sum(fixed.values()) - managed - network
    overhead = (
        process - flink - metaspace
        if process is not None
        else _within((flink + metaspace) * overhead_share / (1 - overhead_share), overhead_range)
    )
    parts = {
        **fixed,
        "task_heap": task_heap,
        "managed": managed,
        "network": network,
        "metaspace": metaspace,
        "overhead": overhead,
    }
    return {part: parts[part] for part in PARTS} if min(parts.values()) >= 0 else None


def resized(
    evidence: Evidence,
    model: MemoryModel,
    *,
    task_heap: float | None = None,
    managed: float | None = None,
    network: float | None = None,
) -> MemoryModel | None:
    """The model with these sizes when heap and managed memory are stated, and Flink adds up the total itself.

    task_heap, managed  their new sizes in bytes, None for the present one
    network             the new size of network memory in bytes, None to leave what the options say
    Empty               None where Flink's formulas do not give the parts.

    Source: Flink documentation, "Set up TaskManager Memory": with both stated, no total should be.
    """
    kept = {name: text for name, text in _options(evidence).items() if name not in ("process.size", "flink.size")}
    stated = {
        "framework.heap.size": model.parts["framework_heap"],
        "framework.off-heap.size": model.parts["framework_off_heap"],
        "task.off-heap.size": model.parts["task_off_heap"],
        "jvm-metaspace.size": model.parts["metaspace"],
        "task.heap.size": model.parts["task_heap"] if task_heap is None else task_heap,
        "managed.size": model.parts["managed"] if managed is None else managed,
    }
    if network is not None:
        stated |= {"network.min": network, "network.max": network}
    parts = derive(kept | {name: f"{round(size)}" for name, size in stated.items()})
    return MemoryModel(model.task_manager, parts, sum(parts.values())) if parts else None


def _within(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])
