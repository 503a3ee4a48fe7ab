"""Whether network buffers suffice for the job's exchanges."""

from __future__ import annotations

import re
from collections.abc import Sequence

from diagnostics.aggregators import task_managers
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.configuration.memory_model import memory_models, resized
from diagnostics.reconstruction.failures.fault import job_of_vertex
from diagnostics.reconstruction.failures.incident_log import Failure, LogEvent, incident_log
from diagnostics.reconstruction.job.channels import exchanges
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

NUMBERS = re.compile(r"required (\d{1,12}), but only (\d{1,12}) available")
POOL = re.compile(r"currently set to (\d{1,12}) of (\d{1,12}) bytes each")
"""The numbers in a message of NetworkBufferPool; matched in texts of at most 2,000 characters."""

SEGMENT_BYTES = 32_768
"""taskmanager.memory.segment-size, default of every version."""
EXCLUSIVE_PER_CHANNEL, FLOATING_PER_GATE = 2, 8
"""taskmanager.network.memory.buffers-per-channel and floating-buffers-per-gate, defaults 1.10 to 1.20."""
EXCHANGES_SPARE = 1.5
"""Proposed buffers as a multiple of those the exchanges need: room for blocking results and rescaling. Our choice."""
MIB = 2**20
SHOWN = 6


def measure(evidence: Evidence) -> Measured:
    """Refused requests for buffers, size and usage of the pool, and the job graph's requirement.

    Reads   log_record, failure, metric_sample (Status.Shuffle.Netty.*), task_manager, vertex, edge.
    Gives   one signal per job; a refusal that names no job or task counts for every job.
    Empty   NotMeasured without logs, metrics and TaskManagers.
    """
    if not (evidence.has_logs() or any(evidence.has(table) for table in ("failure", "metric_sample", "task_manager"))):
        yield NotMeasured("network_buffers", "taskmanager-log", "no log, metric or TaskManager reports network buffers")
        return
    log, cluster = incident_log(evidence), cluster_of(evidence)
    refused: list[LogEvent | Failure] = [
        *log.of("buffers"),
        *(each for each in log.failures if "Insufficient number of network buffers" in each.texts),
    ]
    series = metric_series(evidence)
    owners = [each.job_id or job_of_vertex(each.vertex, cluster) for each in refused]
    jobs: list[str | None] = [*sorted({job for job in owners if job} | set(cluster.job_names))] or [None]
    for job in jobs:
        own = [each for each, owner in zip(refused, owners, strict=True) if owner in (job, None)]
        counted = len(own) if len(own) < len(refused) else max(log.count("buffers"), len(refused))
        facts: dict[str, FactValue] = {"resource": "network buffers"}
        if evidence.has_logs() or evidence.has("failure"):
            facts |= {
                "insufficient": counted,
                "refused_tasks": _refused_tasks(own),
                "exclusive_timeouts": log.count("exclusive_buffers"),
            }
        facts |= _requested_buffers(own)
        facts |= _pool(evidence, series, facts)
        facts |= _needed(job, cluster, facts)
        if isinstance(needed := facts.get("needed_bytes"), int):
            facts |= _process_with(needed, evidence)
        stamps = [each.ts_ms for each in own if each.ts_ms is not None]
        facts["first_ms"] = min(stamps, default=None)
        citations = [each.cite(_sentence(each.texts)) if isinstance(each, LogEvent) else each.cite() for each in own]
        yield Signal(
            key="network_buffers",
            subject=Subject(job=job),
            facts=known_facts(facts),
            citations=tuple(citations)[:SHOWN],
            citation_count=len(own),
            window=(min(stamps), max(stamps)) if stamps else None,
        )


def _refused_tasks(refused: Sequence[LogEvent | Failure]) -> int | None:
    """The attempts of subtasks that a TaskManager reports as refused; the JobManager and REST repeat some of them."""
    tasks = {
        (each.vertex, each.subtask, each.attempt)
        for each in refused
        if isinstance(each, LogEvent) and each.attempt is not None
    }
    return len(tasks) or None


def _sentence(texts: str) -> str:
    lines = [line for line in texts.splitlines() if "Insufficient number of network buffers" in line]
    return lines[0].strip() if lines else texts


