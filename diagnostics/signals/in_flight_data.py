"""In-flight data: the bytes between the tasks that barriers wait behind, and how long each subtask waits for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from diagnostics.arithmetic.onset import END_FACTS, end_facts, ended_ms
from diagnostics.arithmetic.quantiles import highest, known, ratio
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject, only_one
from diagnostics.reconstruction.checkpoints.history import History, checkpoint_histories
from diagnostics.reconstruction.checkpoints.parts import subtask_answers
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.load.queued_data import QueuedData, queued_data
from diagnostics.reconstruction.load.timeline import MOMENT_MS
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import WAITED, cited_text

LEAST_ALIGNMENT_MS = 1_000.0
"""Shorter alignments give no rate: a few buffers pass in them. Our choice."""
MOST_LISTED = 8
"""Subtasks that are listed, those that would gain most. Our choice."""

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Waiting:
    """The subtasks of one aligned checkpoint, with how long its barriers kept them waiting."""

    number: int
    rows: Rows

    @property
    def longest_ms(self) -> float:
        """The longest wait of a subtask: start delay and alignment."""
        return max((waited_ms(row) for row in self.rows), default=0.0)


def waited_ms(row: Mapping[str, Any]) -> float:
    """Start delay and alignment of a subtask in one checkpoint."""
    return float(row["start_delay_ms"] or 0.0) + float(row["alignment_ms"] or 0.0)


def measure(evidence: Evidence) -> Measured:
    """The bytes in the queues of each job, and the longest waits behind them in an aligned checkpoint.

    Reads   metric_sample (sizes of queues, heap), subtask_checkpoint or DEBUG logs, the histories of checkpoints.
    Gives   one signal for each job with either. `passed_bytes` is the rate at which the subtasks of the
            task that waited longest read while they aligned, times their start delay and alignment: what passed before
            the last barrier did. `bytes` is the larger of both measurements, because each can only miss data: queues
            are read now and then, and empty while an aligned checkpoint blocks channels.
    Units   bytes; milliseconds.
    Source  Flink documentation, Checkpointing under Backpressure, and its REST API (`alignment.processed`).
    Empty   NotMeasured without metrics of queues and without subtask details of an aligned checkpoint.
    """
    cluster = cluster_of(evidence)
    queues, histories = queued_data(evidence), checkpoint_histories(evidence)
    waits = _waits(evidence, only_one(cluster.job_names), histories)
    jobs = sorted({*queues, *waits}, key=repr)
    if not jobs:
        yield NotMeasured(
            "in_flight_data", "checkpoint-details", "neither metrics of queues nor details of checkpoints are there"
        )
        return
    for job_id in jobs:
        facts: dict[str, FactValue] = {}
        citations: list[Citation] = []
        if job_id in queues:
            data = queues[job_id]
            facts |= _queue_facts(data, histories.get(job_id)) | _heap_facts(metric_series(evidence), data)
            citations += data.largest
        if job_id in waits:
            facts |= _wait_facts(waits[job_id], cluster, job_id)
            slowest = max(waits[job_id].rows, key=waited_ms)
            text = cited_text(WAITED, number=waits[job_id].number, waited=f"{waited_ms(slowest):.0f}")
            citations.append(Citation.cite_row(slowest, "rest" if slowest["pointer"] else "log", text))
        sizes = (facts.get("peak_bytes"), facts.get("passed_bytes"))
        facts["bytes"] = highest(size for size in sizes if isinstance(size, (int, float)))
        yield Signal("in_flight_data", Subject(job=job_id), known_facts(facts), tuple(citations), len(citations))


def _queue_facts(data: QueuedData, history: History | None) -> dict[str, FactValue]:
    filled, before = data.filled, data.usual_before
    sizes = dict(data.moments)
    facts: dict[str, FactValue] = {
        "peak_bytes": data.peak[1],
        "peak_ms": data.peak[0],
        "usual_bytes": median(sizes[ts_ms] for ts_ms in filled),
        "before_bytes": before,
        "growth_ratio": ratio(data.peak[1], before),
        "filled_ms": len(filled) * MOMENT_MS,
        "filled_since_ms": filled[0],
        **end_facts(ended_ms((ts_ms, ts_ms in filled) for ts_ms, _ in data.moments)),
    }
    if before is None or history is None:
        return facts
    completed = [
        each for each in history.select_statuses("completed") if each.duration_ms is not None and each.triggered_ms
    ]
    earlier = [each.duration_ms or 0.0 for each in completed if (each.triggered_ms or 0) < filled[0]]
    since = [each.duration_ms or 0.0 for each in completed if filled[0] <= (each.triggered_ms or 0) <= filled[-1]]
    if earlier and since:
        facts |= {"duration_before_ms": median(earlier), "duration_since_ms": median(since)}
        facts["duration_ratio"] = ratio(median(since), median(earlier))
    return facts


def _heap_facts(series: MetricSeries, data: QueuedData) -> dict[str, FactValue]:
    """The lowest use of the fullest heap before the queues filled and while they were: what collections leave."""
    most = {each.task_manager: each for each in series.of("Status.JVM.Memory.Heap.Max") if each.task_manager}
    first, last = data.filled[0], data.filled[-1] + MOMENT_MS
    floors: list[tuple[float, float | None]] = []
    for used in series.of("Status.JVM.Memory.Heap.Used"):
        limit = most.get(used.task_manager or "")
        heap = max((point.value or 0.0 for point in limit.known), default=0.0) if limit else 0.0
        if heap <= 0:
            continue
        within = known(point.value for point in used.known if first <= (point.ts_ms or 0) <= last)
        before = known(point.value for point in used.known if (point.ts_ms or 0) < first)
        if within:
            floors.append((min(within) / heap, min(before) / heap if before else None))
    if not floors:
        return {}
    floor, floor_before = max(floors, key=lambda each: each[0])
    return {"heap_floor_ratio": floor, "heap_floor_before_ratio": floor_before, "heap_free_ratio": 1.0 - floor}


def _waits(
    evidence: Evidence, only_job: str | None, histories: Mapping[str | None, History]
) -> Mapping[str | None, Waiting]:
    """Job -> the aligned completed checkpoint in which a subtask waited longest."""
    by_checkpoint: dict[tuple[str | None, int], list[Mapping[str, Any]]] = defaultdict(list)
    for (job_id, number, _), by_subtask in subtask_answers(evidence).items():
        rows = list(by_subtask.values())
        if not any(row["unaligned"] for row in rows):
            by_checkpoint[job_id or only_job, number] += [row for row in rows if row["start_delay_ms"] is not None]
    longest: dict[str | None, Waiting] = {}
    for (job_id, number), rows in sorted(by_checkpoint.items(), key=lambda item: repr(item[0])):
        history = histories.get(job_id)
        numbers = {each.number for each in history.select_statuses("completed")} if history else set()
        waiting = Waiting(number, rows)
        if number in numbers and waiting.longest_ms > (longest[job_id].longest_ms if job_id in longest else 0.0):
            longest[job_id] = waiting
    return longest


def _wait_facts(waiting: Waiting, cluster: Cluster, job_id: str | None) -> dict[str, FactValue]:
    chosen = sorted(waiting.rows, key=lambda row: (-waited_ms(row), row["vertex_id"], row["subtask"]))[:MOST_LISTED]

    def name(row: Mapping[str, Any]) -> str:
        task = cluster.vertex_subject(job_id, row["vertex_id"]).vertex or row["vertex_id"]
        return f"{task} ({row['subtask'] + 1})"

    return {
        "checkpoint": waiting.number,
        "longest_wait_ms": waiting.longest_ms,
        "passed_bytes": _passed_bytes(row for row in waiting.rows if row["vertex_id"] == chosen[0]["vertex_id"]),
        "waiting_subtasks": [name(row) for row in chosen],
        "waiting_start_delay_ms": [round(row["start_delay_ms"] or 0) for row in chosen],
        "waiting_alignment_ms": [round(row["alignment_ms"] or 0) for row in chosen],
    }


def _passed_bytes(rows: Iterable[Mapping[str, Any]]) -> float | None:
    """Bytes that passed the subtasks of a task before the last barrier did; None unless all of them show a rate."""
    passed: list[float] = []
    for row in rows:
        processed, alignment = row.get("processed_bytes"), row["alignment_ms"]
        if not processed or alignment is None or alignment < LEAST_ALIGNMENT_MS:
            return None
        passed.append(processed / alignment * waited_ms(row))
    return sum(passed) if passed else None


FACTS = {
    "bytes": "in-flight data, the larger of both measurements",
    "peak_bytes": "most bytes in the queues between the tasks at one time",
    "peak_ms": "when that was",
    "usual_bytes": "usual bytes in the queues while they held at least half of that",
    "before_bytes": "usual bytes in the queues before they filled",
    "growth_ratio": "most bytes over the usual bytes before",
    "filled_ms": "time in which the queues held at least half of the most",
    "filled_since_ms": "since when",
    **END_FACTS,
    "duration_before_ms": "usual duration of checkpoints before the queues filled",
    "duration_since_ms": "usual duration of checkpoints while the queues were filled",
    "duration_ratio": "duration of checkpoints while the queues were filled over the one before",
    "heap_floor_ratio": "lowest use of the fullest heap while the queues were filled",
    "heap_floor_before_ratio": "lowest use of that heap before",
    "heap_free_ratio": "rest of that heap",
    "checkpoint": "aligned checkpoint in which a subtask waited longest",
    "longest_wait_ms": "start delay and alignment of that subtask",
    "passed_bytes": "bytes that passed the task that waited longest before its last barrier",
    "waiting_subtasks": "subtasks that waited longest in that checkpoint, numbered from 1",
    "waiting_start_delay_ms": "start delay of each of them",
    "waiting_alignment_ms": "alignment of each of them",
}

SIGNALS = (SignalDefinition("in_flight_data", "job", FACTS, measure),)
