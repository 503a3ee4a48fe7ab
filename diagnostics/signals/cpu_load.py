"""Share of the machine's CPU that Flink's processes use."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import fmean, median

from diagnostics.arithmetic.quantiles import known, middle
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import Subject
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition

FEWEST_SAMPLES = 4
"""How many samples make a level. Our choice."""
BUSY = "busyTimeMsPerSecond"
FEWEST_BUSY = 0.8
"""With fewer busy subtasks the processes' own work (checkpoints, network) dominates their CPU time. Our choice."""
NANOSECONDS = 1_000_000.0
"""Nanoseconds per millisecond. `Status.JVM.CPU.Time` counts nanoseconds over all threads of the process."""


def measure(evidence: Evidence) -> Measured:
    """CPU load of each TaskManager.

    Reads   metric_sample (Status.JVM.CPU.Load: 0 to 1, all cores of the host are 1; Status.JVM.CPU.Time; busy time).
    Gives   one signal of the case.
    Empty   NotMeasured with too few samples.
    """
    cluster = cluster_of(evidence)
    series_of = metric_series(evidence)
    loads = {}
    for each in series_of.of("Status.JVM.CPU.Load"):
        values = sorted(point.value for point in each.known if point.value is not None)
        if each.task_manager and len(values) >= FEWEST_SAMPLES:
            loads[normalised(each.task_manager)] = (median(values), values[len(values) * 9 // 10], each)
    if not loads:
        yield NotMeasured("cpu_load", "metric-scrapes", "no samples of Status.JVM.CPU.Load")
        return
    place = max(loads, key=lambda name: (loads[name][0], name))
    load, high, series = loads[place]
    busiest = max(series.known, key=lambda point: (point.value or 0.0, point.ts_ms or 0))
    used = known(_cores(series_of))
    busy = _busy_subtasks(series_of)
    yield Signal(
        key="cpu_load",
        subject=Subject(),
        facts={
            "resource": "cpu",
            "task_manager": cluster.task_manager(series.task_manager),
            "median_ratio": load,
            "high_ratio": high,
            "task_managers": len(loads),
            "last_sample_ms": series.known[-1].ts_ms,
            **({"cores_used": max(used)} if used else {}),
            **({"cpu_to_busy_ratio": sum(used) / busy} if used and busy >= FEWEST_BUSY else {}),
        },
        citations=(series.cite(busiest),),
        citation_count=len(series.known),
    )


def _cores(series_of: MetricSeries) -> Iterator[float | None]:
    """Usual number of cores in use, per TaskManager process."""
    for each in series_of.of("Status.JVM.CPU.Time"):
        if each.task_manager and len(each.known) >= FEWEST_SAMPLES:
            yield middle(_rates(each))


def _busy_subtasks(series_of: MetricSeries) -> float:
    """Usual number of busy subtasks over all tasks: the sum of their mean busy ratios."""
    of_tasks = series_of.by_vertex("busyTimeMsPerSecond", operators=False).values()
    return sum(
        fmean(values) / 1000 for each in of_tasks for one in each if (values := known(p.value for p in one.known))
    )


def _rates(series: Series) -> Iterator[float]:
    for before, after in pairwise(series.known):
        if before.ts_ms is None or after.ts_ms is None or before.value is None or after.value is None:
            continue
        if after.ts_ms > before.ts_ms and after.value >= before.value:
            yield (after.value - before.value) / NANOSECONDS / (after.ts_ms - before.ts_ms)


SIGNALS = (
    SignalDefinition(
        key="cpu_load",
        level="case",
        facts={
            "resource": "`cpu`",
            "task_manager": "the TaskManager with the highest median",
            "median_ratio": "median CPU load of the process; 1 is all cores of its host",
            "high_ratio": "its ninth decile",
            "task_managers": "TaskManagers whose load is known",
            "last_sample_ms": "last sample of the load, epoch ms",
            "cpu_to_busy_ratio": "cores that all TaskManagers keep busy over their busy subtasks; near 1 they compute, "
            "near 0 they wait while they are busy, or are kept from the CPU",
            "cores_used": "cores that the busiest TaskManager process keeps busy; median",
        },
        measure=measure,
    ),
)