def _requested_buffers(refused: Sequence[LogEvent | Failure]) -> dict[str, FactValue]:
    """Numbers in the refusal; with several refusals, those of the largest request."""
    worst: tuple[int, int] | None = None
    facts: dict[str, FactValue] = {}
    for each in refused:
        if numbers := NUMBERS.search(each.texts):
            wanted = (int(numbers[1]), int(numbers[2]))
            worst = wanted if worst is None or wanted > worst else worst
        if pool := POOL.search(each.texts):
            facts |= {"total": int(pool[1]), "segment_bytes": int(pool[2])}
    if worst:
        facts |= {"required": worst[0], "available": worst[1]}
    total, size = facts.get("total"), facts.get("segment_bytes")
    if isinstance(total, int) and isinstance(size, int):
        facts["pool_bytes"] = total * size
    return facts


def _pool(evidence: Evidence, series: MetricSeries, facts_of_job: dict[str, FactValue]) -> dict[str, FactValue]:
    """Size and usage of the pool from metrics and REST, where the refusal does not state them."""
    facts: dict[str, FactValue] = {}
    totals = [point.value for each in series.of("Status.Shuffle.Netty.TotalMemorySegments") for point in each.known]
    usage = [point.value for each in series.of("Status.Shuffle.Netty.RequestedMemoryUsage") for point in each.known]
    known_usage = [value for value in usage if value is not None]
    if known_usage:
        facts["requested_ratio"] = max(known_usage) / 100
    if "total" not in facts_of_job:
        smallest = min((value for value in totals if value), default=None)
        if smallest is None:
            segments = evidence.answer(task_managers.AGGREGATOR)["segments_total"].drop_null().to_pylist()
            smallest = min(segments, default=None)
        if smallest:
            facts |= {
                "total": int(smallest),
                "segment_bytes": SEGMENT_BYTES,
                "pool_bytes": int(smallest) * SEGMENT_BYTES,
            }
    return facts


def _needed(job: str | None, cluster: Cluster, facts: dict[str, FactValue]) -> dict[str, FactValue]:
    """Buffers of the job's exchanges if all subtasks ran in one TaskManager: an upper bound.

    For each edge that is not FORWARD every receiving subtask has a channel from every sending one, with two exclusive
    buffers each, and eight floating ones; every sending subtask's result takes as much again. Source: Flink
    documentation, "Network Memory Tuning Guide".
    """
    buffers = 0
    for each in exchanges(cluster, job):
        gates = EXCLUSIVE_PER_CHANNEL * each.channels + FLOATING_PER_GATE * each.receivers
        results = each.channels + (1 + FLOATING_PER_GATE) * each.senders
        buffers += gates + results
    if not buffers:
        return {}
    size = facts.get("segment_bytes") or SEGMENT_BYTES
    needed = buffers * (size if isinstance(size, int) else SEGMENT_BYTES) * EXCHANGES_SPARE
    mib = max(64, -(-int(needed) // (64 * MIB)) * 64)
    return {"needed_buffers": buffers, "needed_bytes": mib * MIB, "needed_mib": mib}


def _process_with(network_bytes: int, evidence: Evidence) -> dict[str, FactValue]:
    """The total memory of a TaskManager with this network memory, every other part unchanged."""
    model = next(iter(memory_models(evidence)), None)
    if model is None:
        return {}
    sized = resized(evidence, model, network=network_bytes)
    if sized is None:
        return {}
    return {
        "task_heap_mib": round(model.parts["task_heap"] / MIB),
        "managed_mib": round(model.parts["managed"] / MIB),
        "process_mib": round(model.total_bytes / MIB),
        "needed_process_mib": -(-int(sized.total_bytes) // MIB),
    }


SIGNALS = (
    SignalDefinition(
        key="network_buffers",
        level="job",
        facts={
            "resource": "`network buffers`",
            "insufficient": "messages about refused requests for network buffers, of all processes",
            "refused_tasks": "attempts of subtasks that were refused network buffers, from the TaskManagers' logs",
            "exclusive_timeouts": "requests for exclusive buffers that timed out",
            "required": "buffers that the largest refused request wanted",
            "available": "buffers that were available then",
            "total": "buffers of a TaskManager's pool",
            "segment_bytes": "size of a buffer, bytes",
            "pool_bytes": "size of the pool, bytes",
            "requested_ratio": "highest part of the pool that was requested; 1 is all",
            "first_ms": "first refusal, epoch ms",
            "needed_buffers": "buffers that all exchanges of the job need in one TaskManager",
            "needed_bytes": "proposed network memory, bytes, half as much again and rounded up to 64 MiB",
            "needed_mib": "the same in MiB",
            "task_heap_mib": "task heap of a TaskManager, MiB",
            "managed_mib": "managed memory of a TaskManager, MiB",
            "process_mib": "total memory of a TaskManager's process, MiB",
            "needed_process_mib": "the total with the proposed network memory and all other parts unchanged, MiB",
        },
        measure=measure,
    ),
)
