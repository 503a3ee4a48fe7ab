"""Heap and metaspace usage of each process."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.aggregators import task_managers
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.gc.timeline import JOB_MANAGER
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Point, Series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import HEAP, cited_text
from diagnostics.wording.phrase import size

AREAS = {"heap": "Status.JVM.Memory.Heap", "metaspace": "Status.JVM.Memory.Metaspace"}
EARLY_PART = 0.25
"""Share of the samples at each end that growth compares. Our choice: a quarter."""


def measure(evidence: Evidence) -> Measured:
    """Use of heap and metaspace against their limits.

    Reads   metric_sample (Status.JVM.Memory.*), task_manager (REST).
    Gives   one signal for each process.
    Empty   NotMeasured without metrics and TaskManagers.
    """
    processes = _series_by_process(metric_series(evidence))
    rows = _rows_by_process(evidence)
    if not processes and not rows:
        yield NotMeasured("memory_use", "metric-scrapes", "no metric and no TaskManager shows the use of memory")
        return
    cluster = cluster_of(evidence)
    for place in sorted({*processes, *rows}):
        facts, citations = _facts(processes.get(place, {}))
        row = rows.get(place)
        if row is not None:
            facts = {**_facts_of_rest(row), **facts}
            citations.append(_citation(row))
        printed = next((each.task_manager for each in processes.get(place, {}).values() if each.task_manager), None)
        name = (row.task_manager if row is not None else cluster.task_manager(printed)) or JOB_MANAGER
        facts["role"] = JOB_MANAGER if name == JOB_MANAGER else "taskmanager"
        yield Signal(
            key="memory_use",
            subject=Subject(
                job=cluster.job_of(name) if name != JOB_MANAGER else None,
                task_manager=name,
                host=cluster.hosts.get(normalised(name)),
            ),
            facts=known_facts(facts),
            citations=tuple(citations),
            citation_count=sum(len(each.points) for each in processes.get(place, {}).values()) or len(citations),
        )


def _series_by_process(series: MetricSeries) -> Mapping[str, dict[str, Series]]:
    found: dict[str, dict[str, Series]] = defaultdict(dict)
    for area, metric in AREAS.items():
        for what in ("Used", "Max"):
            for each in series.of(f"{metric}.{what}"):
                found[normalised(each.task_manager)][f"{area}.{what}"] = each
    return found


def _facts(series: Mapping[str, Series]) -> tuple[dict[str, FactValue], list[Citation]]:
    facts: dict[str, FactValue] = {}
    citations: list[Citation] = []
    for area in AREAS:
        used, most = series.get(f"{area}.Used"), series.get(f"{area}.Max")
        if not used or not used.known:
            continue
        top = max(used.known, key=lambda point: (point.value or 0.0, point.ts_ms or 0))
        facts |= {f"{area}_used_max_bytes": top.value, f"{area}_used_last_bytes": used.known[-1].value}
        facts[f"{area}_growth_bytes"] = _growth(used.known)
        citations.append(used.cite(top))
        limit = max((point.value or 0.0 for point in most.known), default=0.0) if most else 0.0
        if limit > 0 and top.value is not None:
            facts |= {f"{area}_max_bytes": limit, f"{area}_used_ratio": top.value / limit}
    return facts, citations


def _growth(points: Sequence[Point]) -> float | None:
    """Lowest usage in the last quarter minus lowest in the first: growth of the live data."""
    values = [point.value for point in points if point.value is not None]
    part = int(len(values) * EARLY_PART)
    return min(values[-part:]) - min(values[:part]) if part >= 2 else None


def _rows_by_process(evidence: Evidence) -> Mapping[str, Any]:
    """TaskManager -> its newest row."""
    rows = sorted(named_rows(evidence.answer(task_managers.AGGREGATOR)), key=lambda row: row.ts_ms or 0)
    return {normalised(row.task_manager): row for row in rows if row.heap_max_bytes is not None}


def _heap_used(row: Any) -> float | None:
    """The heap in use; REST answers 0 of 0 for a process whose metrics it could not fetch."""
    used: float | None = row.heap_used_bytes if row.heap_max_bytes else None
    return used


def _facts_of_rest(row: Any) -> dict[str, FactValue]:
    facts: dict[str, FactValue] = {
        "heap_max_bytes": row.heap_max_bytes or None,
        "heap_used_last_bytes": _heap_used(row),
        "heap_used_max_bytes": _heap_used(row),
        "metaspace_max_bytes": row.metaspace_max_bytes,
        "managed_bytes": row.managed_bytes,
        "network_bytes": row.network_bytes,
        "cpu_cores": row.cpu_cores,
    }
    if row.heap_used_bytes is not None and row.heap_max_bytes:
        facts["heap_used_ratio"] = row.heap_used_bytes / row.heap_max_bytes
    return facts


def _size(count: float | None) -> str:
    return "unknown" if count is None else size(count)


def _citation(row: Any) -> Citation:
    used = _heap_used(row)
    return Citation.of(
        row,
        "rest",
        cited_text(HEAP, task_manager=row.task_manager, used=_size(used), largest=_size(row.heap_max_bytes or None)),
        name="heapUsed",
        value=used,
    )


SIGNALS = (
    SignalDefinition(
        key="memory_use",
        level="task_manager",
        facts={
            "role": "taskmanager or jobmanager",
            "heap_max_bytes": "largest heap, bytes",
            "heap_used_max_bytes": "most heap in use, bytes",
            "heap_used_last_bytes": "heap in use at the end, bytes",
            "heap_used_ratio": "heap_used_max_bytes as part of heap_max_bytes, 0 to 1",
            "heap_growth_bytes": "growth of the lowest use from the first to the last quarter, bytes",
            "metaspace_max_bytes": "limit of the metaspace, bytes",
            "metaspace_used_max_bytes": "most metaspace in use, bytes",
            "metaspace_used_last_bytes": "metaspace in use at the end, bytes",
            "metaspace_used_ratio": "used metaspace as part of its limit, 0 to 1",
            "metaspace_growth_bytes": "growth of the lowest use from the first to the last quarter, bytes",
            "managed_bytes": "managed memory, bytes",
            "network_bytes": "network memory, bytes",
            "cpu_cores": "cores that the JVM sees",
        },
        measure=measure,
    ),
)
