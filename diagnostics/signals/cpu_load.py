"""How much of the machine's CPU the processes use."""

from __future__ import annotations

from statistics import median

from diagnostics.evidence import Evidence
from diagnostics.reconstruction.cluster import cluster_of, normalised
from diagnostics.reconstruction.series import metric_series
from diagnostics.signal import Measured, NotMeasured, Signal, SignalDefinition, Subject

FEWEST_SAMPLES = 4
"""How many samples make a level. Our choice."""


def measure(evidence: Evidence) -> Measured:
    """CPU load of each TaskManager.

    Reads   metric_sample (Status.JVM.CPU.Load: 0 to 1, all cores of the host are 1).
    Gives   one signal of the case.
    Empty   NotMeasured with too few samples.
    """
    cluster = cluster_of(evidence)
    loads = {}
    for each in metric_series(evidence).of("Status.JVM.CPU.Load"):
        values = sorted(point.value for point in each.known if point.value is not None)
        if each.task_manager and len(values) >= FEWEST_SAMPLES:
            loads[normalised(each.task_manager)] = (median(values), values[len(values) * 9 // 10], each)
    if not loads:
        yield NotMeasured("cpu_load", "metric-scrapes", "no samples of Status.JVM.CPU.Load")
        return
    place = max(loads, key=lambda name: (loads[name][0], name))
    middle, high, series = loads[place]
    busiest = max(series.known, key=lambda point: (point.value or 0.0, point.ts_ms or 0))
    yield Signal(
        key="cpu_load",
        subject=Subject(),
        facts={
            "resource": "cpu",
            "task_manager": cluster.task_manager(series.task_manager),
            "median_ratio": middle,
            "high_ratio": high,
            "task_managers": len(loads),
        },
        citations=(series.cite(busiest),),
        citation_count=len(series.known),
    )


SIGNALS = (
    SignalDefinition(
        key="cpu_load",
        level="case",
        facts={
            "resource": "`cpu`",
            "task_manager": "the TaskManager with the highest median",
            "median_ratio": "its median CPU load, 1 is all cores of its host",
            "high_ratio": "its ninth decile",
            "task_managers": "TaskManagers whose load is known",
        },
        measure=measure,
    ),
)
