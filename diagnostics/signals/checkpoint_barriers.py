"""Share of slow checkpoints' duration during which barriers travelled, from the tasks' gauges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from diagnostics.arithmetic.quantiles import highest
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject, only_one
from diagnostics.reconstruction.checkpoints.counted_course import CountedCourse, counted_course
from diagnostics.reconstruction.checkpoints.start_delays import SOURCES
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.graph import JobGraph, job_graph
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

START_DELAY, ALIGNMENT = "checkpointStartDelayNanos", "checkpointAlignmentTime"
LATE_SHARE = 0.5
"""A start delay of this share of a checkpoint is most of it. Our choice."""
NANOSECONDS = 1_000_000.0
"""Nanoseconds per millisecond."""
SLOW_SHARE = 0.3
"""A checkpoint that took at least this share of the longest one counts as slow. Our choice, as in `checkpoint_phases`.
"""
SLACK_MS = 15_000
"""A gauge is read up to this long after the end of a checkpoint. Our choice: two scrapes at the usual distance."""
MANAGED = "Status.Flink.Memory.Managed.Used"
"""Metrics of RocksDB's caches and write buffers, which use managed memory. Source: Flink, Metrics."""


def measure(evidence: Evidence) -> Measured:
    """Start delay and alignment compared with the duration of slow checkpoints, per job.

    Reads   metric_sample: durations and counts of the job's checkpoints, start delay and alignment of its subtasks.
    Gives   one signal per job with a duration and both gauges at that time. The rest of the duration is a lower bound
            of the synchronous and asynchronous parts.
    Units   milliseconds; bytes; shares 0 to 1.
    Empty   NotMeasured without these metrics.
    """
    series = metric_series(evidence)
    cluster = cluster_of(evidence)
    names = cluster.job_names
    only_job = only_one(names)
    is_measured = False
    for job_id in sorted({each.job_id or only_job for each in series.of(START_DELAY)}, key=repr):
        counted = counted_course(series, job_id, only_job)
        graph = job_graph(cluster, job_id)
        facts, citations = _facts(counted, series, job_id, only_job, graph) if counted else ({}, [])
        if facts:
            is_measured = True
            yield Signal(
                "checkpoint_barriers", Subject(job=job_id), known_facts(facts), tuple(citations), len(citations)
            )
    if not is_measured:
        yield NotMeasured(
            "checkpoint_barriers", "metric-scrapes", "no metric shows start delay and duration of a checkpoint"
        )


def _facts(
    counted: CountedCourse, series: MetricSeries, job_id: str | None, only_job: str | None, graph: JobGraph
) -> tuple[dict[str, FactValue], list[Citation]]:
    longest = max((ms for _, ms in counted.durations_ms), default=0.0)
    slow = [(ts_ms, ms) for ts_ms, ms in counted.durations_ms if ms >= SLOW_SHARE * longest > 0]
    delays, alignments = (
        [each for each in series.of(name) if (each.job_id or only_job) == job_id and each.operator is None]
        for name in (START_DELAY, ALIGNMENT)
    )
    looked: list[tuple[float, float, float]] = []
    for ts_ms, ms in slow:
        waits = [highest(_during(gauges, ts_ms, ms)) for gauges in (delays, alignments)]
        if waits[0] is not None:
            looked.append((ms, waits[0], waits[1] or 0.0))
    if not looked:
        return {}, []
    duration, delay, alignment = max(looked)
    facts: dict[str, FactValue] = {
        "slow": len(looked),
        "duration_ms": duration,
        "start_delay_ms": delay,
        "alignment_ms": alignment,
        "barrier_share_ratio": median(min((wait + align) / ms, 1.0) for ms, wait, align in looked),
        "writing_ms": max(duration - delay - alignment, 0.0),
        "rocksdb": any("rocksdb." in name for name in series.metrics()) or _uses_managed_memory(series),
    }
    if counted.bytes:
        facts |= {"bytes": max(counted.bytes), "bytes_per_s": max(counted.bytes) / duration * 1000}
    facts |= _delayed(delays, duration, graph)
    worst = max(delays, key=lambda each: max((point.value or 0.0 for point in each.known), default=0.0))
    highest_point = max(worst.known, key=lambda point: point.value or 0.0)
    return facts, [*counted.citations, worst.cite(highest_point)]


def _delayed(delays: Sequence[Series], duration_ms: float, graph: JobGraph) -> dict[str, FactValue]:
    """The most upstream task with a start delay of half of the checkpoint, and its subtask where it is the only one."""
    highest_ms: dict[str, dict[int | None, float]] = {}
    for gauge in delays:
        task = gauge.vertex_id or gauge.vertex
        most = highest(point.value for point in gauge.known)
        if task is not None and most is not None:
            highest_ms.setdefault(task, {})[gauge.subtask] = most / NANOSECONDS
    late = {task for task, of_task in highest_ms.items() if max(of_task.values()) >= LATE_SHARE * duration_ms}
    sources = sorted(task for task in late if graph.position(task) in SOURCES)
    first = sources or sorted(task for task in late if graph.edges_known and not late & set(graph.all_above(task)))
    if len(first) != 1:
        return {}
    of_task = highest_ms[first[0]]
    alone = [subtask for subtask, ms in of_task.items() if ms >= LATE_SHARE * duration_ms]
    return {
        "delayed_task": graph.name(first[0]),
        "delayed_subtask": alone[0] if len(alone) == 1 < len(of_task) else None,
        "delayed_at_source": bool(sources),
    }


def _during(gauges: Sequence[Series], ended_ms: int | None, duration_ms: float) -> Iterator[float]:
    """Gauge values in milliseconds, read during a checkpoint or within SLACK_MS after it; all of them where its end has
    no time, since scrapes without times are of one short look.
    """
    for gauge in gauges:
        if ended_ms is None:
            yield from ((point.value or 0.0) / NANOSECONDS for point in gauge.known)
            continue
        for point in gauge.known:
            if point.ts_ms is not None and ended_ms - duration_ms <= point.ts_ms <= ended_ms + SLACK_MS:
                yield (point.value or 0.0) / NANOSECONDS


def _uses_managed_memory(series: MetricSeries) -> bool:
    return any(point.value for each in series.of(MANAGED) for point in each.known)


FACTS = {
    "slow": "slow checkpoints whose start delay is known",
    "duration_ms": "duration of the longest slow checkpoint",
    "start_delay_ms": "longest start delay of a subtask in it",
    "alignment_ms": "longest alignment of a subtask in it",
    "barrier_share_ratio": "share of start delay and alignment in the duration; median of the slow checkpoints, an "
    "upper "
    "bound, for both may be of different subtasks",
    "delayed_task": "most upstream task whose start delay is half of a slow checkpoint and more",
    "delayed_subtask": "subtask of that task with such a start delay, where the others have none",
    "delayed_at_source": "whether the most upstream task with such a start delay is a source",
    "writing_ms": "what is left of its duration for the synchronous and asynchronous parts, at least",
    "rocksdb": "whether metrics of RocksDB, or managed memory in use, show that the state is RocksDB's",
    "bytes": "most bytes that a checkpoint wrote",
    "bytes_per_s": "bytes written per second of the checkpoint's duration",
}

SIGNALS = (SignalDefinition("checkpoint_barriers", "job", FACTS, measure),)
